/**
 * Items of OpenAI's Responses API, which stand beside messages: calls and their outputs, thoughts, and what the provider
 * did by itself.
 */
import { listOf, objectOf, textOf, unpacked, type Json } from "../../json/foreignJson.ts"
import { argumentsOf, idOf, resultAtom, type Atom } from "./traceAtom.ts"

/** The atoms of an item; undefined when it is none that is known. */
export const itemAtoms = (item: Json): ReadonlyArray<Atom> | undefined => {
  const type = textOf(item["type"]) ?? ""
  if (type === "reasoning") return thoughtsOf(item)
  if (ofProvider.test(type)) return [{ _tag: "Other", item: type }]
  if (type === "mcp_call") {
    const failed = item["error"] !== undefined && item["error"] !== null
    const answer = failed ? item["error"] : (item["output"] ?? null)
    return [...callsOf(item, type), { ...resultAtom(item, unpacked(answer)), failed }]
  }
  if (type.endsWith("_call_output")) return [resultAtom(item, outputOf(item["output"]))]
  return type.endsWith("_call") ? callsOf(item, type) : undefined
}

/** What the provider searched, ran or shortened: no call on anybody's world. */
const ofProvider =
  /^(?:(?:web_search|file_search|computer|code_interpreter|image_generation)_call(?:_output)?|compaction(?:_summary)?|item_reference|mcp_list_tools|mcp_approval_(?:request|response))$/

const callsOf = (item: Json, type: string): ReadonlyArray<Atom> => {
  const name =
    textOf(item["name"]) ?? (type === "function_call" || type === "mcp_call" ? "" : type.slice(0, -"_call".length))
  if (name === "" || name === "custom_tool") return [{ _tag: "Other", item: `${type} without a name` }]
  return [
    {
      _tag: "Call",
      ...idOf(item),
      name,
      arguments: argumentsOf(item["arguments"] ?? item["input"] ?? item["action"] ?? item["operation"])
    }
  ]
}

/** Text, or parts of text. */
const outputOf = (output: unknown): unknown => {
  const texts = Array.isArray(output) ? output.flatMap((part) => textOf(objectOf(part)["text"]) ?? []) : []
  return unpacked(texts.length > 0 ? texts.join("\n") : output)
}

const thoughtsOf = (item: Json): ReadonlyArray<Atom> => {
  const text = [...listOf(item["summary"]), ...listOf(item["content"])]
    .flatMap((part) => textOf(objectOf(part)["text"]) ?? [])
    .join("\n")
  return text === "" ? [] : [{ _tag: "Thought", text }]
}
