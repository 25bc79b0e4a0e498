/**
 * An export's report as text.
 */
import type { Report, Share } from "../Export.ts"

export const renderReport = (report: Report): string => {
  const { asks, context, format, lines, notes, path, rows, skipped, targets, used } = report
  const where = path === null ? "" : ` to ${path}`
  const left = Object.entries(skipped).map(([reason, n]) => `  left out  ${n}  ${reason}`)
  return [
    `${format}: ${count(lines, "line")}${where}, from ${count(used, "row")} of ${rows} and ${count(asks, "ask")}`,
    ...left,
    ...(targets.messages === 0 ? [] : [`  learnt    ${sizeOf(targets)}`]),
    ...(context.messages === 0 ? [] : [`  read      ${sizeOf(context)}`]),
    ...notes.map(({ message }) => `  note      ${message}`)
  ].join("\n")
}

const sizeOf = ({ about_tokens, characters, messages }: Share): string =>
  `${count(messages, "message")}, ${characters} characters, about ${about_tokens} tokens`

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`
