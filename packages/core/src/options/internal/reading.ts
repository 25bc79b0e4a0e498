/**
 * Reads what a caller gave, option by option, so that one broken value hides nothing of the others.
 */
import * as TaskFile from "../../situation/TaskFile.ts"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { OptionIssue } from "../InvalidOptions.ts"
import { issuesOf, show } from "./issues.ts"
import { nearest, sameWord } from "./nearest.ts"
import { entries, type Entry, type OptionValues as Values } from "./optionTable.ts"

export interface Given {
  /** The values that can be used, under the options' own names: aliases are folded in. */
  readonly values: Values
  /** Every option the caller set, usable or not, by its own name: `budget`, `advanced.probe`. */
  readonly set: ReadonlySet<string>
  readonly issues: ReadonlyArray<OptionIssue>
}

export const read = (input: unknown): Given => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    const problem = `are ${show(input)}, not an object`
    return { values: {}, set: new Set(), issues: [{ option: "options", problem, fix: "Give { agent, tools, ... }." }] }
  }
  const found = readFields(topLevel, withTasks(input), "")
  const { advanced } = found.raw
  const nested = advanced === undefined ? undefined : readAdvanced(advanced)
  const folded = foldAliases(found)
  return {
    // every value passed the check of its own option, so together they are the options' type
    values: { ...folded.values, ...(nested === undefined ? {} : { advanced: nested.values }) } as Values,
    set: new Set([...folded.set, ...(nested?.set ?? [])]),
    issues: [...found.issues, ...(nested?.issues ?? []), ...folded.issues]
  }
}

/** A file of tasks is a list of seeds, with or without something around the list. */
const withTasks = (input: object): object =>
  "seeds" in input ? { ...input, seeds: TaskFile.listed(input.seeds) } : input

/** The issues of a value that stands for an option but came from elsewhere, such as the situations of a spec. */
export const check = (name: keyof Values, value: unknown, path: string): ReadonlyArray<OptionIssue> => {
  const result = topLevel.get(name)?.check(value)
  return result !== undefined && Either.isLeft(result) ? issuesOf(result.left, path) : []
}

/** An option's value, held against what it takes. */
type Check = (value: unknown) => Either.Either<unknown, ParseResult.ParseIssue>

interface Field {
  /** The option's own name, without `advanced.`. */
  readonly key: string
  readonly check: Check
}

/** Checks of options by their names and aliases. */
const fieldsOf = (within: ReadonlyArray<Entry>): ReadonlyMap<string, Field> =>
  new Map(
    within.flatMap(({ aliases, key, value }) => {
      let check: Check | undefined
      const field: Field = {
        key,
        check: (given) =>
          (check ??= ParseResult.validateEither(Schema.UndefinedOr(value()), {
            errors: "all",
            onExcessProperty: "error"
          }))(given)
      }
      return [key, ...aliases].map((name) => [name, field] as const)
    })
  )

const topLevel = fieldsOf(entries.filter(({ key, name }) => key === name))
const advancedLevel = fieldsOf(entries.filter(({ key, name }) => key !== name))

interface Found {
  readonly raw: Readonly<Record<string, unknown>>
  readonly values: Readonly<Record<string, unknown>>
  readonly issues: ReadonlyArray<OptionIssue>
}

const readFields = (fields: ReadonlyMap<string, Field>, input: object, prefix: string): Found => {
  const raw: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const issues: Array<OptionIssue> = []
  for (const [key, value] of Object.entries(input)) {
    const field = fields.get(key)
    if (field === undefined && prefix === "" && key === "advanced") {
      if (value !== undefined) raw[key] = value
      continue
    }
    if (field === undefined) {
      issues.push(unknownOption(key, prefix))
      continue
    }
    if (value === undefined) continue
    raw[key] = value
    const result = field.check(value)
    if (Either.isRight(result)) values[key] = value
    else issues.push(...issuesOf(result.left, `${prefix}${key}`))
  }
  return { raw, values, issues }
}

const readAdvanced = (advanced: unknown) => {
  if (typeof advanced !== "object" || advanced === null || Array.isArray(advanced)) {
    const issue = { option: "advanced", problem: `is ${show(advanced)}`, fix: "Give an object, such as { probe: 3 }." }
    return { values: {}, set: [], issues: [issue] }
  }
  const { raw, values, issues } = readFields(advancedLevel, advanced, "advanced.")
  return { values, set: Object.keys(raw).map((key) => `advanced.${key}`), issues }
}

/** The nearest valid key; a word that is right elsewhere is shown its place. */
const unknownOption = (key: string, prefix: string): OptionIssue => {
  const here = prefix === "" ? [...topLevel.keys(), "advanced"] : [...advancedLevel.keys()]
  const [there, path] = prefix === "" ? [[...advancedLevel.keys()], "advanced."] : [[...topLevel.keys()], ""]
  const same = here.find((name) => sameWord(name, key))
  const elsewhere = same === undefined ? there.find((name) => sameWord(name, key)) : undefined
  return {
    option: `${prefix}${key}`,
    problem: "is not an option",
    fix:
      elsewhere === undefined
        ? `The nearest is \`${prefix}${same ?? nearest(key, here)}\`.`
        : `It belongs ${path === "" ? "beside `advanced`" : "in `advanced`"}: \`${path}${elsewhere}\`.`
  }
}

const foldAliases = ({ raw, values }: Found) => {
  const folded: Record<string, unknown> = {}
  const set = new Set<string>()
  const named = new Map<string, Array<string>>()
  for (const key of Object.keys(raw)) {
    const name = topLevel.get(key)?.key ?? key
    if (key !== "advanced") set.add(name)
    named.set(name, [...(named.get(name) ?? []), key])
  }
  const issues: Array<OptionIssue> = []
  for (const [name, keys] of named) {
    const usable = keys.filter((key) => Object.hasOwn(values, key))
    const [first] = usable
    if (first === undefined) continue
    folded[name] = values[first]
    if (usable.some((key) => values[key] !== values[first])) {
      issues.push({
        option: name,
        problem: `is given twice, differently: ${usable.map((key) => `${key} is ${show(values[key])}`).join(", ")}`,
        fix: "Give one of them."
      })
    }
  }
  return { values: folded, set, issues }
}
