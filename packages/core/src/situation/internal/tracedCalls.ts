/**
 * A recorded call in the words of the axes: how the world answered it and in what state its record was.
 */
import { isAgentCall, type CallStep } from "../../row/Row.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import { canonical } from "../../random/Hash.ts"

export interface Reading {
  /** It ended in an error, or a planned fault spoilt its answer. */
  readonly failed: boolean
  /** Value of the `tool_condition` axis, when it shows one other than success. */
  readonly condition?: string
  /** Value of the `world_state` axis, when it shows one other than exists. */
  readonly state?: string
}

export const read = (call: CallStep): Reading => {
  const condition = conditionOf(call)
  const state = stateOf(call)
  return {
    failed: call.status !== "ok" || call.fault !== undefined || condition !== undefined,
    ...(condition === undefined ? {} : { condition }),
    ...(state === undefined ? {} : { state })
  }
}

const conditionOf = ({ fault, result, status }: CallStep): string | undefined => {
  switch (fault ?? status) {
    case "timeout":
      return "timeout"
    case "permission_denied":
      return "permission_denied"
    case "rate_limited":
      return "rate_limited"
    case "server_error":
      return "server_error"
    case "partial":
      return "partial_result"
    case "malformed":
      return "malformed_result"
    case "stale":
      return "stale_result"
    default:
      if (isRecord(result) && result["stale"] === true) return "stale_result"
      return status === "ok" && isBrokenJson(result) ? "malformed_result" : undefined
  }
}

const stateOf = ({ result, status }: CallStep): string | undefined => {
  switch (status) {
    case "not_found":
      return "missing"
    case "already_done":
      return "already_acted_on"
    case "error": {
      const text = (typeof result === "string" ? result : (JSON.stringify(result) ?? "")).slice(0, mostErrorText)
      if (severalFound.test(text)) return "duplicate"
      return partlyDone.test(text) ? "partially_completed" : undefined
    }
    default:
      return undefined
  }
}

const mostErrorText = 2000
const severalFound =
  /\b(?:multiple|several|more than one|two|duplicate)\b[^.]{0,40}\b(?:match|matches|matching|records?|results?|accounts?|entries|found|exist)/i
const partlyDone = /\bpartial(?:ly)?\b|\bsome (?:items|parts|steps)\b[^.]{0,40}\b(?:done|completed|processed)\b/i

/** Text that begins as JSON of an object and is none. */
const isBrokenJson = (result: unknown): boolean => {
  if (typeof result !== "string" || !/^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(result)) return false
  try {
    JSON.parse(result)
    return false
  } catch {
    return true
  }
}

/** Kept per tool: enough to show how results differ. */
const mostPayloads = 20
/** Characters of a payload that is still kept. */
const largestPayload = 20_000

/** Results of calls that went well, by tool, each once. */
export const payloadsOf = (traces: ReadonlyArray<TraceRow>): ReadonlyMap<string, ReadonlyArray<unknown>> => {
  const kept = new Map<string, Map<string, unknown>>()
  for (const { steps } of traces) {
    for (const step of steps) {
      if (!isAgentCall(step) || read(step).failed || isEmpty(step.result)) continue
      let own = kept.get(step.tool)
      if (own === undefined) kept.set(step.tool, (own = new Map()))
      if (own.size >= mostPayloads) continue
      const text = canonical(step.result)
      if (text.length <= largestPayload && !own.has(text)) own.set(text, step.result)
    }
  }
  return new Map([...kept].map(([tool, results]) => [tool, [...results.values()]]))
}

const isEmpty = (result: unknown): boolean =>
  result === null || result === undefined || (typeof result === "string" && result.trim() === "")

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
