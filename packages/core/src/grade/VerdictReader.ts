/**
 * What a judge's reply says, read strictly: its thinking is left out, fences and prose around the verdict are passed over,
 * and where two readings are possible there is none. A verdict is a JSON object; nothing is guessed from words.
 */
import * as Either from "effect/Either"
import * as Hash from "../random/Hash.ts"
import { parse, type Fields } from "./internal/partialJson.ts"

/** A verdict that was read. */
export interface Read<A> {
  readonly verdict: A
  /** The judge's own words, cut where the reply was. */
  readonly reason: string | null
  /** The reply was cut, but not before the verdict was told. */
  readonly salvaged: boolean
}

/** What a verdict looks like. */
export interface Form<A> {
  /** An object with one of these keys is meant as a verdict. */
  readonly keys: ReadonlyArray<string>
  /** What it says, or in words why it says nothing. */
  readonly read: (object: Fields) => Either.Either<A, string>
  /** Whether a cut object tells all of its verdict. */
  readonly isWhole: (object: Fields) => boolean
}

/** Whether each criterion is met; null where the judge did not say. */
export type Answers = Readonly<Record<string, 0 | 1 | null>>

const scoreKeys = ["score", "reward"]

const scoreForm = <A extends number>(accepts: (value: number) => value is A, range: string): Form<A> => ({
  keys: scoreKeys,
  read: (object) => {
    const given = scoreKeys.filter((key) => Object.hasOwn(object, key)).map((key) => numberOf(object[key]))
    const [first] = given
    if (first === undefined || given.some((value) => value === null || !accepts(value))) {
      return Either.left(`"score" has to be ${range}, as a number`)
    }
    return given.some((value) => value !== first)
      ? Either.left('"score" and "reward" disagree')
      : Either.right(first as A)
  },
  isWhole: (object) => scoreKeys.some((key) => Object.hasOwn(object, key))
})

/** `{ "score": 0 | 1 }`; `reward` is read too, and true and false. */
export const binary: Form<0 | 1> = scoreForm((value): value is 0 | 1 => value === 0 || value === 1, "0 or 1")

/** `{ "score": ... }` from 0 to 1. */
export const share: Form<number> = scoreForm((value): value is number => value >= 0 && value <= 1, "from 0 to 1")

/** `{ "criteria": { id: 0 | 1, ... } }`. A criterion that is left out or null is unanswered; one answer is needed. */
export const criteria = (ids: ReadonlyArray<string>): Form<Answers> => ({
  keys: ["criteria"],
  read: ({ criteria }) => {
    if (!isFields(criteria)) return Either.left('"criteria" has to be an object')
    const out: Record<string, 0 | 1 | null> = Object.create(null) as Record<string, 0 | 1 | null>
    for (const id of ids) {
      const value = Object.hasOwn(criteria, id) ? criteria[id] : null
      const answer = numberOf(value)
      if (value !== null && answer !== 0 && answer !== 1) {
        return Either.left(`the answer to ${JSON.stringify(id)} has to be 0 or 1, as a number`)
      }
      out[id] = answer as 0 | 1 | null
    }
    return ids.every((id) => out[id] === null)
      ? Either.left("none of the criteria is answered")
      : Either.right(out as Answers)
  },
  isWhole: ({ criteria }) => isFields(criteria) && ids.every((id) => Object.hasOwn(criteria, id))
})

/** `{ [key]: one of the words }`. */
export const choice = <A extends string>(key: string, words: ReadonlyArray<A>): Form<A> => ({
  keys: [key],
  read: (object) => {
    const word = words.find((word) => word === object[key])
    return word === undefined
      ? Either.left(`${JSON.stringify(key)} has to be one of ${words.map((word) => JSON.stringify(word)).join(", ")}`)
      : Either.right(word)
  },
  // a text that was cut may have been the beginning of a longer one
  isWhole: (object) => Object.keys(object).indexOf(key) < Object.keys(object).length - 1 && Object.hasOwn(object, key)
})

/**
 * The verdict of a reply; on the left in words why there is none. The last complete object with a verdict decides, unless
 * another one says something else, or a broken or cut one follows it.
 */
export const read: {
  (text: string): Either.Either<Read<0 | 1>, string>
  <A>(text: string, form: Form<A>): Either.Either<Read<A>, string>
} = (text: string, form: Form<unknown> = binary): Either.Either<Read<never>, string> =>
  decide(objectsIn(text, form.keys), form) as Either.Either<Read<never>, string>

type Found =
  | { readonly _tag: "Object"; readonly object: Fields; readonly cut: boolean; readonly contradicts: boolean }
  /** It names a verdict's key and cannot be read. */
  | { readonly _tag: "Broken" }

interface Scanned {
  readonly found: ReadonlyArray<Found>
  /** Why there may be nothing: in words. */
  readonly nothing: string
}

const decide = <A>({ found, nothing }: Scanned, form: Form<A>): Either.Either<Read<A>, string> => {
  const last = found.at(-1)
  if (last === undefined) return Either.left(nothing)
  if (last._tag === "Broken") return Either.left("the JSON object with the verdict is broken")
  if (last.contradicts) return Either.left("one key is given twice, with different values")
  if (last.cut && !form.isWhole(last.object)) return Either.left("it was cut off before the verdict was told")
  const verdict = form.read(last.object)
  if (Either.isLeft(verdict)) return Either.left(verdict.left)
  const decided = Hash.canonical(verdict.right)
  for (const other of found.slice(0, -1)) {
    if (other._tag === "Broken") continue
    const said = form.read(other.object)
    if (Either.isRight(said) && Hash.canonical(said.right) !== decided) return Either.left("two verdicts disagree")
  }
  const { reason } = last.object
  return Either.right({
    verdict: verdict.right,
    reason: typeof reason === "string" ? reason : null,
    salvaged: last.cut
  })
}

/** Where an object may begin, and where thinking begins or ends, in the marks of the usual model families. */
const marks =
  /\{|<(\/?)(?:(?:[a-z]+:)?think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad)(?:\s[^<>]{0,80})?>|<\|(?:begin|(end))_of_(?:thought|thinking)\|>|\[(\/?)THINK\]|◁(\/?)think▷|<\|channel\|>(analysis|commentary|final)[^{]*?<\|message\|>|(<\|end\|>)/giu

/** Braces that never close and are no object: after so many the text is noise. */
const mostUnclosed = 200

/** The objects outside of thinking that are meant as verdicts. */
const objectsIn = (text: string, keys: ReadonlyArray<string>): Scanned => {
  const name = `["'“]?(?:${keys.join("|")})["'”]?\\s*:`
  const names = new RegExp(name)
  const begun = new RegExp(`^\\{\\s*${name}`)
  let found: Array<Found> = []
  let thinking = false
  let unclosed = 0
  marks.lastIndex = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] !== "{") {
      const [, tag, endOf, bracket, triangle, channel, endOfChannel] = mark
      const closes = [tag, bracket, triangle].includes("/") || endOf !== undefined || channel?.toLowerCase() === "final"
      // What stands before an end of thinking was thought, also where its beginning is not shown.
      if (closes) found = []
      thinking = endOfChannel === undefined && !closes
      continue
    }
    if (thinking) continue
    const parsed = parse(text, mark.index)
    if (parsed._tag === "Broken") {
      if (parsed.end === null) {
        unclosed += 1
        if (begun.test(text.slice(mark.index, mark.index + 80))) found.push({ _tag: "Broken" })
        if (unclosed === mostUnclosed) return { found: [], nothing: "it is full of braces that never close" }
        continue
      }
      if (names.test(text.slice(mark.index, parsed.end))) found.push({ _tag: "Broken" })
      marks.lastIndex = parsed.end
    } else if (parsed._tag === "Whole") {
      if (keys.some((key) => Object.hasOwn(parsed.value, key))) {
        found.push({ _tag: "Object", object: parsed.value, cut: false, contradicts: parsed.contradicts })
      }
      marks.lastIndex = parsed.end
    } else if (/^\{\s*(?:"|$)/.test(text.slice(mark.index, mark.index + 40))) {
      // Whatever was still to come could have been the verdict.
      found.push({ _tag: "Object", object: parsed.value, cut: true, contradicts: parsed.contradicts })
      break
    }
  }
  const nothing =
    text.trim() === ""
      ? "it is empty"
      : thinking
        ? "it was cut off while thinking"
        : `there is no JSON object with ${keys.map((key) => JSON.stringify(key)).join(" or ")} in it`
  return { found, nothing }
}

const numberOf = (value: unknown): number | null =>
  typeof value === "boolean" ? (value ? 1 : 0) : typeof value === "number" ? (value === 0 ? 0 : value) : null

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
