/**
 * How much of what a search found is shown, and from where on.
 */
import { wordsOf } from "../../task/ToolKind.ts"
import { get, type JsonObject } from "./records.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity } from "./taskWorld.ts"

export const paged = (plan: ToolPlan, args: JsonObject, all: ReadonlyArray<Entity>): ReadonlyArray<Entity> => {
  let limit = all.length
  let skip = 0
  for (const [name, role] of plan.roles) {
    const value = get(args, name)
    if (role !== "paging" || typeof value !== "number" || value < 0) continue
    const words = wordsOf(name)
    if (words.includes("offset")) skip = Math.floor(value)
    else if (words.includes("page") && !words.includes("size") && !words.includes("per"))
      skip = Math.max(0, Math.floor(value) - 1) * all.length
    else if (
      words.some((word) =>
        ["limit", "results", "size", "per", "number", "num", "n", "k", "top", "count"].includes(word)
      )
    )
      limit = Math.floor(value)
  }
  return all.slice(skip, skip + limit)
}
