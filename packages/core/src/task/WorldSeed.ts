/**
 * The seed of a situation's world. All wordings and rollouts of a situation share it, and so do its writer and its world.
 */
import type * as Randomness from "../random/Randomness.ts"

export const of = (randomness: Randomness.Service, scenarioId: string): number =>
  Math.floor(randomness.draw(["world_seed", scenarioId]) * 4294967296)
