/**
 * Which language a text is in, told by its words.
 */
import type { ConductWords } from "../Language.ts"
import { prose } from "./structuredText.ts"

/**
 * Whether a text is in the language of a table: it holds a word that tells it, two that no other language has, or one of
 * them beside a word that a few share. A short reply is known by the verb it reports with ("I refunded it.") or by being a
 * set phrase ("All set.").
 */
export const speaks = (words: ConductWords, text: string): boolean => {
  const weights = weightsOf(words)
  let own = 0
  let shared = 0
  let count = 0
  wordPattern.lastIndex = 0
  for (let match = wordPattern.exec(text); match !== null; match = wordPattern.exec(text)) {
    count += 1
    const weight = weights.get(match[0].toLowerCase().replace("’", "'"))
    if (weight === undefined) continue
    if (weight === "certain") return true
    if (weight === "own") own += 1
    else shared += 1
    if (own >= 2 || (own === 1 && shared > 0)) return true
  }
  // A word or two that say all is done, as the whole opening, are a set phrase of the language.
  return (own === 1 && count === 1) || words.blanketOpening.test(text)
}

/**
 * Whether a text shows that it is in another language: by another script, by words of other languages, or by many words
 * without a little one of the table's. A few words that could be in any language show nothing.
 */
export const isForeign = (known: ConductWords, text: string): boolean => {
  const said = prose(text.slice(0, longestSample))
  const letters = said.match(/\p{L}/gu)?.length ?? 0
  const latin = said.match(/\p{sc=Latin}/gu)?.length ?? 0
  if (letters >= 2 && latin * 2 < letters) return true
  const words = said.match(wordPattern) ?? []
  const lower = words.map((word) => word.toLowerCase().replaceAll("’", "'"))
  if (lower.some((word) => known.foreign.has(word))) return true
  // Names keep their accents in any language, and so do a few words that were borrowed.
  if (
    words.some(
      (word) => /^\p{Ll}*(?![a-z])[\p{sc=Latin}]\p{Ll}*$/u.test(word) && /^\p{Ll}/u.test(word) && !borrowed.has(word)
    )
  )
    return true
  return lower.length >= manyWords && !lower.some((word) => known.little.has(word))
}

/** Characters of a text that are looked at. */
const longestSample = 4000
/** Words among which a sentence of the language has a little one. */
const manyWords = 6
const borrowed: ReadonlySet<string> = new Set(
  "café cafés résumé résumés naïve façade fiancé fiancée entrée crème brûlée jalapeño piñata voilà déjà über décor soirée".split(
    " "
  )
)

const wordPattern = /[\p{L}'’]+/gu

/** How much a word says of the language: all, as much as one of two, or something beside one that says more. */
type Weight = "certain" | "own" | "shared"

const weightsByTable = new Map<ConductWords, ReadonlyMap<string, Weight>>()

/**
 * Verbs that report an action done are the language's own, and the verbs themselves some other language may have too;
 * short ones mean something else elsewhere. A word of several weights has the highest.
 */
const weightsOf = (words: ConductWords): ReadonlyMap<string, Weight> => {
  const known = weightsByTable.get(words)
  if (known !== undefined) return known
  const weights = new Map<string, Weight>()
  const add = (words: Iterable<string>, weight: Weight): void => {
    for (const word of words) weights.set(word, weight)
  }
  const long = (word: string): boolean => word.length >= 6
  add(words.actions.map(({ lemma }) => lemma).filter(long), "shared")
  add(words.shared, "shared")
  add(words.actions.flatMap(({ forms }) => forms).filter(long), "own")
  add(words.common, "own")
  add(words.certain, "certain")
  weightsByTable.set(words, weights)
  return weights
}
