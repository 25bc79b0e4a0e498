/**
 * As much English as it takes to speak of a tool's object: articles, number, participles.
 */
import { consonantVowels, determiners, doubling, irregularParticiples, mass, silentH, spelled } from "./en/words.ts"
import { singular } from "../argumentNouns.ts"
import { wordsOf } from "../../../task/ToolKind.ts"

export const articleFor = (next: string): string => {
  if (silentH.test(next)) return "an"
  if (consonantVowels.test(next)) return "a"
  // letters that are spelled out: "an SMS", "a UV index"
  if (/^[A-Z]{2,}\b/.test(next)) return /^[AEFHILMNORSX]/.test(next) ? "an" : "a"
  return /^[aeiou]/i.test(next) ? "an" : "a"
}

export const isPlural = (word: string): boolean => {
  const lower = word.toLowerCase()
  return singular(lower) !== lower || ["people", "children", "data_", "criteria", "media_", "police"].includes(lower)
}

export const pluralOf = (word: string): string => {
  if (isPlural(word) || mass.has(word)) return word
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** `cancel` -> `cancelling`, `make` -> `making`. Of a phrase, the first word. */
export const gerundOf = (phrase: string): string =>
  onFirst(phrase, (verb) => {
    if (verb.endsWith("ie")) return `${verb.slice(0, -2)}ying`
    if (/[^eoy]e$/.test(verb) && verb !== "be") return `${verb.slice(0, -1)}ing`
    return `${doubled(verb)}ing`
  })

/** `cancel` -> `cancelled`, `pay` -> `paid`. */
export const participleOf = (verb: string): string => {
  const irregular = irregularParticiples[verb]
  if (irregular !== undefined) return irregular
  if (verb.endsWith("e")) return `${verb}d`
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`
  return `${doubled(verb)}ed`
}

/** `retrieves` -> `retrieve`, `playing` -> `play`, as candidates, likeliest first. */
export const baseForms = (word: string): ReadonlyArray<string> => {
  const out = [word]
  if (/[^aeiou]ies$/.test(word)) out.push(`${word.slice(0, -3)}y`)
  if (/(?:ch|sh|x|ss|z)es$/.test(word)) out.push(word.slice(0, -2))
  if (/[^s]s$/.test(word)) out.push(word.slice(0, -1))
  if (word.endsWith("ing") && word.length > 5) {
    const stem = word.slice(0, -3)
    out.push(stem, `${stem}e`)
    if (/(.)\1$/.test(stem)) out.push(stem.slice(0, -1))
  }
  return out
}

/** A list as people say it: "a, b and c". */
export const series = (items: ReadonlyArray<string>, last = " and "): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")}${last}${items[items.length - 1] ?? ""}`

/** The words of an argument's name as people say them: `num1` -> `first number`, `loc` -> `location`. */
export const labelOf = (argument: string): string => {
  const ordinal = /^(.*?)[_-]?([1-4])$/.exec(argument)
  const words = wordsOf(ordinal?.[1] ?? argument)
    .map((word) => spelled[word] ?? word)
    .filter((word, i, every) => !(word === "id" && i > 0) && every.indexOf(word) === i)
  const label = words
    .join(" ")
    .replace(/^per page$/, "page size")
    .replace(/^number (?=\w+s$)/, "number of ")
  if (label === "" || label.length === 1) return argument
  const rank = ordinal === null ? undefined : ["first", "second", "third", "fourth"][Number(ordinal[2]) - 1]
  return rank === undefined ? label : `${rank} ${label}`
}

/** Adds the article a bare noun phrase needs. */
export const withArticle = (phrase: string, definite: boolean): string => {
  const words = phrase.split(" ")
  const [first = ""] = words
  if (determiners.has(first.toLowerCase()) || /^\d/.test(first)) return phrase
  const head = headOf(words)
  if (isPlural(head) || /^[A-Z][a-z]/.test(first)) return definite && words.includes("of") ? `the ${phrase}` : phrase
  if (definite) return `the ${phrase}`
  if (mass.has(head.toLowerCase()) || /(?:ing|ment|ness|ity|sis)$/.test(head)) return phrase
  return `${articleFor(first)} ${phrase}`
}

/** The noun a phrase is about: the last word before its first preposition. */
export const headOf = (words: ReadonlyArray<string>): string => {
  const end = words.findIndex(
    (word, i) => i > 0 && /^(?:of|for|in|on|at|to|from|by|with|about|between|during|against)$/.test(word)
  )
  return words[(end === -1 ? words.length : end) - 1] ?? ""
}

const onFirst = (phrase: string, change: (verb: string) => string): string => {
  const space = phrase.indexOf(" ")
  return space === -1 ? change(phrase) : change(phrase.slice(0, space)) + phrase.slice(space)
}

/** The last letter twice where a short stressed vowel stands before it. */
const doubled = (verb: string): string =>
  doubling.has(verb) || /^[^aeiou]*[aeiou][bdgmnprt]$/.test(verb) ? verb + verb.charAt(verb.length - 1) : verb
