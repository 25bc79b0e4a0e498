/**
 * A write on an ask that only wants to know: "Don't do anything yet, just tell me how you would renew it".
 */
import type { ConductWords } from "../../language/Language.ts"
import { actionOf, asksFor, namesObject } from "./claims.ts"
import { handsOver } from "./handOver.ts"
import type { Call, KnownTool, Thread } from "./thread.ts"

/** The write that nobody asked for, before the person spoke again; null where the ask may want it. */
export const unaskedWrite = (thread: Thread, words: ConductWords): Call | null => {
  const [opening] = thread.users
  if (opening === undefined) return null
  const again = thread.users.find(({ at, text }) => at > 0 && text !== opening.text)?.at ?? Number.POSITIVE_INFINITY
  return (
    thread.calls.find(
      (call) => call.at < again && call.ok && call.tool.kind !== "other" && isUnasked(call.tool, opening.text, words)
    ) ?? null
  )
}

/** Whether an ask has a write of a tool wait: it forbids to do anything yet, or speaks of what the tool does only to know. */
export const isUnasked = (tool: KnownTool, ask: string, words: ConductWords): boolean => {
  if (!tool.writes || handsOver(tool)) return false
  const text = ask.slice(0, longestAsk)
  if (words.noAction.test(text)) return true
  const sentences = text.split(/(?<=[.!?\n])\s+/)
  const action = actionOf(tool.words, words)
  const isPutOff = (sentence: string): boolean => words.notYet.exec(sentence)?.[1]?.toLowerCase() === action?.lemma
  if (action !== undefined && sentences.some(isPutOff)) return true
  const speaksOf = (part: string): boolean => {
    const lower = part.toLowerCase()
    return (action !== undefined && asksFor(lower, action, words)) || namesObject(tool, lower)
  }
  const asks = (sentence: string): boolean => {
    const phrase = words.onlyAsks.exec(sentence)
    // "Cancel it and just tell me how it went": what stands before the phrase is asked for.
    return phrase === null ? !words.asksToKnow.test(sentence) : speaksOf(sentence.slice(0, phrase.index))
  }
  const isWondered = sentences.some((sentence) => words.onlyAsks.test(sentence))
  return isWondered && sentences.some(speaksOf) && !sentences.some((sentence) => speaksOf(sentence) && asks(sentence))
}

/** Characters of an ask that are read. */
const longestAsk = 8000
