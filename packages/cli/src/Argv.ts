/**
 * The words after `sandtable`, read into one canonical form before the parser sees them: flags first, each with its value
 * apart, then `--`, then the rest. The parser alone takes `--flags` only in some places, answers an unknown flag by
 * whichever option it happens to try first, and reads a word such as `on` after a switch as the switch's value.
 */
import * as Either from "effect/Either"

/** What is known of one flag. */
export interface FlagShape {
  /** Without dashes, kebab-case. */
  readonly name: string
  /** A short form of one letter, without its dash. */
  readonly letter?: string
  /** A switch takes no value (`--x`, `--no-x`, `--x=false`); an optional value is given by `=` or is one of `words`. */
  readonly takes: "nothing" | "value" | "optional"
  readonly words?: ReadonlyArray<string>
}

export type Reading =
  | { readonly _tag: "Version" }
  | { readonly _tag: "Help"; readonly command: string | null }
  | { readonly _tag: "Completions"; readonly shell: string }
  | { readonly _tag: "Run"; readonly args: ReadonlyArray<string>; readonly debug: boolean }

/** One thing that is wrong with what was typed, and what to type instead. */
export interface Issue {
  readonly option: string
  readonly problem: string
  readonly fix: string
}

export const shells = ["bash", "zsh", "fish"] as const

/** Reads the words (without node and script). Everything wrong with them is found, not the first thing alone. */
export const read = (
  words: ReadonlyArray<string>,
  commands: ReadonlyMap<string, ReadonlyArray<FlagShape>>,
  codeOptions: ReadonlyArray<{ readonly name: string; readonly option: string }> = []
): Either.Either<Reading, ReadonlyArray<Issue>> => {
  const names = [...commands.keys()]
  const before = words.indexOf("--") === -1 ? words : words.slice(0, words.indexOf("--"))
  const [name] = words
  const command = commandOf(words, names) ?? groupOf(words, names)
  if (before.some((word) => word === "--help" || word === "-h")) return Either.right({ _tag: "Help", command })
  if (name === undefined) return Either.right({ _tag: "Help", command: null })
  if (name === "help") {
    const asked = words.slice(1)
    return Either.right({ _tag: "Help", command: commandOf(asked, names) ?? groupOf(asked, names) })
  }
  if (name === "--version" || name === "-V") return Either.right({ _tag: "Version" })
  const completions = /^--completions(?:=(.*))?$/.exec(name)
  if (completions !== null) {
    const shell = completions[1] ?? words[1] ?? ""
    if (shells.some((known) => known === shell)) return Either.right({ _tag: "Completions", shell })
    return Either.left([
      {
        option: "--completions",
        problem: `${quoted(shell)} is no shell this knows`,
        fix: `Give one of ${shells.join(", ")}.`
      }
    ])
  }
  const flags = command === null ? undefined : commands.get(command)
  if (command === null) return Either.left([unknownCommand(name, names)])
  if (flags === undefined) return Either.left([unknownPart(name, words[1], names)])
  const own = command.split(" ")
  return Either.map(readFlags(words.slice(own.length), flags, codeOptions), ({ args, debug }) => ({
    _tag: "Run",
    args: [...own, ...args],
    debug
  }))
}

/** The command that words begin with: its name is one word, or two (`traces inspect`). */
export const commandOf = (words: ReadonlyArray<string>, names: ReadonlyArray<string>): string | null =>
  [words.slice(0, 2).join(" "), words[0]].find((name) => name !== undefined && names.includes(name)) ?? null

/** The first word of commands of two, when words begin with it. */
const groupOf = ([first = ""]: ReadonlyArray<string>, names: ReadonlyArray<string>): string | null =>
  names.some((name) => name.startsWith(`${first} `)) ? first : null

/** The known word nearest to one that is not known, when it is near enough to be what was meant. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | null => {
  let best: string | null = null
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const distance = edits(word, candidate)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  if (best !== null) return best
  return word.length < 4 ? null : (known.find((candidate) => candidate.startsWith(word)) ?? null)
}

/** What can be made out of the words of a command of which something is wrong: flags by their names, and the rest. */
export const salvaged = (
  command: string,
  words: ReadonlyArray<string>,
  flags: ReadonlyArray<FlagShape>
): { readonly given: ReadonlyMap<string, string>; readonly rest: ReadonlyArray<string> } => {
  const { given, rest } = scan(words.slice(command.split(" ").length), flags, [])
  return { given: new Map([...given].map(([name, value]) => [name.replace(/^-+/, ""), value])), rest }
}

const readFlags = (
  words: ReadonlyArray<string>,
  flags: ReadonlyArray<FlagShape>,
  codeOptions: ReadonlyArray<{ readonly name: string; readonly option: string }>
): Either.Either<{ readonly args: ReadonlyArray<string>; readonly debug: boolean }, ReadonlyArray<Issue>> => {
  const { given, issues, rest } = scan(words, flags, codeOptions)
  if (issues.length > 0) return Either.left(issues)
  const args = [...given].flatMap(([name, value]) => [name, value])
  return Either.right({
    args: [...args, "--", ...rest],
    debug: given.get("--debug") === "true",
    quiet: given.get("--quiet") === "true"
  })
}

const scan = (
  words: ReadonlyArray<string>,
  flags: ReadonlyArray<FlagShape>,
  codeOptions: ReadonlyArray<{ readonly name: string; readonly option: string }>
) => {
  const known = new Map<string, FlagShape>()
  for (const flag of flags) {
    known.set(`--${flag.name}`, flag)
    if (flag.name.length === 1) known.set(`-${flag.name}`, flag)
    if (flag.letter !== undefined) known.set(`-${flag.letter}`, flag)
  }
  const given = new Map<string, string>()
  const rest: Array<string> = []
  /** Words such as `yes` after a switch, which may be meant as its value. */
  const answers: Array<Issue> = []
  const issues: Array<Issue> = []
  const give = (word: string, value: string): void => {
    const held = given.get(word)
    if (held !== undefined && held !== value) {
      issues.push({
        option: word,
        problem: `is given twice, as ${quoted(held)} and ${quoted(value)}`,
        fix: "Give it once."
      })
    }
    given.set(word, value)
  }

  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    if (word === "--") {
      rest.push(...words.slice(i))
      break
    }
    if (!/^-[^0-9.-]|^--./.test(word)) {
      rest.push(word)
      continue
    }
    const split = /^(--?[^=]+)(?:=([\s\S]*))?$/.exec(word)
    const spelled = split?.[1] ?? word
    const attached = split?.[2]
    const flag = known.get(spelled)
    if (flag === undefined) {
      const switched = known.get(spelled.replace(/^--no-/, "--"))
      if (spelled.startsWith("--no-") && switched !== undefined && switched.takes !== "value") {
        give(canonical(switched.name), "false")
        continue
      }
      const code = codeOptions.find(({ name }) => spelled === `--${name}`)
      issues.push(code === undefined ? unknownFlag(spelled, [...known.keys()]) : onlyInFile(spelled, code.option))
      // What follows an unknown flag may be its value: it is not taken for the agent.
      if (attached === undefined && i + 1 < words.length && !(words[i + 1] ?? "").startsWith("-")) i += 1
      continue
    }
    const name = canonical(flag.name)
    const next = words[i + 1]
    if (flag.takes === "nothing") {
      if (attached !== undefined && attached !== "true" && attached !== "false") {
        issues.push({
          option: name,
          problem: `is a switch, got ${quoted(attached)}`,
          fix: `Write ${name} or --no-${flag.name}.`
        })
      } else {
        give(name, attached ?? "true")
        if (attached === undefined && next !== undefined && isAnswer(next)) {
          answers.push({
            option: name,
            problem: `is a switch and takes no value, got ${quoted(next)}`,
            fix: `Write ${name} or --no-${flag.name}.`
          })
        }
      }
    } else if (attached !== undefined) give(name, attached)
    else if (flag.takes === "optional") {
      if (next !== undefined && flag.words?.includes(next) === true) {
        give(name, next)
        i += 1
      } else {
        give(name, "true")
        if (next !== undefined && (isAnswer(next) || nearest(next, flag.words ?? []) !== null)) {
          answers.push({
            option: name,
            problem: `takes no such word, got ${quoted(next)}`,
            fix: `Write ${name} alone, --no-${flag.name}, or ${name} with one of ${(flag.words ?? []).join(", ")}.`
          })
        }
      }
    } else if (
      next === undefined ||
      next === "--" ||
      (/^--?[a-z]/.test(next) && known.has(next.replace(/=.*$/s, "")))
    ) {
      issues.push({ option: name, problem: "has no value", fix: `Write ${name} <value>.` })
    } else {
      give(name, next)
      i += 1
    }
  }
  // Where the agent is named besides, such a word can only be meant as the switch's value.
  const named = rest.indexOf("--") === -1 ? rest.length : rest.indexOf("--")
  if (named > 1 || given.has("--agent")) issues.push(...answers)
  return { given, rest, issues }
}

/** What is written after a switch as if it took a value. */
const isAnswer = (word: string): boolean => /^(yes|no|on|off|true|false|y|n|0|1)$/i.test(word)

const onlyInFile = (spelled: string, option: string): Issue => {
  const inside = option.replace(/^advanced\./, "")
  const written = inside === option ? `${option}: ...` : `advanced: { ${inside}: ... }`
  return {
    option: spelled,
    problem: "is code and can only be given in the agent file",
    fix: `Write it there: export default { agent, ${written} }.`
  }
}

const unknownFlag = (spelled: string, known: ReadonlyArray<string>): Issue => {
  const meant = nearest(
    spelled.replace(/^-+/, "").toLowerCase(),
    known.filter((name) => name.startsWith("--")).map((name) => name.slice(2))
  )
  return {
    option: spelled,
    problem: "is no option of this command",
    fix: meant === null ? "See --help for all options." : `Did you mean --${meant}?`
  }
}

/** A command of two words without a second one that is known. */
const unknownPart = (group: string, part: string | undefined, names: ReadonlyArray<string>): Issue => {
  const parts = names.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1))
  return {
    option: group,
    problem: part === undefined || part.startsWith("-") ? "needs one word more" : `has no ${quoted(part)}`,
    fix: `Write sandtable ${group} ${parts.join(` or sandtable ${group} `)}.`
  }
}

const unknownCommand = (name: string, known: ReadonlyArray<string>): Issue => {
  const meant = nearest(name, [...new Set(known.flatMap((each) => [each, each.split(" ")[0] ?? each]))])
  return {
    option: name,
    problem: name.startsWith("-") ? "is no option of sandtable" : "is no command of sandtable",
    fix:
      meant === null
        ? `The commands are ${known.join(", ")}; see sandtable --help.`
        : name.startsWith("-")
          ? "See sandtable --help."
          : `Did you mean sandtable ${meant}?`
  }
}

/** How the parser writes a flag: one letter has one dash. */
const canonical = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`)

const quoted = (text: string): string => JSON.stringify(text)

/** Edits (insert, delete, replace, swap neighbours) from one word to the other. */
const edits = (a: string, b: string): number => {
  let older: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (older[j - 2] ?? 0) + 1)
      row.push(least)
    }
    older = last
    last = row
  }
  return last[b.length] ?? a.length
}
