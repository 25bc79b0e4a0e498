/**
 * Parts that records of several kinds have: whose they are, where they are sent, what they list, how they are paid. What
 * a run's tools decide of a part is decided once for each kind; what is left is to draw its values for a record.
 */
import * as Fields from "./fields.ts"
import * as Keyed from "./keyed.ts"
import type { JsonObject } from "./records.ts"
import * as Subjects from "./subjects.ts"
import * as Texts from "./texts.ts"
import * as Words from "./vocabulary.ts"

type Subject = Subjects.FieldContext

/** What a run knows of a kind of record before there is any. */
export interface Kind {
  readonly noun: string
  readonly head: string
  /** Whether tools take identifiers of such records. */
  readonly has: (noun: string) => boolean
  /** Whether a tool has such an argument: shapes speak the caller's own field names. */
  readonly argument: (name: string) => boolean
  /** Whether the policy has the agent compare such a field to know who it talks to. */
  readonly checked: (field: string) => boolean
}

/** A field and how it is made, where need be of the fields made before it. */
export interface Field {
  readonly name: string
  readonly make: (of: Subject, before: JsonObject) => unknown
}

export const field = (name: string, make: Field["make"]): Field => ({ name, make })

/** Makes the fields of a record in an object. */
export const write = (
  fields: ReadonlyArray<Field>,
  of: Subject,
  out: Record<string, unknown> = {}
): Record<string, unknown> => {
  for (const { name, make } of fields) out[name] = make(of, out)
  return out
}

/** Fields of these names, whatever the kind of record. */
export const some = (...names: ReadonlyArray<string>): ReadonlyArray<Field> =>
  names.map((name) => field(name, Fields.any(name)))

export const always = (value: unknown) => (): unknown => value

/** The identifier of another record, if tools know such records. */
export const ref = (kind: Kind, ...nouns: ReadonlyArray<string>): ReadonlyArray<Field> => {
  const noun = nouns.find(kind.has)
  return noun === undefined ? [] : [field(`${noun}_id`, (of) => refer(of, noun))]
}

export const refer = (of: Subject, noun: string): string | null => of.world.parent(of, noun)

/** Kinds of people that records belong to, the likeliest first. */
export const people: ReadonlyArray<string> = [
  ..."user customer member client patient guest employee student subscriber passenger tenant resident donor borrower engineer developer operator".split(
    " "
  ),
  ..."kunde kunden cliente usuario paciente utilisateur".split(" ")
]

export const person = (kind: Kind, label: string): ReadonlyArray<Field> => {
  const known = ref(kind, ...people)
  return known.length > 0 ? known : some(label)
}

export const firstArgument = (kind: Kind, ...names: ReadonlyArray<string>): string =>
  names.find(kind.argument) ?? names[names.length - 1] ?? ""

export const address = (kind: Kind): ((of: Subject) => JsonObject) => {
  const line = firstArgument(kind, "address1", "address_line1", "street_address", "street")
  const state = firstArgument(kind, "province", "state")
  const zip = firstArgument(kind, "zip", "zip_code", "postal_code")
  const fields = [
    ...some(line, ...(line === "address1" ? ["address2"] : []), "city"),
    field(state, (of) => Subjects.placeOf(of).state),
    ...some(zip, "country")
  ]
  return (of) => write(fields, of)
}

export const options = (of: Subject): Readonly<Record<string, string>> => ({
  color: Keyed.pick(Keyed.at(of.key, "color"), Words.colors),
  style: Keyed.pick(Keyed.at(of.key, "style"), Words.styles)
})

/** An item is called what its product is called. */
export const itemName = (kind: Kind, noun = kind.noun): ((of: Subject) => unknown) => {
  const name = Fields.any("name")
  if (noun === "product" || !kind.has("product")) return name
  return (of) => {
    const product = refer(of, "product")
    return name(product === null ? of : of.world.other("product", product))
  }
}

/** Who a record belongs to, where tools know such people. */
export const ownerOf = (kind: Kind): ((of: Subject) => Subject) => {
  const noun = ["user", "customer", "member", "client"].find(kind.has)
  if (noun === undefined || noun === kind.noun) return (of) => of
  return (of) => {
    const id = refer(of, noun)
    return id === null ? of : of.world.other(noun, id)
  }
}

/** What an order holds: real items of the world where items have identifiers. */
export const lines = (kind: Kind): ((order: Subject) => ReadonlyArray<JsonObject>) => {
  const noun = kind.has("item") ? "item" : kind.has("product") ? "product" : null
  const price = Fields.any("price")
  if (noun === null) {
    const name = Fields.any("name")
    const quantity = Fields.any("quantity")
    return (order) => {
      const keys = Keyed.at(order.key, "line")
      const out: Array<JsonObject> = []
      for (let i = 0, count = lineCount(order); i < count; i++) {
        const line = { ...order, key: Keyed.nth(keys, i), id: "", noun: "item", head: "item" }
        out.push({ name: name(line), quantity: quantity(line), price: price(line) })
      }
      return out
    }
  }
  const name = itemName(kind, noun)
  const product = ref(kind, "product")
  return (order) => {
    const keys = Keyed.at(order.key, "line")
    const count = lineCount(order)
    const seen = new Set<string>()
    const out: Array<JsonObject> = []
    for (let i = 0; out.length < count && i < count * 3; i++) {
      const key = Keyed.nth(keys, i)
      const id = order.world.refer(order, noun, key)
      if (id === null || seen.has(id)) continue
      seen.add(id)
      const item = order.world.other(noun, id)
      out.push(
        noun === "item"
          ? { name: name(item), ...write(product, item), item_id: id, options: options(item), price: price(item) }
          : { name: name(item), product_id: id, quantity: Keyed.between(key, 1, 3), price: price(item) }
      )
    }
    return out
  }
}

const lineCount = (order: Subject): number => Keyed.between(Keyed.at(order.key, "lines"), 1, 3)

/** A person's ways to pay, those of the person who owns the record; null where tools know none. */
export const payments = (kind: Kind): ((of: Subject) => ReadonlyArray<string>) | null => {
  if (!kind.has("payment_method")) return null
  const owner = ownerOf(kind)
  return (of) => {
    const payer = owner(of)
    const count = Keyed.between(Keyed.at(payer.key, "payments"), 1, 2)
    const ids = Array.from({ length: count }, (_, i) =>
      payer.world.refer(payer, "payment_method", Keyed.nth(Keyed.at(payer.key, "pay"), i))
    )
    return [...new Set(ids.filter((one) => one !== null))]
  }
}

export const paymentMethod = (id: string, of: Subject): JsonObject => {
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
