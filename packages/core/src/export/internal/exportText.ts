/**
 * An export's report as text.
 */
import { counted } from "../../language/counted.ts"
import type { Report, Share } from "../Export.ts"

export const renderReport = (report: Report): string => {
  const { asks, context, format, lines, notes, path, rows, skipped, targets, used } = report
  const where = path === null ? "" : ` to ${path}`
  const left = Object.entries(skipped).map(([reason, n]) => `  left out  ${n}  ${reason}`)
  return [
    `${format}: ${counted(lines, "line")}${where}, from ${counted(used, "row")} of ${rows} and ${counted(asks, "ask")}`,
    ...left,
    ...(targets.messages === 0 ? [] : [`  learnt    ${sizeOf(targets)}`]),
    ...(context.messages === 0 ? [] : [`  read      ${sizeOf(context)}`]),
    ...notes.map(({ message }) => `  note      ${message}`)
  ].join("\n")
}

const sizeOf = ({ about_tokens, characters, messages }: Share): string =>
  `${counted(messages, "message")}, ${characters} characters, about ${about_tokens} tokens`
