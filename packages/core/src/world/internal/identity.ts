/**
 * What people know of themselves: what their record says, under the names that tools and policy have for it.
 */
import * as Keyed from "./keyed.ts"
import { find as fieldOf } from "./assign.ts"
import type { JsonObject } from "./records.ts"
import type { RunPlan, ToolPlan } from "./toolPlans.ts"
import type { Drawn, Person } from "../Draws.ts"

/** Names for what a record has under another one. */
const alike: ReadonlyArray<ReadonlyArray<string>> = [
  ["date_of_birth", "birth_date", "birthdate", "dob", "geburtsdatum"],
  ["zip", "zip_code", "zipcode", "postal_code", "postcode", "plz"],
  ["phone", "phone_number", "telephone", "mobile"],
  ["email", "email_address", "mail"],
  ["name", "full_name", "customer_name", "patient_name"],
  ["address1", "address_line1", "street_address", "street", "strasse"],
  ["state", "province"],
  ["city", "ort"]
]

/** The value a record holds for a field of this or a like name; null where it holds none. */
export const valueOf = (record: JsonObject, name: string): string | null => {
  const names = alike.find((all) => all.includes(name)) ?? [name]
  for (const one of [name, ...names]) {
    const value = fieldOf(record, one)
    if (typeof value === "string" || typeof value === "number") return String(value)
  }
  if (name === "first_name" || name === "last_name") {
    const whole = fieldOf(record, "name")
    const words = typeof whole === "string" ? whole.split(" ") : []
    return (name === "first_name" ? words[0] : words.slice(1).join(" ")) || null
  }
  if (names.includes("name")) {
    const [first, last] = [fieldOf(record, "first_name"), fieldOf(record, "last_name")]
    return typeof first === "string" && typeof last === "string" ? `${first} ${last}` : null
  }
  return null
}

/** People know these of themselves, whoever asks. */
const plain: ReadonlyArray<string> = ["email", "phone", "zip"]
/** Share of people who have their own identifier at hand where there are other ways to find them. */
const remembers = 0.5
/** Share of people who do not know under which e-mail address they are kept, where they can be found without it. */
const forgets = 0.12

export const of = (run: RunPlan, who: Person, key: Keyed.Key): Pick<Drawn, "identity" | "unknown"> => {
  const type = run.types.type(who.noun)
  const known: Record<string, string> = Object.create(null) as Record<string, string>
  const unknown: Array<string> = []
  const tell = (name: string): void => {
    const value = valueOf(who.record, name)
    if (value !== null) known[name] = value
  }
  const ways = waysTo(run, who.noun)
  const asked = new Set(ways.flat())
  const names = nameFields(who.record)
  for (const name of [...names, ...plain, ...run.checks, ...asked]) {
    if (name !== "name" || names.includes("name")) tell(name)
  }
  // Two names of one field are one thing to know.
  for (const all of alike) {
    const told = all.filter((name) => Object.hasOwn(known, name))
    for (const name of told.slice(1)) delete known[name]
  }
  if (run.checks.has("address")) {
    const address = addressOf(who.record)
    if (address !== null) known["address"] = address
  }
  // One who is kept by an identifier alone has it; others may have left it at home.
  if (ways.length === 0 || run.checks.has(type.idField) || Keyed.chance(Keyed.at(key, "id"), remembers)) {
    known[type.idField] = who.id
  } else unknown.push(type.idField)
  const withoutMail = ways.some((way) => way.length > 0 && !way.includes("email"))
  if (Object.hasOwn(known, "email") && withoutMail && Keyed.chance(Keyed.at(key, "mail"), forgets)) {
    delete known["email"]
    unknown.push("email")
  }
  return { identity: known, unknown }
}

/** The sets of fields by which tools find such a person without an identifier. */
const waysTo = (run: RunPlan, noun: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...run.tools.values()].flatMap((plan: ToolPlan) =>
    plan.type.noun === noun && plan.mode === "lookup"
      ? [plan.arguments.filter(({ reference, required }) => required && reference === null).map(({ name }) => name)]
      : []
  )

const nameFields = (record: JsonObject): ReadonlyArray<string> =>
  typeof fieldOf(record, "first_name") === "string" && typeof fieldOf(record, "last_name") === "string"
    ? ["first_name", "last_name"]
    : ["name"]

const addressOf = (record: JsonObject): string | null => {
  const of = (name: string): string => valueOf(record, name) ?? ""
  const street = of("address1")
  if (street === "") return null
  return `${street}, ${[of("city"), `${of("state")} ${of("zip")}`.trim()].filter((part) => part !== "").join(", ")}`
}
