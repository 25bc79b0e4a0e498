/**
 * Calls that can be answered on the spot: the fiber that any other call costs is as dear as the answers of a mock world.
 */
import * as Effect from "effect/Effect"
import * as Immediate from "../../task/internal/immediate.ts"
import type { Answer } from "../World.ts"

/** A call that begins as the function says: with its answer, or with an effect that has it later. */
export const respond: (answer: () => Answer | Effect.Effect<Answer>) => Effect.Effect<Answer> = Immediate.make

/** Begins a call: its answer where that is there at once, else an effect to go on with. */
export const start: (call: Effect.Effect<Answer>) => Answer | Effect.Effect<Answer> = Immediate.start

export const isAnswer = (begun: Answer | Effect.Effect<Answer>): begun is Answer => !Effect.isEffect(begun)
