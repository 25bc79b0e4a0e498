/**
 * Bytes to lines: a line ends at byte 0x0A and nowhere else, so a character that a block cuts in two is whole again
 * before it is decoded. A file that begins with the mark of UTF-16 is read as such. Decoding line by line is also faster than by block: one odd character widens only its own line.
 */
import * as Encoding from "./encoding.ts"

/**
 * A line that is not blank.
 * @since 0.1.0
 * @category models
 */
export type TextLine =
  | { readonly _tag: "Text"; readonly number: number; readonly text: string }
  | {
      readonly _tag: "Unreadable"
      readonly number: number
      readonly reason: "not_utf8" | "too_long"
      readonly detail: string
    }

export interface Splitter {
  /** The lines that end in this block. Nothing of the block is kept, so it can be filled anew. */
  readonly push: (block: Uint8Array) => Array<TextLine>
  /** The last line, when no newline ends it. */
  readonly end: () => Array<TextLine>
}

/** Bytes that say how a file is written. */
const longestMark = 4

/** A JavaScript string holds less than 512 MiB; a line beyond half of that is damage, and is read over. */
const longestLine = 256 * 1024 * 1024

export const make = (longest: number = longestLine): Splitter => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let number = 0
  /** Bytes before the line. */
  let offset = 0
  /** The first bytes, until there are enough to say how the file is written. */
  let head: Uint8Array | null = new Uint8Array(0)
  /** Text of bytes that are UTF-16; null for UTF-8. */
  let wide: ((bytes: Uint8Array, isLast: boolean) => string) | null = null
  /** Pieces of a line that began in earlier blocks, joined once when it ends. */
  let pieces: Array<Uint8Array> = []
  let held = 0

  const hold = (piece: Uint8Array): void => {
    held += piece.length
    if (held > longest) pieces = []
    else if (piece.length > 0) pieces.push(piece.slice())
  }

  const finish = (out: Array<TextLine>, last: Uint8Array): void => {
    number += 1
    const length = held + last.length
    if (length > longest) {
      const detail = `The line has ${length} bytes, more than the ${longest} a line may have.`
      out.push({ _tag: "Unreadable", number, reason: "too_long", detail })
    } else {
      const line = pieces.length === 0 ? last : join(pieces, last, length)
      if (!isBlank(line)) out.push(decode(line))
    }
    offset += length + 1
    pieces = []
    held = 0
  }

  const decode = (line: Uint8Array): TextLine => {
    const unreadable = (text: string): TextLine => {
      const of = wide === null ? " of the file" : ""
      const problem = Encoding.utf8Problem(line, text, wide === null ? offset : 0) ?? "is not UTF-8"
      const detail = `The line ${problem.replace(/ \(line \d+\)/, of)}.`
      return { _tag: "Unreadable", number, reason: "not_utf8", detail }
    }
    try {
      const text = decoder.decode(line)
      return line.includes(0) ? unreadable(text) : { _tag: "Text", number, text }
    } catch {
      return unreadable(new TextDecoder("utf-8", { ignoreBOM: true }).decode(line))
    }
  }

  /** The bytes of a block as UTF-8, once it is known how the file is written. */
  const narrow = (block: Uint8Array, isLast: boolean): Uint8Array => {
    let bytes = block
    if (head !== null) {
      bytes = join([head], block, head.length + block.length)
      if (bytes.length < longestMark && !isLast) {
        head = bytes
        return new Uint8Array(0)
      }
      head = null
      const { encoding, length } = Encoding.markOf(bytes)
      if (encoding !== "utf-8") {
        const decoder = new TextDecoder(encoding, { ignoreBOM: true })
        wide = (more, isEnd) => decoder.decode(more, { stream: !isEnd })
        bytes = bytes.subarray(length)
      }
    }
    return wide === null ? bytes : new TextEncoder().encode(wide(bytes, isLast))
  }

  const split = (block: Uint8Array): Array<TextLine> => {
    const out: Array<TextLine> = []
    let from = 0
    for (;;) {
      const to = block.indexOf(0x0a, from)
      if (to < 0) break
      finish(out, block.subarray(from, to))
      from = to + 1
    }
    hold(block.subarray(from))
    return out
  }

  return {
    push: (block) => split(narrow(block, false)),
    end: () => {
      const out = split(narrow(new Uint8Array(0), true))
      if (held > 0) finish(out, new Uint8Array(0))
      return out
    }
  }
}

const join = (pieces: ReadonlyArray<Uint8Array>, last: Uint8Array, length: number): Uint8Array => {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  whole.set(last, at)
  return whole
}

/** Spaces, tabs, carriage returns and a byte order mark make no line. Few lines begin so: the loop ends at once. */
const isBlank = (line: Uint8Array): boolean => {
  let at = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0
  for (; at < line.length; at++) {
    const byte = line[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}
