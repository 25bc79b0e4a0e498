/**
 * What a body is, told by how it begins: the events of a stream, or a text to be read whole. Types of content are no help:
 * servers leave them out, and some send a stream under another.
 */
import * as Sse from "./sse.ts"

export interface Framing {
  /** Takes more of the body; whether that said anything. */
  readonly push: (bytes: Uint8Array) => boolean
  readonly end: () => void
  /** The body where it is no events; null where it is. */
  readonly text: () => string | null
}

/** Whether a text is events: a line of theirs begins with the name of a field, and a comment with a colon. */
export const isEvents = (text: string): boolean => firstLine.test(text)

const firstLine = /^\s*(?:data|event|id|retry)?:/

/** Bytes that neither JSON nor a page begins with are events, or nothing: `{`, `[`, `<`, `"`. */
const noEvents: ReadonlySet<number> = new Set([0x7b, 0x5b, 0x3c, 0x22])

/** Bytes that say nothing yet: white space, and a mark of the byte order. */
const blank: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** Hands on events as they come; `take` says whether an event said anything. */
export const make = (take: (event: Sse.SseEvent) => boolean): Framing => {
  const decoder = Sse.decoder()
  /** All of a body that is no events, or not yet. */
  const parts: Array<Uint8Array> = []
  let framed: boolean | null = null
  const taken = (events: ReadonlyArray<Sse.SseEvent>): boolean => {
    let said = false
    for (const event of events) if (take(event)) said = true
    return said
  }
  return {
    push: (bytes) => {
      if (framed === true) return taken(decoder.push(bytes))
      parts.push(bytes)
      const first = framed === null ? bytes.find((byte) => !blank.has(byte)) : undefined
      if (first !== undefined) framed = !noEvents.has(first)
      if (framed !== true) return bytes.length > 0
      return taken(parts.splice(0).flatMap((part) => decoder.push(part)))
    },
    end: () => {
      if (framed === true) taken(decoder.end())
    },
    text: () => {
      if (framed === true) return null
      const utf8 = new TextDecoder("utf-8")
      return parts.map((part) => utf8.decode(part, { stream: true })).join("") + utf8.decode()
    }
  }
}
