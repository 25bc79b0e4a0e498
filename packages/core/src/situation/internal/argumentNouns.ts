/**
 * What an argument names: `order_id`, `orderId`, `order`, `order_ids` and `orderNumber` all name an order.
 */
import { wordsOf } from "../../task/ToolKind.ts"

const suffixes: ReadonlySet<string> = new Set([
  "id",
  "ids",
  "identifier",
  "identifiers",
  "uuid",
  "uuids",
  "guid",
  "number",
  "numbers",
  "no",
  "num",
  "code",
  "codes",
  "key",
  "ref",
  "reference"
])

/** Endings that make an argument an identifier by themselves; `number` and `code` need a noun that has records. */
const idEndings: ReadonlySet<string> = new Set([
  "id",
  "ids",
  "identifier",
  "identifiers",
  "uuid",
  "uuids",
  "guid",
  "ref",
  "reference",
  "sku",
  "skus",
  "isbn",
  "iban",
  "vin"
])

const numberedRecords: ReadonlySet<string> = new Set([
  "order",
  "case",
  "ticket",
  "invoice",
  "account",
  "booking",
  "reservation",
  "confirmation",
  "tracking",
  "flight",
  "claim",
  "policy",
  "parcel",
  "serial",
  "customer",
  "member",
  "membership",
  "license",
  "contract",
  "shipment",
  "transaction",
  "passport",
  "product",
  "item",
  "part",
  "promo",
  "coupon",
  "receipt",
  "patient",
  "employee",
  "student",
  "asset",
  "incident",
  "request"
])

const numberEndings: ReadonlySet<string> = new Set(["number", "numbers", "no", "num", "code", "codes"])

/** `item_ids` -> `item`, `paymentMethodId` -> `payment method`; a bare `id` is named by its tool's nouns. */
export const nounOf = (argument: string, tool: string): string => {
  const words = [...wordsOf(leafOf(argument))]
  while (words.length > 0 && suffixes.has(words[words.length - 1] ?? "")) words.pop()
  if (words.length > 0) return singularWords(words).join(" ")
  const [leaf = ""] = tool.split(/[.:/]/).slice(-1)
  return singularWords(wordsOf(leaf).slice(-1)).join(" ") || "record"
}

/** Whether an argument is an identifier by its name. */
export const isIdArgument = (argument: string): boolean => {
  const words = wordsOf(leafOf(argument))
  const last = words[words.length - 1] ?? ""
  if (idEndings.has(last)) return true
  return words.length > 1 && numberEndings.has(last) && numberedRecords.has(words[words.length - 2] ?? "")
}

/** `items[].order_id` -> `order_id`. */
export const leafOf = (argument: string): string => argument.replace(/\[\]$/, "").replace(/^.*\./, "")

export const singular = (word: string): string => {
  if (word.length < 4 || /(?:ss|us|is|news|series|status|address)$/.test(word)) return word
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?:ches|shes|xes|sses|zes)$/.test(word)) return word.slice(0, -2)
  return word.endsWith("s") ? word.slice(0, -1) : word
}

const singularWords = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word, i) => (i === words.length - 1 ? singular(word) : word))
