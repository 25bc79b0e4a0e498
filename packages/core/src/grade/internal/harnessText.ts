/**
 * Text that belongs to the machinery and not to the person: replies that are an error of the infrastructure, and tokens,
 * tags and calls written into a reply.
 */

/** Whole replies that are what a server or a runtime says. */
const stub =
  /^\W*(?:null|undefined|none|nan|\[object object\]|(?:internal )?server error|(?:\d{3} )?(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|too many requests)|error|rate limit exceeded|request timed out|no response|empty response|n\/a)\W*$/i
const stubStart =
  /^(?:traceback \(most recent call last\)|<!doctype html|<html|upstream connect error|(?:[A-Z]\w*)?(?:Error|Exception): |error(?: code)?:? \d{3}\b)/i
/** An error line is a stub only when it speaks of machinery: "Error: I could not find it" is speech. */
const machinery =
  /status code|timed? ?out|econn|upstream|gateway|rate limit|fetch failed|socket|connection|overloaded|internal|quota|unavailable|unauthori[sz]ed|undefined|null|traceback|<html|<!doctype|\b[45]\d\d\b/i

/** Whether a whole reply is a stub of the infrastructure. */
export const isStub = (text: string): boolean => {
  const trimmed = text.trim()
  if (trimmed.length > 2000) return false
  if (stub.test(trimmed)) return true
  if (trimmed.startsWith('{"error"')) return isProviderError(trimmed)
  return stubStart.test(trimmed) && machinery.test(trimmed)
}

const isProviderError = (text: string): boolean => {
  try {
    const { error } = JSON.parse(text) as {
      readonly error?: { readonly message?: unknown; readonly type?: unknown } | string | null
    }
    return typeof error === "object" && error !== null && typeof error.message === "string" && "type" in error
  } catch {
    return false
  }
}

const tokens =
  /<\|[a-z_]+\|>|<\/?(?:tool_calls?|function_calls?|tool_response|tool_result|think|thinking|scratchpad|invoke)\b[^<>]{0,200}>|\[\/?(?:TOOL_CALLS?|INST|TOOL_RESULTS?|AVAILABLE_TOOLS)\]|<<\/?SYS>>|<function=|###\s?STOP\s?###|<end_of_(?:turn|conversation)>|\[(?:END|END_OF_CONVERSATION)\]|\{\{ {0,3}[A-Za-z_][\w.]{0,60} {0,3}\}\}/
const callStart = /"(?:name|tool|function|tool_name)"\s*:\s*"([^"]{1,80})"/
const otherSide = /^(?:User|Human|Customer):/m
const ownSide = /^(?:Assistant|Agent|AI):/m

/**
 * A value that a program had none for, where a value of the person's should stand: "Its number is undefined", "Hello null".
 * Somebody who speaks of mathematics or code says these words otherwise.
 */
const unfilled = [
  /\[object Object\]/,
  /\b(?:hello|hi|dear|thanks|thank you),?\s+(undefined|nan|null)\b/i,
  /\b(?:your|its|his|her|their)\s+[\w-]+(?:\s+[\w-]+)?\s+(?:is|was|are|will be)\s+(?:now\s+)?(undefined|nan|null)\b(?!\s+and\s+void)/i,
  /\b(?:number|id|code|reference|ticket|order|booking|balance|amount|total|price)\s*(?:is|was|[:#=])?\s*(undefined|nan)\b/i
] as const
const written: ReadonlySet<string> = new Set(["undefined", "NaN", "null"])

/** Lines without one of these words, nearly all, are looked at once. */
const maybeUnfilled = /undefined|nan\b|null\b|\[object Object\]/i

const unfilledIn = (speech: string): string | null => {
  if (!maybeUnfilled.test(speech)) return null
  for (const pattern of unfilled) {
    const found = pattern.exec(speech)
    if (found !== null && (found[1] === undefined || written.has(found[1]))) return found[1] ?? found[0]
  }
  return null
}

/** The machinery a reply shows, or null. Code fences are left out: code may hold anything. */
export const leaked = (text: string, isTool: (name: string) => boolean): string | null => {
  const speech = text.includes("```") ? text.replace(/```[\s\S]*?(?:```|$)/g, " ") : text
  if (/[<[{#]/.test(speech)) {
    const token = tokens.exec(speech)
    if (token !== null) return token[0].slice(0, 40)
    const call = speech.includes('"arguments"') || speech.includes('"parameters"') ? callStart.exec(speech) : null
    if (call !== null && isTool(call[1] ?? "")) return `a call of ${call[1]} written as text`
  }
  const empty = unfilledIn(speech)
  if (empty !== null) return empty
  if (/^(?:Assistant|System):\s/.test(speech)) return speech.slice(0, speech.indexOf(":") + 1)
  const other = otherSide.exec(speech)
  return other !== null && ownSide.test(speech.slice(other.index)) ? "a transcript with the other side's lines" : null
}
