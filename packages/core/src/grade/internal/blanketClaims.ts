/**
 * Claims that something asked for is done which do not say what ("You're all set."), or say it only as a state ("Booking
 * 12 is cancelled."). They are claims only as an answer to somebody who asked for it.
 */
import { ownsUp, type Action, type ConductWords } from "../../language/Language.ts"
import { actionOf, actNouns, asksFor, mentions, namesObject, type Claim } from "./claims.ts"
import type { KnownTool, Line, Thread } from "./thread.ts"

/** The blanket claim of a line that no call stands behind, or null. */
export const blanketClaim = (line: Line, thread: Thread, words: ConductWords): string | null => {
  const opening = words.blanketOpening.exec(line.text)
  const own = words.blanketOwn.exec(line.text)
  if (opening === null && own === null) return null
  const end = thread.turnEnd(line.at)
  if (thread.calls.some((call) => call.at < end && call.tool.writes)) return null
  const wanted = wantedActions(thread, end, words)
  if (wanted === null) return null
  // "You're all set" may sum up what was looked up; "I've taken care of it" is about the speaker.
  const isShown = wanted.some((action) => shownLike(action.kind, end, thread, words))
  const said = (isShown ? null : opening) ?? own
  if (said === null || isQualified(line.text, said.index, said[0].length, words)) return null
  return ownsUp(words, line.text.replace(words.consequences, " ")) ? null : said[0].trim()
}

/** Whether what a state claim reports is what the person had asked to be done. */
export const isAskedFor = ({ action, elliptic, locale, sentence }: Claim, line: Line, thread: Thread): boolean => {
  const end = thread.turnEnd(line.at)
  // What is told of a record by the prompt is read from there.
  if (
    /\d/.test(sentence) &&
    (sentence.match(/\S*\d{3,}/g) ?? []).some((id) => thread.surroundings.systemPrompt.includes(id))
  )
    return false
  // Beside a question it tells what would be.
  if (line.text.replace(locale.courtesy, "").includes("?")) return false
  const lookedUp = thread.calls.some((call) => call.at < end && call.ok)
  // "Booked" and "ordered" describe records that were found so; "cancelled" answers a request to cancel.
  if (lookedUp && (describes(action, end, thread, locale) || shownLike(action.kind, end, thread, locale))) return false
  const asks = asksBefore(thread, end, locale)
  if (asks.some((text) => asksFor(text, action, locale))) return true
  return [...thread.surroundings.declared.values()].some((tool) => {
    if (!tool.writes) return false
    const does = actionOf(tool.words, locale)
    // What was asked for as booking may be claimed as a reservation.
    const isAlike = does?.kind === action.kind && !does.plain && !action.plain
    if (does !== undefined && isAlike && asks.some((text) => asksFor(text, does, locale))) return true
    const isNamed = does === undefined ? namesObject(tool, sentence) : elliptic && does === action
    return isNamed && asks.some((text) => namesObject(tool, text))
  })
}

/** Whether what was looked up is of the very kind that an action makes: of a booking that was found, "booked" is told. */
const describes = (action: Action, end: number, thread: Thread, locale: ConductWords): boolean => {
  if (action.kind !== "create") return false
  const words = [action.lemma, ...action.forms, ...actNouns(action, locale)]
  return thread.calls.some((call) => {
    if (call.at >= end || !call.ok || call.tool.writes) return false
    const text = `${[...call.tool.words].join(" ")} ${call.resultText.toLowerCase()}`
    return words.some((word) => mentions(text, word))
  })
}

/** Whether a lookup shows a state the claim may put in other words: "closed" as cancelled. */
const shownLike = (kind: KnownTool["kind"], end: number, thread: Thread, locale: ConductWords): boolean => {
  const forms = locale.actions.flatMap((action) => (action.kind === kind ? action.forms : []))
  return thread.calls.some((call) => {
    if (call.at >= end || !call.ok) return false
    const text = call.resultText.toLowerCase()
    return forms.some((form) => text.includes(form))
  })
}

/** Farthest a sentence is followed on either side, in characters. */
const reach = 300

/** Whether a claim is a condition, a wish or a question. */
const isQualified = (text: string, at: number, length: number, words: ConductWords): boolean => {
  const end = at + length
  return (
    words.hypothetical.test(text.slice(Math.max(0, at - reach), at)) || /^[^.!\n]*\?/.test(text.slice(end, end + reach))
  )
}

/**
 * The actions of write tools that the person asked for, none of which a tool's name may tell; null where they asked for
 * none, or speak of one as done already.
 */
const wantedActions = (thread: Thread, end: number, words: ConductWords): ReadonlyArray<Action> | null => {
  const asks = asksBefore(thread, end, words)
  const wanted: Array<Action> = []
  let wants = false
  for (const tool of thread.surroundings.declared.values()) {
    if (!tool.writes) continue
    const action = actionOf(tool.words, words)
    if (action?.forms.some((form) => asks.some((text) => mentions(text, form))) === true) return null
    const isWanted = action !== undefined && asks.some((text) => mentions(text, action.lemma))
    if (isWanted) wanted.push(action)
    wants ||= isWanted || asks.some((text) => namesObject(tool, text))
  }
  return wants ? wanted : null
}

/** What the person asked for before a step, sentence by sentence; what only asks how things are is left out. */
const asksBefore = (thread: Thread, end: number, { asksToKnow }: ConductWords): ReadonlyArray<string> =>
  thread.users
    .filter(({ at }) => at < end)
    .flatMap(({ text }) => text.slice(0, longestAsk).split(/(?<=[.!?\n])\s+/))
    .filter((sentence) => !asksToKnow.test(sentence))
    .map((sentence) => sentence.toLowerCase())

/** Characters of what the person said that are read. */
const longestAsk = 8000
