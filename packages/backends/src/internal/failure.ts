/**
 * What went wrong with a call, read from status, headers and body: whether it is for good, and in whose words.
 */
import type { ModelFailed } from "@sandtable/core/ChatModel"
import * as Usage from "@sandtable/core/unstable/Usage"
import { hintOf } from "./hints.ts"
import { at, firstText, isRecord, listOf } from "./json.ts"
import type { SseEvent } from "./sse.ts"

/**
 * Why a request failed, before it is an error of the model's.
 * @since 0.1.0
 * @category models
 */
export interface Failure {
  readonly _tag: "Failure"
  readonly reason: ModelFailed["reason"]
  /** Whether the same call may do better later. */
  readonly retry: boolean
  /** What happened, in one sentence without a full stop; secrets are taken out where it leaves the backend. */
  readonly detail: string
  /** What to do about it, as a sentence; null where the server's words are all there is. */
  readonly fix: string | null
  /** Most tries of a call that fails like this, where that is fewer than of others. */
  readonly tries: number | null
  /** Milliseconds the server asked to wait. */
  readonly hint: number | null
  /** Tokens of the failed call, where told. */
  readonly usage: Usage.Usage
  /** What the server said about the request itself. */
  readonly complaint: Complaint | null
}

export interface Complaint {
  /** The field it names, if it names one. */
  readonly parameter: string | null
  readonly words: string
  /** The server said that it is in trouble, not that it refuses: the request may have nothing to do with it. */
  readonly trouble: boolean
}

/**
 * An answer of a server.
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** JSON as read, or the text of what is none. */
  readonly body: unknown
}

export const failure = (
  reason: Failure["reason"],
  detail: string,
  more: Partial<Omit<Failure, "_tag" | "reason" | "detail">> = {}
): Failure => ({
  _tag: "Failure",
  reason,
  retry: reason === "unavailable" || reason === "rate_limited",
  detail,
  fix: null,
  tries: null,
  hint: null,
  usage: Usage.unknown,
  complaint: null,
  ...more
})

/**
 * An answer that is no completion, as a failure; `now` is the time in milliseconds, for hints that are dates.
 * @since 0.1.0
 * @category functions
 */
export const classify = (answer: Answer, now: number): Failure => {
  const { body, headers } = answer
  const told = tellingOf(body)
  const status = statusOf(answer, told)
  const said = told.words === "" ? "" : `: ${told.words}`
  const as = (reason: Failure["reason"], what: string, more: Partial<Failure> = {}): Failure =>
    failure(reason, `${what} (${answer.status}${told.code === "" ? "" : ` ${told.code}`})${said}`, more)
  const hint = hintOf(headers, body, now)
  const saying = `${told.code} ${told.type} ${told.words}`
  // What repeats for every call comes first: it must not be tried until the clock runs out.
  if (status === 402 || (status !== 403 && isQuota(saying, hint))) {
    return as("quota", "the account has no quota or credit left")
  }
  if (status === 401 || /\b(?:invalid_api_key|authentication_error|invalid_authentication)\b/i.test(saying)) {
    return as("auth", "the key was refused")
  }
  if (status === 407) return as("auth", "the proxy wants to know who asks", { fix: proxyUser })
  if (isFiltered(saying, body)) return as("content_filter", "a content filter refused the request")
  if (status === 403) return as("auth", "the key may not do this")
  if (status === 413 || isTooLong(saying)) return as("context", "the thread is too long for the model")
  if (status === 429 || isThrottled(saying)) return as("rate_limited", "the server asks to come later", { hint })
  if (status === 404 || status === 405) {
    return as("bad_request", "there is no such model or endpoint", { fix: `Check the model's name, and ${addressed}.` })
  }
  if (status === 408 || status === 409 || status === 425) {
    return as("unavailable", "the server could not take the call now", { hint })
  }
  if (status >= 400 && status < 500) {
    const complaint = { parameter: told.parameter, words: told.words, trouble: false }
    return as("bad_request", "the server refused the request", { complaint })
  }
  if (status >= 500) {
    // Some servers of one's own fall over what they cannot do.
    const complaint = { parameter: told.parameter, words: told.words, trouble: true }
    return as("unavailable", "the server is in trouble", { hint, ...(status <= 501 ? { complaint } : {}) })
  }
  if (typeof body === "string" && /^\s*<(?:!doctype|html)/i.test(body)) {
    return as("bad_request", "the answer is no completion", { fix: `Check ${addressed}.` })
  }
  // Cut off on its way, perhaps; a server that always answers so is no model server.
  return as("unavailable", "the answer is no completion", { hint, tries: 2, fix: `Check ${addressed}.` })
}

export const proxyUser = "Write its user and password before its host in HTTP_PROXY and HTTPS_PROXY."

const addressed = "that the address is a model server's and ends with its version, such as /v1"

/** Whether a body says that something went wrong, whatever its status says. */
export const isError = (body: unknown): boolean => {
  if (!isRecord(body)) return Array.isArray(body) && body.some((each) => isRecord(at(each, "error")))
  const error = body["error"]
  return (typeof error === "string" && error !== "") || isRecord(error) || body["object"] === "error"
}

/** What went wrong by an event of a stream, as the body of an error; undefined where nothing did. */
export const errorOf = ({ data, event }: SseEvent, read: unknown): unknown => {
  if (isError(read)) return read
  if (event?.trim().toLowerCase() !== "error" && at(read, "type") !== "error") return undefined
  return { error: isRecord(read) ? read : { message: data } }
}

interface Telling {
  readonly code: string
  readonly type: string
  readonly words: string
  readonly parameter: string | null
}

/** Longest text of a server that is quoted. */
const longestQuote = 600

const tellingOf = (body: unknown): Telling => {
  if (typeof body === "string") {
    return { code: "", type: "", words: plain(body), parameter: null }
  }
  const root: unknown = Array.isArray(body) ? (body as ReadonlyArray<unknown>)[0] : body
  const error = at(root, "error")
  const detail = at(root, "detail")
  // Frameworks list what is wrong with each field: `{ detail: [{ loc: ["body", "seed"], msg }] }`.
  const listed = [
    ...listOf(detail),
    ...listOf(at(root, "message", "detail")),
    ...listOf(at(error, "message", "detail"))
  ]
  const field = listOf(at(listed[0], "loc")).findLast((part) => typeof part === "string" && part !== "body")
  const inner = at(error, "metadata", "raw")
  const words = firstText(at(error, "message"), error, at(root, "message"), detail, at(root, "msg"))
  const rest = listed.map((each) => firstText(at(each, "msg")) ?? "").filter((each) => each !== "")
  const wordOf = (value: unknown): string =>
    typeof value === "string" || typeof value === "number" ? String(value) : ""
  return {
    code: wordOf(at(error, "code") ?? at(root, "code") ?? at(error, "status")),
    type: [
      at(error, "type"),
      at(root, "type"),
      at(root, "error_type"),
      at(error, "status"),
      at(error, "innererror", "code")
    ]
      .map(wordOf)
      .join(" "),
    words: plain(
      [words ?? rest.join("; "), typeof inner === "string" ? inner : ""].filter((each) => each !== "").join(" - ") ||
        (isRecord(root) ? JSON.stringify(root) : "")
    ),
    parameter: firstText(at(error, "param"), at(root, "param"), field)
  }
}

/** One line of text: pages of HTML by what they say. What stands for a secret that was taken out is no tag. */
const plain = (text: string): string => {
  const stripped = /<(?!redacted>)[a-z!]/i.test(text)
    ? text.replace(/<(style|script)[\s\S]*?<\/\1>/gi, " ").replace(/<(?!redacted>)[^>]*>/g, " ")
    : text
  const line = stripped.replace(/\s+/g, " ").trim()
  return line.length > longestQuote ? `${line.slice(0, longestQuote)}...` : line
}

/** The status, or what a body under another status says: `{ error: { code: 429 } }`, `overloaded_error`. */
const statusOf = ({ status }: Answer, { code, type }: Telling): number => {
  if (status >= 400) return status
  const inner = Number(code)
  if (Number.isInteger(inner) && inner >= 400 && inner < 600) return inner
  const named = typeStatuses.find(([name]) => name.test(`${code} ${type}`))
  return named === undefined ? status : named[1]
}

const typeStatuses: ReadonlyArray<readonly [RegExp, number]> = [
  [/overloaded|server_is_overloaded|unavailable/i, 529],
  [/rate_?limit|too_many_requests|resource_exhausted/i, 429],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/invalid_request|bad_?request|invalid_argument|invalid_prompt|validation/i, 400],
  [/timeout/i, 408],
  [/server_error|api_error|internal/i, 500]
]

/** Spent for good. A limit per minute is also called a quota by some; those say when to come back. */
const isQuota = (saying: string, hint: number | null): boolean =>
  /insufficient_quota|billing_hard_limit|insufficient[ _](?:balance|credits?|funds)|credit balance is too low|quota_exceeded|account_deactivated|billing_not_active/i.test(
    saying
  ) ||
  (hint === null && /exceeded your current quota|out of credits|spending limit|payment required/i.test(saying))

const isTooLong = (saying: string): boolean =>
  /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large|string_above_max_length|maximum context length|context (?:length|window|size|limit)|prompt is too long|input is too long|too many (?:input )?tokens|max_model_len|maximum (?:model|input|prompt) length|exceeds? the (?:model'?s? )?(?:maximum|max)[^.]{0,40}(?:context|input|tokens)|reduce the length of the (?:messages|prompt|input)/i.test(
    saying
  ) && !/rate limit|per min/i.test(saying)

const isFiltered = (saying: string, body: unknown): boolean =>
  /content_filter|content_policy|content management policy|responsibleaipolicy|moderation|flagged|safety (?:system|filter)|data_inspection_failed|sensitive_words/i.test(
    saying
  ) || listOf(at(body, "error", "metadata", "reasons")).length > 0

const isThrottled = (saying: string): boolean => /rate_limit_exceeded|rate_limit_error|too_many_requests/i.test(saying)
