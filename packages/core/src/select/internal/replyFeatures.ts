/**
 * Features of a reply that have no worth of their own.
 */
import { isAgentStep, isAgentCall, isUserStep } from "../../row/Row.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Feature } from "../HackScan.ts"

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

const steps = (row: TraceRow, is: (step: TraceRow["steps"][number]) => boolean): number => row.steps.filter(is).length

const words = (row: TraceRow): ReadonlyArray<string> => row.final_text.split(/\s+/).filter((word) => word !== "")

export const builtIn: ReadonlyArray<Feature> = [
  { name: "reply_length", of: (row) => row.final_text.length },
  {
    name: "said_length",
    of: (row) => row.steps.reduce((sum, step) => sum + (isAgentStep(step) ? step.text.length : 0), 0)
  },
  { name: "agent_lines", of: (row) => steps(row, isAgentStep) },
  { name: "person_lines", of: (row) => steps(row, isUserStep) },
  { name: "calls", of: (row) => steps(row, isAgentCall) },
  { name: "tools", of: (row) => new Set(row.steps.filter(isAgentCall).map(({ tool }) => tool)).size },
  { name: "questions", of: ({ final_text }) => count(final_text, /[?？؟]/g) },
  { name: "exclamations", of: ({ final_text }) => count(final_text, /[!！]/g) },
  { name: "list_items", of: ({ final_text }) => count(final_text, /^\s*(?:[-*•]|\d+[.)])\s/gm) },
  { name: "markup", of: ({ final_text }) => count(final_text, /\*\*|`|^#+ /gm) },
  { name: "digits", of: ({ final_text }) => count(final_text, /\d/g) },
  { name: "apologies", of: ({ final_text }) => count(final_text, apology) },
  { name: "praise", of: ({ final_text }) => count(final_text, praise) },
  { name: "success_words", of: ({ final_text }) => count(final_text, success) },
  {
    name: "word_variety",
    of: (row) => new Set(words(row).map((word) => word.toLowerCase())).size / Math.max(1, words(row).length)
  }
]

const apology = /\b(?:sorry|apologi[sz]e|apologies|regret)\b/gi
const praise = /\b(?:great|excellent|wonderful|fantastic|perfect|absolutely|happy to)\b/gi
const success = /\b(?:success(?:fully)?|completed?|done|confirmed|processed|resolved)\b/gi
