/**
 * Claims that something asked for is done which do not say what ("You're all set."), or say it only as a state ("Booking
 * 12 is cancelled."). They are claims only as an answer to somebody who asked for it.
 */
import { ownsUp, type Locale } from "../Locale.ts"
import { actionOf, namesObject, type Claim } from "./claims.ts"
import type { KnownTool, Line, Thread } from "./thread.ts"

/** The blanket claim of a line that no call stands behind, or null. */
export const blanketClaim = (line: Line, thread: Thread, words: Locale): string | null => {
  const end = thread.turnEnd(line.at)
  const before = thread.calls.filter((call) => call.at < end)
  if (before.some((call) => call.tool.writes)) return null
  // "You're all set" may sum up what was looked up; "I've taken care of it" is about the speaker.
  const said = (before.length === 0 ? words.blanketOpening.exec(line.text) : null) ?? words.blanketOwn.exec(line.text)
  if (said === null || isQualified(line.text, said.index, said[0].length, words) || ownsUp(words, line.text))
    return null
  return wantsAWrite(thread, end, words) ? said[0].trim() : null
}

/** Whether what a state claim reports is what the person had asked to be done. */
export const isAskedFor = ({ action, locale, sentence }: Claim, line: Line, thread: Thread): boolean => {
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
  if (lookedUp && (action.kind === "create" || shownLike(action.kind, end, thread, locale))) return false
  return asksBefore(thread, end).some(
    (text) =>
      mentions(text, action.lemma) ||
      [...thread.surroundings.declared.values()].some(
        (tool) =>
          tool.writes &&
          actionOf(tool.words, locale) === undefined &&
          namesObject(tool, text) &&
          namesObject(tool, sentence)
      )
  )
}

/** Whether a lookup shows a state the claim may put in other words: "closed" as cancelled. */
const shownLike = (kind: KnownTool["kind"], end: number, thread: Thread, locale: Locale): boolean => {
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
const isQualified = (text: string, at: number, length: number, words: Locale): boolean => {
  const end = at + length
  return (
    words.hypothetical.test(text.slice(Math.max(0, at - reach), at)) || /^[^.!\n]*\?/.test(text.slice(end, end + reach))
  )
}

/** Whether the person asked for what a write tool does, and speaks of nothing that one does as done already. */
const wantsAWrite = (thread: Thread, end: number, words: Locale): boolean => {
  const asks = asksBefore(thread, end)
  let wanted = false
  for (const tool of thread.surroundings.declared.values()) {
    if (!tool.writes) continue
    const action = actionOf(tool.words, words)
    const says = (word: string): boolean => asks.some((text) => mentions(text, word))
    if (action?.forms.some(says) === true) return false
    wanted ||= (action !== undefined && says(action.lemma)) || asks.some((text) => namesObject(tool, text))
  }
  return wanted
}

const asksBefore = (thread: Thread, end: number): ReadonlyArray<string> =>
  thread.users.flatMap(({ at, text }) => (at < end ? [text.toLowerCase()] : []))

/** Whether a word stands in a text, in lower case, by itself. */
const mentions = (text: string, word: string): boolean =>
  ` ${text.replace(/[^\p{L}\p{N}]+/gu, " ")} `.includes(` ${word} `)
