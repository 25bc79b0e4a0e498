/**
 * Records of everyday kinds, for tools that declare no result: what an engineer would expect to find in an order, a
 * user or a reservation. Identifiers of other records appear only where the agent's tools can use them.
 */
import * as English from "../../language/English.ts"
import * as Calendar from "./calendar.ts"
import * as Fields from "./fields.ts"
import * as Keyed from "./keyed.ts"
import {
  address,
  always,
  field,
  firstArgument,
  itemName,
  lines,
  options,
  ownerOf,
  paymentMethod,
  payments,
  person,
  ref,
  refer,
  some,
  write,
  type Field,
  type Kind
} from "./parts.ts"
import { isRecord } from "./records.ts"
import type * as Subjects from "./subjects.ts"
import * as Texts from "./texts.ts"
import * as Words from "./vocabulary.ts"

type Template = (kind: Kind) => ReadonlyArray<Field>

/** Fields for records of the kind, without their identifier. */
export const of: Template = (kind) => (byHead.get(kind.head) ?? generic)(kind)

/** Whether records of the kind have a template of their own. */
export const isKnown = (noun: string): boolean => byHead.has(noun.split("_").pop() ?? noun)

const currency = field("currency", always("USD"))

/** Draws for a field of its own: the name of the draw is that of the field, if not said otherwise. */
const drawn = (name: string, draw: (key: Keyed.Key) => unknown, by = name): Field =>
  field(name, (of) => draw(Keyed.at(of.key, by)))
const money = (name: string, low: number, high: number, by = name): Field =>
  drawn(name, (key) => Texts.money(key, low, high), by)
const oneOf = (name: string, values: ReadonlyArray<string>, by = name): Field =>
  drawn(name, (key) => Keyed.pick(key, values), by)
const whole = (name: string, low: number, high: number, by = name): Field =>
  drawn(name, (key) => Keyed.between(key, low, high), by)

const order: Template = (kind) => {
  const paid = payments(kind)
  const owner = ownerOf(kind)
  const home = address(kind)
  return [
    ...person(kind, "customer_name"),
    ...some("status", "created_at"),
    field("items", lines(kind)),
    field("total", (_of, { items }) => worth(items)),
    currency,
    field("address", (of) => home(owner(of))),
    paid === null
      ? oneOf("payment_method", ["credit_card", "paypal", "gift_card"], "pays")
      : field("payment_history", (of, { total }) => [
          { transaction_type: "payment", amount: total, payment_method_id: paid(of)[0] }
        ]),
    ...(kind.has("tracking") ? some("tracking_number") : [])
  ]
}

/** What the lines of an order come to, in whole cents. */
const worth = (items: unknown): number => {
  let sum = 0
  for (const item of Array.isArray(items) ? items : []) {
    if (isRecord(item)) sum += Number(item["price"]) * Number(item["quantity"] ?? 1)
  }
  return Math.round(sum * 100) / 100
}

const user: Template = (kind) => {
  const owned = ["order", "reservation", "booking", "account", "subscription", "ticket"].filter(kind.has)
  const paid = payments(kind)
  return [
    ...(kind.argument("first_name") ? some("first_name", "last_name") : some("name")),
    ...some("email", "phone"),
    field("address", address(kind)),
    ...told(kind),
    ...(paid === null ? [] : [field("payment_methods", (of) => paid(of).map((id) => paymentMethod(id, of)))]),
    ...owned.map((noun) => field(English.plural(noun), (of) => of.world.owned(of, noun))),
    ...some("created_at")
  ]
}

/** What people are told apart by where tools ask for it, or the policy does. */
const told: Template = (kind) => [
  ...some(...births.filter(kind.argument), ...(kind.checked("date_of_birth") ? ["date_of_birth"] : [])).slice(0, 1),
  ...some(...["pin", "security_word"].filter((name) => kind.argument(name) || kind.checked(name)))
]
const births = ["date_of_birth", "birth_date", "dob", "birthdate", "geburtsdatum"]

const product: Template = (kind) => {
  const offer = some("available", "price")
  const variants = field("variants", (of) =>
    of.world.owned(of, "item").map((id) => {
      const item = of.world.other("item", id)
      return write(offer, item, { item_id: id, options: options(item) })
    })
  )
  return [
    ...some("name"),
    field("category", (_of, { name }) => Words.categoryByProduct.get(String(name)) ?? "home"),
    ...some("brand"),
    ...(kind.has("item") && kind.noun !== "item" ? [variants] : [...some("price"), currency, ...some("available")]),
    ...some("rating")
  ]
}

const item: Template = (kind) => [
  ...ref(kind, "product"),
  field("name", itemName(kind)),
  field("options", options),
  ...some("available", "price"),
  currency
]

const reservation: Template = (kind) => [
  ...person(kind, "guest_name"),
  ...some("status"),
  ...(kind.argument("origin") || kind.has("flight")
    ? [
        ...some("origin", "destination", "departure_date", "cabin"),
        ...(kind.has("flight") ? [field("flight_number", (of) => refer(of, "flight"))] : [])
      ]
    : [...ref(kind, "hotel", "room", "restaurant", "property"), ...stay(kind), ...some("guests")]),
  money("total_price", 80, 900),
  currency,
  ...some("created_at")
]

/** The days of a booking, called what the tools call them. */
const stay: Template = (kind) =>
  some(firstArgument(kind, "check_in", "check_in_date"), firstArgument(kind, "check_out", "check_out_date"))

/** A kind of room has its price; every room has its kind. */
const room: Template = (kind) => {
  const typeOf = (of: Subjects.FieldContext): (typeof Words.roomTypes)[number] =>
    Keyed.pick(Keyed.at(of.key, "type"), Words.roomTypes)
  return [
    ...ref(kind, "hotel", "property"),
    field("type", (of) => typeOf(of)[0]),
    // Where tools ask for how many, a search has seen to it.
    ...(kind.argument("guests") ? [] : [field("sleeps", (of) => typeOf(of)[1])]),
    field("price_per_night", (of) => typeOf(of)[2] + Keyed.int(Keyed.at(of.key, "price"), 9) * 5),
    currency,
    field("available", always(true)),
    ...some("amenities")
  ]
}

const flight: Template = (kind) => [
  ...(kind.has("flight")
    ? []
    : [field("flight_number", (of) => `${Texts.code(of.key, 2).replace(/\d/g, "A")}${Texts.digits(of.key, 3)}`)]),
  ...some("airline", "origin", "destination", "departure_time", "arrival_time", "status"),
  money("price", 89, 620),
  currency,
  whole("seats_available", 1, 40, "seats")
]

const venue: Template = (kind) => [
  ...some("name"),
  field("address", address(kind)),
  ...some("phone", "rating", "review_count"),
  ...(kind.head === "restaurant" ? some("cuisine") : []),
  ...(kind.head === "hotel"
    ? [money("price_per_night", 60, 320, "price"), ...some("amenities")]
    : some("opening_hours"))
]

const account: Template = (kind) => [
  ...person(kind, "holder"),
  oneOf("account_type", ["checking", "savings"], "type"),
  ...some("status", "balance"),
  currency,
  ...some("opened_on")
]

const payment: Template = (kind) => [
  ...person(kind, "customer_name"),
  ...ref(kind, "order", "invoice", "reservation", "account"),
  ...some("amount"),
  currency,
  ...some("status"),
  oneOf("method", ["credit_card", "paypal", "bank_transfer"], "pays"),
  ...(kind.head === "invoice" || kind.head === "bill" ? some("issued_on", "due_date") : some("created_at"))
]

const ticket: Template = (kind) => [
  ...person(kind, "requester_name"),
  ...some("subject", "description", "status", "priority", "assignee", "created_at", "updated_at")
]

const event: Template = (kind) => [
  ...person(kind, "organizer_name"),
  ...some("title", "start_date", "start_time", "duration_minutes", "location", "status")
]

const message: Template = () => [
  ...some("subject", "body"),
  field("from", Fields.any("email")),
  ...some("status", "sent_at")
]

const file: Template = () => [
  ...some("name"),
  whole("size_bytes", 2_000, 4_000_000, "bytes"),
  ...some("mime_type", "owner_name", "created_at", "updated_at")
]

const shipment: Template = (kind) => [
  ...ref(kind, "order"),
  ...some("carrier", "status", "origin_city", "destination_city", "shipped_at", "estimated_delivery_date")
]

const subscription: Template = (kind) => [
  ...person(kind, "customer_name"),
  oneOf("plan", ["basic", "standard", "premium"]),
  ...some("status", "price"),
  currency,
  field("billing_period", always("monthly")),
  ...some("start_date", "renews_on")
]

const cart: Template = (kind) => [...person(kind, "customer_name"), field("items", () => []), currency]

const slot: Template = () => [
  ...some("date", "start_time"),
  field("duration_minutes", always(30)),
  field("available", always(true))
]

const article: Template = ({ head }) => [
  ...(head === "faq" ? some("question", "answer") : some("title", "summary")),
  ...some("url", "updated_at")
]

const weather: Template = () => some("temperature", "conditions", "humidity", "wind_speed")

const work: Template = () => some("title", "status", "priority", "assignee", "due_date", "created_at")

const creation: Template = ({ head }) => [
  ...some("title"),
  field(head === "book" ? "author" : "creator", Fields.any("author")),
  ...some("year", "genre", "rating")
]

const vehicle: Template = () => [
  ...some("model", "year", "color", "mileage_count"),
  money("price_per_day", 30, 120, "price"),
  ...some("available", "location")
]

const stock: Template = () => [
  ...some("price"),
  drawn("change", (key) => Keyed.between(key, -400, 400) / 100),
  currency,
  whole("volume", 100_000, 9_000_000),
  field("as_of", always(Calendar.instant(0)))
]

/** What nobody has identifiers for has no state that anybody could change. */
const generic: Template = (kind) =>
  kind.has(kind.noun) ? some("name", "status", "description", "updated_at") : some("name", "description", "updated_at")

const byHead: ReadonlyMap<string, Template> = new Map(
  (
    [
      ["order purchase", order],
      ["product good article equipment", product],
      ["item variant sku", item],
      ["reservation booking rental trip", reservation],
      ["room suite apartment", room],
      ["flight train bus", flight],
      ["hotel restaurant venue store shop cafe museum property location place", venue],
      ["account wallet card", account],
      ["payment transaction invoice bill charge refund transfer", payment],
      ["ticket case issue incident complaint request claim inquiry", ticket],
      ["event meeting appointment session class visit", event],
      ["message email notification sms reply", message],
      ["file document attachment image photo report", file],
      ["shipment package parcel delivery tracking", shipment],
      ["subscription membership policy plan", subscription],
      ["weather forecast", weather],
      ["cart basket bag", cart],
      ["slot", slot],
      ["article faq base page post doc guide policy_document", article],
      ["task todo project job milestone reminder", work],
      ["movie book song album game show artwork painting sculpture recipe track", creation],
      ["car vehicle truck", vehicle],
      ["stock share ticker", stock],
      [[...Words.personNouns].join(" "), user]
    ] as const
  ).flatMap(([heads, template]) => heads.split(" ").map((head) => [head, template] as const))
)
