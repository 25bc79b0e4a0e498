/**
 * What answers of the mock have in common.
 */
import * as English from "../../language/English.ts"
import type { Answer } from "../World.ts"
import * as Failures from "./failures.ts"
import { spoken } from "./nouns.ts"
import { freeze, get, type JsonObject, isId } from "./records.ts"
import * as Store from "./store.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity } from "./taskWorld.ts"

/** The next world, and the answer. */
export type Step = readonly [Store.World, Answer]

export const ok = (plan: ToolPlan, result: unknown): Answer => ({
  result: freeze(result),
  status: "ok",
  answeredBy: "mock",
  elapsedMs: plan.latency
})

/** The first record an argument names that does not exist. */
export const unknownReference = (world: Store.World, plan: ToolPlan, args: JsonObject): Answer | null => {
  for (const { argument, noun } of plan.references) {
    const value = get(args, argument.name)
    const ids = Array.isArray(value) ? value : value === undefined || value === null || value === "" ? [] : [value]
    for (const id of ids) {
      if (isId(id) && Store.find(world, noun, String(id)) === null) {
        return Failures.notFound(plan, noun, argument.name, id)
      }
    }
  }
  return null
}

/** More than one record matches where one is needed. */
export const ambiguous = (plan: ToolPlan, found: ReadonlyArray<Entity>): Answer => {
  const ids = found.map((entity) => JSON.stringify(entity.id)).join(" and ")
  const things = English.plural(spoken(plan.type.noun))
  return Failures.refused(plan, `${found.length} ${things} match: ${ids}. Give the ${plan.type.idField}.`)
}
