/**
 * Reads identifiers out of prose: which tokens are ids, what they name, and whether the text says that they exist or
 * only shows what one looks like.
 */
import * as English from "../../language/English.ts"
import { distinctive, isPlaceholder, sameForm } from "./idShapes.ts"
import { isIdentifier } from "./spans.ts"

export interface Reading {
  /** What the id names: a noun of `nouns`. */
  readonly noun: string
  readonly id: string
  /** Given as a form ("such as '#W0000000'"), not as something that exists. */
  readonly format: boolean
}

export interface Context {
  /** Nouns that ids may belong to. */
  readonly nouns: ReadonlyArray<string>
  /** Noun every id belongs to unless the text says otherwise: a parameter's own. */
  readonly own?: string
  /** Examples of the form, by noun. */
  readonly examples: ReadonlyMap<string, ReadonlyArray<string>>
}

/** The ids of a text that can be told to name one of the nouns, in order. */
export const readIds = (text: string, context: Context): ReadonlyArray<Reading> => {
  const out: Array<Reading> = listed(text, context)
  const tokens = tokensOf(text)
  let cue: { readonly noun: string; readonly at: number } | undefined
  let last: { readonly reading: Reading; readonly at: number } | undefined
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token
    const noun = nounAt(tokens, i, context.nouns)
    if (noun !== undefined) cue = { noun, at: i }
    if (!isCandidate(token.core, tokens, i, context.own === undefined ? cue : { at: i })) {
      if (token.ends) cue = undefined
      continue
    }
    const continues =
      last !== undefined && i - last.at <= 2 && tokens.slice(last.at + 1, i).every((t) => linking.test(t.core))
    const named =
      byForm(token.core, context) ??
      (cue !== undefined && i - cue.at <= cueReach ? cue.noun : undefined) ??
      (continues ? last?.reading.noun : undefined) ??
      nounAfter(tokens, i, context.nouns) ??
      context.own ??
      (context.nouns.length === 1 && /[a-z#]/i.test(token.core) ? context.nouns[0] : undefined)
    if (named !== undefined && !out.some((reading) => reading.id === token.core)) {
      const format =
        isPlaceholder(token.core) ||
        formatWords.test(sentenceBefore(text, token.start)) ||
        (continues && last?.reading.format === true)
      const reading = { noun: named, id: token.core, format }
      out.push(reading)
      last = { reading, at: i }
    }
    if (token.ends) cue = undefined
  }
  return out
}

interface Token {
  readonly core: string
  readonly word: string
  readonly start: number
  /** Whether a sentence ends with it. */
  readonly ends: boolean
}

/** Words between an id and the noun that names it. */
const cueReach = 6
const linking = /^(?:and|or|,|&|\/)$/i
const formatWords =
  /\b(?:such as|e\.?g\.?|for example|for instance|example:?|examples?|looks? like|like|format(?:ted)?|in the form|of the form|i\.?e\.?|pattern)(?=[\s:,.'"‘“(]|$)/iu

const tokensOf = (text: string): ReadonlyArray<Token> =>
  Array.from(text.matchAll(/[^\s,;()[\]]+|[,;]/g), (match) => {
    const raw = match[0]
    const lead = /^['"‘“`*<]+(?=[\w#])/u.exec(raw)?.[0].length ?? 0
    const core = raw
      .slice(lead)
      .replace(/[.,;:!?'"’”`*]+$/u, "")
      .replace(/['’]s$/u, "")
    return {
      core,
      word: English.singular(core.toLowerCase().replace(/^#/, "")),
      start: match.index + lead,
      ends: /[.!?]['"’”)]*$/u.test(raw) && !/^(?:e\.g|i\.e|no|nr|ex)\.$/i.test(raw)
    }
  })

/** A token that mixes digits with letters or signs, or a number right after the noun that it numbers. */
const isCandidate = (
  core: string,
  tokens: ReadonlyArray<Token>,
  index: number,
  cue: { readonly at: number } | undefined
): boolean => {
  if (!/\d/.test(core)) return false
  if (/[@]|:\/\//.test(core.slice(1))) return false
  if (isIdentifier(core) && /[^\d.:/-]/.test(core)) return core.length >= 3
  if (!/^\d{3,}$/.test(core) || cue === undefined) return false
  if (core.length >= 6) return index - cue.at <= cueReach
  const between = tokens.slice(cue.at + 1, index)
  return between.every((token) => idWords.test(token.word) || linking.test(token.core) || /^\d{3,}$/.test(token.core))
}

const idWords =
  /^(?:id|ids|number|no|nr|code|is|are|exist|with|the|identifier|ref|reference|#|:|existing|valid|known)$/i

const nounAt = (tokens: ReadonlyArray<Token>, index: number, nouns: ReadonlyArray<string>): string | undefined => {
  let found: string | undefined
  for (const noun of nouns) {
    const words = noun.split(" ")
    const fits = words.every((word, i) => tokens[index - words.length + 1 + i]?.word === word)
    if (fits && (found === undefined || noun.length > found.length)) found = noun
  }
  return found
}

const nounAfter = (tokens: ReadonlyArray<Token>, index: number, nouns: ReadonlyArray<string>): string | undefined => {
  for (let i = index + 1; i <= index + 4 && i < tokens.length && tokens[i - 1]?.ends === false; i++) {
    const noun = nounAt(tokens, i, nouns)
    if (noun !== undefined) return noun
  }
  return undefined
}

const byForm = (id: string, context: Context): string | undefined => {
  const fitting = context.nouns.filter((noun) =>
    (context.examples.get(noun) ?? []).some((example) => distinctive(example) && sameForm(id, example))
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

const sentenceBefore = (text: string, start: number): string => {
  const before = text.slice(Math.max(0, start - 60), start)
  const end = Math.max(
    ...[...before.matchAll(/\p{L}{3,}[)'"]?[.!?]\s|\n/gu)].map((match) => match.index + match[0].length),
    0
  )
  return before.slice(end)
}

/** "Known accounts: acme, globex": words that a text lists as existing, digits or not. */
const listed = (text: string, context: Context): Array<Reading> => {
  const out: Array<Reading> = []
  for (const noun of context.nouns) {
    const plural = noun.split(" ").map(escaped).join("[ _-]")
    const pattern = new RegExp(
      `\\b(?:known|existing|valid|available|current|active|test|demo)\\s+${plural}(?:s|es)?(?:\\s+(?:ids?|names?|numbers?|codes?))?\\s*(?:are|is|:|include)\\s*:?\\s*([^.;\\n]+)`,
      "gi"
    )
    for (const match of text.matchAll(pattern)) {
      for (const part of (match[1] ?? "").split(/,|\band\b|\bor\b/i)) {
        const id = part.trim().replace(/^['"`‘“]+|['"`’”]+$/gu, "")
        if (/^[#\w][\w#.:-]*$/.test(id) && !isPlaceholder(id)) out.push({ noun, id, format: false })
      }
    }
  }
  return out
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
