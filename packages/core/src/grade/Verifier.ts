/**
 * Verifiers: graders that check a reply against a reference or a form. The reference is the gold answer of the seed or
 * eval item (`privileged.reference`); without one the verdict has no reward. Gold never appears in a reason.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Hash from "../random/Hash.ts"
import type { Row } from "../row/Row.ts"
import type { JsonSchema } from "../json/JsonSchema.ts"
import * as CallerEffects from "../task/internal/callerEffects.ts"
import type { FunctionContext, Service, Verdict } from "./Grader.ts"
import { lacksReference, withoutReference } from "./internal/answer.ts"
import { calling } from "./internal/calling.ts"
import { withoutGold } from "./internal/gold.ts"
import * as Formulas from "./internal/formulas.ts"
import * as FormulaText from "./internal/formulaText.ts"
import * as Numbers from "./internal/numbers.ts"
import * as ReplyJson from "./internal/replyJson.ts"

/**
 * A verifier of the caller's.
 * @since 0.1.0
 * @category models
 */
export interface Options<R = never> {
  readonly name: string
  readonly version?: string
  /**
   * Whether the reply (or the row) fits: whatever a grader may return. Called only when there is a reference; a reason
   * or cause that holds the reference is written with `[reference]` in its place.
   */
  readonly verify: (reply: string, reference: unknown, row: Row, context: FunctionContext) => CallerEffects.Given<R>
}

/**
 * A verifier of your own that needs the reference.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Service => {
  const service = withReference(options)
  return {
    ...service,
    grade: (row, context) =>
      Effect.map(service.grade(row, context), (verdict) => withoutGold(verdict, context.privileged.reference))
  }
}

/**
 * The same where `verify` answers by Effects that need services: they are taken now.
 * @since 0.1.0
 * @category constructors
 */
export const makeEffect = <R = never>(options: Options<R>): Effect.Effect<Service, never, R> =>
  Effect.map(CallerEffects.capture<R>(), (captured) =>
    make({
      ...options,
      verify: (...given) => CallerEffects.provideGiven(options.verify(...given), captured)
    })
  )

/**
 * How two texts are compared.
 * @since 0.1.0
 * @category models
 */
export interface TextOptions {
  /** Upper and lower case are the same; false when left out. */
  readonly ignoreCase?: boolean
}

/**
 * The reply is the reference (or one of them), apart from space around and between words.
 * @since 0.1.0
 * @category functions
 */
export const exactMatch = ({ ignoreCase = false }: TextOptions = {}): Service =>
  withReference({
    name: "exact_match",
    verify: (reply, reference) =>
      outcome(
        textsOf(reference).some((text) => normal(text, ignoreCase) === normal(reply, ignoreCase)),
        "The reply is the reference.",
        "The reply is not the reference."
      )
  })

/**
 * The reply contains the reference, or every one of them.
 * @since 0.1.0
 * @category functions
 */
export const includes = ({ ignoreCase = false }: TextOptions = {}): Service =>
  withReference({
    name: "includes",
    verify: (reply, reference) => {
      const texts = textsOf(reference)
      const found = texts.filter((text) => normal(reply, ignoreCase).includes(normal(text, ignoreCase)))
      return outcome(
        found.length === texts.length,
        "The reply contains the reference.",
        `The reply contains ${found.length} of ${texts.length} references.`
      )
    }
  })

/**
 * The reply matches a pattern: the given one, else the reference as the source of one.
 * @since 0.1.0
 * @category functions
 */
export const regex = (pattern?: RegExp): Service => {
  const check = (reply: string, expected: RegExp): Outcome =>
    outcome(reply.search(expected) >= 0, "The reply matches the pattern.", "The reply does not match the pattern.")
  return pattern === undefined
    ? withReference({ name: "regex", verify: (reply, reference) => check(reply, patternOf(reference)) })
    : calling({ name: "regex", version: String(pattern), grade: (row) => check(row.final_text, pattern) })
}

/**
 * The option a reply chooses, by its letter: boxed, after the last "answer", alone, or the only one in brackets. The
 * reference is a letter, with or without the option's text.
 * @since 0.1.0
 * @category functions
 */
export const multipleChoice = ({ letters = "ABCDEFGHIJ" }: { readonly letters?: string } = {}): Service =>
  withReference({
    name: "multiple_choice",
    verify: (reply, reference) => {
      const gold = new RegExp(`^\\W*([${letters}])(?![A-Za-z])`, "i").exec(String(reference))?.[1]?.toUpperCase()
      if (gold === undefined) throw new TypeError("the reference names no option")
      const chosen = choiceIn(reply, letters)
      if (chosen === null) return { reward: 0, reason: "The reply chooses no option, or more than one." }
      return outcome(chosen === gold, "The reply chooses the right option.", "The reply chooses another option.")
    }
  })

/**
 * How far a number may be off.
 * @since 0.1.0
 * @category models
 */
export interface Tolerance {
  /** Largest difference; 0 when left out. */
  readonly absolute?: number
  /** Largest difference as a share of the reference; 1e-9 when left out, which forgives rounding in the last digits. */
  readonly relative?: number
}

/**
 * The number a reply gives: boxed, after its last "answer", else its last one. Fractions, percent, currency and thousands
 * separators are read.
 * @since 0.1.0
 * @category functions
 */
export const numeric = ({ absolute = 0, relative = 1e-9 }: Tolerance = {}): Service =>
  withReference({
    name: "numeric",
    verify: (reply, reference) => {
      const gold = Numbers.answerIn(String(reference))
      if (gold === null) throw new TypeError("the reference is no number")
      const given = Numbers.answerIn(reply)
      if (given === null) return { reward: 0, reason: "The reply gives no number." }
      return outcome(
        Numbers.isClose(given, gold, { absolute, relative }),
        "The reply gives the right number.",
        "The reply gives another number."
      )
    }
  })

/**
 * The formula a reply gives is the reference, however it is written: `\\frac{1}{2}` is `0.5`, `(x+1)^2` is `x^2 + 2x + 1`.
 * Plain and LaTeX notation are read: fractions, roots, powers, the usual functions, equations, tuples, sets. The answer is
 * the boxed one, the one after the last "answer", the last between dollars, else the last line. Two formulas are equal
 * when their difference simplifies to 0 (mathjs), or when their values agree to 9 digits at seeded points. A reply that
 * holds no formula is wrong; where a comparison is not to be had there is no reward. `log` is to base 10, `ln` natural.
 * @since 0.1.0
 * @category functions
 */
export const mathEqual = (): Service =>
  withReference({
    name: "math_equal",
    version: "1",
    verify: async (reply, reference) => {
      const gold = String(reference)
      const expected = Numbers.lastBoxed(gold) ?? gold.replace(/^\s*\$+|\$+\s*$/g, "")
      const given = formulaIn(reply)
      if (spaceless(given) === spaceless(expected)) return outcome(true, "The reply gives the reference.", "")
      const [wanted, found] = [FormulaText.read(expected), FormulaText.read(given)]
      if (wanted === null) throw new TypeError("the reference is no formula")
      if (found === null) return { reward: 0, reason: "The reply gives no formula that can be read." }
      const equal = await Formulas.equal(found, wanted)
      if (equal === null) throw new TypeError("the two formulas cannot be compared")
      return outcome(equal, "The reply gives an equal formula.", "The reply gives another formula.")
    }
  })

/**
 * The reply is JSON, bare or in one code fence. Needs no reference.
 * @since 0.1.0
 * @category constants
 */
export const jsonValid: Service = calling({
  name: "json_valid",
  grade: (row) => outcome(Option.isSome(ReplyJson.parse(row.final_text)), "The reply is JSON.", "The reply is no JSON.")
})

/**
 * The reply is JSON that satisfies a JSON Schema (2020-12, with formats): the given one, else the reference.
 * @since 0.1.0
 * @category functions
 */
export const jsonSchema = (schema?: JsonSchema): Service => {
  const check = async (reply: string, expected: unknown): Promise<Outcome> => {
    const value = ReplyJson.parse(reply)
    if (Option.isNone(value)) return { reward: 0, reason: "The reply is no JSON." }
    const validate = await compile(expected)
    const problems = validate(value.value)
    return outcome(
      problems === null,
      "The reply satisfies the schema.",
      `The reply does not satisfy the schema: ${problems}.`
    )
  }
  return schema === undefined
    ? withReference({
        name: "json_schema",
        verify: async (reply, reference) => {
          // What is wrong would tell what the reference asks for.
          const { reward } = await check(reply, reference)
          return outcome(reward === 1, "The reply satisfies the schema.", "The reply does not satisfy the schema.")
        }
      })
    : calling({
        name: "json_schema",
        version: Hash.sha256Hex(Hash.canonical(schema)).slice(0, 12),
        grade: (row) => check(row.final_text, schema)
      })
}

/**
 * A field of the reply's JSON, by a path such as `items.0.id`, is the reference as JSON.
 * @since 0.1.0
 * @category functions
 */
export const jsonField = (path: string): Service =>
  withReference({
    name: "json_field",
    version: path,
    verify: (reply, reference) => {
      const field = Option.flatMap(ReplyJson.parse(reply), (value) => ReplyJson.at(value, path))
      if (Option.isNone(field)) return { reward: 0, reason: `The reply is no JSON with ${path}.` }
      return outcome(
        Hash.canonical(field.value) === Hash.canonical(reference),
        `${path} is the reference.`,
        `${path} is not the reference.`
      )
    }
  })

/**
 * The lowest reward; a 0 decides, and otherwise a verdict without a reward leaves all without one.
 * @since 0.1.0
 * @category functions
 */
export const all = (...parts: readonly [Service, ...ReadonlyArray<Service>]): Service =>
  combined("all", parts, (rewards) => (rewards.includes(0) ? 0 : known(rewards, (given) => Math.min(...given))))

/**
 * The highest reward; a 1 decides, and otherwise a verdict without a reward leaves all without one.
 * @since 0.1.0
 * @category functions
 */
export const any = (...parts: readonly [Service, ...ReadonlyArray<Service>]): Service =>
  combined("any", parts, (rewards) => (rewards.includes(1) ? 1 : known(rewards, (given) => Math.max(...given))))

/**
 * The weighted mean; without a reward as soon as one part is, for the others would count for more.
 * @since 0.1.0
 * @category functions
 */
export const weighted = (
  ...parts: readonly [readonly [Service, number], ...ReadonlyArray<readonly [Service, number]>]
): Service => {
  const weights = parts.map(([, weight]) => weight)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (!weights.every((weight) => Number.isFinite(weight) && weight >= 0) || total <= 0) {
    throw new RangeError("Weights of verifiers are numbers from 0 up, and one of them is above 0.")
  }
  const [[first], ...rest] = parts
  return combined("weighted", [first, ...rest.map(([service]) => service)], (rewards) =>
    known(rewards, (given) =>
      Math.min(1, given.reduce((sum, reward, i) => sum + reward * (weights[i] ?? 0), 0) / total)
    )
  )
}

const noReference = withoutReference("there is no reference to verify against")

/** A verifier whose own words never hold the reference. */
const withReference = ({ name, version, verify }: Options): Service => {
  const grader = calling({
    name,
    ...(version !== undefined && { version }),
    grade: (row, context) => verify(row.final_text, context.privileged.reference, row, context)
  })
  return {
    ...grader,
    grade: (row, context) => {
      const { reference } = context.privileged
      return reference === undefined || reference === null ? Effect.succeed(noReference) : grader.grade(row, context)
    }
  }
}

const patternOf = (reference: unknown): RegExp => {
  try {
    return new RegExp(String(reference), "u")
  } catch {
    // The engine's own message holds the pattern.
    throw new SyntaxError("the reference is no pattern")
  }
}

const formulaIn = (reply: string): string => {
  const boxed = Numbers.lastBoxed(reply)
  if (boxed !== null) return boxed
  const declared = [...reply.matchAll(/\banswer\b(?:\s+is)?[\s:=*]*(\S[^\n]*)/gi)].at(-1)?.[1]
  const text = declared ?? reply.trim().split("\n").at(-1) ?? ""
  const marked = [...text.matchAll(/\$+([^$]+)\$+|\\\(([^]*?)\\\)|\\\[([^]*?)\\\]/g)].at(-1)
  return (marked?.[1] ?? marked?.[2] ?? marked?.[3] ?? text).replace(/^\*+|\*+$/g, "")
}

const spaceless = (text: string): string => text.replace(/[\s$]+/g, "")

interface Outcome {
  readonly reward: number
  readonly reason: string
}

const outcome = (passed: boolean, yes: string, no: string): Outcome => ({
  reward: passed ? 1 : 0,
  reason: passed ? yes : no
})

const textsOf = (reference: unknown): ReadonlyArray<string> =>
  (Array.isArray(reference) ? reference : [reference]).map((item) =>
    typeof item === "object" ? Hash.canonical(item) : String(item)
  )

const normal = (text: string, ignoreCase: boolean): string => {
  const spaced = text.trim().replace(/\s+/g, " ")
  return ignoreCase ? spaced.toLowerCase() : spaced
}

const choiceIn = (reply: string, letters: string): string | null => {
  const boxed = Numbers.lastBoxed(reply)
  const text = boxed === null ? reply : boxed.replace(/\\(?:text|mathrm|textbf)/g, "")
  const alone = new RegExp(`^\\W*([${letters}])\\W*$`, "i").exec(text)?.[1]
  if (alone !== undefined) return alone.toUpperCase()
  const lead = /\b(?:answer|option|choice|choose|pick|select)\b/i.source
  const declared = [
    ...text.matchAll(new RegExp(`${lead}(?: is| would be)?[\\s:=*("'\\[]{0,6}([${letters}])(?![A-Za-z'’])`, "gi"))
  ]
    .map((match) => match[1])
    // "the answer is a" is the start of a sentence
    .filter((letter) => letter !== undefined && letter === letter.toUpperCase())
    .at(-1)
  if (declared !== undefined) return declared
  const marked = new Set(
    [...text.matchAll(new RegExp(`(?:\\(([${letters}])\\)|(?:^|\\n)\\W{0,4}([${letters}])[).:])`, "g"))].map(
      ([, a, b]) => a ?? b
    )
  )
  return marked.size === 1 ? ([...marked][0] ?? null) : null
}

type Validate = (value: unknown) => string | null

/** Most schemas kept compiled: a run has one, or one per eval item. */
const mostCompiled = 200
const compiled = new Map<string, Promise<Validate>>()

/** Compiles a schema once; the library is loaded when the first schema is. */
const compile = (schema: unknown): Promise<Validate> => {
  if (typeof schema !== "object" || schema === null) throw new TypeError("The schema is no object.")
  const key = Hash.canonical(schema)
  const done = compiled.get(key)
  if (done !== undefined) return done
  if (compiled.size === mostCompiled) compiled.clear()
  const compiling = load(schema)
  compiled.set(key, compiling)
  return compiling
}

const load = async (schema: object): Promise<Validate> => {
  const [{ Ajv2020 }, formats] = await Promise.all([import("ajv/dist/2020.js"), import("ajv-formats")])
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  formats.default.default(ajv)
  const validate = ajv.compile(schema)
  return (value) => {
    if (validate(value)) return null
    const [error] = validate.errors ?? []
    return `${error?.instancePath === "" ? "the value" : error?.instancePath} ${error?.message}`
  }
}

const combined = (
  name: string,
  parts: readonly [Service, ...ReadonlyArray<Service>],
  combine: (rewards: ReadonlyArray<number | null>) => number | null
): Service => ({
  name: `${name}(${parts.map((part) => part.name).join(", ")})`,
  kind: parts.some(({ kind }) => kind === "model") ? "model" : "rule",
  model: parts.find(({ model }) => model !== null)?.model ?? null,
  version: parts.some(({ version }) => version !== null) ? parts.map(({ version }) => version ?? "-").join(", ") : null,
  conduct: false,
  ...identityOf(parts),
  grade: (row, context) =>
    Effect.map(
      Effect.forEach(parts, (part) => part.grade(row, context)),
      (verdicts) => verdictOf(parts, verdicts, combine(verdicts.map(({ reward }) => reward)))
    )
})

/** The judging part's, as its model. */
const identityOf = (parts: ReadonlyArray<Service>): Pick<Service, "identity"> => {
  const identity = parts.find(({ model }) => model !== null)?.identity
  return identity === undefined ? {} : { identity }
}

const verdictOf = (parts: ReadonlyArray<Service>, verdicts: ReadonlyArray<Verdict>, reward: number | null): Verdict => {
  const reasons = verdicts.flatMap(({ reason }, i) => (reason === undefined ? [] : [`${parts[i]?.name}: ${reason}`]))
  const without = verdicts.filter((verdict) => verdict.reward === null)
  const failed = without.find((verdict) => !lacksReference(verdict)) ?? without[0]
  const worst = verdicts.find(
    (verdict) => verdict.reward !== null && verdict.reward < 1 && verdict.failureClass !== undefined
  )
  return {
    reward,
    status: reward === null ? (failed?.status ?? "missing_reward") : "ok",
    ...(reasons.length > 0 && { reason: reasons.join(" ") }),
    ...(worst?.failureClass !== undefined && { failureClass: worst.failureClass }),
    ...(failed?.refused !== undefined && { refused: failed.refused }),
    ...(verdicts.some(({ markers }) => markers !== undefined) && {
      markers: Object.fromEntries(verdicts.flatMap(({ markers }) => Object.entries(markers ?? {})))
    }),
    meta: {
      ...(reward === null && failed !== undefined && causeOf(failed, parts[verdicts.indexOf(failed)]?.name)),
      parts: verdicts.map((verdict, i) => ({
        name: parts[i]?.name,
        reward: verdict.reward,
        status: verdict.status,
        ...verdict.meta
      }))
    }
  }
}

/** Why a combination has no reward: the cause of the part that has none; a failure rather than a missing reference. */
const causeOf = (failed: Verdict, name: string | undefined): Readonly<Record<string, unknown>> => ({
  cause: `${name}: ${String(failed.meta["cause"] ?? failed.status)}`,
  ...(lacksReference(failed) && { no_reference: true })
})

const known = (
  rewards: ReadonlyArray<number | null>,
  combine: (given: ReadonlyArray<number>) => number
): number | null => {
  const given = rewards.filter((reward) => reward !== null)
  return given.length === rewards.length ? combine(given) : null
}
