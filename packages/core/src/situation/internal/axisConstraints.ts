/**
 * What cannot occur together in one situation, by what the words mean. A caller's constraints come on top; the search
 * for rows takes both in numbers.
 */
import {
  type Axis,
  type Dimensions,
  furtherConditions,
  multiTool,
  toolConditions,
  unrelated,
  worldStates
} from "../../task/Cell.ts"
import { referencesOf } from "../../task/References.ts"
import type { Constraint } from "../../settings/RunSettings.ts"
import type { Tool } from "../../task/Tool.ts"
import type { Forbidden } from "./validity.ts"

/**
 * - An ask that needs no tool meets no failing tool, is about no record, and nothing was half done about it before.
 * - A tool that takes no reference is about no record, so the record can be in no state but the plain one.
 * - A tool that answers from its arguments alone (a calculator) has no record that was acted on and nothing to be stale.
 * - Someone who tries again was here before.
 */
export const builtIn = (tools: ReadonlyArray<Tool>): ReadonlyArray<Constraint> => {
  const forbid = (first: Dimensions, axis: string, values: ReadonlyArray<string>): ReadonlyArray<Constraint> =>
    values.map((value) => ({ forbid: { ...first, [axis]: value } }))
  const failing = [...toolConditions, ...furtherConditions].filter((condition) => condition !== "success")
  const unlike = worldStates.filter((state) => state !== "exists")
  const anyReference = tools.some((tool) => referencesOf(tool).length > 0)
  return [
    ...forbid({ tool: unrelated }, "tool_condition", failing),
    ...forbid({ tool: unrelated }, "world_state", unlike),
    ...forbid({ tool: unrelated }, "history", ["prior_partial_action"]),
    ...(anyReference ? [] : forbid({ tool: multiTool }, "world_state", unlike)),
    ...tools.flatMap((tool) => [
      ...(referencesOf(tool).length === 0 ? forbid({ tool: tool.name }, "world_state", unlike) : []),
      ...(tool.kind === "compute"
        ? [
            ...forbid({ tool: tool.name }, "world_state", ["already_acted_on", "partially_completed", "duplicate"]),
            ...forbid({ tool: tool.name }, "tool_condition", ["stale_result"])
          ]
        : [])
    ]),
    { forbid: { stance: "retry", history: "fresh" } }
  ]
}

/**
 * Constraints as (factor, value) pairs over the given axes. `fixed` holds values that every row has: they are taken out
 * of a constraint. One that names a value no row has forbids nothing and is left out; an empty one forbids every row.
 */
export const inNumbers = (
  axes: ReadonlyArray<Axis>,
  constraints: ReadonlyArray<Constraint>,
  fixed: ReadonlyMap<string, string>
): ReadonlyArray<Forbidden> =>
  constraints.flatMap(({ forbid }) => {
    const pairs: Array<readonly [number, number]> = []
    for (const [name, value] of Object.entries(forbid)) {
      if (fixed.has(name)) {
        if (fixed.get(name) !== value) return []
        continue
      }
      const factor = axes.findIndex((axis) => axis.name === name)
      const at = axes[factor]?.values.indexOf(value) ?? -1
      if (at === -1) return []
      pairs.push([factor, at])
    }
    return [pairs]
  })
