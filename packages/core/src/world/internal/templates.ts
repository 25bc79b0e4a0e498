/**
 * Records of everyday kinds, for tools that declare no result: what an engineer would expect to find in an order, a
 * user or a reservation. Identifiers of other records appear only where the agent's tools can use them.
 */
import * as Calendar from "./calendar.ts"
import * as Fields from "./fields.ts"
import * as Keyed from "./keyed.ts"
import { plural } from "./nouns.ts"
import * as Words from "./vocabulary.ts"
import * as Subjects from "./subjects.ts"
import * as Texts from "./texts.ts"

type Subject = Subjects.Of

export type Entries = ReadonlyArray<readonly [string, unknown]>
type Template = (of: Subject) => Entries

/** Fields for a record of the kind, without its identifier; empty for kinds that have no template. */
export const of = (subject: Subject): Entries => (byHead.get(subject.head) ?? generic)(subject)

/** Whether records of the kind have a template of their own. */
export const isKnown = (noun: string): boolean => byHead.has(noun.split("_").pop() ?? noun)

/** The field of that name, whatever the kind of record. */
export const field = (subject: Subject, name: string): unknown =>
  Fields.named(name)?.(subject) ?? Fields.plain(subject, name)

const some = (subject: Subject, ...names: ReadonlyArray<string>): Entries =>
  names.map((name) => [name, field(subject, name)] as const)

/** The identifier of another record, if tools know such records. */
const ref = (subject: Subject, ...nouns: ReadonlyArray<string>): Entries => {
  const noun = nouns.find((one) => subject.world.has(one))
  if (noun === undefined) return []
  const id = refer(subject, noun)
  return id === null ? [] : [[`${noun}_id`, id]]
}

export const refer = (subject: Subjects.Of, noun: string): string | null =>
  subject.world.refer(subject, noun, Keyed.at(subject.key, `ref_${noun}`))

const person = (subject: Subject, label: string): Entries => {
  const known = ref(subject, "user", "customer", "member", "client", "patient", "guest", "employee", "student")
  return known.length > 0 ? known : [[label, field(subject, label)]]
}

const firstArgument = (subject: Subject, ...names: ReadonlyArray<string>): string =>
  names.find((name) => subject.world.argument(name)) ?? names[names.length - 1] ?? ""

export const address = (subject: Subject): Readonly<Record<string, unknown>> => {
  const line = firstArgument(subject, "address1", "address_line1", "street_address", "street")
  const state = firstArgument(subject, "province", "state")
  const zip = firstArgument(subject, "zip", "zip_code", "postal_code")
  return Object.fromEntries(
    some(subject, line, ...(line === "address1" ? ["address2"] : []), "city")
      .concat([[state, Subjects.placeOf(subject).state]])
      .concat(some(subject, zip, "country"))
  )
}

const options = (subject: Subjects.Of): Readonly<Record<string, string>> => ({
  color: Keyed.pick(Keyed.at(subject.key, "color"), Words.colors),
  style: Keyed.pick(Keyed.at(subject.key, "style"), Words.styles)
})

/** An item is called what its product is called. */
const itemName = (subject: Subject): unknown => {
  const product = subject.noun !== "product" && subject.world.has("product") ? refer(subject, "product") : null
  return field(product === null ? subject : subject.world.other("product", product), "name")
}

/** Who a record belongs to, where tools know such people. */
const ownerOf = (subject: Subject): Subject => {
  const noun = ["user", "customer", "member", "client"].find((one) => subject.world.has(one))
  const id = noun === undefined || noun === subject.noun ? null : refer(subject, noun)
  return noun === undefined || id === null ? subject : subject.world.other(noun, id)
}

const cents = (value: number): number => Math.round(value * 100) / 100

/** What an order holds: real items of the world where items have identifiers. */
const lines = (order: Subject): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const count = Keyed.between(Keyed.at(order.key, "lines"), 1, 3)
  const seen = new Set<string>()
  const out: Array<Readonly<Record<string, unknown>>> = []
  for (let i = 0; out.length < count && i < count * 3; i++) {
    const key = Keyed.nth(Keyed.at(order.key, "line"), i)
    const noun = order.world.has("item") ? "item" : order.world.has("product") ? "product" : null
    const id = noun === null ? null : order.world.refer(order, noun, key)
    const shown = id ?? String(i)
    if (seen.has(shown)) continue
    seen.add(shown)
    if (noun === null || id === null) {
      const line = { ...order, key, id: "", noun: "item", head: "item" }
      out.push(Object.fromEntries(some(line, "name", "quantity", "price")))
      continue
    }
    const item = order.world.other(noun, id)
    out.push({
      name: itemName(item),
      ...(noun === "item" ? Object.fromEntries(ref(item, "product")) : {}),
      [`${noun}_id`]: id,
      ...(noun === "item" ? { options: options(item) } : { quantity: Keyed.between(key, 1, 3) }),
      price: field(item, "price")
    })
  }
  return out
}

const order: Template = (of) => {
  const items = lines(of)
  const total = cents(items.reduce((sum, item) => sum + Number(item["price"]) * Number(item["quantity"] ?? 1), 0))
  const payment = payments(of)[0]
  return [
    ...person(of, "customer_name"),
    ...some(of, "status", "created_at"),
    ["items", items],
    ["total", total],
    ["currency", "USD"],
    ["address", address(ownerOf(of))],
    ...(payment === undefined
      ? [["payment_method", Keyed.pick(Keyed.at(of.key, "pays"), ["credit_card", "paypal", "gift_card"])] as const]
      : [["payment_history", [{ transaction_type: "payment", amount: total, payment_method_id: payment }]] as const]),
    ...(of.world.has("tracking") ? some(of, "tracking_number") : [])
  ]
}

/** A person's ways to pay; those of the person who owns the record. */
const payments = (of: Subject): ReadonlyArray<string> => {
  if (!of.world.has("payment_method")) return []
  const payer = ownerOf(of)
  const count = Keyed.between(Keyed.at(payer.key, "payments"), 1, 2)
  const ids = Array.from({ length: count }, (_, i) =>
    payer.world.refer(payer, "payment_method", Keyed.nth(Keyed.at(payer.key, "pay"), i))
  )
  return [...new Set(ids.filter((one) => one !== null))]
}

const paymentMethod = (id: string, of: Subject): Readonly<Record<string, unknown>> => {
  const source = /^([a-z]+(?:_[a-z]+)*)_\d+$/.exec(id)?.[1] ?? "credit_card"
  const own = of.world.other("payment_method", id)
  if (source === "paypal") return { payment_method_id: id, source }
  return source.includes("gift") || source.includes("certificate")
    ? { payment_method_id: id, source, balance: Keyed.between(Keyed.at(own.key, "balance"), 10, 100) }
    : {
        payment_method_id: id,
        source,
        brand: Keyed.pick(Keyed.at(own.key, "card"), Words.cards),
        last_four: Texts.digits(own.key, 4)
      }
}

const user: Template = (of) => {
  const owned = ["order", "reservation", "booking", "account", "subscription", "ticket"].filter((noun) =>
    of.world.has(noun)
  )
  return [
    ...(of.world.argument("first_name") ? some(of, "first_name", "last_name") : some(of, "name")),
    ...some(of, "email", "phone"),
    ["address", address(of)],
    ...(of.world.has("payment_method")
      ? [["payment_methods", payments(of).map((id) => paymentMethod(id, of))] as const]
      : []),
    ...owned.map((noun) => [plural(noun), of.world.owned(of, noun)] as const),
    ...some(of, "created_at")
  ]
}

const product: Template = (of) => [
  ...some(of, "name"),
  ["category", Words.categoryByProduct.get(String(field(of, "name"))) ?? "home"],
  ...some(of, "brand"),
  ...(of.world.has("item") && of.noun !== "item"
    ? [
        [
          "variants",
          of.world.owned(of, "item").map((id) => {
            const item = of.world.other("item", id)
            return { item_id: id, options: options(item), ...Object.fromEntries(some(item, "available", "price")) }
          })
        ] as const
      ]
    : [
        ["price", field(of, "price")] as const,
        ["currency", "USD"] as const,
        ["available", field(of, "available")] as const
      ]),
  ...some(of, "rating")
]

const item: Template = (of) => [
  ...ref(of, "product"),
  ["name", itemName(of)],
  ["options", options(of)],
  ...some(of, "available", "price"),
  ["currency", "USD"]
]

const reservation: Template = (of) => [
  ...person(of, "guest_name"),
  ...some(of, "status"),
  ...(of.world.argument("origin") || of.world.has("flight")
    ? [
        ...some(of, "origin", "destination", "departure_date", "cabin"),
        ...(of.world.has("flight") ? [["flight_number", refer(of, "flight")] as const] : [])
      ]
    : [...ref(of, "hotel", "room", "restaurant", "property"), ...stay(of), ...some(of, "guests")]),
  ["total_price", Texts.money(Keyed.at(of.key, "total_price"), 80, 900)],
  ["currency", "USD"],
  ...some(of, "created_at")
]

/** The days of a booking, called what the tools call them. */
const stay = (of: Subject): Entries =>
  some(of, firstArgument(of, "check_in", "check_in_date"), firstArgument(of, "check_out", "check_out_date"))

/** A kind of room has its price; every room has its kind. */
const room: Template = (of) => {
  const [type, sleeps, price] = Keyed.pick(Keyed.at(of.key, "type"), Words.roomTypes)
  return [
    ...ref(of, "hotel", "property"),
    ["type", type],
    // Where tools ask for how many, a search has seen to it.
    ...(of.world.argument("guests") ? [] : [["sleeps", sleeps] as const]),
    ["price_per_night", price + Keyed.int(Keyed.at(of.key, "price"), 9) * 5],
    ["currency", "USD"],
    ["available", true],
    ...some(of, "amenities")
  ]
}

const flight: Template = (of) => [
  ...(of.world.has("flight")
    ? []
    : ([["flight_number", `${Texts.code(of.key, 2).replace(/\d/g, "A")}${Texts.digits(of.key, 3)}`]] as const)),
  ...some(of, "airline", "origin", "destination", "departure_time", "arrival_time", "status"),
  ["price", Texts.money(Keyed.at(of.key, "price"), 89, 620)],
  ["currency", "USD"],
  ["seats_available", Keyed.between(Keyed.at(of.key, "seats"), 1, 40)]
]

const venue: Template = (of) => [
  ...some(of, "name"),
  ["address", address(of)],
  ...some(of, "phone", "rating", "review_count"),
  ...(of.head === "restaurant" ? some(of, "cuisine") : []),
  ...(of.head === "hotel"
    ? [["price_per_night", Texts.money(Keyed.at(of.key, "price"), 60, 320)] as const, ...some(of, "amenities")]
    : some(of, "opening_hours"))
]

const account: Template = (of) => [
  ...person(of, "holder"),
  ["account_type", Keyed.pick(Keyed.at(of.key, "type"), ["checking", "savings"])],
  ...some(of, "status", "balance"),
  ["currency", "USD"],
  ...some(of, "opened_on")
]

const payment: Template = (of) => [
  ...person(of, "customer_name"),
  ...ref(of, "order", "invoice", "reservation", "account"),
  ...some(of, "amount"),
  ["currency", "USD"],
  ...some(of, "status"),
  ["method", Keyed.pick(Keyed.at(of.key, "pays"), ["credit_card", "paypal", "bank_transfer"])],
  ...(of.head === "invoice" || of.head === "bill" ? some(of, "issued_on", "due_date") : some(of, "created_at"))
]

const ticket: Template = (of) => [
  ...person(of, "requester_name"),
  ...some(of, "subject", "description", "status", "priority", "assignee", "created_at", "updated_at")
]

const event: Template = (of) => [
  ...person(of, "organizer_name"),
  ...some(of, "title", "start_date"),
  ["start_time", field(of, "start_time")],
  ...some(of, "duration_minutes", "location", "status")
]

const message: Template = (of) => [
  ...some(of, "subject", "body"),
  ["from", field(of, "email")],
  ...some(of, "status", "sent_at")
]

const file: Template = (of) => [
  ...some(of, "name"),
  ["size_bytes", Keyed.between(Keyed.at(of.key, "bytes"), 2_000, 4_000_000)],
  ...some(of, "mime_type", "owner_name", "created_at", "updated_at")
]

const shipment: Template = (of) => [
  ...ref(of, "order"),
  ...some(of, "carrier", "status", "origin_city", "destination_city", "shipped_at", "estimated_delivery_date")
]

const subscription: Template = (of) => [
  ...person(of, "customer_name"),
  ["plan", Keyed.pick(Keyed.at(of.key, "plan"), ["basic", "standard", "premium"])],
  ...some(of, "status", "price"),
  ["currency", "USD"],
  ["billing_period", "monthly"],
  ...some(of, "start_date", "renews_on")
]

const cart: Template = (of) => [...person(of, "customer_name"), ["items", []], ["currency", "USD"]]

const slot: Template = (of) => [
  ...some(of, "date"),
  ...some(of, "start_time"),
  ["duration_minutes", 30],
  ["available", true]
]

const article: Template = (of) => [
  ...(of.head === "faq" ? some(of, "question", "answer") : some(of, "title", "summary")),
  ...some(of, "url", "updated_at")
]

const weather: Template = (of) => some(of, "temperature", "conditions", "humidity", "wind_speed")

const work: Template = (of) => some(of, "title", "status", "priority", "assignee", "due_date", "created_at")

const creation: Template = (of) => [
  ...some(of, "title"),
  [of.head === "book" ? "author" : "creator", field(of, "author")],
  ...some(of, "year", "genre", "rating")
]

const vehicle: Template = (of) => [
  ["model", field(of, "model")],
  ...some(of, "year", "color", "mileage_count"),
  ["price_per_day", Texts.money(Keyed.at(of.key, "price"), 30, 120)],
  ...some(of, "available", "location")
]

const stock: Template = (of) => [
  ...some(of, "price"),
  ["change", Keyed.between(Keyed.at(of.key, "change"), -400, 400) / 100],
  ["currency", "USD"],
  ["volume", Keyed.between(Keyed.at(of.key, "volume"), 100_000, 9_000_000)],
  ["as_of", Calendar.instant(0)]
]

/** What nobody has identifiers for has no state that anybody could change. */
const generic: Template = (of) =>
  of.world.has(of.noun)
    ? some(of, "name", "status", "description", "updated_at")
    : some(of, "name", "description", "updated_at")

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
