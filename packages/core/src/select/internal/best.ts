/**
 * The best rows of each ask, for supervised training: the highest reward, then the cleanest calls, then behaviour that the
 * selection has least of. Length decides nothing, or the examples would teach it.
 */
import * as Hash from "../../random/Hash.ts"
import { isAgentCall } from "../../row/Row.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Candidate, Group } from "./candidates.ts"
import type { Tally } from "./gateTally.ts"
import type { Settings } from "./selectOptions.ts"
import { takeInTurn } from "./takeInTurn.ts"

export const chooseBest = <R extends TraceRow>(
  groups: ReadonlyArray<Group<R>>,
  settings: Settings,
  tally: Tally
): ReadonlyArray<Candidate<R>> => {
  const byAsk = new Map<string, Array<Candidate<R>>>()
  for (const { ask, members } of groups) byAsk.set(ask, [...(byAsk.get(ask) ?? []), ...members])
  const used = new Map<string, number>()
  const best: Array<Candidate<R>> = []
  for (const [, members] of byAsk) {
    const here = new Set<string>()
    const ranked = [...members].sort(
      (a, b) => byMerit(a, b) || (used.get(a.signature) ?? 0) - (used.get(b.signature) ?? 0)
    )
    for (const candidate of ranked) {
      const { signature } = candidate
      if (here.has(signature)) tally.drop("best", candidate.row, "behaves as a better row of its ask")
      else if (here.size >= settings.perTask) tally.drop("best", candidate.row, "a better row of its ask is kept")
      else {
        here.add(signature)
        used.set(signature, (used.get(signature) ?? 0) + 1)
        best.push(candidate)
      }
    }
  }
  const ranked = best
    .map((candidate) => ({ candidate, tie: Hash.sha256Hex(RowSource.groupOf(candidate.row)) }))
    .sort((a, b) => byMerit(a.candidate, b.candidate) || (a.tie < b.tie ? -1 : a.tie > b.tie ? 1 : 0))
    .map(({ candidate }) => candidate)
  const { left, taken } = takeInTurn(
    ranked,
    (candidate) => candidate.signature,
    () => 1,
    settings.target
  )
  for (const candidate of left) tally.drop("target", candidate.row)
  return taken
}

const byMerit = (a: Candidate, b: Candidate): number => b.reward - a.reward || slipsOf(a.row) - slipsOf(b.row)

/** Calls that could not be run, and calls that failed without a planned fault. */
const slipsOf = (row: TraceRow): number => {
  const malformed = row["malformed_tool_calls"]
  return row.steps.reduce(
    (sum, step) => sum + (isAgentCall(step) && step.status !== "ok" && step.fault === undefined ? 1 : 0),
    typeof malformed === "number" ? malformed : 0
  )
}
