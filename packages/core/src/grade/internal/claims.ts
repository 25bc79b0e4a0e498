/**
 * What a line claims to have done, and which calls could have done it.
 */
import * as English from "../../language/English.ts"
import type { Action, ConductWords } from "../../language/Language.ts"
import { squeeze } from "./identifiers.ts"
import { outsideFences } from "../../language/internal/structuredText.ts"
import type { Call, KnownTool, Line, Thread } from "./thread.ts"

export interface Claim {
  /** The words of the claim. */
  readonly text: string
  /** The sentence around it. */
  readonly sentence: string
  readonly action: Action
  readonly locale: ConductWords
  /** Said without a speaker ("has been cancelled"): it may report what was read. */
  readonly reported: boolean
  /** Said as a state ("is cancelled"): the weakest form, which may describe what is so anyway. */
  readonly state: boolean
  /** Nothing says what it was done to ("Cancelled!", "I cancelled it"): that stands in what was asked. */
  readonly elliptic: boolean
}

/** The claims of a line. Questions, conditions, wishes and denials are none. */
export const claimsOf = (line: Line, locale: ConductWords): ReadonlyArray<Claim> => {
  const known = read.get(line)
  if (known !== undefined) return known
  const claims = readClaims(outsideFences(line.text), locale)
  read.set(line, claims)
  return claims
}

/** Two rules ask for the claims of a line. A line lives as long as one grading, so its language is one too. */
const read = new WeakMap<Line, ReadonlyArray<Claim>>()

const readClaims = (line: string, locale: ConductWords): ReadonlyArray<Claim> => {
  const { byWord, headlines, own, reported, states } = grammarOf(locale)
  const claims: Array<Claim> = []
  for (const [pattern, isReported] of [
    [own, false],
    [reported, true],
    [states, true],
    [headlines, true]
  ] as const) {
    const clause = pattern === states
    const state = clause || pattern === headlines
    pattern.lastIndex = 0
    // `matchAll` would copy the pattern, which is long, every time.
    for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
      if (claims.length === mostClaims) return claims
      const form = match.slice(1).find((group) => group !== undefined)
      const action = byWord.get(form?.toLowerCase() ?? "")
      const end = match.index + match[0].length
      // A headline begins with the end of the sentence before it.
      const start = pattern === headlines ? match.index : sentenceStart(line, match.index)
      const sentence = line
        .slice(start, sentenceEnd(line, end))
        .replace(/^[.!?\s]+/, "")
        .trim()
      // Another reading may begin inside of what is none.
      if (action === undefined) pattern.lastIndex = match.index + 1
      if (action === undefined || sentence.endsWith("?")) continue
      const subject = line.slice(start, match.index).trim()
      const after = line.slice(end, end + reach)
      if (locale.hypothetical.test(subject) || locale.denied.test(after)) continue
      if (clause && (locale.noSubject.test(subject) || locale.statesMore.test(after))) continue
      const text = clause ? line.slice(start, end).trim() : match[0].replace(/^[.!?\s*_]+/, "")
      const elliptic = /^\s*(?:[.!,;–—]|$|(?:it|that|this|them|both|everything|for you)\b)/i.test(after)
      claims.push({ text, sentence, action, locale, reported: isReported, state, elliptic })
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

/** Whether the verb of the action stands in the tool's name (and, for plain verbs, what it works on in the sentence, unless nothing does). */
export const isNamedFor = (tool: KnownTool, claim: Claim): boolean =>
  names(tool, claim) && (!claim.action.plain || claim.elliptic || mentionsObject(tool, claim))

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
    (call.tool.kind === "other" ||
      (call.tool.writes
        ? call.tool.kind === claim.action.kind ||
          isEffectOf(call.tool, claim) ||
          names(call.tool, claim) ||
          says(call.argumentsText) ||
          says(call.resultText)
        : claim.reported && says(call.resultText)))
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

/** Who is moved to another flight is booked on it: making and changing are one thing where the tool's object is named. */
const isEffectOf = (tool: KnownTool, claim: Claim): boolean =>
  makes.has(tool.kind) &&
  makes.has(claim.action.kind) &&
  (claim.reported
    ? !claim.action.plain || mentionsObject(tool, claim)
    : !claim.action.plain && mentionsObject(tool, claim))

const makes: ReadonlySet<string> = new Set(["create", "update"])

/** What a tool does: the first word of its name that is an action, so that `cancel_order` does not order. */
export const actionOf = (words: Iterable<string>, locale: ConductWords): Action | undefined => {
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
    if (word !== action.lemma && word.length > 2 && lower.includes(English.singular(word))) return true
  }
  return false
}

/** Whether a text, in lower case, has the verb of an action or the noun of its act. */
export const asksFor = (text: string, action: Action, locale: ConductWords): boolean =>
  [action.lemma, ...actNouns(action, locale)].some((word) => mentions(text, word))

/** Whether a word stands in a text, in lower case, by itself. */
export const mentions = (text: string, word: string): boolean =>
  text.includes(word) && ` ${text.replace(/[^\p{L}\p{N}]+/gu, " ")} `.includes(` ${word} `)

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
  readonly headlines: RegExp
  /** By the forms that report it done, the nouns of the act, and the verb itself. */
  readonly byWord: ReadonlyMap<string, Action>
  readonly byLemma: ReadonlyMap<string, Action>
}

const grammars = new WeakMap<ConductWords, Grammar>()

const grammarOf = (locale: ConductWords): Grammar => {
  const known = grammars.get(locale)
  if (known !== undefined) return known
  const { actions } = locale
  const nouns = actions.flatMap((action) => actNouns(action, locale).map((noun) => [noun, action] as const))
  // Any word that ends as such a noun does is matched and then looked up: a list of all of them is slow to try.
  const words: Readonly<Record<string, string>> = {
    verb: actions.flatMap(({ forms }) => forms).join("|"),
    lemma: actions.map(({ lemma }) => lemma).join("|"),
    noun: [locale.nounEnding, ...actions.flatMap(({ event, lemma }) => (event ? [`${lemma}s?`] : []))].join("|")
  }
  const compile = (sources: ReadonlyArray<string>): RegExp =>
    new RegExp(
      sources.join("|").replace(/\{(verb|lemma|noun)\}/g, (_, name: string) => words[name] ?? ""),
      "gi"
    )
  const byLemma = new Map(actions.map((action) => [action.lemma, action]))
  const grammar: Grammar = {
    own: compile(locale.ownClaims),
    reported: compile(locale.reportedClaims),
    states: compile(locale.stateClaims),
    headlines: compile(locale.headlineClaims),
    byLemma,
    byWord: new Map([
      ...nouns,
      ...byLemma,
      ...actions.flatMap((action) => action.forms.map((form) => [form, action] as const))
    ])
  }
  grammars.set(locale, grammar)
  return grammar
}

/** What an act is called: "cancellation", "booking"; "refund", where the verb is the noun. */
export const actNouns = ({ event, lemma }: Action, locale: ConductWords): ReadonlyArray<string> =>
  (event ? [lemma, ...locale.nounsOf(lemma)] : locale.nounsOf(lemma)).flatMap((noun) => [noun, `${noun}s`])
