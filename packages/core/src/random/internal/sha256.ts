/**
 * SHA-256 of a text. Every id and every draw is one, so the runtime's own is taken where it has one that answers at once:
 * on Node it costs half a microsecond where the same in JavaScript costs three and a half. The digits are the same.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

type Hashing = (algorithm: "sha256", data: string | Uint8Array, encoding: "hex") => string

interface Runtime {
  readonly getBuiltinModule?: (name: string) => { readonly hash?: Hashing } | undefined
}

/** `crypto.hash` of Node, Deno or Bun, asked for without importing a module that other platforms do not have. */
const find = (): Hashing =>
  (globalThis as { readonly process?: Runtime }).process?.getBuiltinModule?.("node:crypto")?.hash ??
  ((_, data) => (typeof data === "string" ? inJavaScript(data) : bytesToHex(sha256(data))))

/** Looked for when something is first hashed: the module it is in takes its time to load. */
let found: Hashing | undefined

/** As 64 hex digits, of the text's UTF-8 bytes; halves of surrogate pairs count as U+FFFD. */
export const hex = (text: string): string => (found ??= find())("sha256", text, "hex")

/** Of bytes. */
export const hexOfBytes = (bytes: Uint8Array): string => (found ??= find())("sha256", bytes, "hex")

/** The same on any platform. */
export const inJavaScript = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))
