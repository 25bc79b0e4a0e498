/**
 * What the person answers for a parameter: a value of its kind, found by the parameter's choices, name, type and
 * description. A parameter nobody could guess a value for has none: the person doesn't say it and doesn't know it.
 */
import * as Present from "../../../time/Present.ts"
import { wordsOf } from "../../../task/ToolKind.ts"
import type { Parameter } from "../parameters.ts"
import type { Choice } from "./choice.ts"
import * as En from "../../../language/internal/english/values.ts"
import type { Person } from "./person.ts"

/** How a value is spoken of in a sentence. */
export type Role =
  | "id"
  | "place"
  | "from"
  | "to"
  | "date"
  | "year"
  | "month"
  | "season"
  | "time"
  | "duration"
  | "money"
  | "count"
  | "quantity"
  | "number"
  | "choice"
  | "subject"
  | "expression"
  | "thing"
  | "text"
  | "reason"
  | "email"
  | "phone"
  | "zip"
  | "name"
  | "address"
  | "flag"

export interface Value {
  /** As the person writes it. */
  readonly say: string
  /** As they would answer when asked. */
  readonly fact: string
}

export interface Maker {
  readonly role: Role
  /** Undefined: they have no answer. */
  readonly make: (choice: Choice, person: Person) => Value
  /** Which end of a stretch of time it is. */
  readonly side?: "start" | "end"
}

/** Undefined for a parameter no value can be guessed for. `around` holds the words of all arguments of the tool. */
export const makerOf = (parameter: Parameter, around: ReadonlySet<string>): Maker | undefined => {
  if (parameter.type === "object") return undefined
  if (parameter.type === "boolean") return maker("flag", (choice) => same(choice.chance(0.5) ? "yes" : "no"))
  if (parameter.choices.length > 0) return choiceMaker(parameter)
  const words = nameWords(parameter.name)
  if (parameter.type === "number" || parameter.type === "integer") return numberMaker(parameter, words)
  return own(words, parameter) ?? dated(words, parameter, around) ?? numbered(words) ?? lexical(words, parameter)
}

const same = (text: string): Value => ({ say: text, fact: text })

const maker = (role: Role, make: Maker["make"]): Maker => ({ role, make })

const nameWords = (name: string): ReadonlyArray<string> => wordsOf(name).map((word) => word.replace(/\d+$/, ""))

const choiceMaker = (parameter: Parameter): Maker => {
  const values = parameter.choices.map((choice) => ({ say: choice.replace(/_/g, " "), fact: choice }))
  const reason = wordsOf(parameter.name).includes("reason")
  return maker(reason ? "reason" : "choice", (choice) => choice.pick(values))
}

/** Data of the person or of whom they write to. */
const own = (words: ReadonlyArray<string>, parameter: Parameter): Maker | undefined => {
  const has = (...wanted: ReadonlyArray<string>): boolean => wanted.some((word) => words.includes(word))
  const last = words[words.length - 1] ?? ""
  const about = parameter.description.toLowerCase()
  if (has("email", "mail") && !has("subject", "body", "text", "content"))
    return maker("email", (_, person) => same(person.email))
  if (["to", "recipient", "recipients", "cc", "bcc"].includes(last) && /e-?mail/.test(about)) {
    return maker("email", (choice) =>
      same(`${choice.pick(En.firstNames)}.${choice.pick(En.lastNames)}@${choice.pick(En.mailHosts)}`.toLowerCase())
    )
  }
  if (has("phone", "telephone", "mobile")) return maker("phone", (_, person) => same(person.phone))
  if (has("zip", "zipcode", "postal", "postcode")) return maker("zip", (_, person) => same(person.zip))
  if (last === "name" && has("first", "given")) return maker("name", (_, person) => same(person.first))
  if ((last === "name" && has("last", "family")) || has("surname"))
    return maker("name", (_, person) => same(person.last))
  if (
    last === "name" &&
    has("user", "customer", "full", "passenger", "guest", "patient", "client", "contact", "account", "holder")
  ) {
    return maker("name", (_, person) => same(`${person.first} ${person.last}`))
  }
  if (last === "name" && has("partner", "friend", "recipient", "person", "criminal", "employee")) {
    return maker("thing", (choice) => same(`${choice.pick(En.firstNames)} ${choice.pick(En.lastNames)}`))
  }
  if (has("address") && /[2-9]$/.test(parameter.name)) return maker("address", (_, person) => same(person.unit))
  if (has("address") && parameter.name.endsWith("1")) return maker("address", (_, person) => same(person.street))
  if (has("street") || (last === "address" && !has("email", "ip", "web"))) {
    return maker("address", (_, person) =>
      same(
        words.length === 1 && last === "address"
          ? `${person.street}, ${person.city}, ${person.state} ${person.zip}`
          : person.street
      )
    )
  }
  if (has("apartment")) return maker("address", (_, person) => same(person.unit))
  if (has("address")) return maker("address", (_, person) => same(person.street))
  return undefined
}

const dated = (words: ReadonlyArray<string>, parameter: Parameter, around: ReadonlySet<string>): Maker | undefined => {
  const last = words[words.length - 1] ?? ""
  if (words.includes("birth") || births.has(last)) return maker("thing", (_, { born }) => same(born))
  const format = parameter.schema["format"]
  const iso = format === "date" || /y{4}-m{2}-d{2}/i.test(parameter.description)
  if (words.includes("timezone") || words.join(" ").includes("time zone")) {
    return maker("thing", (choice) => same(choice.pick(En.timeZones)))
  }
  const limit = words.length === 1 && /^(?:until|till|by)$/.test(last)
  const clock = /\bhh:mm\b|\b24.?h/i.test(parameter.description)
  if (last === "time" || last === "hour" || (limit && (clock || /\btime\b/i.test(parameter.description)))) {
    return maker("time", (choice) => same(choice.pick(clock ? En.clockTimes : En.times)))
  }
  const stay = /^check ?(?:in|out)$/.test(words.join(" "))
  if (words.includes("date") || last === "day" || format === "date" || stay || limit || (iso && !clock)) {
    const side = limit ? "end" : sideOf(words, around)
    if (side !== undefined) {
      return {
        role: "date",
        side,
        make: (_, { lasts, starts }) => dayAt(side === "start" ? starts : starts + lasts, iso && side === "end")
      }
    }
    if (words.some((word) => past.has(word))) return maker("date", (choice) => dayAt(-1 - choice.int(40), iso))
    return maker("date", (choice, person) => (iso ? dayAt(person.starts, true) : spokenDate(choice, person)))
  }
  if (last === "month") return maker("month", (choice) => same(choice.pick(En.months)))
  if (last === "year") return maker("year", (choice) => same(String(1990 + choice.int(34))))
  if (last === "timestamp" || format === "date-time") return maker("date", spokenDate)
  return undefined
}

const births = new Set("birthdate birthday dob".split(" "))

/** Which end of a stretch a date is. Guests arrive and depart; travellers depart and return. */
const sideOf = (words: ReadonlyArray<string>, around: ReadonlySet<string>): Maker["side"] => {
  if (words.includes("departure") && around.has("arrival")) return "end"
  if (words.some((word) => ends.has(word))) return "end"
  return words.some((word) => starts.has(word)) ? "start" : undefined
}
const ends = new Set("out checkout end until till to return dropoff inbound last latest through".split(" "))
const starts = new Set(
  "in checkin start from begin departure depart arrival pickup outbound first earliest since".split(" ")
)
/** What such dates belong to is behind the person who speaks of it. */
const past = new Set("order ordered purchase purchased incident transaction hire hired invoice accident".split(" "))

/** A day some days from the present. */
const dayAt = (days: number, withYear: boolean): Value => {
  const fact = Present.date(days)
  const [year = "", month = "", day = ""] = fact.split("-")
  const say = `${En.months[Number(month) - 1] ?? ""} ${Number(day)}`
  return { say: withYear ? `${say}, ${year}` : say, fact }
}

const spokenDate: Maker["make"] = (choice, { starts: ahead }) => {
  const kind = choice.int(4)
  if (kind === 0) return same(choice.pick(["tomorrow", "today"]))
  if (kind === 1) return same(`${choice.pick(["next ", "this "])}${choice.pick(En.weekdays)}`)
  return dayAt(ahead, false)
}

/** Rooms and tables go by the number on their door or on them. */
const numbered = (words: ReadonlyArray<string>): Maker | undefined => {
  if (!/^(?:id|number|no|code)$/.test(words[words.length - 1] ?? "")) return undefined
  if (words.includes("room")) {
    return maker("thing", (choice) => same(`${1 + choice.int(5)}${String(1 + choice.int(18)).padStart(2, "0")}`))
  }
  return words.includes("table") ? maker("thing", (choice) => same(String(1 + choice.int(24)))) : undefined
}

/** Words of an argument that say nothing about what it holds. */
const generic = new Set(
  "name names type types value values title input string data list original new old target source base main of the my preferred current first second third start end specific given info".split(
    " "
  )
)

const places = new Set(["country", "state", "county", "region", "city", "airport", "location", "district"])
/** Whoever or whatever an ask is "for". */
const subjects = new Set([
  "company",
  "stock",
  "team",
  "league",
  "player",
  "artist",
  "author",
  "sculpture",
  "museum",
  "movie",
  "song",
  "boardgame",
  "game",
  "book",
  "hotel",
  "restaurant",
  "airline",
  "species",
  "crop",
  "plant",
  "religion",
  "battle",
  "topic",
  "recipe",
  "product",
  "service",
  "substance",
  "drug",
  "sport",
  "language",
  "platform"
])

const lexical = (words: ReadonlyArray<string>, parameter: Parameter): Maker | undefined => {
  const free = entryFor(En.freeTexts, words)
  if (free !== undefined) {
    const reason = free.about[0] === "reason"
    return maker(reason ? "reason" : "text", (choice) => same(choice.pick(free.values)))
  }
  const role = directionOf(words)
  const found =
    entryFor(En.lexicons, words) ?? (words.every((word) => generic.has(word)) ? byDescription(parameter) : undefined)
  const shown = examplesIn(parameter.description)
  if (found === undefined) {
    if (shown.length === 0) return undefined
    return maker(role ?? "thing", (choice) => same(choice.pick(shown)))
  }
  const kind = found.about[0] ?? ""
  if (kind === "season") return maker("season", (choice) => same(choice.pick(found.values)))
  const isPlace = places.has(kind) || kind === "origin" || kind === "destination"
  const named = role ?? (kind === "origin" ? "from" : kind === "destination" ? "to" : undefined)
  const plainRole =
    kind === "expression" || kind === "function" ? "expression" : subjects.has(kind) ? "subject" : "thing"
  return maker(isPlace ? (named ?? "place") : plainRole, (choice) => same(choice.pick(found.values)))
}

const directionOf = (words: ReadonlyArray<string>): Role | undefined => {
  if (words.some((word) => ["from", "origin", "start", "departure", "source", "base", "pickup"].includes(word)))
    return "from"
  if (words.some((word) => ["to", "destination", "end", "arrival", "target", "dropoff"].includes(word))) return "to"
  return undefined
}

/** Two words of a name together count before the last one alone. */
const entryFor = (lexicons: ReadonlyArray<En.Lexicon>, words: ReadonlyArray<string>): En.Lexicon | undefined => {
  const joined = words.join("_")
  const whole = lexicons.find((entry) => entry.about.includes(joined))
  if (whole !== undefined) return whole
  for (let i = words.length - 1; i >= 0; i--) {
    const word = words[i] ?? ""
    if (generic.has(word)) continue
    const found = lexicons.find((entry) => entry.about.includes(word))
    if (found !== undefined) return found
  }
  return undefined
}

/** "The name of the museum" -> museum. */
const byDescription = (parameter: Parameter): En.Lexicon | undefined => {
  const match = /\b(?:name|type|title|kind)s? of (?:the |an? |desired |specific )*((?:\w+ ?){1,3})/i.exec(
    parameter.description
  )
  const words = wordsOf(match?.[1] ?? parameter.description.split(/[.,(]/, 1)[0] ?? "")
  for (const word of words) {
    const bare = word.replace(/s$/, "")
    const found = En.lexicons.find((entry) => entry.about.includes(word) || entry.about.includes(bare))
    if (found !== undefined) return found
  }
  return undefined
}

/** Values a description shows: quoted, or a plain list after "e.g.". */
const examplesIn = (description: string): ReadonlyArray<string> => {
  const after =
    /(?:such as|e\.g\.,?|for example,?|like|including|options?(?: are)?:?|supports)\s+([^.;)]*(?:\.\d[^.;)]*)*)/i.exec(
      description
    )
  if (after === null) return []
  const quoted = [...(after[1] ?? "").matchAll(/['"‘“]([^'"’”]{1,40})['"’”]/gu)].map((match) => match[1] ?? "")
  const values = quoted.length > 0 ? quoted : (after[1] ?? "").split(/,|\bor\b|\band\b/)
  return values
    .map((value) => value.trim())
    .filter(
      (value) =>
        value.length > 1 && value.length <= 30 && !/^etc|^\.|[<>{}]|\b(?:if|when|the user|is|be)\b/i.test(value)
    )
    .slice(0, 6)
}

const numberMaker = (parameter: Parameter, words: ReadonlyArray<string>): Maker => {
  const last = words[words.length - 1] ?? ""
  const has = (...wanted: ReadonlyArray<string>): boolean => wanted.some((word) => words.includes(word))
  const whole = parameter.type === "integer"
  const between = (low: number, high: number, role: Role = "number", unit: (n: string) => string = (n) => n): Maker => {
    const [from, to] = bounded(parameter, low, high)
    return maker(role, (choice) => {
      const n = numberIn(from, to, whole, choice)
      return { say: unit(n), fact: n }
    })
  }
  const count = (noun: string): Maker => between(2, 14, "duration", (n) => `${n} ${n === "1" ? noun : `${noun}s`}`)
  // What is paid for is never more than there is.
  if (has("nonfree", "extra") && has("bags", "baggages", "baggage")) return between(0, 1, "number")
  const counted = words.map((word) => countable.get(word)).find((one) => one !== undefined)
  if (counted !== undefined) {
    const [one, many, most] = counted
    return between(1, most, "count", (n) => `${n} ${n === "1" ? one : many}`)
  }
  if (has("quantity", "qty", "copies")) return between(1, 5, "quantity")
  if (last === "nights") {
    const [least, most] = bounded(parameter, 1, 10)
    return maker("duration", (_, person) => {
      const n = String(Math.min(most, Math.max(least, person.lasts)))
      return { say: `${n} ${n === "1" ? "night" : "nights"}`, fact: n }
    })
  }
  const money = has(
    "amount",
    "price",
    "budget",
    "cost",
    "fee",
    "salary",
    "loan",
    "investment",
    "principal",
    "principle",
    "revenue",
    "payment",
    "deposit",
    "balance",
    "profit",
    "value"
  )
  if (has("year") && !has("per") && !money) return between(1990, 2023, "year")
  if (["nights", "days", "weeks", "months", "hours", "minutes", "seconds"].includes(last))
    return count(last.slice(0, -1))
  if (last === "years" || has("term")) return count("year")
  if (has("century")) return between(12, 19)
  if (has("rate", "percent", "percentage", "interest", "return", "growth", "discount")) {
    return maker("number", (choice) => {
      const n = `${1 + choice.int(9)}.${choice.int(10)}`
      return { say: `${n}%`, fact: n }
    })
  }
  if (
    has("frequency", "probability", "allele") &&
    /between 0 and 1|allele/i.test(`${parameter.name} ${parameter.description}`)
  ) {
    return maker("number", (choice) => same(`0.${1 + choice.int(9)}`))
  }
  if (money && !has("currency")) {
    const [from, to] = bounded(parameter, 40, 950)
    return maker("money", (choice) => {
      const n = numberIn(from, to, true, choice)
      return {
        say: /\b(?:base|from|source|currency|convert)/i.test(parameter.description) || has("value") ? n : `$${n}`,
        fact: n
      }
    })
  }
  if (has("rating", "score", "stars"))
    return maker("number", (choice) =>
      same(whole ? String(3 + choice.int(2)) : choice.pick(["4", "4.5", "3.5", "4.2"]))
    )
  if (has("age")) return between(18, 75)
  if (has("latitude", "lat")) return maker("number", (choice) => same(`${10 + choice.int(50)}.${10 + choice.int(90)}`))
  if (has("longitude", "lon", "lng"))
    return maker("number", (choice) => same(`${choice.int(120)}.${10 + choice.int(90)}`))
  if (has("volume") && /mute|percent|0.*100/i.test(parameter.description)) return between(10, 90)
  if (has("tempo", "bpm")) return between(70, 150)
  if (has("area", "distance", "mass", "population", "mileage", "miles", "calories")) return between(100, 900)
  if (has("frequency")) return between(200, 900)
  return between(2, 60)
}

/** What is counted in ones and twos: one, several, and the most that people ask for. */
const countable: ReadonlyMap<string, readonly [one: string, many: string, most: number]> = new Map([
  ["guests", ["guest", "guests", 6]],
  ["people", ["person", "people", 6]],
  ["persons", ["person", "people", 6]],
  ["party", ["person", "people", 6]],
  ["pax", ["person", "people", 6]],
  ["passengers", ["passenger", "passengers", 6]],
  ["travelers", ["traveler", "travelers", 6]],
  ["travellers", ["traveller", "travellers", 6]],
  ["attendees", ["person", "people", 6]],
  ["adults", ["adult", "adults", 4]],
  ["children", ["child", "children", 3]],
  ["kids", ["kid", "kids", 3]],
  ["infants", ["infant", "infants", 2]],
  ["rooms", ["room", "rooms", 3]],
  ["beds", ["bed", "beds", 3]],
  ["seats", ["seat", "seats", 4]],
  ["tickets", ["ticket", "tickets", 4]],
  ["bags", ["bag", "bags", 3]],
  ["baggages", ["bag", "bags", 3]]
])

const bounded = (parameter: Parameter, low: number, high: number): readonly [number, number] => {
  const least = parameter.schema["minimum"]
  const most = parameter.schema["maximum"]
  const from = typeof least === "number" ? Math.max(least, Math.min(low, typeof most === "number" ? most : low)) : low
  const to = typeof most === "number" ? Math.min(most, Math.max(high, from)) : Math.max(high, from)
  return [Math.min(from, to), to]
}

const numberIn = (from: number, to: number, whole: boolean, choice: Choice): string => {
  const n = Math.ceil(from) + choice.int(Math.max(1, Math.floor(to) - Math.ceil(from) + 1))
  return whole || choice.chance(0.6) ? String(n) : `${n}.${1 + choice.int(9)}`
}
