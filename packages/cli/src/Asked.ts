/**
 * What was asked of a command that runs no agent: its words and flags, read with everything wrong with them found before
 * anything is done.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Answer from "./Answer.ts"
import type * as ExitStatus from "./ExitStatus.ts"
import * as Flags from "./Flags.ts"
import type * as Help from "./Help.ts"
import { codeOptions } from "./OptionFlags.ts"
import type { Stdio } from "./Stdio.ts"
import type { Issue } from "./Trouble.ts"

/** What reading files takes. */
export type Surroundings = Stdio | FileSystem.FileSystem | Path.Path

export interface Asked {
  readonly on: (flag: string) => boolean
  /** The words of a flag; null when it was not given. */
  readonly text: (flag: string) => string | null
  /** A number in a range, whole if so said; null when it was not given, or is none. */
  readonly number: (flag: string, range: Range) => number | null
  /** A flag of which something is the matter. */
  readonly refuse: (issue: Issue) => void
  /** Refuses the call when anything was wrong with it. */
  readonly checked: Effect.Effect<void, ExitStatus.Exit, Stdio>
}

export interface Range {
  readonly least?: number
  readonly most?: number
  /** Leaves out the least itself. */
  readonly above?: number
  readonly whole?: boolean
}

export const read = (page: Help.Page, given: Flags.Given): Asked => {
  const issues: Array<Issue> = []
  for (const flag of page.flags) {
    const words = given.get(flag.name)
    if (flag.kind !== "choice" || words === undefined || flag.words?.includes(words) === true) continue
    issues.push(Flags.notOneOf(flag, words))
  }
  return {
    on: (flag) => given.get(flag) === "true",
    text: (flag) => given.get(flag) ?? null,
    number: (flag, range) => {
      const words = given.get(flag)
      if (words === undefined) return null
      const value = words.trim() === "" ? Number.NaN : Number(words.replaceAll("_", ""))
      if (isIn(value, range)) return value
      issues.push({
        option: `--${flag}`,
        problem: `is ${described(range)}, got ${JSON.stringify(words)}`,
        fix: `Write --${flag} ${exampleOf(range)}, for example.`
      })
      return null
    },
    refuse: (issue) => void issues.push(issue),
    checked: Effect.suspend(() => (issues.length === 0 ? Effect.void : Answer.refuse(issues)))
  }
}

/** The words of a command without flags, by the names its usage gives them: too few and too many are refused. */
export const words = <const Names extends ReadonlyArray<string>>(
  page: Help.Page,
  rest: ReadonlyArray<string>,
  names: Names
): Effect.Effect<{ readonly [K in keyof Names]: string }, ExitStatus.Exit, Stdio> => {
  const fix = `Usage: ${page.usage.join(" or ")}.`
  const missing = names.slice(rest.length)
  if (missing.length > 0) {
    return Answer.refuse(missing.map((name) => ({ option: `<${name}>`, problem: "is not given", fix })))
  }
  const extra = rest.slice(names.length)
  return extra.length > 0
    ? Answer.refuse(extra.map((word) => ({ option: word, problem: "is one word too many", fix })))
    : Effect.succeed(rest as unknown as { readonly [K in keyof Names]: string })
}

/** Words with commas between them, as a list; none for a flag that was not given. */
export const list = (words: string | null): ReadonlyArray<string> =>
  (words ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

/** The options that the flags set, by name, read as the flags' kinds say; what is out of range the library refuses. */
export const settings = (
  page: Help.Page,
  given: Flags.Given
): Effect.Effect<Readonly<Record<string, unknown>>, ExitStatus.Exit, FileSystem.FileSystem | Stdio> =>
  Effect.gen(function* () {
    const out: Record<string, unknown> = {}
    const issues: Array<Issue> = []
    for (const flag of page.flags) {
      const words = given.get(flag.name)
      if (words === undefined || flag.option === null) continue
      const read = yield* Effect.either(Flags.value(flag, words))
      if (Either.isLeft(read)) issues.push(read.left)
      else if (flag.kind === "number" && typeof read.right !== "number") {
        issues.push({
          option: Flags.spelled(flag),
          problem: `is a number, got ${JSON.stringify(words)}`,
          fix: `Write ${Flags.spelled(flag)} 0.5, for example.`
        })
      } else out[flag.option] = read.right
    }
    return issues.length > 0 ? yield* Answer.refuse(issues) : out
  })

/** A problem of an option as the library tells it, in the spelling of its flag. */
export const issueOf = ({
  fix,
  option,
  problem
}: {
  readonly option: string
  readonly problem: string
  readonly fix: string
}): Issue => ({ option: flagOf(option), problem: inFlags(problem), fix: inFlags(fix) })

/** A sentence of the library with the options in it as they are written here: `runs: 3` as `--runs 3`. */
export const inFlags = (sentence: string): string =>
  sentence
    .replace(
      /`([a-z]+(?:[A-Z][a-z]*)*)(?:: (?:(\d+)|"([\w-]+)"|\["([\w-]+)"\]))?`/g,
      (whole: string, option: string, ...values: ReadonlyArray<unknown>) =>
        // What is code has no flag.
        codeOptions.some((code) => code.option === option)
          ? whole
          : `\`${[flagOf(option), ...values.slice(0, 3).filter((value) => typeof value === "string")].join(" ")}\``
    )
    .replaceAll("`Sizing.holdoutSize`", "`sandtable power`")

/** How an option of the library is written here: `mustNotRegress` as `--must-not-regress`. */
const flagOf = (option: string): string => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const isIn = (value: number, { above, least, most, whole }: Range): boolean =>
  Number.isFinite(value) &&
  (least === undefined || value >= least) &&
  (above === undefined || value > above) &&
  (most === undefined || value <= most) &&
  (whole !== true || Number.isSafeInteger(value))

const described = ({ above, least, most, whole }: Range): string => {
  const what = whole === true ? "a whole number" : "a number"
  if (least !== undefined && most !== undefined) return `${what} from ${least} to ${most}`
  if (above !== undefined && most !== undefined) return `${what} above ${above}, at most ${most}`
  if (least !== undefined) return `${what} of at least ${least}`
  return above === undefined ? what : `${what} above ${above}`
}

const exampleOf = ({ above, least, most, whole }: Range): string =>
  whole === true ? String(Math.max(4, least ?? 0)) : most === 1 ? "0.9" : String(Math.max(1, least ?? above ?? 0) + 0.5)
