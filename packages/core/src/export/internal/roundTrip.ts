/**
 * Reads the calls of an exported line back, by nothing but the line, to see that none was bent on the way.
 */
import { callTextOf } from "./thread.ts"

type Json = Readonly<Record<string, unknown>>

/** The calls of each thread of a line: one thread, or the two of a preference pair (the prompt's calls in both). */
export const callsIn = (line: string): ReadonlyArray<ReadonlyArray<string>> => {
  const record = objectOf(JSON.parse(line))
  const shared = listOf(record["prompt"])
  if (Object.hasOwn(record, "chosen")) {
    return [record["chosen"], record["rejected"]].map((rest) => callsOf([...shared, ...listOf(rest)]))
  }
  return [callsOf([...shared, ...listOf(record["messages"])])]
}

/** The first call that the line tells otherwise than the row, or null. */
export const bentCall = (
  line: string,
  threads: ReadonlyArray<{ readonly calls: ReadonlyArray<string | null> }>
): string | null => {
  const read = callsIn(line)
  for (const [i, { calls }] of threads.entries()) {
    const back = read[i] ?? []
    const at = calls.findIndex((call, n) => call !== null && call !== back[n])
    if (at >= 0) return calls[at] ?? null
    if (back.length !== calls.length) return back[calls.length] ?? `${calls.length - back.length} calls are missing`
  }
  return null
}

const callsOf = (messages: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    listOf(objectOf(message)["tool_calls"]).map((call) => {
      const { name, arguments: args } = objectOf(objectOf(call)["function"])
      return callTextOf(String(name), typeof args === "string" ? JSON.parse(args) : args)
    })
  )

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const objectOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {})
