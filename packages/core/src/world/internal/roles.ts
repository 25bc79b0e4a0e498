/**
 * What arguments that name no record do, by their names and schemas: narrow a search, bound it, page it, or say in other
 * words which record a write is for.
 */
import { wordsOf } from "../../task/ToolKind.ts"
import type { Argument } from "./entityTypes.ts"
import * as SchemaShape from "./schemaShape.ts"
import { endOf } from "./searchDates.ts"

export type Role = "range" | "bind" | "filter" | "least" | "most" | "text" | "paging"

export const of = ({ name, schema }: Argument): Role => {
  const words = wordsOf(name)
  const [first = ""] = words
  const last = words[words.length - 1] ?? ""
  const type = SchemaShape.typesOf(schema)[0] ?? "string"
  const numeric = type === "integer" || type === "number"
  const described = typeof schema["description"] === "string" ? schema["description"].toLowerCase() : ""
  if (type === "integer" && howMany.has(name)) return "paging"
  if (pagingWords.has(last) || pagingWords.has(first) || pagingNames.test(words.join("_"))) return "paging"
  if (
    numeric &&
    (first === "min" || last === "min" || first === "minimum" || /\b(?:minimum|at least)\b/.test(described))
  )
    return "least"
  if (
    numeric &&
    (first === "max" ||
      last === "max" ||
      first === "maximum" ||
      last === "budget" ||
      /\bmaximum|at most\b/.test(described))
  )
    return "most"
  if (endOf(name) !== null) return "range"
  if (textWords.has(last)) return "text"
  if (type === "boolean" || Array.isArray(schema["enum"]) || last === "status") return "filter"
  return "bind"
}
const howMany = new Set([
  "number",
  "num",
  "n",
  "k",
  "top",
  "count",
  "amount_of_results",
  "num_results",
  "number_of_results"
])
const pagingWords = new Set(
  "limit page offset cursor sort direction results fetch per include fields format verbose".split(" ")
)
const pagingNames = /^(?:order_by|sort_order|(?:page|batch)_size)$/
const textWords = new Set("query q keyword keywords search term terms text".split(" "))

/** What says which record a write without an identifier is for: what names it, else the first thing a write asks for. */
export const locating = (args: ReadonlyArray<Argument>, noun: string, updates: boolean): ReadonlyArray<string> => {
  const texts = args.filter(
    ({ reference, schema }) =>
      reference === null && (SchemaShape.typesOf(schema)[0] ?? "string") === "string" && !Array.isArray(schema["enum"])
  )
  const head = noun.split("_").pop() ?? noun
  const naming = texts.filter(({ name }) => wordsOf(name).some((word) => word === head || namingWords.has(word)))
  const chosen = naming.length > 0 ? naming : updates ? [] : texts.filter((argument) => argument.required).slice(0, 1)
  return chosen.map((argument) => argument.name)
}
const namingWords = new Set("path name title email username url file filename symbol username slug".split(" "))
