/**
 * How bytes are text.
 */
import * as Either from "effect/Either"

export type Encoding = "utf-8" | "utf-16le" | "utf-16be"

/** By the byte order mark, and the length of the mark. UTF-32 begins like UTF-16 and is none. */
export const markOf = (bytes: Uint8Array): { readonly encoding: Encoding; readonly length: number } => {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", length: 3 }
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { encoding: "utf-16le", length: 2 }
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", length: 2 }
  return { encoding: "utf-8", length: 0 }
}

/** How a file gives away that each of its characters takes several bytes and that no mark says so; null when it does not. */
export const wideProblem = (bytes: Uint8Array): string | null => {
  const { encoding, length } = markOf(bytes)
  const head = bytes.subarray(0, 4)
  if (encoding !== "utf-8" || !head.includes(0)) return null
  return utf8Problem(head.subarray(length), new TextDecoder().decode(head), length)
}

/** The text, or what keeps the bytes from being one, as a clause with the byte's place in the file. */
export const decode = (bytes: Uint8Array): Either.Either<string, string> => {
  const { encoding, length } = markOf(bytes)
  const body = bytes.subarray(length)
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(body)
  const problem = encoding === "utf-8" ? utf8Problem(body, text, length) : utf16Problem(body, text, encoding)
  return problem === null ? Either.right(text) : Either.left(problem)
}

const nul = "\0"
const replacement = "\uFFFD"

/** What is wrong with bytes that were decoded as UTF-8; `offset` bytes stand before them. Null when nothing is. */
export const utf8Problem = (bytes: Uint8Array, text: string, offset: number): string | null => {
  // Text in UTF-16 without its mark is valid UTF-8, full of zeros.
  const zero = text.indexOf(nul)
  const odd = firstOdd(bytes, text)
  if (zero >= 0 && (odd === null || zero < odd.at)) {
    return `is no text: byte ${offset + byteLength(text, zero)} (line ${lineOf(text, zero)}) is zero, as in UTF-16 without a byte order mark`
  }
  if (odd === null) return null
  const hex = (bytes[odd.byte] ?? 0).toString(16).toUpperCase().padStart(2, "0")
  return `is not UTF-8: byte ${offset + odd.byte} (line ${lineOf(text, odd.at)}) is 0x${hex}`
}

/** The first character that stands for bytes that are no UTF-8, by its place in the text and in the bytes. */
const firstOdd = (bytes: Uint8Array, text: string): { readonly at: number; readonly byte: number } | null => {
  let [byte, from] = [0, 0]
  for (let at = text.indexOf(replacement); at >= 0; at = text.indexOf(replacement, at + 1)) {
    byte += byteLength(text.slice(from, at))
    from = at
    // somebody may have written that very character
    if (bytes[byte] !== 0xef || bytes[byte + 1] !== 0xbf || bytes[byte + 2] !== 0xbd) return { at, byte }
  }
  return null
}

const utf16Problem = (bytes: Uint8Array, text: string, encoding: Encoding): string | null => {
  const name = encoding.toUpperCase()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = text.indexOf(replacement); at >= 0; at = text.indexOf(replacement, at + 1)) {
    if (at * 2 + 1 < bytes.length && view.getUint16(at * 2, encoding === "utf-16le") === 0xfffd) continue
    return `is no ${name}, as its byte order mark says: half a character at byte ${at * 2 + 2} (line ${lineOf(text, at)})`
  }
  const zero = text.indexOf(nul)
  return zero < 0 ? null : `is no text: the character at byte ${zero * 2 + 2} (line ${lineOf(text, zero)}) is zero`
}

const byteLength = (text: string, end = text.length): number => new TextEncoder().encode(text.slice(0, end)).length

const lineOf = (text: string, end: number): number => text.slice(0, end).split("\n").length
