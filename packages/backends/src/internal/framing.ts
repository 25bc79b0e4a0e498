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

/** What neither JSON nor a page begins with is events, or nothing. */
const noEvents = /^\s*[{[<"]/

/** Hands on events as they come; `take` says whether an event said anything. */
export const make = (take: (event: Sse.SseEvent) => boolean): Framing => {
  const utf8 = new TextDecoder("utf-8")
  const decoder = Sse.decoder()
  let text = ""
  let framed: boolean | null = null
  const taken = (events: ReadonlyArray<Sse.SseEvent>): boolean => {
    let said = false
    for (const event of events) if (take(event)) said = true
    return said
  }
  return {
    push: (bytes) => {
      if (framed === true) return taken(decoder.push(bytes))
      text += utf8.decode(bytes, { stream: true })
      framed ??= text.trim() === "" ? null : !noEvents.test(text)
      return framed === true ? taken(decoder.push(new TextEncoder().encode(text))) : bytes.length > 0
    },
    end: () => {
      if (framed === true) taken(decoder.end())
      else text += utf8.decode()
    },
    text: () => (framed === true ? null : text)
  }
}
