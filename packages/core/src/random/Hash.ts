/**
 * Content hashes: every id of the project is one, so that equal content has equal ids in every process.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** JSON with object keys in code unit order and `undefined` left out: one text per value. */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value)) ?? "null"

/** SHA-256 of the UTF-8 bytes of a text, as 64 hex digits. */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/** SHA-256 of the UTF-8 bytes of a text. */
export const sha256Bytes = (text: string): Uint8Array => sha256(utf8ToBytes(text))

/** `prefix_` and the first 16 hex digits (64 bits) of the hash of the parts. */
export const id = (prefix: string, ...parts: ReadonlyArray<unknown>): string =>
  `${prefix}_${sha256Hex(canonical(parts)).slice(0, 16)}`

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== "object") return value
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const key of Object.keys(value).sort()) out[key] = sorted((value as Record<string, unknown>)[key])
  return out
}
