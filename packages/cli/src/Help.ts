/**
 * Help pages, written from the same table the parser is built from.
 */
import * as Flags from "./Flags.ts"
import type { Style } from "./Style.ts"

export interface Page {
  readonly name: string
  readonly usage: ReadonlyArray<string>
  readonly arguments: ReadonlyArray<readonly [string, string]>
  readonly examples: ReadonlyArray<readonly [string, string]>
  readonly notes: ReadonlyArray<string>
  readonly flags: ReadonlyArray<Flags.Flag>
  /** Options that only the agent file can give, to say so when one is typed. */
  readonly codeOptions?: ReadonlyArray<Flags.CodeOption>
}

/** The page of one command. */
export const page = (of: Page, summary: string, style: Style, width: number): string => {
  const sections: Array<ReadonlyArray<string>> = [
    wrap(`sandtable ${of.name}: ${summary}`, width).map((line, i) =>
      i === 0 ? line.replace(/^[^:]*/, style.bold) : `  ${line}`
    ),
    [style.bold("Usage"), ...of.usage.map((line) => `  ${line}`)],
    ...(of.arguments.length === 0 ? [] : [[style.bold("Arguments"), ...table(of.arguments, style, width)]])
  ]
  for (const group of new Set(of.flags.map((flag) => flag.group))) {
    const own = of.flags.filter((flag) => flag.group === group && flag.aliasOf === undefined)
    const entries = own.map((flag): readonly [string, string] => {
      const aliases = of.flags.filter((other) => other.aliasOf === flag.name).map(Flags.spelled)
      const letter = flag.letter === undefined ? "" : `-${flag.letter}, `
      return [
        `${letter}${Flags.spelled(flag)} ${Flags.placeholder(flag)}`.trim().replace(" [=", "[="),
        aliases.length === 0 ? flag.description : `${flag.description} Also ${aliases.join(", ")}.`
      ]
    })
    sections.push([style.bold(group), ...table(entries, style, width)])
  }
  sections.push([
    style.bold("Examples"),
    ...of.examples.flatMap(([what, how]) => [`  ${style.dim(`# ${what}`)}`, ...continued(how, width)])
  ])
  sections.push(...of.notes.map((note) => wrap(note, width)))
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

/** The page of `sandtable` itself, or of the commands that begin with one word. */
export const root = (
  commands: ReadonlyArray<{ readonly name: string; readonly summary: string }>,
  style: Style,
  width: number
): string =>
  [
    `${style.bold("sandtable")}: rehearse a tool-using agent before it meets people`,
    "",
    style.bold("Usage"),
    "  sandtable <command> [options]",
    "",
    style.bold("Commands"),
    ...table(
      commands.map(({ name, summary }) => [name, summary] as const),
      style,
      width
    ),
    "",
    style.bold("Options"),
    ...table(
      [
        ["--help, -h", "this page, or a command's: sandtable simulate --help"],
        ["--version, -V", "the version"],
        ["--completions <bash|zsh|fish>", "a completion script, to be sourced by the shell"]
      ],
      style,
      width
    ),
    "",
    style.bold("Examples"),
    "  sandtable init my-agent",
    "  sandtable simulate agent.ts --offline --grade --runs 3 --output before.jsonl",
    "  sandtable replay before.jsonl agent.ts --grade --runs 3 --output after.jsonl",
    "  sandtable compare before.jsonl after.jsonl",
    ""
  ].join("\n")

const table = (
  entries: ReadonlyArray<readonly [string, string]>,
  style: Style,
  width: number
): ReadonlyArray<string> => {
  const left = Math.min(34, Math.max(...entries.map(([term]) => term.length)))
  const right = Math.max(24, width - left - 4)
  return entries.flatMap(([term, words]) => {
    const [first = "", ...more] = wrap(words, right)
    const head =
      term.length > left
        ? [`  ${style.cyan(term)}`, `  ${" ".repeat(left)}  ${first}`]
        : [`  ${style.cyan(term)}${" ".repeat(left - term.length)}  ${first}`]
    return [...head, ...more.map((line) => `  ${" ".repeat(left)}  ${line}`)]
  })
}

/** A command as a shell takes it over several lines: broken before its flags. */
const continued = (command: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = " "
  for (const part of command.split(/ (?=--)/)) {
    if (line.trim() !== "" && line.length + 1 + part.length + 2 > width) {
      lines.push(`${line} \\`)
      line = `    ${part}`
    } else line = `${line} ${part}`
  }
  return [...lines, line]
}

const wrap = (words: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of words.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}
