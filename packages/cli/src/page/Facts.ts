/**
 * What the page keeps of each row in memory: enough to count it, list it and find it. The thread itself is read again
 * when it is written.
 */
import type { MeasuredRow } from "@sandtable/core/Measured"
import * as PassMark from "@sandtable/core/unstable/PassMark"
import * as Rows from "@sandtable/core/Row"
import * as RowSource from "@sandtable/core/unstable/RowSource"
import * as Markup from "./Markup.ts"

/** `partial`: half credit, a reward above 0 and below the pass mark; it is no pass. */
export type Verdict = "pass" | "fail" | "partial" | "ungraded"

export interface Facts {
  readonly id: string
  /** The situation, which is what rates are means over. */
  readonly task: string
  readonly ask: string
  readonly verdict: Verdict
  readonly reward: number | null
  readonly reason: string | null
  /** Null for rows that lost no reward; empty where nobody said what for. */
  readonly failure: string | null
  readonly tier: string | null
  readonly arm: string | null
  /** Kinds of faults that were planned, and those that a call met. */
  readonly planned: ReadonlyArray<string>
  readonly met: ReadonlyArray<string>
  /** Rollout of its ask, and eval run, both from 0. */
  readonly rollout: number
  readonly evalRun: number
  readonly steps: number
  readonly dimensions: Readonly<Record<string, string>>
  /** What a search looks through, in lower case. */
  readonly words: string
  /** Characters of its thread, about. */
  readonly size: number
  readonly measured: MeasuredRow
}

/** `passAt`: the least reward of a pass. */
export const of = (row: Rows.Row, passAt: number): Facts => {
  const reward = RowSource.rewardOf(row)
  const verdict = verdictOf(reward, passAt)
  const failure = verdict === "fail" || verdict === "partial" ? (row.failure_class ?? "") : null
  return {
    id: row.row_id,
    task: RowSource.situationOf(row),
    ask: Markup.cut(row.prompt, longestAsk),
    verdict,
    reward,
    reason: row.reason === undefined ? null : Markup.cut(row.reason, longestReason),
    failure,
    tier: row.tier ?? null,
    arm: row.arm ?? null,
    planned: kinds((row.faults ?? []).map(({ mode }) => mode)),
    met: kinds(row.steps.flatMap((step) => (Rows.isCallStep(step) && step.fault !== undefined ? [step.fault] : []))),
    rollout: row.rollout_index ?? 0,
    evalRun: RowSource.evalRunOf(row),
    steps: row.steps.length,
    dimensions: row.scenario_dimensions ?? {},
    words: wordsOf(row),
    size: JSON.stringify(row.steps).length + row.steps.length * frame,
    measured: measuredOf(row)
  }
}

export const verdictOf = (reward: number | null, passAt: number): Verdict =>
  reward === null ? "ungraded" : PassMark.isPass(reward, passAt) ? "pass" : reward === 0 ? "fail" : "partial"

/** Longest texts kept; the thread has them whole. */
const longestAsk = 400
const longestReason = 300

/** What a step takes beside its words, about. */
const frame = 200

const kinds = (modes: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(modes)]

const wordsOf = ({
  failure_class,
  final_text,
  prompt,
  reason,
  row_id,
  scenario_id,
  steps,
  task_id
}: Rows.Row): string => {
  const tools = new Set(steps.flatMap((step) => (Rows.isCallStep(step) ? [step.tool] : [])))
  return [
    prompt.slice(0, 1000),
    final_text.slice(0, longestAsk),
    reason?.slice(0, longestReason) ?? "",
    failure_class ?? "",
    ...tools,
    row_id,
    task_id,
    scenario_id ?? ""
  ]
    .join(" ")
    .toLowerCase()
}

/** What measuring reads, so that rates of parts of the run are those that the library gives. */
const measuredOf = (row: Rows.Row): MeasuredRow => ({
  scenario_id: row.scenario_id,
  task_id: row.task_id,
  prompt: Markup.cut(row.prompt, longestAsk),
  reward: row.reward,
  rollout_index: row.rollout_index,
  row_id: row.row_id,
  arm: row.arm,
  lineage: row.lineage
})
