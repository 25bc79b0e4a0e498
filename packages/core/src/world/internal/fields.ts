/**
 * Values for fields by what their names say: money, people, places, statuses, and dates (`dateFields.ts`). Fields of one
 * record agree with each other (city, postal code and telephone; first name and e-mail), because they read the same
 * draws.
 */
import * as English from "../../language/English.ts"
import { wordsOf } from "../../task/ToolKind.ts"
import * as Calendar from "./calendar.ts"
import { dated, minuteOfDay, timed } from "./dateFields.ts"
import * as Keyed from "./keyed.ts"
import { referenceOf } from "./nouns.ts"
import { personOf, placeOf, type FieldContext } from "./subjects.ts"
import { code, digits, money, prefix, titled } from "./texts.ts"
import * as Words from "./vocabulary.ts"

export type Make = (of: FieldContext) => unknown

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

/** The maker of a field of any name. */
export const any = (name: string): Make => {
  const made = named(name)
  return made === null ? (of) => plain(of, name) : (of) => made(of) ?? plain(of, name)
}

/** A plain word for a field whose name says nothing. */
export const plain = (of: FieldContext, name: string): string => Keyed.pick(Keyed.at(of.key, name), Words.plainWords)

type KeyedMake = (of: FieldContext, key: Keyed.Key) => unknown

const choose =
  (values: ReadonlyArray<string>): KeyedMake =>
  (_of, key) =>
    Keyed.pick(key, values)
const whole =
  (low: number, high: number): KeyedMake =>
  (_of, key) =>
    Keyed.between(key, low, high)
const amount =
  (low: number, high: number): KeyedMake =>
  (_of, key) =>
    money(key, low, high)
const decimal =
  (low: number, high: number): KeyedMake =>
  (_of, key) =>
    Keyed.between(key, low * 10, high * 10) / 10
const yes =
  (probability: number): KeyedMake =>
  (_of, key) =>
    Keyed.chance(key, probability)

const personName: KeyedMake = (of, key) => {
  const { first, last } = personOf(Words.personNouns.has(of.head) ? of : { id: "", key })
  return `${first} ${last}`
}
const email: KeyedMake = (of, key) => {
  if (of.id.includes("@")) return of.id
  const { first, last } = personOf(of)
  return `${first}.${last}${Keyed.between(key, 10, 99)}@example.com`.toLowerCase()
}
const street: KeyedMake = (_of, key) =>
  `${Keyed.between(Keyed.nth(key, 0), 100, 998)} ${Keyed.pick(Keyed.nth(key, 1), Words.streets)}`
const zip: KeyedMake = (of) => `${placeOf(of).zip}${digits(Keyed.at(of.key, "zip"), 2)}`
const phone: KeyedMake = (of, key) => `+1-${placeOf(of).area}-555-01${digits(key, 2)}`

/** What a record of the kind is called. */
const nameOf: KeyedMake = (of, key) => {
  if (Words.personNouns.has(of.head)) return personName(of, key)
  const known = Words.namesByNoun.get(of.head)
  if (known === undefined) return `${titled(of.noun)} ${Keyed.between(key, 1, 40)}`
  const place = of.world.place(of)
  return place < 0 ? Keyed.pick(Keyed.at(of.key, "called"), known) : known[place % known.length]
}

/** An identifier of another record, or its own. */
const reference = (name: string): KeyedMake | null => {
  const found = referenceOf(name)
  if (found === null) return null
  const words = wordsOf(name)
  const many = /(?:ids|uuids|identifiers|numbers|skus)$/.test(words[words.length - 1] ?? "")
  const noun = found.noun
  const one: KeyedMake = (of, key) => {
    const named = noun === "" ? of.noun : noun
    if (of.id !== "" && (named === of.noun || named === of.head)) return of.id
    return of.world.refer(of, named, key) ?? `${prefix(named)}-${digits(key, 6)}`
  }
  // Every way to say which user an order has says the same.
  if (!many) return (of, key) => (noun === "" ? null : parentOf(of, noun)) ?? one(of, key)
  return (of, key) =>
    Array.from({ length: Keyed.between(key, 1, 3) }, (_, i) => one({ ...of, id: "" }, Keyed.nth(key, i)))
}

/** What it belongs to; a record is no parent of its own. */
const parentOf = (of: FieldContext, noun: string): string | null =>
  of.id !== "" && (noun === of.noun || noun === of.head) ? null : of.world.parent(of, noun)

const byPhrase: ReadonlyMap<string, KeyedMake> = new Map<string, KeyedMake>([
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
  ["pin", (_of, key) => digits(key, 4)],
  ["security_word", (_of, key) => Keyed.pick(key, Words.securityWords)],
  ["geburtsdatum", dated(["date", "of", "birth"])],
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

const byLast: ReadonlyMap<string, KeyedMake> = new Map(
  (
    [
      ["email emails mail", email],
      ["phone telephone mobile fax", phone],
      ["city town location area venue neighborhood district county", (of: FieldContext) => placeOf(of).city],
      ["latitude lat", (of: FieldContext) => placeOf(of).latitude],
      ["longitude lon lng", (of: FieldContext) => placeOf(of).longitude],
      ["timezone tz", (of: FieldContext) => placeOf(of).zone],
      ["price cost msrp", amount(8, 480)],
      ["total amount subtotal sum value payment revenue", amount(25, 900)],
      ["fee tax tip discount shipping deposit interest", amount(1, 45)],
      ["balance limit budget credit funds savings", amount(50, 6000)],
      ["salary income wage", (_of: FieldContext, key: Keyed.Key) => Keyed.between(key, 40, 160) * 1000],
      ["fare", amount(60, 700)],
      ["currency", () => "USD"],
      ["quantity qty", whole(1, 4)],
      [
        "count stock inventory total_count seats views likes followers downloads votes reviews copies attendees",
        whole(2, 240)
      ],
      ["guests passengers people persons pax party travelers travellers adults", whole(1, 6)],
      ["children kids infants", whole(0, 3)],
      ["rooms beds bedrooms bathrooms bags", whole(1, 3)],
      ["rating stars", decimal(3, 5)],
      ["score points", whole(40, 99)],
      ["percent percentage humidity progress", whole(5, 95)],
      ["rate", (_of: FieldContext, key: Keyed.Key) => Keyed.between(key, 100, 900) / 100],
      [
        "probability confidence likelihood ratio share",
        (_of: FieldContext, key: Keyed.Key) => Keyed.between(key, 5, 98) / 100
      ],
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
      ["population", (_of: FieldContext, key: Keyed.Key) => Keyed.between(key, 12, 9000) * 1000],
      ["frequency index density energy power force", decimal(1, 90)],
      ["calories", whole(80, 900)],
      [
        "version",
        (_of: FieldContext, key: Keyed.Key) => `${Keyed.between(key, 1, 4)}.${Keyed.int(Keyed.nth(key, 1), 10)}.0`
      ],
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
        (_of: FieldContext, key: Keyed.Key) =>
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
      ["airport", (of: FieldContext) => placeOf(of).airport],
      ["symbol ticker", (of: FieldContext, key: Keyed.Key) => code(Keyed.at(key, of.id), 4).replace(/\d/g, "N")],
      ["status stage phase", (of: FieldContext, key: Keyed.Key) => Keyed.pick(key, of.statuses)],
      [
        "url link website homepage uri href",
        (of: FieldContext, key: Keyed.Key) => `https://www.example.com/${of.head}/${digits(key, 5)}`
      ],
      [
        "image photo picture avatar thumbnail logo icon",
        (of: FieldContext, key: Keyed.Key) => `https://img.example.com/${of.head}/${digits(key, 5)}.jpg`
      ],
      [
        "author artist creator director holder owner customer assignee manager doctor lawyer host winner leader contact instructor",
        (_of: FieldContext, key: Keyed.Key) => personName({ ..._of, head: "person", id: "" }, key)
      ],
      [
        "description summary notes note comment comments message text body content details remarks reason explanation bio instructions answer",
        choose(Words.sentences)
      ],
      ["subject topic headline question", choose(Words.subjects)],
      ["unit units", choose(["metric"])],
      ["code reference confirmation barcode serial", (_of: FieldContext, key: Keyed.Key) => code(key, 6)],
      ["number", (_of: FieldContext, key: Keyed.Key) => digits(key, 6)],
      [
        "amenities features tags labels services",
        (_of: FieldContext, key: Keyed.Key) =>
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
  ).flatMap(([names, make]) => names.split(" ").map((name) => [name, make as KeyedMake] as const))
)

/** `guest_count`: few things of which there are few. */
const byCount: ReadonlyMap<string, KeyedMake> = new Map(
  "guest passenger person party traveler adult".split(" ").map((word) => [word, whole(1, 6)])
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

const byWords = (words: ReadonlyArray<string>, last: string): KeyedMake | null => {
  if (questionWords.has(words[0] ?? "") && words.length > 1) return yes(0.6)
  if (words[0] === "num" || (words[0] === "number" && words[1] === "of")) return byLast.get(last) ?? whole(1, 120)
  if (last === "count") return byCount.get(words[words.length - 2] ?? "") ?? whole(1, 120)
  if (words.join("_") === "party_size") return whole(1, 6)
  if (instantEndings.has(last)) return timed(words)
  if (words[0] === "date" || dateEndings.has(last)) return dated(words)
  if (last === "time" && words.length > 1) return timed(words)
  if (last === "name") return nameInside(words.slice(0, -1))
  if (last === "in" || last === "out") return words[0] === "check" ? dated(words) : yes(0.8)
  if (last === "code" && (words.includes("zip") || words.includes("postal"))) return zip
  const found = byLast.get(last) ?? byLast.get(English.singular(last))
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
const nameInside = (words: ReadonlyArray<string>): KeyedMake => {
  const head = English.singular(words[words.length - 1] ?? "")
  if (Words.personNouns.has(head))
    return (of, key) => (head === of.head ? personName(of, key) : personName({ ...of, head: "person", id: "" }, key))
  return (of, key) => {
    if (head === of.head) return nameOf(of, key)
    const known = Words.namesByNoun.get(head)
    return known === undefined ? `${titled(words.join("_"))} ${Keyed.between(key, 1, 40)}` : Keyed.pick(key, known)
  }
}
