/**
 * The nouns in names: what a tool is about, what an argument refers to, and what becomes of a record acted on.
 */
import * as English from "../../language/English.ts"
import { classify, wordsOf, type ToolKind } from "../../task/ToolKind.ts"

/** `payment_method` as "payment method". */
export const spoken = (noun: string): string => noun.replaceAll("_", " ")

const idEndings: ReadonlySet<string> = new Set([
  "id",
  "ids",
  "uuid",
  "uuids",
  "guid",
  "identifier",
  "identifiers",
  "sku",
  "skus",
  "isbn",
  "vin",
  "iban"
])
/** Endings that name a record only after a noun that has records. */
const numberEndings: ReadonlySet<string> = new Set([
  "number",
  "numbers",
  "no",
  "num",
  "code",
  "ref",
  "reference",
  "key",
  "slug",
  "handle"
])
const unnumbered: ReadonlySet<string> = new Set(
  (
    "phone mobile telephone fax zip postal post area country currency language state city room page line house street " +
    "max min total of lucky random serial seat dial status error api access security pin gate color atomic version week " +
    "qr primary foreign sort sorting promo discount case_type market team player station airport"
  ).split(" ")
)
const qualifiers: ReadonlySet<string> = new Set(
  "new old source target from to parent current original primary my this existing destination other first second related".split(
    " "
  )
)

export interface Reference {
  /** What it refers to: `order` for `order_id`; empty for a bare `id`. */
  readonly noun: string
  /** `new_item_ids` names what comes, not what is. */
  readonly incoming: boolean
}

/** What an argument or a field names by its identifier, if it does. */
export const referenceOf = (name: string): Reference | null => {
  const known = references.get(name)
  if (known !== undefined) return known
  const found = readReference(name)
  if (references.size >= remembered) references.clear()
  references.set(name, found)
  return found
}

/** Names are those of arguments: few, and read over and over. */
const references = new Map<string, Reference | null>()
const remembered = 4096

const readReference = (name: string): Reference | null => {
  const words = wordsOf(name)
  const last = words[words.length - 1]
  if (last === undefined) return null
  const before = words.slice(0, -1)
  const named = idEndings.has(last)
  if (!named && (before.length === 0 || !numberEndings.has(last) || unnumbered.has(before[before.length - 1] ?? ""))) {
    return null
  }
  const nouns = before.filter((word) => !qualifiers.has(word))
  if (nouns.length === 0 && !["id", "ids", "uuid", "uuids", "guid", "identifier", "identifiers"].includes(last)) {
    nouns.push(last === "isbn" ? "book" : last === "vin" ? "vehicle" : last === "iban" ? "account" : "product")
  }
  return { noun: singularPhrase(nouns), incoming: words[0] === "new" || words[0] === "target" || words[0] === "to" }
}

const singularPhrase = (words: ReadonlyArray<string>): string =>
  words.map((word, i) => (i === words.length - 1 ? English.singular(word) : word)).join("_")

const prepositions: ReadonlySet<string> = new Set(
  "by for with in from to of at near on via using within between per and or as into".split(" ")
)
/** Words that qualify a noun or repeat that it has data. */
const empty: ReadonlySet<string> = new Set(
  (
    "all the a an my current latest new existing nearby nearest top best most available recent single one direct popular " +
    "upcoming next last full detailed any multiple"
  ).split(" ")
)
const tails: ReadonlySet<string> = new Set(
  "details detail info information data record records result results summary overview list listing profile by id ids status history type types lookup".split(
    " "
  )
)

export interface Subject {
  /** The word that says what is done; empty when none does. */
  readonly verb: string
  /** Nouns before the first preposition, in order, without what only qualifies them. */
  readonly nouns: ReadonlyArray<string>
  /** What came after the noun and only says that it has data: `status`, `history`. */
  readonly tail: string
  readonly plural: boolean
  /** A state the record has to be in: `pending` in `cancel_pending_order`. */
  readonly needs: string | null
}

/** Reads a tool's name: `orders.cancel`, `modify_pending_order_items`, `GetWeather`. */
export const subjectOf = (name: string, kind: ToolKind, states: ReadonlySet<string>): Subject => {
  const segments = name
    .split(/[.:/]|__/u)
    .map(wordsOf)
    .filter((words) => words.length > 0)
  const own = segments[segments.length - 1] ?? []
  const at = verbAt(own, kind)
  const verb = at < 0 ? "" : (own[at] ?? "")
  const after = upToPreposition(own.slice(at + 1))
  const before = at > 0 ? own.slice(0, at) : []
  const given = after.some(isNoun) ? after : before.length > 0 ? before : (segments[segments.length - 2] ?? after)
  const needs = given.find((word) => states.has(word)) ?? null
  const meaningful = given.filter((word) => isNoun(word) && !states.has(word))
  let end = meaningful.length
  while (end > 1 && tails.has(meaningful[end - 1] ?? "")) end -= 1
  const nouns = meaningful.slice(0, end)
  return {
    verb,
    nouns,
    tail: meaningful[end] ?? "",
    plural: English.isPlural(nouns[nouns.length - 1] ?? ""),
    needs
  }
}

const isNoun = (word: string): boolean => !empty.has(word) && !prepositions.has(word)

const upToPreposition = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.findIndex((word) => prepositions.has(word))
  return end < 0 ? words : words.slice(0, end)
}

/** The first word of the tool's own kind, else the first that is any verb; what ends a name as a noun is none. */
const verbAt = (words: ReadonlyArray<string>, kind: ToolKind): number => {
  const isVerb = (word: string, i: number): boolean => !(i > 0 && i === words.length - 1 && shownNouns.has(word))
  const own = words.findIndex((word, i) => kind !== "other" && classify(word, "") === kind && isVerb(word, i))
  return own >= 0 ? own : words.findIndex((word, i) => classify(word, "") !== "other" && isVerb(word, i))
}
/** `lowest_price` and `order_status` are what is shown. */
const shownNouns: ReadonlySet<string> = new Set(
  "status history details detail info information summary list price prices balance count total average estimate forecast order payment".split(
    " "
  )
)

/** `send_receipt` -> receipt: what a tool sends of a record; null where its name does not say. */
export const sentBy = (tool: string): string | null => {
  const [verb = "", first = "", ...rest] = wordsOf(tool)
  return /^(?:(?:re)?send|e?mail)$/.test(verb) && first !== "" && !/^(?:to|for|by|with|money)$/.test(first)
    ? [first, ...rest].join("_")
    : null
}

/** What a record acted on is afterwards: `cancel` as "cancelled", `checkout` as "checked_out". */
export const stateAfter = (verb: string): string => {
  if (verb === "") return "done"
  const particle = /^(check|sign|log)_?(in|out)$/.exec(verb)
  return particle === null ? English.participle(verb) : `${English.participle(particle[1] ?? "")}_${particle[2]}`
}
