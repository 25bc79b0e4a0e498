/**
 * Content hashes: every id of the project is one, so that equal content has equal ids in every process.
 */
import * as ExactJson from "../json/ExactJson.ts"
import * as Json from "../json/jsonList.ts"
import * as Sha256 from "./internal/sha256.ts"

/** JSON with object keys in code unit order and `undefined` left out: one text per value. */
export const canonical = (value: unknown): string => ExactJson.stringify(sorted(value)) ?? "null"

/** SHA-256 of the UTF-8 bytes of a text, as 64 hex digits. */
export const sha256Hex: (text: string) => string = Sha256.hex

/** SHA-256 of bytes, as 64 hex digits. */
export const sha256HexOfBytes: (bytes: Uint8Array) => string = Sha256.hexOfBytes

/** `prefix_` and the first 16 hex digits (64 bits) of the hash of the parts: of their canonical list. */
export const id = (prefix: string, ...parts: ReadonlyArray<unknown>): string =>
  `${prefix}_${sha256Hex(Json.list(parts, canonical)).slice(0, 16)}`

const sorted = (value: unknown): unknown => {
  if (value === null || typeof value !== "object" || ExactJson.isExact(value)) return value
  if (Array.isArray(value)) return value.some(isObject) ? value.map(sorted) : value
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const key of Object.keys(value).sort()) out[key] = sorted((value as Record<string, unknown>)[key])
  return out
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null
