/**
 * Which language a text is in, told by its words.
 */
import type { Locale } from "../Locale.ts"

/**
 * Whether a text is in the language of a table: it holds a word that tells it, two that no other language has, or one of
 * them beside a word that a few share. A short reply is known by the verb it reports with ("I refunded it.") or by being a
 * set phrase ("All set.").
 */
export const speaks = (locale: Locale, text: string): boolean => {
  const weights = weightsOf(locale)
  let own = 0
  let shared = 0
  let words = 0
  wordPattern.lastIndex = 0
  for (let match = wordPattern.exec(text); match !== null; match = wordPattern.exec(text)) {
    words += 1
    const weight = weights.get(match[0].toLowerCase().replace("’", "'"))
    if (weight === undefined) continue
    if (weight === "certain") return true
    if (weight === "own") own += 1
    else shared += 1
    if (own >= 2 || (own === 1 && shared > 0)) return true
  }
  // A word or two that say all is done, as the whole opening, are a set phrase of the language.
  return (own === 1 && words === 1) || locale.blanketOpening.test(text)
}

const wordPattern = /[\p{L}'’]+/gu

/** How much a word says of the language: all, as much as one of two, or something beside one that says more. */
type Weight = "certain" | "own" | "shared"

const weightsByTable = new Map<Locale, ReadonlyMap<string, Weight>>()

/**
 * Verbs that report an action done are the language's own, and the verbs themselves some other language may have too;
 * short ones mean something else elsewhere. A word of several weights has the highest.
 */
const weightsOf = (locale: Locale): ReadonlyMap<string, Weight> => {
  const known = weightsByTable.get(locale)
  if (known !== undefined) return known
  const weights = new Map<string, Weight>()
  const add = (words: Iterable<string>, weight: Weight): void => {
    for (const word of words) weights.set(word, weight)
  }
  const long = (word: string): boolean => word.length >= 6
  add(locale.actions.map(({ lemma }) => lemma).filter(long), "shared")
  add(locale.shared, "shared")
  add(locale.actions.flatMap(({ forms }) => forms).filter(long), "own")
  add(locale.common, "own")
  add(locale.certain, "certain")
  weightsByTable.set(locale, weights)
  return weights
}
