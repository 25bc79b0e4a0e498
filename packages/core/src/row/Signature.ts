/**
 * The behaviour signature of a rollout: what was called, where each argument came from and how it ended, whether the
 * agent refused, and about how much it said. Wording, ids and order of keys do not change it; behaviour does.
 */
import * as ExactJson from "../json/ExactJson.ts"
import { isAgentCall, type CallStep, type Step } from "./Row.ts"

/**
 * Where an argument's value was before the call: in the person's words, in an earlier result, in the agent's own
 * instructions, or nowhere, so that the agent made it up or composed it. `constant` is for values that say nothing of
 * their origin (true, null, the empty text).
 */
export type Provenance = "user" | "result" | "prompt" | "nowhere" | "constant"

export interface Options {
  /** The agent's instructions. */
  readonly systemPrompt?: string
  /** Whether the agent refused; by English phrases in the final text when left out. */
  readonly refused?: boolean
  /** The results of the calls as text, by step, where they are at hand (`Row.resultTexts`). */
  readonly results?: ReadonlyArray<string>
}

/** `sig_` and 16 hex digits: equal for equal `describe`. */
export const of = (steps: ReadonlyArray<Step>, finalText: string, options: Options = {}): string =>
  `sig_${hash64(describe(steps, finalText, options))}`

/** The behaviour in words, such as `get_order(id:user) ok > cancel_order(id:result,reason:nowhere) error | answered | short`. */
export const describe = (steps: ReadonlyArray<Step>, finalText: string, options: Options = {}): string => {
  const seen = new Seen(options.systemPrompt ?? "")
  let calls = ""
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step
    if ("user" in step) seen.user(step.user)
    else if (isAgentCall(step)) {
      calls += calls === "" ? describeCall(step, seen) : ` > ${describeCall(step, seen)}`
      seen.result(options.results?.[i] ?? step.result)
    }
  }
  const refused = options.refused ?? looksRefused(finalText)
  return `${calls} | ${refused ? "refused" : "answered"} | ${lengthOf(finalText)}`
}

/** Bounds on what is looked at, so that one huge call or result costs no more than a large one. */
const mostLeaves = 24
const mostText = 32_768

/** Characters of the final text, up to and including. */
const lengths = [
  [0, "silent"],
  [80, "short"],
  [320, "medium"],
  [1280, "long"]
] as const

const lengthOf = (text: string): string => lengths.find(([most]) => text.length <= most)?.[1] ?? "very long"

const looksRefused = (text: string): boolean => refusal.test(text.slice(0, 1000))
const refusal =
  /\b(?:i|we)(?:['’]m| am|['’]re| are|['’]ll| will)?\s+(?:(?!was\b|were\b)\w+\s+){0,2}?(?:can(?:['’]?t|not| not)|unable to|not able to|won['’]?t|not (?:allowed|permitted|authori[sz]ed) to|(?:must|have to) (?:decline|refuse))\b/i

const describeCall = (call: CallStep, seen: Seen): string => {
  const args = call.arguments
  if (typeof args !== "object" || args === null) return `${call.tool}(?) ${call.status}`
  const names = Object.keys(args)
  if (names.length > 1) names.sort()
  let parts = ""
  for (const name of names) {
    if (parts !== "") parts += ","
    parts += `${name}:${originOf((args as Readonly<Record<string, unknown>>)[name], seen)}`
  }
  return `${call.tool}(${parts}) ${call.status}`
}

/** The origins of a value's leaves, each named once. */
const originOf = (value: unknown, seen: Seen): string => {
  if (!isNested(value)) return seen.find(value)
  const found = new Set<Provenance>()
  let left = mostLeaves
  const visit = (inner: unknown): void => {
    if (left <= 0) return
    if (isNested(inner)) for (const key of Object.keys(inner)) visit(inner[key as never])
    else {
      left -= 1
      found.add(seen.find(inner))
    }
  }
  visit(value)
  return found.size === 0 ? "constant" : [...found].sort().join("+")
}

const isNested = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !ExactJson.isExact(value)

/** What stood before a call. Texts are lowered, written and cut when an argument is first looked for in them. */
class Seen {
  readonly #systemPrompt: string
  readonly #users: Array<string> = []
  readonly #results: Array<unknown> = []
  readonly #resultTexts: Array<string> = []

  constructor(systemPrompt: string) {
    this.#systemPrompt = systemPrompt
  }

  user(text: string): void {
    this.#users.push(cut(text).toLowerCase())
  }

  result(result: unknown): void {
    this.#results.push(result)
  }

  find(leaf: unknown): Provenance {
    const isNumber = typeof leaf === "number" || ExactJson.isExact(leaf)
    const value = typeof leaf === "string" ? cut(leaf).trim() : isNumber ? String(leaf) : ""
    if (value === "") return "constant"
    // People and prompts write in any case; what came from a result is copied as it stood there.
    const lowered = value.toLowerCase()
    for (const text of this.#users) if (holds(text, lowered)) return "user"
    const texts = this.#resultTexts
    for (let i = texts.length; i < this.#results.length; i++) texts.push(textOf(this.#results[i]))
    for (const text of texts) if (holds(text, value)) return "result"
    return holds(loweredPrompt(this.#systemPrompt), lowered) ? "prompt" : "nowhere"
  }
}

/** The rows of a run have one prompt, which is lowered once. */
let prompt = ""
let promptLowered = ""

const loweredPrompt = (systemPrompt: string): string => {
  if (systemPrompt !== prompt) {
    prompt = systemPrompt
    promptLowered = systemPrompt.toLowerCase()
  }
  return promptLowered
}

const cut = (text: string): string => (text.length > mostText ? text.slice(0, mostText) : text)

const textOf = (result: unknown): string =>
  cut(typeof result === "string" ? result : (ExactJson.stringify(result) ?? ""))

/** Whether the text has the value as a whole word: `12` is not in `A1234`. */
const holds = (text: string, value: string): boolean => {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!isWordAt(text, at - 1) && !isWordAt(text, at + value.length)) return true
  }
  return false
}

const isWordAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at) | 0x20
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
}

/**
 * 16 hex digits of the UTF-16 units: two lanes of FNV-1a (offset basis and prime of 32 bits; the second lane starts from
 * its complement), each finished so that every bit counts. SHA-256 would cost more than all the rest, and nobody gains by
 * forging a signature.
 */
const hash64 = (text: string): string => {
  let a = 0x811c9dc5
  let b = ~a
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ ((unit << 5) | (i % 31)), 0x01000193)
  }
  return hex(finish(a ^ Math.imul(b, 5))) + hex(finish(b))
}

/** Spreads each bit over all 32 (the xor-shift-multiply finish of MurmurHash3, by its constants). */
const finish = (lane: number): number => {
  let x = lane ^ (lane >>> 16)
  x = Math.imul(x, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}

const hex = (lane: number): string => {
  let digits = ""
  for (let shift = 24; shift >= 0; shift -= 8) digits += bytes[(lane >>> shift) & 255] as string
  return digits
}
/** Two hex digits for each byte: a number of 32 bits takes far longer to write. */
const bytes: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
