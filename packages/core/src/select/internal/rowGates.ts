/**
 * The gates each row meets alone: what it shows that it should not, whether it is a rollout at all, and its reward.
 */
import { degenerate } from "../../grade/internal/degenerateText.ts"
import { isStub, leaked } from "../../grade/internal/harnessText.ts"
import type { References } from "../../grade/ScoringPass.ts"
import * as NearCopies from "../../language/NearCopies.ts"
import { isPass } from "../../row/PassMark.ts"
import { isAgentStep, isAgentCall, isUserStep, type Row } from "../../row/Row.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Gate } from "../Select.ts"
import { signatureOf, type Candidate } from "./candidates.ts"
import type { Settings } from "./selectOptions.ts"

export type Fate<R extends TraceRow> =
  | { readonly _tag: "Drop"; readonly gate: Gate; readonly cause?: string }
  | { readonly _tag: "Stay"; readonly candidate: Candidate<R> }

/** Shortest gold answer, in characters, whose saying is no accident. */
const tellingAnswer = 4

export const judge = <R extends TraceRow>(
  row: R,
  settings: Settings,
  referenceOf: (row: TraceRow) => unknown
): Fate<R> => {
  const leak = leakOf(row, referenceOf(row))
  if (leak !== null) return drop("leak", leak)
  const cut = row["finish_reason"] === "length"
  if (cut && settings.truncated === "drop") return drop("truncated")
  const junk = cut ? null : junkOf(row)
  if (junk !== null) return drop("junk", junk)
  if (cut && settings.truncated === "penalise") return stay(penalised(row), 0, true)
  const reward = RowSource.rewardOf(row)
  if (reward === null) return drop("ungraded", ungradedCause(row))
  if (settings.mode === "sft" && !isPass(reward, settings.passAt)) return drop("failed")
  return stay(row, reward, false)
}

const drop = (gate: Gate, cause?: string): Fate<never> => ({
  _tag: "Drop",
  gate,
  ...(cause === undefined ? {} : { cause })
})

const stay = <R extends TraceRow>(row: R, reward: number, isPenalised: boolean): Fate<R> => ({
  _tag: "Stay",
  candidate: { row, reward, signature: signatureOf(row), penalised: isPenalised }
})

/** A copy with a reward of 0, which tells the reward it had. */
const penalised = <R extends TraceRow>(row: R): R => {
  const meta = row["judge_meta"]
  return {
    ...row,
    reward: 0,
    judge_meta: {
      ...(typeof meta === "object" && meta !== null ? meta : {}),
      penalised: "truncated",
      reward_before: row.reward ?? null
    }
  }
}

/** Material that nobody in the thread should have had. */
const leakOf = (row: TraceRow, reference: unknown): string | null => {
  if (Object.hasOwn(row, "privileged")) return "privileged material in the row"
  const gold = typeof reference === "string" || typeof reference === "number" ? answerOf(reference) : ""
  const called = new Set(row.steps.filter(isAgentCall).map((step) => step.tool))
  const isTool = (name: string): boolean => called.has(name)
  if (gold !== "" && says(row.prompt, gold)) return "the person says the gold answer"
  // What comes after the agent's last line reached nobody: many logs end on a marker there.
  const last = row.steps.findLastIndex((step) => !isUserStep(step))
  for (const step of row.steps.slice(0, last + 1)) {
    if (isUserStep(step)) {
      if (gold !== "" && says(step.user, gold)) return "the person says the gold answer"
      if (leaked(step.user, isTool) !== null) return "harness text in a line of the person"
    } else if (isAgentStep(step) && leaked(step.text, isTool) !== null) return "harness text in a line of the agent"
  }
  return null
}

const answerOf = (reference: string | number): string => {
  const text = NearCopies.normalise(String(reference))
  return text.length < tellingAnswer ? "" : text
}

const says = (line: string, answer: string): boolean => ` ${NearCopies.normalise(line)} `.includes(` ${answer} `)

/** Rows that are no conversation with an agent. */
const junkOf = (row: TraceRow): string | null => {
  if (row["finish_reason"] === "error" || row["finish_reason"] === "content_filter") return String(row["finish_reason"])
  if (row.prompt.trim() === "") return "nobody asks anything"
  if (row.final_text.trim() === "") return "empty reply"
  if (isStub(row.final_text)) return "an error of the infrastructure"
  return degenerate(row.final_text) === null ? null : "degenerate text"
}

const ungradedCause = (row: TraceRow): string => {
  const status = row["judge_status"]
  if (typeof status === "string" && status !== "ok") return `judge: ${status}`
  return row.reward === null || row.reward === undefined ? "no reward" : "a reward outside of 0 to 1"
}

/** Gold answers as `ScoringPass` takes them, looked up by task id, scenario id and prompt in this order. */
export const referencesOf = (references: References | undefined): ((row: TraceRow) => unknown) => {
  if (references === undefined) return () => undefined
  // A function of a row reads what it needs; a trace row has less, never other things.
  if (typeof references === "function") return (row) => references(row as unknown as Row)
  const known = references instanceof Map ? references : new Map(Object.entries(references))
  return (row) => {
    const key = [row.task_id, row.scenario_id, row.prompt].find((one) => one !== undefined && known.has(one))
    return key === undefined ? undefined : known.get(key)
  }
}
