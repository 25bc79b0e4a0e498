/**
 * From a written ask to a task: what is refused at the door, and the plan a task gets.
 */
import * as Hash from "../../random/Hash.ts"
import type { Ask } from "../../situation/SituationWriter.ts"
import type { Seed } from "../../settings/RunSettings.ts"
import type { Fault, Plan } from "../../task/Plan.ts"
import { seedScenarioId, type Task } from "../../task/Task.ts"
import * as WorldSeed from "../../task/WorldSeed.ts"
import * as Faults from "../../world/Faults.ts"
import type { Draft, Opening } from "./state.ts"

export type Refusal = "duplicate" | "leak"

/** Why an ask is refused, if it is; `normal` is the normal form of its text. Costs no rollout. */
export const refusalOf = (draft: Draft, { likeness = 0, text }: Ask, normal: string): Refusal | undefined => {
  if (draft.texts.has(normal)) {
    draft.duplicatesRefused += 1
    return "duplicate"
  }
  const { leakage } = draft.input
  if (leakage === null) return undefined
  const similarity = Math.max(likeness, leakage.similarity(text, draft.highestSimilarity))
  if (similarity >= leakage.threshold) {
    draft.leaksRefused += 1
    return "leak"
  }
  draft.highestSimilarity = Math.max(draft.highestSimilarity, similarity)
  return undefined
}

/** The task of a written ask. A mutation keeps its parent's world and faults; another cell draws its own. */
export const taskOf = (draft: Draft, opening: Opening, ask: Ask): Task => {
  const { arm, mutates, slot, tier } = opening
  const { entity, need, person, shown, text: prompt, unknown, writer } = ask
  const { phrasing, scenarioId } = slot
  const { dimensions } = slot.cell
  const id = Hash.id("task", scenarioId, prompt)
  const world_seed = worldSeedOf(draft, scenarioId)
  const parent = mutates?.parent
  const task: { -readonly [Key in keyof Task]: Task[Key] } = {
    id,
    scenarioId,
    prompt,
    dimensions,
    tier,
    shown,
    arm,
    phrasing,
    writer,
    worldState: parent === undefined ? stateOf(dimensions["world_state"]) : parent.worldState,
    faults: parent === undefined ? faultsOf(draft, opening, ask) : parent.faults,
    plan:
      parent === undefined
        ? {
            world_seed,
            need,
            facts: factsOf(opening, ask),
            traits: shown,
            entity,
            ...(person === undefined ? {} : { person }),
            ...(unknown === undefined || unknown.length === 0 ? {} : { unknown })
          }
        : parent.plan,
    privileged: {}
  }
  if (mutates !== undefined) {
    task.parentTaskId = mutates.parent.id
    task.aim = mutates.aim
  }
  return task
}

/** What the person knows: what their ask is about, and what a trace showed them to know. */
const factsOf = ({ slot: { source } }: Opening, ask: Ask): Plan["facts"] =>
  source?._tag === "Vary" && source.facts !== undefined ? { ...source.facts, ...ask.facts } : ask.facts

/** The task of a caller's seed in its own words: no fault, and only the coordinates that were given. */
export const taskOfSeed = (draft: Draft, seed: Seed, index: number): Task => {
  const { seeds } = draft.input.settings
  const equalBefore = seeds
    .slice(0, index)
    .filter((other) => other.prompt === seed.prompt && other.id === seed.id).length
  const scenarioId = seedScenarioId(seed, equalBefore)
  const world_seed = seed.plan?.world_seed ?? worldSeedOf(draft, scenarioId)
  // Of whom the caller says something, they say all there is.
  const isToldOf = seed.plan?.facts !== undefined || seed.plan?.entity !== undefined
  const behind = isToldOf ? null : (draft.input.seedPerson?.(seed.prompt, world_seed) ?? null)
  return {
    id: Hash.id("task", scenarioId, seed.prompt),
    scenarioId,
    prompt: seed.prompt,
    dimensions: seed.dimensions ?? {},
    tier: seed.tier ?? null,
    shown: {},
    arm: "seed",
    phrasing: 0,
    writer: "seed",
    worldState: stateOf(seed.plan?.world_state),
    faults: draft.input.settings.faultRate === 0 ? [] : (seed.plan?.faults ?? []),
    plan: {
      world_seed,
      need: seed.plan?.need ?? null,
      traits: seed.plan?.traits ?? {},
      entity: seed.plan?.entity ?? null,
      ...(behind ?? { facts: seed.plan?.facts ?? {} })
    },
    privileged: {
      ...(seed.reference === undefined ? {} : { reference: seed.reference }),
      ...(seed.expected === undefined ? {} : { expected: seed.expected })
    }
  }
}

/** A further wording of a task: the same world, plan and faults in other words. */
export const rewordedTask = (first: Task, ask: Ask): Task => ({
  ...first,
  id: Hash.id("task", first.scenarioId, ask.text),
  prompt: ask.text,
  shown: ask.shown,
  phrasing: ask.slot.phrasing,
  writer: ask.writer
})

const worldSeedOf = (draft: Draft, scenarioId: string): number => WorldSeed.of(draft.input.randomness, scenarioId)

const stateOf = (state: string | undefined): string | null =>
  state === undefined || state === "unspecified" ? null : state

/** A fault-tagged situation keeps its plan with probability `faultRate`; all its wordings share the outcome. */
const faultsOf = (draft: Draft, { slot }: Opening, ask: Ask): ReadonlyArray<Fault> => {
  const { settings, randomness } = draft.input
  if (settings.faultRate === 0) return []
  if (settings.faultPlan !== null) return settings.faultPlan
  const condition = slot.cell.dimensions["tool_condition"] ?? "success"
  const tool = ask.entity?.tool ?? slot.cell.dimensions["tool"]
  if (!isTagged(draft, condition, tool)) return []
  draft.faultTagged += 1
  const draws = randomness.stream(["fault", slot.scenarioId])
  if (draws.next() >= settings.faultRate) return []
  draft.faultKept += 1
  return Faults.plan(condition, tool as string, draws)
}

const isTagged = ({ input: { settings } }: Draft, condition: string, tool: string | undefined): boolean =>
  condition !== "success" && tool !== undefined && settings.tools.has(tool)

/** Counts what `faultsOf` counts, for a task that has its faults. */
export const countFaults = (draft: Draft, { dimensions, faults, plan }: Task): void => {
  const { faultPlan, faultRate } = draft.input.settings
  if (faultRate === 0 || faultPlan !== null) return
  if (!isTagged(draft, dimensions["tool_condition"] ?? "success", plan.entity?.tool ?? dimensions["tool"])) return
  draft.faultTagged += 1
  if (faults.length > 0) draft.faultKept += 1
}
