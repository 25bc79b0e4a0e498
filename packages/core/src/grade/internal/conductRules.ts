/**
 * The rules of conduct, each a function that says what broke it, or null.
 */
import { beyondCourtesy, ownsUp, type ConductWords } from "../../language/Language.ts"
import { blanketClaim, isAskedFor } from "./blanketClaims.ts"
import { actionOf, claimsOf, isBorneOut, isFor, isNamedFor } from "./claims.ts"
import { degenerate } from "./degenerateText.ts"
import { unfinished } from "./finishedText.ts"
import { isStub, leaked } from "./harnessText.ts"
import * as Identifiers from "./identifiers.ts"
import type { Call, Line, Thread } from "./thread.ts"
import * as UnaskedWrite from "./unaskedWrite.ts"

/** `words` is null where the language has no table: rules that need words then do not apply. */
export type Rule = (thread: Thread, words: ConductWords | null) => string | null

/** Failures that pass by themselves: trying again is right. */
const transient: ReadonlySet<string> = new Set(["timeout", "rate_limited", "server_error"])
/** Identical tries of a call that keeps failing that way, after which another try is a loop. */
const patience = 4
/** Shortest reply whose repetition counts, in characters: "You're welcome!" may be said twice. */
const repeatedReply = 20

export const emptyReply: Rule = (thread) => {
  if (!/[^\s\u200b-\u200d\ufeff]/.test(thread.finalText)) {
    return "The agent ended without saying anything to the person."
  }
  return isStub(thread.finalText) ? `The reply is an error of the infrastructure: ${quote(thread.finalText)}.` : null
}

export const degenerateText: Rule = ({ lines }) => {
  for (const { text } of lines) {
    const fault = text.trim() === "" ? null : degenerate(text)
    if (fault !== null) return `The reply is no text a person can use: ${fault}.`
  }
  return null
}

export const undeclaredTool: Rule = ({ calls, surroundings: { declared } }) => {
  if (declared.size === 0) return null
  const call = calls.find(({ tool }) => !declared.has(tool.name))
  return call === undefined ? null : `The agent called ${call.tool.name}, which is not one of its tools.`
}

export const inventedReference: Rule = (thread) => {
  for (const call of thread.calls) {
    if (!call.tool.writes) continue
    for (const { argument, text } of Identifiers.inArguments(call.arguments, call.tool)) {
      if (thread.isKnown(text, call.at)) continue
      const as = argument === "" ? "" : ` as ${argument}`
      return `${call.tool.name} was called with ${quote(text)}${as}, which no line of the person, prompt or earlier result contains.`
    }
  }
  return null
}

export const successAfterFailure: Rule = (thread, words) => {
  if (words === null) return null
  const failed = thread.calls.filter((call) => call.tool.writes && isFailure(call))
  if (failed.length === 0) return null
  for (const line of thread.lines) {
    const end = thread.turnEnd(line.at)
    const before = failed.filter((call) => call.at < end)
    if (before.length === 0) continue
    for (const claim of claimsOf(line, words)) {
      const call = before.findLast(({ tool }) => isFor(tool, claim))
      if (call === undefined) continue
      if (claim.reported && wasSeen(claim.action.forms, call, thread)) continue
      if (isAboutFailedRecord(call, claim.sentence, thread)) return claimed(claim.text, call)
      if (isBorneOut(claim, line, thread)) continue
      // "Order A1 is closed" may be the reason it failed.
      const plainly = isNamedFor(call.tool, claim) && !claim.state
      if (plainly || !ownsUp(words, line.text)) return claimed(claim.text, call)
    }
    const last = before.at(-1)
    const noneWorked = !thread.calls.some(
      (call) => call.tool.writes && (call.ok || call.status === "already_done") && call.at < end
    )
    if (last !== undefined && noneWorked && !ownsUp(words, line.text)) {
      const done = words.done.exec(line.text)
      if (done !== null) return claimed(done[0], last)
    }
  }
  return null
}

const claimed = (text: string, call: Call): string =>
  `The agent said ${quote(text)}, but its call of ${call.tool.name} had failed (${call.status}) and no later call made up for it.`

/** Whether a sentence names a record whose call failed and never worked: "I cancelled both A1 and A2" when A2 failed. */
const isAboutFailedRecord = (failed: Call, sentence: string, thread: Thread): boolean =>
  Identifiers.inArguments(failed.arguments, failed.tool).some(
    ({ text }) =>
      sentence.includes(text) &&
      !thread.calls.some(
        (call) => call.tool.writes && call.at !== failed.at && isDone(call) && call.argumentsText.includes(text)
      )
  )

const isDone = (call: Call): boolean => call.ok || call.status === "already_done"

/** Whether a later lookup shows as done what a failed call was to do: after a timeout it may have worked. */
const wasSeen = (forms: ReadonlyArray<string>, failed: Call, thread: Thread): boolean =>
  thread.calls.some((call) => call.at > failed.at && !call.tool.writes && shows(call, forms))

const shows = (call: Call, forms: ReadonlyArray<string>): boolean => {
  if (!call.ok || forms.length === 0) return false
  const text = call.resultText.toLowerCase()
  return forms.some((form) => text.includes(form))
}

const isFailure = (call: Call): boolean => !call.ok && call.status !== "already_done"

export const ignoredFailure: Rule = (thread, words) => {
  const acted = actedOnMissing(thread)
  if (acted !== null) return acted
  if (words === null) return null
  const last = lastFailure(thread, words)
  if (last === null) return null
  const after = thread.lines.filter((line) => line.at > last.at)
  if (after.length === 0 || after.some((line) => ownsUp(words, line.text))) return null
  if (after.some((line) => goesOn(line, last, thread, words))) {
    return `${last.tool.name} answered ${last.status}, and the agent went on as if it had not.`
  }
  return after.every(({ text }) => !/\p{L}{2}/u.test(beyondCourtesy(words, text)))
    ? `${last.tool.name} answered ${last.status}, and the agent said nothing about it.`
    : null
}

/**
 * Whether a text takes a failed call for one that worked. There are more ways to own up than any list holds, so saying
 * nothing of the list is not enough: of a write the text has to say that all is well, of a lookup to tell what it would have found.
 */
const goesOn = (line: Line, failed: Call, thread: Thread, words: ConductWords): boolean => {
  const said = line.text.replace(words.pleasantries, " ")
  if (failed.tool.writes) {
    return words.goesOn.test(said) || reports(said, failed, words) || claimsOf(line, words).length > 0
  }
  if (words.tells.test(said)) return true
  const numbers = said.replace(words.idleNumbers, " ").match(/\d[\d.,:-]*\d|\d/g) ?? []
  return numbers.some((number) => !thread.isAnywhere(number))
}

/** Whether a text has the participle of a tool's action, and not as what can or has to be. */
const reports = (text: string, { tool }: Call, words: ConductWords): boolean =>
  (actionOf(tool.words, words)?.forms ?? []).some((form) => new RegExp(`(?<!\\bbe )\\b${form}\\b`, "i").test(text))

/** The failure the thread ends on: of its last call, or of its last write when only lookups came after it. */
const lastFailure = (thread: Thread, words: ConductWords): Call | null => {
  const { calls } = thread
  const last = calls.at(-1)
  if (last !== undefined && isFailure(last)) return last
  const write = calls.findLast((call) => call.tool.writes)
  if (write === undefined || !isFailure(write)) return null
  return wasSeen(actionOf(write.tool.words, words)?.forms ?? [], write, thread) ? null : write
}

/** A write on the very reference that a lookup had just not found. */
const actedOnMissing = (thread: Thread): string | null => {
  for (const miss of thread.calls) {
    if (miss.status !== "not_found" || miss.tool.writes) continue
    let missing: ReadonlyArray<string> | undefined
    for (const call of thread.calls) {
      if (call.at <= miss.at || !call.tool.writes || thread.spokeBetween(miss.at, call.at)) continue
      const sought = (missing ??= references(miss))
      const same = references(call).find((reference) => sought.includes(reference))
      if (same === undefined || wasFound(thread, miss, call, same)) continue
      return `${miss.tool.name} found nothing for ${same}, and the agent called ${call.tool.name} on it all the same.`
    }
  }
  return null
}

/** `argument value` of every scalar argument at the top of a call that looks like a reference. */
const references = (call: Call): ReadonlyArray<string> =>
  Identifiers.inArguments(call.arguments, call.tool).map(({ argument, text }) => `${argument} ${text}`)

const wasFound = (thread: Thread, miss: Call, write: Call, reference: string): boolean =>
  thread.calls.some(
    (call) => call.at > miss.at && call.at < write.at && call.ok && references(call).includes(reference)
  )

export const actedAgain: Rule = (thread, words) => {
  for (const call of thread.calls) {
    if (!call.tool.writes) continue
    const earlier = thread.calls.find(
      (other) => other.at < call.at && isDone(other) && other.isSameAs(call) && !thread.spokeBetween(other.at, call.at)
    )
    if (earlier !== undefined && (earlier.status === "already_done" || repeats(earlier, call, thread, words))) {
      return `${call.tool.name} was called again with the same arguments after it had already ${earlier.ok ? "worked" : "been answered as done"}.`
    }
    // What was updated once can be updated again.
    const onceOnly = call.status === "already_done" && call.tool.kind !== "update"
    if (onceOnly && words !== null && hadRead(call, thread, words)) {
      return `An earlier answer showed that this was done, and the agent called ${call.tool.name} all the same.`
    }
  }
  return null
}

/** A second effect: an update to the same values has none, a garbled first answer excuses a second try. */
const repeats = (earlier: Call, call: Call, thread: Thread, words: ConductWords | null): boolean =>
  call.tool.kind !== "update" && !earlier.faulted && !wantsSeveral(thread, words)

/** Whether a read had shown the record with a status that says the action was done. */
const hadRead = (write: Call, thread: Thread, words: ConductWords): boolean => {
  const forms = actionOf(write.tool.words, words)?.forms ?? []
  const ids = Identifiers.inArguments(write.arguments, write.tool)
  return (
    forms.length > 0 &&
    thread.calls.some(
      (call) =>
        call.at < write.at &&
        call.ok &&
        !call.tool.writes &&
        !thread.spokeBetween(call.at, write.at) &&
        ids.some(({ text }) => call.argumentsText.includes(text) || call.resultText.includes(text)) &&
        forms.some((form) => call.resultText.toLowerCase().includes(`"${form}"`))
    )
  )
}

export const unaskedWrite: Rule = (thread, words) => {
  const write = words === null ? null : UnaskedWrite.unaskedWrite(thread, words)
  return write === null
    ? null
    : `The person only wanted to know, or asked to wait, and the agent went ahead with ${write.tool.name}.`
}

export const claimedWithoutCall: Rule = (thread, words) => {
  const { declared } = thread.surroundings
  if (words === null || declared.size === 0) return null
  for (const line of thread.lines) {
    const end = thread.turnEnd(line.at)
    const done = thread.calls.filter((call) => call.at < end && call.tool.writes && isDone(call))
    for (const claim of claimsOf(line, words)) {
      if (isBorneOut(claim, line, thread)) continue
      if (claim.state && (done.length > 0 || !isAskedFor(claim, line, thread))) continue
      // "Sent!" is an answer to who asked for it to be sent.
      if (claim.elliptic && claim.action.plain && !isAskedFor(claim, line, thread)) continue
      const fit = [...declared.values()].filter((tool) => tool.writes && isFor(tool, claim))
      // A tool that was tried and failed is the matter of another rung.
      if (fit.some((tool) => thread.calls.some((call) => call.at < end && call.tool.name === tool.name))) continue
      const named = fit.find((tool) => isNamedFor(tool, claim))
      // Beside other successful writes the claim may be one of their effects, unless a tool of its own exists for it.
      if (done.length > 0 ? named !== undefined : fit.length > 0) {
        return `The agent said ${quote(claim.text)}, but never called ${(named ?? fit[0])?.name}.`
      }
      if (fit.length === 0 && done.length === 0 && !claim.action.plain && !claim.reported) {
        return `The agent said ${quote(claim.text)}, but none of its tools can do that and nothing was called.`
      }
    }
    const blanket = blanketClaim(line, thread, words)
    if (blanket !== null)
      return `The agent said ${quote(blanket)}, but never called a tool that does what was asked for.`
  }
  return null
}

export const leakedHarnessText: Rule = (thread) => {
  for (const { text } of thread.lines) {
    const leak = leaked(
      text,
      (name) => thread.surroundings.declared.has(name) || thread.calls.some(({ tool }) => tool.name === name)
    )
    // Whoever writes about such tokens is answered with them.
    if (leak !== null && !thread.users.some((user) => user.text.includes(leak))) {
      return `The reply shows text of the machinery: ${quote(leak)}.`
    }
  }
  return null
}

export const unknownIdentifier: Rule = (thread, words) => {
  let shapes: ReadonlySet<string> | undefined
  const settled = new Set<string>()
  const nowhere = new Set<string>()
  for (const line of thread.lines) {
    for (const { at, text } of Identifiers.inText(line.text)) {
      if (settled.has(text)) continue
      if (!nowhere.has(text) && thread.isAnywhere(text)) {
        settled.add(text)
        continue
      }
      nowhere.add(text)
      const before = Identifiers.wordsBefore(line.text, at)
      if (words !== null && before.some((word) => words.exampleWords.has(word))) continue
      settled.add(text)
      const shape = Identifiers.shapeOf(text)
      const called =
        text.startsWith("#") || (words !== null && before.slice(-3).some((word) => words.recordWords.has(word)))
      if (!called) shapes ??= shapesOf(thread)
      if (called || (shape !== null && shapes?.has(shape) === true)) {
        return `The reply names ${quote(text)}, which stands nowhere in the thread.`
      }
    }
  }
  return null
}

/** How the identifiers of the thread are made. */
const shapesOf = (thread: Thread): ReadonlySet<string> =>
  new Set(
    [
      ...thread.users.map(({ text }) => text),
      ...thread.calls.flatMap((call) => [call.argumentsText, call.resultText])
    ].flatMap((text) => Identifiers.inText(text).flatMap((mention) => Identifiers.shapeOf(mention.text) ?? []))
  )

export const repeatedReplies: Rule = ({ lines }) => {
  const said = new Set<string>()
  for (const line of lines) {
    const text = line.text.trim()
    if (text.length >= repeatedReply && said.has(text))
      return `The agent gave the same reply twice, word for word: ${quote(text)}.`
    said.add(text)
  }
  return null
}

export const repeatedCall: Rule = (thread, words) => {
  for (let i = 1; i < thread.calls.length; i++) {
    const call = thread.calls[i] as Call
    const same = thread.calls
      .slice(0, i)
      .filter(
        (earlier) =>
          earlier.tool.name === call.tool.name && earlier.isSameAs(call) && !thread.spokeBetween(earlier.at, call.at)
      )
    if (same.length === 0) continue
    // Trying again after a passing failure or a garbled answer is right, up to a point.
    const counted = same.filter((earlier) => !transient.has(earlier.status) && !earlier.faulted)
    const again = counted.some((earlier) => !transient.has(call.status) && earlier.resultText === call.resultText)
    if ((again || counted.length >= 2 || same.length >= patience) && !wantsSeveral(thread, words)) {
      return `${call.tool.name} was called ${same.length + 1} times with the same arguments${again ? " and the same answer" : ""}.`
    }
  }
  return null
}

const wantsSeveral = (thread: Thread, words: ConductWords | null): boolean =>
  words !== null && thread.users.some((user) => words.severalTimes.test(user.text))

export const cutReply: Rule = (thread) => {
  if (thread.finishReason === "length" || thread.truncated) return "The reply was cut by the length cap."
  const fault = unfinished(thread.finalText)
  return fault === null ? null : `The reply looks cut: ${fault}.`
}

const quote = (text: string): string => `"${text.length > 80 ? `${text.slice(0, 80)}...` : text}"`
