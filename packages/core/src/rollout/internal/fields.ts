/**
 * Which fields a question names: what the person is asked for, against what they know.
 */
import { wordsOf } from "../../task/ToolKind.ts"

/** Words for a field that people use for one another. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["number", "id"],
  ["numbers", "id"],
  ["no", "id"],
  ["code", "id"],
  ["reference", "id"],
  ["identifier", "id"],
  ["ids", "id"],
  ["mail", "email"],
  ["emails", "email"],
  ["postal", "zip"],
  ["postcode", "zip"],
  ["zipcode", "zip"],
  ["telephone", "phone"],
  ["mobile", "phone"],
  ["surname", "last"],
  ["birthday", "birth"],
  ["birthdate", "birth"],
  ["dob", "birth"],
  ["booking", "reservation"],
  ["qty", "quantity"],
  ["color", "colour"],
  ["orders", "order"],
  ["items", "item"],
  ["accounts", "account"],
  ["products", "product"]
])

/** Words that name no field by themselves. */
const empty: ReadonlySet<string> = new Set(["id", "the", "of", "a", "an", "your", "my", "new", "and", "or", "to", "is"])

const canonical = (word: string): string => synonyms.get(word) ?? word

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(wordsOf(text.replace(/e-mail/gi, "email").replace(/zip\s*code|post\s*code/gi, "zip")).map(canonical))

/** What somebody may be asked for: an unknown one is beyond what a person can make up. */
const askable: ReadonlyArray<readonly [field: string, pattern: RegExp]> = [
  [
    "id",
    /\b(?:(?:order|booking|reservation|confirmation|ticket|case|claim|invoice|account|customer|member(?:ship)?|tracking|product|item|flight|policy|employee|subscription|transaction|user|serial|model|license|licence|passport|routing|bank|gift card|loyalty|reference|patient|student|vehicle|device|contract)\s+(?:id|ids|number|numbers|no\.|#|code|codes|reference|identifier))\b/i
  ],
  ["email", /\b(?:e-?mail(?: address)?)\b/i],
  ["phone", /\b(?:phone|telephone|mobile)(?: number)?\b/i],
  ["name", /\b(?:(?:full|first|last|legal|your|the) name|username|user name|surname)\b/i],
  ["address", /\b(?:(?:shipping|billing|delivery|home|street|mailing|postal|new|current|your) address)\b/i],
  ["zip", /\b(?:zip|post(?:al)?)\s*codes?\b/i],
  ["birth", /\b(?:date of birth|birth ?date|birthday|dob)\b/i],
  [
    "secret",
    /\b(?:password|passcode|pin(?: code)?|security (?:code|question|answer)|cvv|verification code|one-time code|ssn|social security)\b/i
  ],
  ["card", /\b(?:(?:credit|debit|payment) card|card number|last four digits|last 4 digits|expir(?:y|ation) date)\b/i],
  ["payment", /\bpayment (?:method|id|details)\b/i],
  ["colour", /\bwhat (?:colour|color)|(?:colour|color) (?:would|do) you\b/i],
  ["size", /\bwhat size|size (?:would|do) you\b/i],
  ["quantity", /\bhow many|what quantity\b/i],
  [
    "date",
    /\b(?:what|which) (?:date|day)|(?:departure|arrival|return|check-?in|check-?out|start|end|travel|purchase) dates?\b/i
  ],
  ["time", /\bwhat time|which time\b/i],
  ["amount", /\bhow much (?:do|did|would|should)|what amount\b/i]
]

export interface Asked {
  /** The facts the question names. */
  readonly known: ReadonlyArray<readonly [name: string, value: string]>
  /** Fields it names that the person has no fact for. */
  readonly unknown: ReadonlyArray<string>
}

/** What a question asks for, by name. */
export const asked = (question: string, facts: Readonly<Record<string, string>>): Asked => {
  const words = wordsIn(question)
  const known = Object.entries(facts).filter(([name]) => names(words, name))
  const told = new Set(known.flatMap(([name]) => [...wordsIn(name)]))
  const unknown = askable.flatMap(([, pattern]) => {
    const phrase = pattern.exec(question)?.[0]
    if (phrase === undefined) return []
    const telling = [...wordsIn(phrase)].filter((word) => !empty.has(word))
    return telling.some((word) => told.has(word)) ? [] : [phrase.toLowerCase()]
  })
  return { known, unknown }
}

/** Whether the words of a question name a fact: all of its telling words, or the one that heads it. */
const names = (words: ReadonlySet<string>, fact: string): boolean => {
  const parts = [...wordsIn(fact)].filter((word) => !empty.has(word))
  return parts.length > 0 && parts.every((part) => words.has(part))
}

/** A fact's name as people say it: `order_id` is "order id". */
export const spoken = (name: string): string => wordsOf(name).join(" ")
