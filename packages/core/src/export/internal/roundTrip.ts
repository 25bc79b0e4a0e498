/**
 * Reads the calls of an exported line back, by nothing but the line, to see that none was bent on the way.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import { callTextOf } from "./thread.ts"

type Json = Readonly<Record<string, unknown>>

/** The first call that the line tells otherwise than the row's thread, or null. */
export const bentCall = (line: string, { calls }: { readonly calls: ReadonlyArray<string | null> }): string | null => {
  const back = callsOf(listOf(objectOf(ExactJson.parse(line))["messages"]))
  const at = calls.findIndex((call, n) => call !== null && call !== back[n])
  if (at >= 0) return calls[at] ?? null
  if (back.length === calls.length) return null
  return back[calls.length] ?? `${calls.length - back.length} calls are missing`
}

const callsOf = (messages: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    listOf(objectOf(message)["tool_calls"]).map((call) => {
      const { name, arguments: args } = objectOf(objectOf(call)["function"])
      return callTextOf(String(name), typeof args === "string" ? ExactJson.parse(args) : args)
    })
  )

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const objectOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {})
