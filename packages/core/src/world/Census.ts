/**
 * What a world of the caller's shows of itself: its reads are called with the identifiers the caller said exist, once, before
 * the first task. The people who then come are people of that world. Only reads are called, and no more than `most`.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import * as English from "../language/English.ts"
import type { Task } from "../task/Task.ts"
import type { Draw } from "./Draws.ts"
import * as Drawing from "./internal/drawing.ts"
import { referenceOf } from "./internal/nouns.ts"
import { isRecord, type JsonObject } from "./internal/records.ts"
import * as ToolPlans from "./internal/toolPlans.ts"
import type * as World from "./World.ts"

/** Calls that are made at most, and records that are read of a kind at most. */
const most = 240
const mostOfAKind = 60

/** What was read, by kind and identifier. */
type Records = Map<string, Map<string, JsonObject>>

/** Draws people and records from the world; null where it showed none. */
export const read = (
  service: World.Service,
  input: World.WorldInput,
  declared: Readonly<Record<string, ReadonlyArray<string>>>
): Effect.Effect<Draw | null, World.WorldFailed, Scope> =>
  Effect.gen(function* () {
    const run = ToolPlans.compile(
      input.tools,
      input.settings.ids,
      new Map(),
      input.ids ?? new Set(),
      input.settings.systemPrompt
    )
    const session = yield* service.open(asking, { taskId: asking.id, index: 0, evalRun: 0 })
    const records: Records = new Map()
    const waiting = Object.entries(declared).flatMap(([argument, ids]) => {
      const reference = referenceOf(argument)
      const noun = reference === null || reference.noun === "" ? English.singular(argument) : reference.noun
      return ids.slice(0, mostOfAKind).map((id) => ({ noun, id }))
    })
    const asked = new Set<string>()
    for (let calls = 0; calls < most && waiting.length > 0;) {
      const next = waiting.shift()
      if (next === undefined) break
      const reader = readerOf(run, next.noun)
      const key = `${next.noun} ${next.id}`
      const held = records.get(next.noun) ?? new Map<string, JsonObject>()
      if (reader === null || asked.has(key) || held.size >= mostOfAKind) continue
      asked.add(key)
      calls += 1
      const answer = yield* session.call({
        tool: reader.tool.name,
        arguments: { [reader.primary?.name ?? ""]: reader.type.numeric ? Number(next.id) : next.id }
      })
      if (answer.status !== "ok" || !isRecord(answer.result)) continue
      records.set(next.noun, held.set(next.id, answer.result))
      for (const noun of named(run)) {
        for (const id of Drawing.identifiersIn(answer.result, noun)) waiting.push({ noun, id })
      }
    }
    return records.size === 0 ? null : Drawing.fromBook(run, input.randomness, bookOf(records))
  })

/** The read that tells what a record holds by its identifier alone. */
const readerOf = (run: ToolPlans.RunPlan, noun: string): ToolPlans.ToolPlan | null =>
  [...run.tools.values()].find(
    (plan) =>
      plan.mode === "get" &&
      plan.type.noun === noun &&
      plan.primary !== null &&
      plan.arguments.filter(({ required }) => required).length === 1
  ) ?? null

/** The kinds that tools read records of. */
const named = (run: ToolPlans.RunPlan): ReadonlyArray<string> => [
  ...new Set([...run.tools.values()].flatMap((plan) => (plan.mode === "get" ? [plan.type.noun] : [])))
]

const bookOf = (records: Records): Drawing.Book => {
  const all = (noun: string): ReadonlyArray<string> => [...(records.get(noun)?.keys() ?? [])]
  const record = ({ id, noun }: Drawing.Target): JsonObject => records.get(noun)?.get(id) ?? nothing
  return {
    record,
    population: all,
    owned: (of, noun) => {
      const named = Drawing.identifiersIn(record(of), noun)
      if (named.length > 0) return named
      return all(noun).filter((id) => Drawing.identifiersIn(record({ noun, id }), of.noun).includes(of.id))
    },
    known: (noun) => records.has(noun),
    partial: true
  }
}

const nothing: JsonObject = {}

/** The task in whose name the world is asked: no rollout is under way. */
const asking: Task = {
  id: "census",
  scenarioId: "census",
  prompt: "",
  dimensions: {},
  tier: null,
  shown: {},
  arm: "seed",
  phrasing: 0,
  writer: "",
  worldState: null,
  faults: [],
  plan: { world_seed: 0, need: null, facts: {}, traits: {}, entity: null },
  privileged: {}
}
