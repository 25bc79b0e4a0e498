/**
 * What the search keeps of a row.
 */
import * as Conduct from "../../grade/Conduct.ts"
import * as Row from "../../row/Row.ts"
import type * as Search from "../Search.ts"

/** `results`: the results of its calls as text, where they are at hand. */
export const digestOf = (row: Row.Row, settings: Conduct.Settings, results?: ReadonlyArray<string>): Search.Digest => {
  const calls = row.steps.filter(Row.isCallStep)
  const worldFault = calls.some(({ fault, status }) => fault !== undefined || status !== "ok")
  return {
    signature: row.behavior_signature ?? "",
    truncated: row.finish_reason === "length",
    worldFault,
    handledBadly: worldFault && (Conduct.grade(row, settings, results).reward ?? 1) < 1,
    shapes: calls.map(({ tool, status }) => `${tool}:${status}`)
  }
}
