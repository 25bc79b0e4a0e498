/**
 * What a line claims to have done, and which calls could have done it.
 */
import type { Action, Locale } from "../Locale.ts"
import { squeeze } from "./identifiers.ts"
import type { Call, KnownTool, Line, Thread } from "./thread.ts"

export interface Claim {
  /** The words of the claim. */
  readonly text: string
  /** The sentence around it. */
  readonly sentence: string
  readonly action: Action
  readonly locale: Locale
  /** Said without a speaker ("has been cancelled"): it may report what was read. */
  readonly reported: boolean
  /** Said as a state ("is cancelled"): the weakest form, which may describe what is so anyway. */
  readonly state: boolean
}

/** The claims of a line. Questions, conditions, wishes and denials are none. */
export const claimsOf = (line: Line, locale: Locale): ReadonlyArray<Claim> => {
  const known = read.get(line)
  if (known !== undefined) return known
  const claims = readClaims(line.text, locale)
  read.set(line, claims)
  return claims
}

/** Two rungs ask for the claims of a line. A line lives as long as one grading, so its language is one too. */
const read = new WeakMap<Line, ReadonlyArray<Claim>>()

const readClaims = (line: string, locale: Locale): ReadonlyArray<Claim> => {
  const { own, reported, states, byForm } = grammarOf(locale)
  const claims: Array<Claim> = []
  for (const [pattern, isReported] of [
    [own, false],
    [reported, true],
    [states, true]
  ] as const) {
    const state = pattern === states
    pattern.lastIndex = 0
    // `matchAll` would copy the pattern, which is long, every time.
    for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
      if (claims.length === mostClaims) return claims
      const form = match.slice(1).find((group) => group !== undefined)
      const action = byForm.get(form?.toLowerCase() ?? "")
      const end = match.index + match[0].length
      const start = sentenceStart(line, match.index)
      const sentence = line.slice(start, sentenceEnd(line, end)).trim()
      if (action === undefined || sentence.endsWith("?")) continue
      const subject = line.slice(start, match.index).trim()
      const after = line.slice(end, end + reach)
      if (locale.hypothetical.test(subject) || locale.denied.test(after)) continue
      if (state && (locale.noSubject.test(subject) || locale.statesMore.test(after))) continue
      const text = state ? line.slice(start, end).trim() : match[0].replace(/^[.!\s]+/, "")
      claims.push({ text, sentence, action, locale, reported: isReported, state })
    }
  }
  return claims
}

/** Whether a tool is one for the action: its name has the verb, or it is of the kind and the sentence fits. */
export const isFor = (tool: KnownTool, claim: Claim): boolean =>
  names(tool, claim) ||
  isWhollyNamed(tool, claim) ||
  (tool.kind === claim.action.kind &&
    // `send_email` is for "I emailed it"
    (!claim.action.plain || tool.words.has(claim.action.lemma) || mentionsObject(tool, claim)))

/** A tool whose verb says little (`request_late_checkout`) is known by all it works on. */
const isWhollyNamed = (tool: KnownTool, { sentence, locale }: Claim): boolean =>
  tool.writes && actionOf(tool.words, locale) === undefined && namesObject(tool, sentence)

/** Whether a text has all the words of a tool's name but the verb. */
export const namesObject = (tool: KnownTool, text: string): boolean => {
  if (tool.words.size < 2) return false
  const squeezed = squeeze(text)
  return [...tool.words].slice(1).every((word) => squeezed.includes(word))
}

/** Whether the verb of the action stands in the tool's name (and, for plain verbs, what it works on in the sentence). */
export const isNamedFor = (tool: KnownTool, claim: Claim): boolean =>
  names(tool, claim) && (!claim.action.plain || mentionsObject(tool, claim))

/** Whether a successful call, or what was read or told, bears the claim out. */
export const isBorneOut = (claim: Claim, line: Line, thread: Thread): boolean => {
  const end = thread.turnEnd(line.at)
  const says = (text: string): boolean => {
    const lower = text.toLowerCase()
    return lower.includes(claim.action.lemma) || claim.action.forms.some((form) => lower.includes(form))
  }
  const borne = (call: Call): boolean =>
    call.at < end &&
    call.ok &&
    (call.tool.writes
      ? call.tool.kind === claim.action.kind ||
        call.tool.kind === "other" ||
        names(call.tool, claim) ||
        says(call.argumentsText) ||
        says(call.resultText)
      : claim.reported && says(call.resultText))
  // "It is already cancelled": the world said so itself.
  const told = (call: Call): boolean => call.at < end && call.status === "already_done" && claim.reported
  if (thread.calls.some((call) => borne(call) || told(call))) return true
  return (
    claim.reported &&
    thread.users.some(
      (user) => user.at < end && claim.action.forms.some((form) => user.text.toLowerCase().includes(form))
    )
  )
}

/** What a tool does: the first word of its name that is an action, so that `cancel_order` does not order. */
export const actionOf = (words: Iterable<string>, locale: Locale): Action | undefined => {
  const { byLemma } = grammarOf(locale)
  for (const word of words) {
    const action = byLemma.get(word)
    if (action !== undefined) return action
  }
  return undefined
}

const names = (tool: KnownTool, { action, locale }: Claim): boolean => actionOf(tool.words, locale) === action

/** Whether a sentence names what a tool works on: a word of its name beside the verb, in singular or plural. */
const mentionsObject = (tool: KnownTool, { sentence, action }: Claim): boolean => {
  const lower = sentence.toLowerCase()
  for (const word of tool.words) {
    if (word !== action.lemma && word.length > 2 && lower.includes(word.replace(/s$/, ""))) return true
  }
  return false
}

/** Most claims read of one line: no honest reply makes more. */
const mostClaims = 50
/** Farthest a sentence is followed on either side of a claim, in characters: text without full stops has no sentences. */
const reach = 300

const sentenceStart = (text: string, at: number): number => {
  const limit = Math.max(0, at - reach)
  for (let i = at - 1; i >= limit; i--) if (isBreak(text, i)) return i + 1
  return limit
}

const sentenceEnd = (text: string, from: number): number => {
  const limit = Math.min(text.length, from + reach)
  for (let i = from; i < limit; i++) if (isBreak(text, i)) return i + 1
  return limit
}

/** A newline, or a full stop with space after it: the point in "A.12" is none. */
const isBreak = (text: string, i: number): boolean =>
  text[i] === "\n" || (/[.!?]/.test(text.charAt(i)) && (i + 1 === text.length || /\s/.test(text.charAt(i + 1))))

interface Grammar {
  readonly own: RegExp
  readonly reported: RegExp
  readonly states: RegExp
  readonly byForm: ReadonlyMap<string, Action>
  readonly byLemma: ReadonlyMap<string, Action>
}

const grammars = new WeakMap<Locale, Grammar>()

const grammarOf = (locale: Locale): Grammar => {
  const known = grammars.get(locale)
  if (known !== undefined) return known
  const verb = locale.actions.flatMap(({ forms }) => forms).join("|")
  const compile = (sources: ReadonlyArray<string>): RegExp =>
    new RegExp(sources.map((source) => source.replace("{verb}", verb)).join("|"), "gi")
  const grammar: Grammar = {
    own: compile(locale.ownClaims),
    reported: compile(locale.reportedClaims),
    states: compile(locale.stateClaims),
    byLemma: new Map(locale.actions.map((action) => [action.lemma, action])),
    byForm: new Map(locale.actions.flatMap((action) => action.forms.map((form) => [form, action])))
  }
  grammars.set(locale, grammar)
  return grammar
}
