/**
 * What an argument names: `order_id`, `orderId`, `order`, `order_ids` and `orderNumber` all name an order.
 */
import * as English from "../../language/English.ts"
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

/** `item_ids` -> `item`, `paymentMethodId` -> `payment method`; a bare `id` is named by its tool's nouns. */
export const nounOf = (argument: string, tool: string): string => {
  const words = [...wordsOf(leafOf(argument))]
  while (words.length > 0 && suffixes.has(words[words.length - 1] ?? "")) words.pop()
  if (words.length > 0) return singularWords(words).join(" ")
  const [leaf = ""] = tool.split(/[.:/]/).slice(-1)
  return singularWords(wordsOf(leaf).slice(-1)).join(" ") || "record"
}

/** `items[].order_id` -> `order_id`. */
export const leafOf = (argument: string): string => argument.replace(/\[\]$/, "").replace(/^.*\./, "")

const singularWords = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word, i) => (i === words.length - 1 ? English.singular(word) : word))
