/**
 * How the command was called: what a command needs to know of it beyond its own flags.
 */
import * as Context from "effect/Context"

export interface Call {
  /** What was typed to start the command: `sandtable`, or `npx sandtable`. */
  readonly program: string
  /** The words after it, as they were typed, but for what addresses in them hold of users and queries: they are for showing. */
  readonly words: ReadonlyArray<string>
  /** Whether errors show where they came from. */
  readonly debug: boolean
}

export class Invocation extends Context.Reference<Invocation>()("@sandtable/cli/Invocation", {
  defaultValue: (): Call => ({ program: "sandtable", words: [], debug: false })
}) {}

/** Words as a shell takes them. */
export const shell = (words: ReadonlyArray<string>): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ")

/** The words without a flag and its value. */
export const without = (words: ReadonlyArray<string>, flags: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    if (word === "--") return [...kept, ...words.slice(i)]
    if (flags.includes(word)) i += 1
    else if (!flags.some((flag) => word.startsWith(`${flag}=`))) kept.push(word)
  }
  return kept
}

/** The words with more flags, before a `--` if there is one. */
export const adding = (words: ReadonlyArray<string>, flags: ReadonlyArray<string>): ReadonlyArray<string> => {
  const cut = words.indexOf("--")
  return cut === -1 ? [...words, ...flags] : [...words.slice(0, cut), ...flags, ...words.slice(cut)]
}

/** One line of JSON, spread over many. */
export const asText = `node -p 'JSON.stringify(JSON.parse(require("fs").readFileSync(0)), null, 2)'`
