/**
 * Tool calls that a model wrote into its text instead of making them.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import { isRecord } from "../../json/jsonCopy.ts"

/** What every one of them begins with. */
const mayOpen = /<|\[TOOL_CALLS\]/

/** Marks with which model families begin a call in plain text, followed by what only a call has. */
const openings: ReadonlyArray<RegExp> = [
  /<\/?(?:tool_call|function_call|tool_use|tool_calls|function_calls)>\s*(?:[[{<]|$)/i,
  /<function=[\w.-]+>/i,
  /<(?:antml:)?invoke name=/i,
  /<\|(?:tool_calls?_(?:begin|section_begin)|tool_call|python_tag|tool▁calls?▁begin)\|>/i,
  /<｜tool▁calls?▁begin｜>/,
  /\[TOOL_CALLS\]\s*[[{]/
]

/** JSON that names a tool and gives it arguments, fenced or as the whole text, whole or broken. */
const named = /^\s*\[?\s*\{[^]*?"(?:name|tool|function)"\s*:\s*"([^"]+)"/
const withArguments = /"(?:arguments|parameters|args|input|tool_input)"\s*:/
const fences = /```[\w-]*\s*\n?([^]*?)(?:```|$)/g

/** Whether a text holds a tool call that was written instead of made. `declared` keeps ordinary JSON out of it. */
export const isMarkup = (text: string, declared: (tool: string) => boolean): boolean => {
  if (!/[<{[]/.test(text)) return false
  if (mayOpen.test(text) && openings.some((opening) => opening.test(text))) return true
  if (namesTool(text, declared)) return true
  if (!text.includes("```")) return false
  for (const fence of text.matchAll(fences)) if (namesTool(fence[1] ?? "", declared)) return true
  return false
}

export interface Written {
  readonly calls: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
  /** What is left of the text. */
  readonly text: string
}

const wrapper = /<(\/?)(?:tool_call|function_call)>/gi

/** The calls written as `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, when every one of them can be read. */
export const parse = (text: string, declared: (tool: string) => boolean): Written | null => {
  const calls: Array<Written["calls"][number]> = []
  const rest: Array<string> = []
  let from = 0
  let inside = false
  for (const found of text.matchAll(wrapper)) {
    const closes = found[1] === "/"
    if (closes !== inside) return null
    const part = text.slice(from, found.index)
    const call = closes ? readCall(part, declared) : null
    if (closes && call === null) return null
    if (call === null) rest.push(part)
    else calls.push(call)
    inside = !closes
    from = found.index + found[0].length
  }
  rest.push(text.slice(from))
  const left = rest.join("").trim()
  return inside || calls.length === 0 || isMarkup(left, declared) ? null : { calls, text: left }
}

const readCall = (text: string, declared: (tool: string) => boolean): Written["calls"][number] | null => {
  let value: unknown
  try {
    value = ExactJson.parse(text)
  } catch {
    return null
  }
  if (!isRecord(value) || typeof value["name"] !== "string" || !declared(value["name"])) return null
  const args = value["arguments"] ?? value["parameters"] ?? {}
  return { name: value["name"], arguments: args }
}

const namesTool = (text: string, declared: (tool: string) => boolean): boolean => {
  const name = named.exec(text)?.[1]
  return name !== undefined && declared(name) && withArguments.test(text)
}
