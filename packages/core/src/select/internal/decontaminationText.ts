/**
 * What a decontamination took, as text.
 */
import { counted } from "../../language/counted.ts"
import type { Report, Rule, RuleName } from "../Decontaminate.ts"

export const renderDecontamination = ({ against, examples, kept, rows, rules }: Report): string => {
  const width = Math.max(...rules.map(({ rule }) => rule.length))
  const digits = Math.max(4, String(rows).length)
  return [
    `${kept} of ${counted(rows, "row")} kept, held against ${counted(against, "ask")}`,
    ...rules.map((rule) => `  ${rule.rule.padEnd(width)}  ${String(rule.rows).padStart(digits)}  ${wordsOf(rule)}`),
    ...examples.slice(0, 3).map(({ match, prompt, rule }) => `  ${rule}: "${short(prompt)}" is in "${short(match)}"`)
  ].join("\n")
}

const wordsOf = ({ rule, status, why }: Rule): string =>
  status === "not_run" ? `NOT RUN: ${why}` : why === null ? meaning[rule] : `${meaning[rule]}; ${why}`

const meaning: Readonly<Record<RuleName, string>> = {
  same_task: "the same situation or task",
  exact: "the same words",
  n_gram: "most of a text, or nearly its words",
  semantic: "the same meaning"
}

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
