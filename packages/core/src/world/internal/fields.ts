/**
 * Values for fields by what their names say: dates, money, people, places, statuses. Fields of one record agree with
 * each other (city, postal code and telephone; first name and e-mail), because they read the same draws.
 */
import { wordsOf } from "../../task/ToolKind.ts"
import * as Calendar from "./calendar.ts"
import * as Keyed from "./keyed.ts"
import { referenceOf, singular } from "./nouns.ts"
import * as Words from "./vocabulary.ts"

/** The record a field belongs to. */
export interface Of {
  readonly key: Keyed.Key
  /** Its identifier; empty for what has none. */
  readonly id: string
  /** What it is, as a snake_case noun, and the last word of it. */
  readonly noun: string
  readonly head: string
  readonly statuses: ReadonlyArray<string>
  readonly world: Surroundings
}

/** What a record may ask of the world it is in. */
export interface Surroundings {
  /** The identifier of another record; null when the world keeps no such records. */
  readonly refer: (of: Of, noun: string, key: Keyed.Key) => string | null
  readonly other: (noun: string, id: string) => Of
  /** Identifiers of the records of a kind that refer to this one. */
  readonly owned: (of: Of, noun: string) => ReadonlyArray<string>
  /** Its place among the records of its kind that lists know; -1 for others. */
  readonly place: (of: Of) => number
  /** Whether tools take identifiers of such records. */
  readonly has: (noun: string) => boolean
  /** Whether a tool has such an argument: shapes speak the caller's own field names. */
  readonly argument: (name: string) => boolean
}

export type Make = (of: Of) => unknown

/** The maker of a field; null when its name says nothing. */
export const named = (name: string): Make | null => {
  const known = makers.get(name)
  if (known !== undefined) return known
  const made = makerOf(name)
  if (makers.size >= remembered) makers.clear()
  makers.set(name, made)
  return made
}

/** Names are those of tools and templates: few, and read over and over. */
const makers = new Map<string, Make | null>()
const remembered = 4096

const makerOf = (name: string): Make | null => {
  const words = wordsOf(name)
  const last = words[words.length - 1]
  if (last === undefined) return null
  const made = byPhrase.get(words.join("_")) ?? reference(name) ?? byWords(words, last)
  if (made === null) return null
  return (of) => made(of, Keyed.at(of.key, name))
}

/** A plain word for a field whose name says nothing. */
export const plain = (of: Of, name: string): string => Keyed.pick(Keyed.at(of.key, name), Words.plainWords)

export interface Person {
  readonly first: string
  readonly last: string
}

/** Ids such as `sara_doe_496` or `sara.doe@example.com` say who it is. */
export const personOf = (of: Pick<Of, "id" | "key">): Person => {
  const match = /^([a-z]{2,})[._-]([a-z]{2,})[._-]?\d*(?:@.*)?$/i.exec(of.id)
  if (match !== null) return { first: capital(match[1] ?? ""), last: capital(match[2] ?? "") }
  return {
    first: Keyed.pick(Keyed.at(of.key, "first"), Words.firstNames),
    last: Keyed.pick(Keyed.at(of.key, "last"), Words.lastNames)
  }
}

export const placeOf = (of: Pick<Of, "key">): Words.Place => Keyed.pick(Keyed.at(of.key, "place"), Words.places)

export const money = (key: Keyed.Key, low: number, high: number): number =>
  Keyed.between(key, low * 100, high * 100) / 100

/** So many digits, the first of them no zero. */
export const digits = (key: Keyed.Key, count: number): string => {
  let out = ""
  for (let left = count, i = 0; left > 0; left -= 9, i++) {
    const size = Math.min(left, 9)
    const low = i === 0 ? (powers[size - 1] ?? 0) : 0
    out += String(Keyed.between(i === 0 ? key : Keyed.nth(key, i), low, (powers[size] ?? 0) - 1)).padStart(size, "0")
  }
  return out
}
const powers = Array.from({ length: 10 }, (_, i) => Number(`1${"0".repeat(i)}`))

export const code = (key: Keyed.Key, count: number): string => {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
  let out = ""
  for (let i = 0; i < count; i++) out += letters[Keyed.int(Keyed.nth(key, i), letters.length)]
  return out
}

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()

export const titled = (noun: string): string => noun.split("_").map(capital).join(" ")

type At = (of: Of, key: Keyed.Key) => unknown

const choose =
  (values: ReadonlyArray<string>): At =>
  (_of, key) =>
    Keyed.pick(key, values)
const whole =
  (low: number, high: number): At =>
  (_of, key) =>
    Keyed.between(key, low, high)
const amount =
  (low: number, high: number): At =>
  (_of, key) =>
    money(key, low, high)
const decimal =
  (low: number, high: number): At =>
  (_of, key) =>
    Keyed.between(key, low * 10, high * 10) / 10
const yes =
  (probability: number): At =>
  (_of, key) =>
    Keyed.chance(key, probability)

const personName: At = (of, key) => {
  const { first, last } = personOf(Words.personNouns.has(of.head) ? of : { id: "", key })
  return `${first} ${last}`
}
const email: At = (of, key) => {
  if (of.id.includes("@")) return of.id
  const { first, last } = personOf(of)
  return `${first}.${last}${Keyed.between(key, 10, 99)}@example.com`.toLowerCase()
}
const street: At = (_of, key) =>
  `${Keyed.between(Keyed.nth(key, 0), 100, 998)} ${Keyed.pick(Keyed.nth(key, 1), Words.streets)}`
const zip: At = (of) => `${placeOf(of).zip}${digits(Keyed.at(of.key, "zip"), 2)}`
const phone: At = (of, key) => `+1-${placeOf(of).area}-555-01${digits(key, 2)}`

/** Records begin some weeks ago and changed since. */
const made = (of: Of): number =>
  Words.personNouns.has(of.head)
    ? -Keyed.between(Keyed.at(of.key, "made"), 320, 1500)
    : -Keyed.between(Keyed.at(of.key, "made"), 20, 300)
const changed = (of: Of): number => -Keyed.between(Keyed.at(of.key, "changed"), 1, 19)
const begins = (of: Of): number => Keyed.between(Keyed.at(of.key, "begins"), 3, 60)
const ends = (of: Of): number => begins(of) + Keyed.between(Keyed.at(of.key, "lasts"), 1, 7)
const departs = (of: Of): number => Keyed.between(Keyed.at(of.key, "departs"), 72, 240) * 5
const lasts = (of: Of): number => Keyed.between(Keyed.at(of.key, "takes"), 12, 72) * 5
const minuteOfDay = (of: Of, name: string): number => Keyed.between(Keyed.at(of.key, name), 0, 100) * 5

/** Days from the present, by the words of a date's name. */
const dayOf = (of: Of, words: ReadonlyArray<string>): number => {
  if (words.some((word) => birthWords.has(word))) return -Keyed.between(Keyed.at(of.key, "born"), 20 * 365, 70 * 365)
  if (words.some((word) => changeWords.has(word))) return changed(of)
  if (words.some((word) => endWords.has(word))) return ends(of)
  if (words.some((word) => futureWords.has(word))) return begins(of)
  return words.some((word) => pastWords.has(word)) || words.length === 1 || words[0] === "order" ? made(of) : begins(of)
}
const birthWords = new Set(["birth", "birthday", "dob", "born"])
const changeWords = new Set([
  "updated",
  "modified",
  "changed",
  "last",
  "edited",
  "closed",
  "completed",
  "delivered",
  "paid",
  "resolved",
  "shipped"
])
const endWords = new Set([
  "end",
  "ends",
  "until",
  "out",
  "return",
  "expiry",
  "expires",
  "expiration",
  "expired",
  "deadline",
  "due",
  "to",
  "arrival",
  "checkout",
  "valid"
])
const futureWords = new Set([
  "start",
  "starts",
  "begin",
  "from",
  "in",
  "departure",
  "scheduled",
  "due",
  "estimated",
  "next",
  "renews",
  "renewal",
  "event",
  "checkin",
  "appointment",
  "delivery",
  "pickup",
  "eta"
])
const pastWords = new Set([
  "created",
  "placed",
  "opened",
  "ordered",
  "registered",
  "joined",
  "since",
  "sent",
  "issued",
  "posted",
  "published",
  "release",
  "released",
  "transaction",
  "payment",
  "purchase",
  "purchased",
  "founded",
  "hire",
  "hired",
  "built",
  "uploaded",
  "submitted",
  "filed",
  "booked",
  "signed",
  "date"
])

const dated =
  (words: ReadonlyArray<string>): At =>
  (of) =>
    Calendar.date(dayOf(of, words))
const timed =
  (words: ReadonlyArray<string>): At =>
  (of) => {
    const field = words.join("_")
    if (words.includes("departure") || words.includes("depart")) return Calendar.instant(begins(of), departs(of) - 540)
    if (words.includes("arrival") || words.includes("arrive"))
      return Calendar.instant(begins(of), departs(of) + lasts(of) - 540)
    return Calendar.instant(dayOf(of, words), minuteOfDay(of, field))
  }

/** What a record of the kind is called. */
const nameOf: At = (of, key) => {
  if (Words.personNouns.has(of.head)) return personName(of, key)
  const known = Words.namesByNoun.get(of.head)
  if (known === undefined) return `${titled(of.noun)} ${Keyed.between(key, 1, 40)}`
  const place = of.world.place(of)
  return place < 0 ? Keyed.pick(Keyed.at(of.key, "called"), known) : known[place % known.length]
}

/** An identifier of another record, or its own. */
const reference = (name: string): At | null => {
  const found = referenceOf(name)
  if (found === null) return null
  const words = wordsOf(name)
  const many = /(?:ids|uuids|identifiers|numbers|skus)$/.test(words[words.length - 1] ?? "")
  const noun = found.noun
  const one: At = (of, key) => {
    const named = noun === "" ? of.noun : noun
    if (of.id !== "" && (named === of.noun || named === of.head)) return of.id
    return of.world.refer(of, named, key) ?? `${prefix(named)}-${digits(key, 6)}`
  }
  // Keyed by the noun, so that every way to say which user an order has says the same.
  if (!many) return (of, key) => one(of, noun === "" ? key : Keyed.at(of.key, `ref_${noun}`))
  return (of, key) =>
    Array.from({ length: Keyed.between(key, 1, 3) }, (_, i) => one({ ...of, id: "" }, Keyed.nth(key, i)))
}

/** `TCK` for a ticket: what a made-up identifier begins with. */
export const prefix = (noun: string): string => {
  const last = noun.split("_").pop() ?? ""
  const letters = last.replace(/[^a-z]/g, "")
  return letters === "" ? "REF" : letters.slice(0, 3).toUpperCase()
}

const byPhrase: ReadonlyMap<string, At> = new Map<string, At>([
  ["name", nameOf],
  ["title", nameOf],
  ["full_name", personName],
  ["display_name", personName],
  ["first_name", (of) => personOf(of).first],
  ["given_name", (of) => personOf(of).first],
  ["last_name", (of) => personOf(of).last],
  ["family_name", (of) => personOf(of).last],
  ["surname", (of) => personOf(of).last],
  ["username", (of, key) => `${personOf(of).first}${Keyed.between(key, 10, 999)}`.toLowerCase()],
  ["user_name", (of, key) => `${personOf(of).first}${Keyed.between(key, 10, 999)}`.toLowerCase()],
  ["address1", street],
  ["address_line1", street],
  ["address_line_1", street],
  ["line1", street],
  ["street", street],
  ["street_address", street],
  ["address2", (_of, key) => `Suite ${Keyed.between(key, 100, 999)}`],
  ["line2", (_of, key) => `Suite ${Keyed.between(key, 100, 999)}`],
  ["address_line2", (_of, key) => `Suite ${Keyed.between(key, 100, 999)}`],
  [
    "address",
    (of, key) => `${String(street(of, key))}, ${placeOf(of).city}, ${placeOf(of).state} ${String(zip(of, key))}`
  ],
  ["province", (of) => placeOf(of).state],
  ["region", (of) => placeOf(of).state],
  ["zip", zip],
  ["zip_code", zip],
  ["zipcode", zip],
  ["postal_code", zip],
  ["postcode", zip],
  ["country", () => "USA"],
  ["country_code", () => "US"],
  ["origin", (_of, key) => Keyed.pick(key, Words.places).airport],
  ["destination", (_of, key) => Keyed.pick(Keyed.nth(key, 7), Words.places).airport],
  ["number_of_reviews", whole(3, 900)],
  ["time", (of) => Calendar.clock(540 + minuteOfDay(of, "time"))],
  ["start_time", (of) => Calendar.clock(540 + 15 * Keyed.between(Keyed.at(of.key, "start"), 0, 16))],
  ["end_time", (of) => Calendar.clock(840 + 15 * Keyed.between(Keyed.at(of.key, "end"), 0, 16))],
  ["last_four", (_of, key) => digits(key, 4)],
  ["last4", (_of, key) => digits(key, 4)],
  ["file_name", (of, key) => `${String(nameOf({ ...of, head: "file" }, key))}.pdf`],
  ["mime_type", () => "application/pdf"],
  ["content_type", () => "application/pdf"],
  ["opening_hours", () => "Mon-Sat 09:00-18:00"],
  ["hours", () => "Mon-Sat 09:00-18:00"],
  ["working_hours", () => "Mon-Sat 09:00-18:00"],
  ["business_hours", () => "Mon-Sat 09:00-18:00"],
  ["is_active", yes(0.9)],
  ["in_stock", yes(0.8)]
])

const byLast: ReadonlyMap<string, At> = new Map(
  (
    [
      ["email emails mail", email],
      ["phone telephone mobile fax", phone],
      ["city town location area venue neighborhood district county", (of: Of) => placeOf(of).city],
      ["latitude lat", (of: Of) => placeOf(of).latitude],
      ["longitude lon lng", (of: Of) => placeOf(of).longitude],
      ["timezone tz", (of: Of) => placeOf(of).zone],
      ["price cost msrp", amount(8, 480)],
      ["total amount subtotal sum value payment revenue", amount(25, 900)],
      ["fee tax tip discount shipping deposit interest", amount(1, 45)],
      ["balance limit budget credit funds savings", amount(50, 6000)],
      ["salary income wage", (_of: Of, key: Keyed.Key) => Keyed.between(key, 40, 160) * 1000],
      ["fare", amount(60, 700)],
      ["currency", () => "USD"],
      ["quantity qty", whole(1, 4)],
      [
        "count stock inventory total_count seats views likes followers downloads votes reviews copies guests passengers people",
        whole(2, 240)
      ],
      ["rating stars", decimal(3, 5)],
      ["score points", whole(40, 99)],
      ["percent percentage humidity progress", whole(5, 95)],
      ["rate", (_of: Of, key: Keyed.Key) => Keyed.between(key, 100, 900) / 100],
      ["probability confidence likelihood ratio share", (_of: Of, key: Keyed.Key) => Keyed.between(key, 5, 98) / 100],
      ["temperature temp", whole(4, 33)],
      ["speed velocity", whole(4, 90)],
      ["pressure", whole(990, 1035)],
      ["distance length", decimal(1, 60)],
      ["weight mass", decimal(1, 40)],
      ["height width depth", whole(10, 200)],
      ["duration minutes", whole(15, 180)],
      ["days nights", whole(1, 10)],
      ["months years weeks", whole(1, 8)],
      ["age", whole(19, 74)],
      ["year", whole(1995, 2024)],
      ["month", whole(1, 12)],
      ["day", whole(1, 28)],
      ["rank ranking position level", whole(1, 20)],
      ["population", (_of: Of, key: Keyed.Key) => Keyed.between(key, 12, 9000) * 1000],
      ["frequency index density energy power force", decimal(1, 90)],
      ["calories", whole(80, 900)],
      ["version", (_of: Of, key: Keyed.Key) => `${Keyed.between(key, 1, 4)}.${Keyed.int(Keyed.nth(key, 1), 10)}.0`],
      ["size", choose(Words.sizes)],
      ["color colour", choose(Words.colors)],
      ["material fabric", choose(Words.materials)],
      ["brand make manufacturer", choose(Words.brands)],
      ["model", choose(Words.vehicles)],
      ["category categories", choose(Words.categories)],
      ["genre", choose(Words.genres)],
      ["cuisine", choose(Words.cuisines)],
      ["language", choose(Words.languages)],
      [
        "team",
        (_of: Of, key: Keyed.Key) =>
          `${Keyed.pick(key, Words.places).city} ${Keyed.pick(Keyed.nth(key, 1), Words.teams)}`
      ],
      ["department", choose(Words.departments)],
      ["role position_title job", choose(Words.roles)],
      ["company organization organisation employer supplier vendor merchant", choose(Words.companies)],
      ["airline", choose(Words.airlines)],
      ["carrier courier", choose(Words.carriers)],
      ["conditions weather forecast", choose(Words.weathers)],
      ["priority severity urgency", choose(["low", "medium", "medium", "high"])],
      ["gender", choose(["female", "male"])],
      ["cabin", choose(["economy", "business"])],
      ["airport", (of: Of) => placeOf(of).airport],
      ["symbol ticker", (of: Of, key: Keyed.Key) => code(Keyed.at(key, of.id), 4).replace(/\d/g, "N")],
      ["status stage phase", (of: Of, key: Keyed.Key) => Keyed.pick(key, of.statuses)],
      [
        "url link website homepage uri href",
        (of: Of, key: Keyed.Key) => `https://www.example.com/${of.head}/${digits(key, 5)}`
      ],
      [
        "image photo picture avatar thumbnail logo icon",
        (of: Of, key: Keyed.Key) => `https://img.example.com/${of.head}/${digits(key, 5)}.jpg`
      ],
      [
        "author artist creator director holder owner customer assignee manager doctor lawyer host winner leader contact instructor",
        (_of: Of, key: Keyed.Key) => personName({ ..._of, head: "person", id: "" }, key)
      ],
      [
        "description summary notes note comment comments message text body content details remarks reason explanation bio instructions answer",
        choose(Words.sentences)
      ],
      ["subject topic headline", choose(Words.subjects)],
      ["unit units", choose(["metric"])],
      ["code reference confirmation barcode serial", (_of: Of, key: Keyed.Key) => code(key, 6)],
      ["number", (_of: Of, key: Keyed.Key) => digits(key, 6)],
      [
        "amenities features tags labels services",
        (_of: Of, key: Keyed.Key) =>
          [Keyed.pick(key, Words.amenities), Keyed.pick(Keyed.nth(key, 1), Words.amenities)].filter(
            (v, i, all) => all.indexOf(v) === i
          )
      ],
      [
        "available active enabled valid open verified eligible refundable insured included success successful paid public visible confirmed",
        yes(0.85)
      ],
      ["cancelled canceled deleted archived blocked locked suspended hidden expired overdue private", yes(0.05)]
    ] as const
  ).flatMap(([names, make]) => names.split(" ").map((name) => [name, make as At] as const))
)

const dateEndings: ReadonlySet<string> = new Set([
  "date",
  "dob",
  "birthday",
  "deadline",
  "on",
  "since",
  "until",
  "expiry",
  "expiration",
  "birth",
  "renews",
  "expires",
  "checkin",
  "checkout",
  "eta"
])
const instantEndings: ReadonlySet<string> = new Set(["at", "timestamp", "datetime", "created", "updated", "modified"])

const byWords = (words: ReadonlyArray<string>, last: string): At | null => {
  if (questionWords.has(words[0] ?? "") && words.length > 1) return yes(0.6)
  if (words[0] === "num" || (words[0] === "number" && words[1] === "of") || last === "count") return whole(1, 120)
  if (instantEndings.has(last)) return timed(words)
  if (words[0] === "date" || dateEndings.has(last)) return dated(words)
  if (last === "time" && words.length > 1) return timed(words)
  if (last === "name") return nameInside(words.slice(0, -1))
  if (last === "in" || last === "out") return words[0] === "check" ? dated(words) : yes(0.8)
  if (last === "code" && (words.includes("zip") || words.includes("postal"))) return zip
  const found = byLast.get(last) ?? byLast.get(singular(last))
  if (found !== undefined) return found
  return Words.personNouns.has(last) ? (of, key) => personName({ ...of, head: "person", id: "" }, key) : null
}
const questionWords = new Set([
  "is",
  "has",
  "can",
  "should",
  "allow",
  "allows",
  "allowed",
  "was",
  "are",
  "include",
  "includes",
  "requires",
  "needs"
])

/** `product_name`, `hotel_name`, `customer_name`. */
const nameInside = (words: ReadonlyArray<string>): At => {
  const head = singular(words[words.length - 1] ?? "")
  if (Words.personNouns.has(head))
    return (of, key) => (head === of.head ? personName(of, key) : personName({ ...of, head: "person", id: "" }, key))
  return (of, key) => {
    if (head === of.head) return nameOf(of, key)
    const known = Words.namesByNoun.get(head)
    return known === undefined ? `${titled(words.join("_"))} ${Keyed.between(key, 1, 40)}` : Keyed.pick(key, known)
  }
}
