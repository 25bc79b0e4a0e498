/**
 * Colours of the terminal, or none: what is written to a pipe or under `NO_COLOR` carries no control code.
 */

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

const same = (text: string): string => text

export const plain: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }

const escape = "\u001b["
const wrap =
  (open: number, close: number) =>
  (text: string): string =>
    `${escape}${open}m${text}${escape}${close}m`

export const ansi: Style = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  red: wrap(31, 39),
  green: wrap(32, 39),
  yellow: wrap(33, 39),
  cyan: wrap(36, 39)
}

/** Control sequences, operating system commands, and single control characters but for tab and newline. */
const controls = new RegExp(
  [
    "\\u001b\\[[0-9;?]*[ -/]*[@-~]",
    "\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)",
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]"
  ].join("|"),
  "g"
)

/** A text without control codes: what models and tools wrote must not move the cursor of the person who reads it. */
export const strip = (text: string): string => text.replace(controls, "")

/** A text on one line of at most `width` characters, cut with an ellipsis. */
export const oneLine = (text: string, width: number): string => {
  const flat = strip(text.replace(/\s+/g, " ")).trim()
  const characters = [...flat]
  return characters.length <= width
    ? flat
    : `${characters
        .slice(0, Math.max(0, width - 1))
        .join("")
        .trimEnd()}…`
}
