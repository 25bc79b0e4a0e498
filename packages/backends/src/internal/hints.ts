/**
 * How long servers ask to wait: in headers, in fields of their bodies, or in words.
 */
import { at, firstText, isRecord, listOf, type Json } from "./json.ts"

/**
 * How long a server asks to wait, in milliseconds: null when it does not say, or says nothing that is a time to come.
 * @since 0.1.0
 * @category functions
 */
export const hintOf = (
  headers: Readonly<Record<string, string | undefined>>,
  body: unknown,
  now: number
): number | null =>
  positive(
    millisOf(headers["retry-after-ms"]) ??
      secondsOf(headers["retry-after"], now) ??
      bodyHint(body) ??
      resetOf(headers, now)
  )

const positive = (millis: number | null): number | null => (millis !== null && millis > 0 ? millis : null)

const millisOf = (value: string | undefined): number | null => {
  const millis = value === undefined || value.trim() === "" ? Number.NaN : Number(value)
  return Number.isFinite(millis) ? millis : null
}

/** Seconds, or the date of HTTP. */
const secondsOf = (value: string | undefined, now: number): number | null => {
  const millis = millisOf(value)
  if (millis !== null) return millis * 1000
  if (value === undefined) return null
  const span = spanOf(value)
  if (span !== null) return span
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : date - now
}

/** `x-ratelimit-reset-*` says when a limit is fresh again; it is a hint where nothing remains. */
const resetOf = (headers: Readonly<Record<string, string | undefined>>, now: number): number | null => {
  for (const what of ["requests", "tokens"]) {
    if (headers[`x-ratelimit-remaining-${what}`] !== "0") continue
    const reset = headers[`x-ratelimit-reset-${what}`]
    const span = reset === undefined ? null : (spanOf(reset) ?? secondsOf(reset, now))
    if (span !== null) return span
  }
  return null
}

/** What providers write into their bodies: fields, Google's RetryInfo, or words. */
const bodyHint = (body: unknown): number | null => {
  const root = Array.isArray(body) ? (body as ReadonlyArray<unknown>)[0] : body
  if (!isRecord(root)) return typeof root === "string" ? wordsHint(root) : null
  const error = root["error"]
  for (const holder of [error, root, at(error, "metadata")]) {
    if (isRecord(holder)) {
      const told = fieldHint(holder)
      if (told !== null) return told
    }
  }
  for (const detail of listOf(at(error, "details"))) {
    const span = spanOf(at(detail, "retryDelay"))
    if (span !== null) return span
  }
  return wordsHint(firstText(at(error, "message"), root["message"], error, root["detail"]) ?? "")
}

const fieldHint = (holder: Json): number | null => {
  const millis = holder["retry_after_ms"]
  if (typeof millis === "number") return millis
  const seconds = holder["retry_after"] ?? holder["retry_after_seconds"] ?? holder["retry-after"]
  if (typeof seconds === "number") return seconds * 1000
  return typeof seconds === "string" ? (millisOf(seconds) === null ? spanOf(seconds) : Number(seconds) * 1000) : null
}

/** "Please try again in 1m2.5s", "retry after 26 seconds". */
const wordsHint = (text: string): number | null => {
  const found =
    /(?:try again|retry|wait)(?:[^.\d]{0,24}?)\b(?:in|after|for)?\s*((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|h(?:ours?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\s*)+)/i.exec(
      text.slice(0, 2000)
    )
  return found === null ? null : spanOf(found[1])
}

const units: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(?:ms|millis)/i, 1],
  [/^h/i, 3_600_000],
  [/^m/i, 60_000],
  [/^s/i, 1000]
]

/** `6ms`, `17s`, `1m30.5s`, `2h`, `26 seconds`: milliseconds. */
const spanOf = (value: unknown): number | null => {
  if (typeof value !== "string" || !/^\s*(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/i.test(value)) return null
  let total = 0
  for (const [, number, unit] of value.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const scale = units.find(([name]) => name.test(unit ?? ""))
    if (scale === undefined) return null
    total += Number(number) * scale[1]
  }
  return total
}
