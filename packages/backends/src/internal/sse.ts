/**
 * Server-sent events out of bytes that may be cut anywhere, also within a character or between the two halves of a line
 * end. Comments and events without data are nothing, so a server that only keeps a connection open says nothing.
 */

export interface SseEvent {
  readonly event: string | null
  readonly data: string
}

export interface Decoder {
  /** The events that are whole with these bytes. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<SseEvent>
  /** What is left at the end of the stream: some servers leave out the last blank line. */
  readonly end: () => ReadonlyArray<SseEvent>
}

export const decoder = (): Decoder => {
  const utf8 = new TextDecoder("utf-8")
  let rest = ""
  /** The last chunk ended in a carriage return: a line feed at the start of the next one belongs to it. */
  let returned = false
  let event: string | null = null
  let data: Array<string> = []

  const line = (text: string, out: Array<SseEvent>): void => {
    if (text === "") {
      if (data.length > 0) out.push({ event, data: data.join("\n") })
      event = null
      data = []
      return
    }
    const colon = text.indexOf(":")
    if (colon === 0) return
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? "" : text.slice(text.charAt(colon + 1) === " " ? colon + 2 : colon + 1)
    if (field === "data") data.push(value)
    else if (field === "event") event = value
  }

  const read = (text: string): ReadonlyArray<SseEvent> => {
    const out: Array<SseEvent> = []
    let start = returned && text.startsWith("\n") ? 1 : 0
    if (text !== "") returned = false
    for (let i = start; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code !== lineFeed && code !== carriageReturn) continue
      line(rest + text.slice(start, i), out)
      rest = ""
      if (code === carriageReturn) {
        if (i + 1 === text.length) returned = true
        else if (text.charCodeAt(i + 1) === lineFeed) i += 1
      }
      start = i + 1
    }
    rest += text.slice(start)
    return out
  }

  return {
    push: (bytes) => read(utf8.decode(bytes, { stream: true })),
    end: () => {
      const out = [...read(utf8.decode())]
      if (rest !== "") line(rest, out)
      rest = ""
      line("", out)
      return out
    }
  }
}

const lineFeed = 10
const carriageReturn = 13
