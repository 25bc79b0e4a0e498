/**
 * A row as a person reads it: who said what, which call was made and what came back, a line each.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import * as Rows from "@sandtable/core/Row"
import * as Style from "./Style.ts"

/** Lines shown of one thread: its first ones and its last ones, which tell how it ended. */
const firstLines = 5
const lastLines = 3
/** Longest line kept; a terminal may cut it further. */
const longest = 240

export const lines = (row: Rows.Row): ReadonlyArray<string> => {
  const said = row.steps.map(line)
  const thread = [
    ...(said.some((each) => each.startsWith(person)) ? [] : [`${person}${row.prompt}`]),
    ...said,
    ...(said.at(-1) === `${agent}${row.final_text}` ? [] : [`${agent}${row.final_text}`])
  ].map((each) => Style.oneLine(each, longest))
  const left = thread.length - firstLines - lastLines
  // one line more is shorter than saying that it was left out
  if (left <= 1) return thread
  return [...thread.slice(0, firstLines), `... ${left} more steps`, ...thread.slice(-lastLines)]
}

const person = "user: "
const agent = "agent: "

const line = (step: Rows.Step): string => {
  if (Rows.isUserStep(step)) return `${person}${step.user}`
  if (!Rows.isCallStep(step)) return `${agent}${step.text}`
  const fault = step.fault === undefined ? "" : step.fault === step.status ? " (planned)" : ` (planned: ${step.fault})`
  const who = step.called_by === "user" ? "user call" : "call"
  return `${who}: ${step.tool} ${shown(step.arguments)} -> ${step.status}${fault}: ${shown(step.result)}`
}

const shown = (value: unknown): string => {
  const text = ExactJson.stringify(value) ?? String(value)
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text
}

/** Arguments and results are cut so that both fit on a line. */
const longestValue = 90
