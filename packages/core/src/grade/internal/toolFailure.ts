/**
 * How a tool call ended, read from the step and, where nobody of ours answered, from the answer itself. The words are a
 * closed list, so that a record whose own status is `paid`, `open` or `denied` is an answer and not a failure.
 */
import type { CallStatus } from "../../row/Row.ts"

/** The status of a recorded call. */
export const statusOf = (step: {
  readonly status?: unknown
  readonly answered_by?: unknown
  readonly result?: unknown
}): CallStatus => {
  if (typeof step.status === "string" && step.status !== "ok") return byWord.get(step.status) ?? "error"
  // The mock world, faults, MCP and the harness say how a call ended; a caller's code and foreign traces may not.
  const answeredBy = step.answered_by
  const told = answeredBy === "mock" || answeredBy === "fault" || answeredBy === "mcp" || answeredBy === "harness"
  return told ? "ok" : fromResult(step.result)
}

const byWord: ReadonlyMap<string, CallStatus> = new Map<string, CallStatus>([
  ["error", "error"],
  ["failed", "error"],
  ["failure", "error"],
  ["exception", "error"],
  ["invalid", "error"],
  ["timeout", "timeout"],
  ["timed_out", "timeout"],
  ["not_found", "not_found"],
  ["notfound", "not_found"],
  ["permission_denied", "permission_denied"],
  ["access_denied", "permission_denied"],
  ["denied", "permission_denied"],
  ["forbidden", "permission_denied"],
  ["unauthorized", "permission_denied"],
  ["rate_limited", "rate_limited"],
  ["too_many_requests", "rate_limited"],
  ["server_error", "server_error"],
  ["internal_error", "server_error"],
  ["service_unavailable", "server_error"],
  ["already_done", "already_done"]
])

/** Keys of an answer that is about the call and not about a record. */
const envelope: ReadonlySet<string> = new Set([
  "status",
  "error",
  "error_code",
  "errors",
  "reason",
  "message",
  "detail",
  "details",
  "code",
  "hint",
  "ok",
  "success",
  "retry_after",
  "as_of"
])

const fromResult = (result: unknown): CallStatus => {
  if (typeof result === "string") return fromText(result)
  if (typeof result !== "object" || result === null || Array.isArray(result)) return "ok"
  const { status, error, reason, message } = result as Readonly<Record<string, unknown>>
  const http = httpStatus(result as Readonly<Record<string, unknown>>)
  if (http !== undefined) return http
  // Of a record that also says what went wrong, the status is that of the call.
  if (typeof status === "string" && (isSaid(error) || Object.keys(result).every((key) => envelope.has(key)))) {
    const known = byWord.get(status.toLowerCase().replace(/[\s-]+/g, "_"))
    if (known !== undefined) return known
  }
  const said = isSaid(error) ? error : isSaid(reason) ? reason : message
  const { ok, success, isError, exit_code, exitCode } = result as Readonly<Record<string, unknown>>
  const exit = exit_code ?? exitCode
  if (ok === false || success === false || isError === true) return inWords(said)
  if (typeof exit === "number" && exit !== 0) return "error"
  if (isSaid(error) && status !== "ok" && status !== "success" && ok !== true && success !== true) return inWords(error)
  // What is no object is wrapped as { status: "ok", result } by the world.
  if (status === "ok" && "result" in result && typeof result.result === "string") return fromText(result.result)
  return "ok"
}

const isSaid = (error: unknown): boolean =>
  typeof error === "string"
    ? error !== ""
    : typeof error === "object" && error !== null && Object.keys(error).length > 0

const httpStatus = (result: Readonly<Record<string, unknown>>): CallStatus | undefined => {
  const code = [result["status"], result["status_code"], result["statusCode"], result["http_status"]].find(
    (value) => typeof value === "number"
  )
  if (code === undefined || !(code >= 400 && code <= 599)) return undefined
  if (code === 404 || code === 410) return "not_found"
  if (code === 401 || code === 403) return "permission_denied"
  if (code === 408 || code === 504) return "timeout"
  if (code === 429) return "rate_limited"
  return code >= 500 ? "server_error" : "error"
}

const fromText = (text: string): CallStatus => {
  const start = text.trimStart()
  if (
    /^(?:error|exception|failed|failure)\b\s*[:\-–]/i.test(start) ||
    start.startsWith("Traceback (most recent call last)")
  ) {
    return inWords(start)
  }
  if (!start.startsWith("{")) return "ok"
  try {
    return fromResult(JSON.parse(start))
  } catch {
    return "ok"
  }
}

/** The failure a message speaks of. */
const inWords = (said: unknown): CallStatus => {
  const text = typeof said === "string" ? said : typeof said === "object" && said !== null ? wordsOfError(said) : ""
  if (/not[ _-]?found|no such|does(?: not|n't) exist|unknown id/i.test(text)) return "not_found"
  if (/timed?[ _-]?out/i.test(text)) return "timeout"
  if (/permission|denied|forbidden|unauthori[sz]ed|not allowed/i.test(text)) return "permission_denied"
  if (/rate[ _-]?limit|too many requests/i.test(text)) return "rate_limited"
  if (/already (?:been )?(?:done|cancell?ed|refunded|paid|processed|closed|completed)/i.test(text))
    return "already_done"
  return "error"
}

const wordsOfError = (error: object): string => {
  const { message, code, type } = error as {
    readonly message?: unknown
    readonly code?: unknown
    readonly type?: unknown
  }
  return [message, code, type].filter((part) => typeof part === "string").join(" ")
}
