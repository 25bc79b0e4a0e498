/**
 * Which fields a question names: what the person is asked for, against what they know.
 */
import { wordsOf } from "../../task/ToolKind.ts"

export type Fact = readonly [name: string, value: string]
export type Facts = Readonly<Record<string, string>>

/** A field that people are asked for by set words, whatever a tool calls it. */
interface Concept {
  /** Names that tools give it, by their words. */
  readonly names: RegExp
  /** How a question speaks of it. */
  readonly spoken: RegExp
}

/** A person's whole name. */
const aName =
  "\\b(?:your|the|a|with|by|and|or|plus|via|provide|confirm) (?:full |legal |complete |own )?names?\\b(?! of the (?:product|item|file|doctor))|^names?\\b|\\bfull name\\b|\\bwho (?:am i|are you|is this)\\b"

/** Facts about the person, in the order in which they are told. */
const concepts: ReadonlyArray<Concept> = [
  {
    names: /^(?:current )?(?:first|given) name$/,
    spoken: new RegExp(`\\b(?:first|given)(?: and last)? name\\b|${aName}`, "i")
  },
  {
    names: /^(?:current )?(?:last name|surname|family name)$/,
    spoken: new RegExp(`\\b(?:last|family) name\\b|\\bsurname\\b|${aName}`, "i")
  },
  {
    names: /^(?:current )?(?:(?:full|customer|patient|guest|user|account holder) )?name$/,
    spoken: new RegExp(`\\b(?:first|last)(?: and last)? name\\b|${aName}`, "i")
  },
  { names: /\bmail$|\bemail(?: address)?$/, spoken: /\be-?mails?(?: address(?:es)?)?\b/i },
  {
    names: /\b(?:phone|telephone|mobile)(?: number)?$/,
    spoken: /\b(?:phone|telephone|mobile|cell)(?:[- ]?(?:number|no\.?))?\b/i
  },
  {
    names: /\b(?:zip|zip ?code|post(?:al)? ?code|plz)$/,
    spoken: /\b(?:zip(?:[- ]?codes?)?|post(?:al)?[- ]?codes?)\b/i
  },
  {
    names: /\b(?:dob|birth ?date|date of birth|birthday|geburtsdatum)$/,
    spoken: /\b(?:dates? of birth|birth ?dates?|birthdays?|dob|you(?:'re| were| are)? born)\b/i
  },
  {
    names: /^(?:current )?(?:pin|passcode|security code|access code)$/,
    spoken: /\b(?:pin|passcode|(?:security|access) code)\b/i
  },
  {
    names: /\b(?:security|memorable|secret) word$|\bpassphrase$/,
    spoken: /\b(?:(?:security|memorable|secret|code) ?word|pass ?phrase)\b/i
  },
  {
    names: /^(?:current )?(?:address(?: ?line)? ?[12]?|street(?: address)?|city|state|country|province)$/,
    spoken: /(?<!\be-?mail |\bip |\bweb )\baddress(?:es)?\b/i
  },
  { names: /\breason$/, spoken: /\breasons?\b|\bwhy\b/i },
  { names: /\bamount$/, spoken: /\bhow much\b|\bamounts?\b/i },
  {
    names: /\bpayment method(?: id)?$/,
    spoken:
      /\bpayment (?:method|option)s?\b|\bpay (?:with|by)\b|\bhow (?:would|do) you (?:like|want) to (?:pay|be refunded)\b|\b(?:which|what) (?:card|method)\b/i
  }
]

/** Words that end the name of an identifier. */
const idWords = "(?:ids?|identifiers?|numbers?|no\\.?|codes?|references?(?: numbers?)?|refs?)"
const ending: ReadonlySet<string> = new Set([
  "id",
  "ids",
  "number",
  "numbers",
  "no",
  "code",
  "reference",
  "ref",
  "identifier"
])
/** Words that say which of several: `from_account_id`. */
const which: ReadonlySet<string> = new Set("from to new old source target current other".split(" "))
const alike: ReadonlyMap<string, string> = new Map([
  ["booking", "booking|reservation"],
  ["reservation", "reservation|booking"],
  ["customer", "customer|client|account"],
  ["user", "user|account|customer"],
  ["member", "member(?:ship)?|account"],
  ["patient", "patient|medical record"]
])

const patternOf = (name: string): RegExp => {
  const words = wordsOf(name).filter((word) => word !== "current")
  const said = words.join(" ")
  const concept = concepts.find(({ names }) => names.test(said))
  if (concept !== undefined) return concept.spoken
  const last = words[words.length - 1] ?? ""
  const nouns = words.filter((word) => !ending.has(word) && !which.has(word))
  if (!ending.has(last)) {
    const all = (nouns.length > 0 ? nouns : words).map((word) => `(?=.*\\b${escaped(word.replace(/s$/, ""))})`)
    return new RegExp(all.join(""), "i")
  }
  if (nouns.length === 0 || (nouns.length === 1 && nouns[0] === "confirmation")) {
    return new RegExp(`\\b(?:booking|reservation|order|confirmation|reference|your|the) ${idWords}\\b`, "i")
  }
  const noun = nouns
    .map((word) => alike.get(word) ?? escaped(word))
    .map((word) => `(?:${word})`)
    .join(" ")
  const own = `\\b${noun}s?(?:'s)? (?:confirmation )?${idWords}(?!\\w)|\\b(?:which|what)(?: of your| of the| specific| other)? ${noun}s?\\b`
  const confirms = nouns.some((word) => confirmable.has(word))
    ? `|\\b(?:confirmation|reference) ${idWords}\\b|\\byour reference\\b`
    : ""
  return new RegExp(`${own}${confirms}`, "i")
}
const confirmable: ReadonlySet<string> = new Set(["booking", "reservation", "order"])

const escaped = (word: string): string => word.replace(/[^\p{L}\p{N}]/gu, "\\$&")

const patterns = new Map<string, RegExp>()
const remembered = 2048

/** How a question speaks of a fact. */
export const spokenAs = (name: string): RegExp => {
  const before = patterns.get(name)
  if (before !== undefined) return before
  const made = patternOf(name)
  if (patterns.size >= remembered) patterns.clear()
  patterns.set(name, made)
  return made
}

/** What somebody may be asked for: an unknown one is beyond what a person can make up. */
const askable: ReadonlyArray<RegExp> = [
  /\b(?:order|booking|reservation|confirmation|ticket|case|claim|invoice|account|customer|member(?:ship)?|tracking|product|item|flight|policy|employee|subscription|transaction|user|serial|model|license|licence|passport|routing|bank|gift card|loyalty|reference|patient|student|vehicle|device|contract|frequent flyer|insurance|prescription|appointment|incident|change|approval) (?:id|ids|number|numbers|no\.|code|codes|reference|identifier)\b/i,
  /\be-?mail(?: address)?\b/i,
  /\b(?:phone|telephone|mobile)(?: number)?\b/i,
  /\b(?:(?:full|first|last|legal|maiden|middle|your) name|username|user name|surname)\b/i,
  /\b(?:shipping|billing|delivery|home|street|mailing|postal|new|current|your) address\b/i,
  /\b(?:zip|post(?:al)?)[- ]*codes?\b/i,
  /\b(?:date of birth|birth ?date|birthday|dob)\b/i,
  /\b(?:password|passcode|pin(?: code)?|(?:security|verification|access|one-time|approval) code|security (?:question|answer|word)|cvv|cvc|ssn|social security(?: number)?|mother's maiden name)\b/i,
  /\b(?:(?:credit|debit|payment) card(?: number)?|card number|last (?:four|4) digits|expir(?:y|ation) date)\b/i,
  /\bpayment (?:method|id|details)\b/i,
  /\bwhat (?:colour|color)|(?:colour|color) (?:would|do) you\b/i,
  /\bwhat size|size (?:would|do) you\b/i,
  /\bhow many|what quantity\b/i,
  /\b(?:what|which) (?:date|day)|(?:departure|arrival|return|check-?in|check-?out|start|end|travel|purchase|order) dates?\b/i,
  /\bwhat time|which time\b/i,
  /\bhow much (?:do|did|would|should)|what amount\b/i
]

export interface Asked {
  /** The facts the question names. */
  readonly known: ReadonlyArray<Fact>
  /** Fields it names that the person has no fact for. */
  readonly unknown: ReadonlyArray<string>
}

const nothing: Asked = { known: [], unknown: [] }

/** What a question asks for, by name. Of alternatives, the first that can be told whole. */
export const asked = (question: string, facts: Facts): Asked => {
  const parts = question.split(
    /\s*(?:,\s*|;\s*|\s)(?:or|alternatively|otherwise)(?:,)?\s+(?:(?:else|alternatively|by|via),?\s+)?/i
  )
  if (parts.length > 1) {
    const read = parts.map((part) => askedIn(part, facts))
    const best = read.find(({ known, unknown }) => known.length > 0 && unknown.length === 0)
    if (best !== undefined) return best
  }
  return askedIn(question, facts)
}

const askedIn = (question: string, facts: Facts): Asked => {
  const known = Object.entries(facts).filter(([name, value]) => {
    // What is told along is not asked for.
    return spokenAs(name).test(question) && !(isTelling(value) && question.includes(value))
  })
  const told = known.filter(([name]) => !isReplaced(name, known, question))
  const unknown = askable.flatMap((pattern) => {
    const phrase = pattern.exec(question)?.[0]
    if (phrase === undefined) return []
    const covered = Object.keys(facts).some(
      (name) => spokenAs(name).test(phrase) || spokenAs(name).test(`your ${phrase}`)
    )
    return covered || isCounted(phrase, told) ? [] : [phrase.toLowerCase()]
  })
  return told.length === 0 && unknown.length === 0 ? nothing : { known: told, unknown }
}

/** "How many guests?" is answered by the guests. */
const isCounted = (phrase: string, told: ReadonlyArray<Fact>): boolean =>
  /^(?:how|what|which)\b/i.test(phrase) && told.length > 0

const isTelling = (value: string): boolean => value.length > 3

/**
 * Of what is and what is to be, a question means what is unless it says "new"; a whole name takes the place of its
 * parts, which are asked for by themselves only where the question says so.
 */
const isReplaced = (name: string, known: ReadonlyArray<Fact>, question: string): boolean => {
  const next = /\bnew\b|\b(?:chang|updat|mov)\w+ (?:it|this|that) to\b/i.test(question)
  const bare = name.replace(/^current_/, "")
  if (name !== bare) return next
  return !next && known.some(([other]) => other === `current_${name}`)
}

/** A fact's name as people say it: `order_id` is "order id". */
export const spoken = (name: string): string =>
  wordsOf(name)
    .filter((word) => word !== "current")
    .join(" ")

/** The facts that the person's name is made of. */
export const nameOf = (facts: Facts): string | null => {
  const of = (...names: ReadonlyArray<string>): string | undefined =>
    names.map((name) => (Object.hasOwn(facts, name) ? facts[name] : undefined)).find((value) => value !== undefined)
  const [first, last] = [of("first_name"), of("last_name")]
  if (first !== undefined && last !== undefined) return `${first} ${last}`
  return of("name", "full_name", "customer_name", "patient_name", "guest_name") ?? null
}
