/**
 * Whether a result that a world of the caller's own gave is a failure.
 *
 * Only what says so in a closed list of words counts: an order that is `open` or `paid` is a success, and so is a report
 * with `errors: []`.
 */
import type { CallStatus } from "../row/Row.ts"
import { get, isRecord } from "./internal/records.ts"

/** Words that name a failed call wherever they are a result's `status`. */
const failures: ReadonlyMap<string, CallStatus> = new Map([
  ["error", "error"],
  ["timeout", "timeout"],
  ["timed_out", "timeout"],
  ["not_found", "not_found"],
  ["permission_denied", "permission_denied"],
  ["rate_limited", "rate_limited"],
  ["too_many_requests", "rate_limited"],
  ["server_error", "server_error"],
  ["internal_server_error", "server_error"],
  ["already_done", "already_done"]
])

/** Words that are as often the state of a record (a payment that failed): failures only where nothing but a report stands. */
const ambiguous: ReadonlyMap<string, CallStatus> = new Map([
  ["failed", "error"],
  ["failure", "error"],
  ["fail", "error"],
  ["denied", "permission_denied"],
  ["forbidden", "permission_denied"],
  ["unauthorized", "permission_denied"]
])

/** Fields that only report how a call went. */
const reporting: ReadonlySet<string> = new Set(
  "status error errors message msg reason detail details code statusCode status_code success ok type".split(" ")
)

/** `ok`, or how the result says that it failed. */
export const of = (result: unknown): CallStatus => {
  if (!isRecord(result)) return "ok"
  const status = get(result, "status")
  const word =
    typeof status === "string"
      ? status
          .trim()
          .toLowerCase()
          .replace(/[\s-]+/g, "_")
      : ""
  const named = failures.get(word)
  if (named !== undefined) return named
  if (!Object.keys(result).every((name) => reporting.has(name))) return "ok"
  const loose = ambiguous.get(word)
  if (loose !== undefined) return loose
  const error = get(result, "error")
  const told = (typeof error === "string" && error.trim() !== "") || (isRecord(error) && Object.keys(error).length > 0)
  return told && word === ""
    ? "error"
    : get(result, "success") === false || get(result, "ok") === false
      ? "error"
      : "ok"
}
