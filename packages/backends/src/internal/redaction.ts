/**
 * Takes secrets out of texts: whatever a server echoes, no key may reach an error, a log or a file.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import { masked } from "@sandtable/core/unstable/ModelSource"
import * as Encoding from "effect/Encoding"

/**
 * Replaces secrets, as they are and as a URL or a Basic header writes them, anything shaped like a key, and of addresses
 * the user and what their query holds.
 */
export type Redact = (text: string) => string

const mask = "<redacted>"

/** Shorter ones would take ordinary words with them. */
const leastSecret = 4

/** Keys as providers shape them, and credentials in a header or URL, whoever's they are. */
const shapes: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(?:sk|pk|rk|gsk|xai|hf|key|ghp|glpat)[-_][\w-]{16,}/g, mask],
  [/\bAIza[\w-]{30,}/g, mask],
  [/\b(Bearer|Basic)\s+[\w.~+/-]{8,}=*/gi, `$1 ${mask}`],
  [/\b(api[-_]?key|access[-_]?token|auth[-_]?token|signature|password)=[^\s&"'<>]+/gi, `$1=${mask}`]
]

export const make = (secrets: ReadonlyArray<string>): Redact => {
  const known = spellingsOf(secrets, leastSecret)
  return (text) => {
    let out = masked(text)
    for (const secret of known) out = out.replaceAll(secret, mask)
    for (const [shape, by] of shapes) out = out.replace(shape, by)
    return out
  }
}

/** What goes as a key to a server of one's own is often a word (EMPTY, ollama), which its replies may say. */
const leastKey = 12

/**
 * Takes secrets, and nothing else, out of a reply: it is data, and what only looks like a key is part of it. A reply
 * without any is given back as it is. The text it was read from, where there is one, is spared the writing.
 */
export type Conceal = (reply: unknown, text: string | null) => unknown

/** What can be spelt otherwise than `JSON.stringify` spells it. */
const spelt = /\\[/u]/

export const concealing = (secrets: ReadonlyArray<string>): Conceal => {
  const known = spellingsOf(secrets, leastKey)
  if (known.length === 0) return (reply) => reply
  const isIn = (text: string): boolean => known.some((secret) => text.includes(secret))
  return (reply, sent) => {
    if (sent !== null && !spelt.test(sent) && !isIn(sent)) return reply
    const text = ExactJson.stringify(reply)
    if (text === undefined || !isIn(text)) return reply
    return ExactJson.parse(known.reduce((said, secret) => said.replaceAll(secret, mask), text))
  }
}

const spellingsOf = (secrets: ReadonlyArray<string>, least: number): ReadonlyArray<string> => {
  const spellings = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < least) continue
    const json = JSON.stringify(secret).slice(1, -1)
    for (const one of [secret, json, encodeURIComponent(secret), Encoding.encodeBase64(secret)]) spellings.add(one)
  }
  // The longest first, so that one secret inside another leaves no rest.
  return [...spellings].sort((a, b) => b.length - a.length)
}
