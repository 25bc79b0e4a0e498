/**
 * What a model wrote, parted into thought and speech, and what is wrong with a line as a person's words.
 */
import type { Line } from "../UserSimulator.ts"
import type { DialogueActs } from "../../language/Language.ts"

/** Why a line cannot stand as the person's. */
export type Fault = "empty" | "thinking" | "echo" | "code" | "thanks" | "role" | "repeat" | "copy"

export interface Parted {
  /** What is said. */
  readonly text: string
  /** What was thought, in the text's own order. */
  readonly thought: string
  readonly removed: boolean
  /** A thought that began and never ended: what is said cannot be told from it. */
  readonly cut: boolean
}

const mark = /<(\/?)(?:think|thinking|thought|reasoning|scratchpad)>/gi

/** Parts marked thinking from speech, in one pass. Ordinary words are left as they are. */
export const withoutThinking = (reply: string): Parted => {
  const said: Array<string> = []
  const thoughts: Array<string> = []
  let from = 0
  let inside = false
  for (const found of reply.matchAll(mark)) {
    const closes = found[1] === "/"
    // A mark inside a thought that opens another one, or one that closes nothing, is only a word. Some servers cut the
    // first mark off: what comes before a closing one was thought.
    const headless = closes && !inside && thoughts.length === 0 && said.length === 0
    if (closes !== inside && !headless) continue
    const part = reply.slice(from, found.index)
    if (closes) thoughts.push(part.trim())
    else said.push(part)
    inside = !closes
    from = found.index + found[0].length
  }
  const rest = reply.slice(from)
  if (inside) thoughts.push(rest.trim())
  else said.push(rest)
  const removed = thoughts.length > 0
  const text = said.join("")
  return { text: removed ? text.trim() : text, thought: thoughts.join("\n\n"), removed, cut: inside }
}

/** A line without the quotes around all of it and the label of its own side. */
export const unwrapped = (text: string): string => {
  const bare = text.trim().replace(/^(?:user|person)\s*:\s+/i, "")
  return /^"[^"]*"$|^“[^”]*”$/.test(bare) ? bare.slice(1, -1).trim() : bare
}

/** A line this short is alike by chance ("yes", an order number). */
const shortest = 4
/** Share of an agent's words, in order, that makes a line an echo of it. */
const echoShare = 0.9

/** What is wrong with a person's line, after their thread; null when it can stand. */
export const faultOf = (text: string, thread: ReadonlyArray<Line>, acts: DialogueActs): Fault | null => {
  if (text.trim() === "") return "empty"
  if (isCode(text)) return "code"
  if (isAgents(text)) return "role"
  const bare = normalised(text)
  const heard = thread.findLast((line) => line.role === "agent")
  if (heard !== undefined && isEcho(bare, normalised(heard.text))) return "echo"
  const own = thread.filter((line) => line.role === "user")
  const words = bare.split(" ").length
  const before = own.some((line) => normalised(line.text) === bare)
  // "Yes" may be said twice; a sentence said twice is a loop.
  if (before && (words >= shortest || own.at(-1)?.text === text)) return "repeat"
  const lastOwn = own.at(-1)
  if (acts.isThanks(text) && lastOwn !== undefined && acts.isThanks(lastOwn.text)) return "thanks"
  return null
}

const isCode = (text: string): boolean => {
  if (/```/.test(text)) return true
  if (/^\s*[[{][^]*[\]}]\s*$/.test(text)) {
    try {
      JSON.parse(text)
      return true
    } catch {
      return /"\s*:/.test(text)
    }
  }
  // Cut off, or begun in the middle.
  if (/^\s*[{[]\s*"|^\s*"\w+"\s*:\s*["{[\d]/.test(text)) return true
  return (
    /^\s*(?:def|function|const|let|import|class|SELECT|#!\/)\s.*[({;=]/m.test(text) ||
    /<(?:tool_call|function)[\w=]*>/.test(text)
  )
}

const agentsWords =
  /^(?:(?:agent|assistant|support|bot|ai)\s*:)|\b(?:as an ai|as a language model|how (?:can|may) i (?:help|assist) you|i(?:'|’)d be happy to (?:help|assist) you|thank you for (?:contacting|reaching out)|is there anything else i can (?:help|assist|do)|let me (?:look (?:that|this) up|pull up|check (?:that|this|your)) for you|i(?:'|’)ve (?:processed|cancelled|updated|issued) your|(?:happy|glad) to (?:help|assist|look into)(?: that| this| it)? (?:for )?you|(?:could|can|would|may) you (?:please )?(?:provide|confirm|share|verify) your|let me know if you have any (?:other|further|more) questions|your \w+ has been (?:processed|cancelled|updated|issued|refunded))\b/i

const isAgents = (text: string): boolean => agentsWords.test(text.trim())

const isEcho = (line: string, heard: string): boolean => {
  if (line === heard) return true
  const words = line.split(" ")
  if (words.length < shortest || heard.length < line.length * 0.5) return false
  if (heard.includes(line) && words.length >= shortest * 2) return true
  return (
    words.length >= shortest * 2 &&
    shareInOrder(words, heard.split(" ")) >= echoShare &&
    words.length >= heard.split(" ").length * 0.7
  )
}

/** Share of the words that stand in the other line in the same order, taken greedily. */
const shareInOrder = (words: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let at = 0
  let found = 0
  for (const word of words) {
    const next = other.indexOf(word, at)
    if (next < 0) continue
    found += 1
    at = next + 1
  }
  return found / words.length
}

/** A line without case, punctuation and spacing: what makes two lines the same. */
export const normalised = (line: string): string =>
  line
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
