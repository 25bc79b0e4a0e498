/**
 * What all formats that are trained on ask of a row.
 */
import { isPass } from "../../row/PassMark.ts"
import type { ChatMessage } from "../../row/Row.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import { isAgentCall } from "../../row/Row.ts"
import { ExportRefused } from "../ExportRefused.ts"
import type { Book } from "./book.ts"
import type { Settings } from "./settings.ts"
import { threadOf, type Thread } from "./thread.ts"

/** The messages of the instructions, which stand before every thread. */
export const systemOf = ({ systemPrompt }: Settings): ReadonlyArray<ChatMessage> =>
  systemPrompt === null || systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }]

export const declaredIn = ({ tools }: Settings): ReadonlySet<string> | null =>
  tools === null ? null : new Set(tools.map((tool) => tool.name))

/** What must never be in a file that somebody trains on; null where nothing is. */
export const refusalOf = (row: TraceRow, { tools }: Settings): ExportRefused | null => {
  if (Object.hasOwn(row, "privileged")) {
    return new ExportRefused({
      reason: "privileged",
      detail: `${idOf(row)} carries the key \`privileged\`, which is for graders alone`,
      fix: "Take the key out of the row."
    })
  }
  if (tools === null && row.steps.some(isAgentCall)) {
    return new ExportRefused({
      reason: "tools_unknown",
      detail: `${idOf(row)} calls tools, and there is no run beside the rows that tells what tools there are`,
      fix: "Give the agent's definitions as `tools`, or export a run with its meta file."
    })
  }
  return null
}

/** Why a row is no example to learn from as a whole, or null. */
export const unfitOf = (row: TraceRow): string | null =>
  row["finish_reason"] === "length" ? "cut by the length cap" : null

/** Why a row is no target of supervised training, or null. */
export const noTargetOf = (row: TraceRow, { failures, passAt }: Settings): string | null => {
  if (failures) return null
  const reward = RowSource.rewardOf(row)
  return reward === null ? "ungraded" : !isPass(reward, passAt) ? "failed" : null
}

/** The thread, unless it has nothing to learn. */
export const learnable = (row: TraceRow, settings: Settings): Thread | null => {
  const thread = threadOf(row, declaredIn(settings))
  return thread.learn.includes(true) ? thread : null
}

export const idOf = (row: TraceRow): string =>
  typeof row["row_id"] === "string" ? `Row ${row["row_id"]}` : `A row of ${RowSource.askOf(row).slice(0, 60)}`

/** A line must say the calls of its rows as the rows do. */
export const bent = (row: TraceRow, call: string): ExportRefused =>
  new ExportRefused({
    reason: "round_trip",
    detail: `${idOf(row)} would be exported with another call than it has: ${call.slice(0, 200)}`,
    fix: "This is a fault of the export: leave the row out, and report it."
  })

/** Tools that a note names. */
const namedTools = 5

/** Tells of turns that nobody should learn, over all rows of an export. */
export const makeBadTurns = (book: Book, what: string): ((thread: Thread) => void) => {
  const tools = new Set<string>()
  let turns = 0
  return ({ badTurns }) => {
    if (badTurns.length === 0) return
    turns += badTurns.length
    for (const fault of badTurns) if (fault._tag === "Undeclared") tools.add(fault.tool)
    const names = [...tools].sort().slice(0, namedTools).join(", ")
    const undeclared = names === "" ? "" : ` Tools that were called and are not declared: ${names}.`
    book.note(
      "bad_turns",
      `${turns} turns of the agent hold a call that could not be run as it was; ${what}.${undeclared}`
    )
  }
}

/** Notes on the instructions of the lines. */
export const noteInstructions = ({ policy, scaffolded, systemPrompt }: Settings, book: Book): void => {
  if (systemPrompt === null) {
    book.note(
      "no_system_prompt",
      "The lines have no system prompt: give `systemPrompt`, or export a run with its meta file."
    )
  } else if (policy !== null && systemPrompt !== policy) {
    book.note("other_system_prompt", "The lines have other instructions than the run whose rows they are.")
  }
  if (scaffolded) {
    book.note("scaffold_left_out", "The run had a scaffold, which is in no line: the agent is to learn to do without.")
  }
}
