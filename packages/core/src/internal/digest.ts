/**
 * What the search keeps of a row.
 */
import * as Conduct from "../grade/Conduct.ts"
import * as Row from "../row/Row.ts"
import type * as Search from "../search/Search.ts"

export const digestOf = (row: Row.Row, settings: Conduct.Settings): Search.Digest => {
  const calls = row.steps.filter(Row.isCallStep)
  const worldFault = calls.some(({ fault, status }) => fault !== undefined || status !== "ok")
  return {
    signature: row.behavior_signature ?? "",
    truncated: row.finish_reason === "length",
    worldFault,
    handledBadly: worldFault && (Conduct.grade(row, settings).reward ?? 1) < 1,
    shapes: calls.map(({ tool, status }) => `${tool}:${status}`)
  }
}
