/**
 * How a call that others recorded ended, read off its result: their formats have no status of their own.
 */
import type { CallStatus } from "../../row/internal/rowSchema.ts"
import { isObject, type Json } from "../../json/foreignJson.ts"

/** `failed` is what the format itself says of failure, such as `is_error` or a span's status. */
export const statusOf = (result: unknown, failed = false): CallStatus => {
  if (isObject(result)) {
    const said = saidFailure(result)
    if (said !== undefined) return classify(said)
  } else if (typeof result === "string" && (failed || /^\s*(?:error|exception|traceback|failed)\b/i.test(result))) {
    return classify(result)
  }
  return failed ? "error" : "ok"
}

/** The kind of failure a text tells of. */
export const classify = (text: string): CallStatus => kinds.find(([pattern]) => pattern.test(text))?.[1] ?? "error"

const kinds: ReadonlyArray<readonly [RegExp, CallStatus]> = [
  [/time[sd]?[ _-]?out/i, "timeout"],
  [/not[ _-]?found|no such|does not exist|\b404\b/i, "not_found"],
  [/permission|denied|forbidden|unauthori[sz]ed|\b40[13]\b/i, "permission_denied"],
  [/rate[ _-]?limit|too many requests|\b429\b/i, "rate_limited"],
  [/server[ _-]?error|unavailable|\b5\d\d\b/i, "server_error"],
  [/\balready\b/i, "already_done"]
]

/** Words that a `status` says of failure; `paid`, `open` and the like are states of the record, not of the call. */
const failureWords =
  /^(?:error|failed|failure|not_?found|time_?out|timed_?out|denied|permission_denied|forbidden|unauthorized|rate_limited|server_error|already_done)$/i

const saidFailure = (result: Json): string | undefined => {
  const status = result["status"]
  const error = result["error"]
  const detail = typeof error === "string" ? error : isObject(error) ? JSON.stringify(error) : ""
  if (typeof status === "string" && failureWords.test(status)) return /^error|^fail/i.test(status) ? detail : status
  for (const key of ["status", "statusCode", "status_code", "code"]) {
    const code = result[key]
    if (typeof code === "number" && code >= 400 && code < 600) return String(code)
  }
  if (detail !== "" || error === true || result["isError"] === true || result["is_error"] === true) return detail
  return result["success"] === false || result["ok"] === false ? JSON.stringify(result) : undefined
}
