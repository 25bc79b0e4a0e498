/**
 * Phrases about a tool's object: labels, articles, heads.
 */
import { determiners, mass, spelled } from "../../../language/internal/english/words.ts"
import * as English from "../../../language/English.ts"
import { wordsOf } from "../../../task/ToolKind.ts"

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
  if (English.isPlural(head) || /^[A-Z][a-z]/.test(first))
    return definite && words.includes("of") ? `the ${phrase}` : phrase
  if (definite) return `the ${phrase}`
  if (mass.has(head.toLowerCase()) || /(?:ing|ment|ness|ity|sis)$/.test(head)) return phrase
  return `${English.article(first)} ${phrase}`
}

/** The noun a phrase is about: the last word before its first preposition. */
export const headOf = (words: ReadonlyArray<string>): string => {
  const end = words.findIndex(
    (word, i) => i > 0 && /^(?:of|for|in|on|at|to|from|by|with|about|between|during|against)$/.test(word)
  )
  return words[(end === -1 ? words.length : end) - 1] ?? ""
}

/** The gerund of a phrase's verb, its first word: `make a payment` -> `making a payment`. */
export const gerundOf = (phrase: string): string => {
  const space = phrase.indexOf(" ")
  return space === -1 ? English.gerund(phrase) : English.gerund(phrase.slice(0, space)) + phrase.slice(space)
}
