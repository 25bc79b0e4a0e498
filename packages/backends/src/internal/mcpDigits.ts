/**
 * The digits of numbers over MCP's HTTP transport, whose library reads and writes JSON by itself: numbers that JavaScript
 * would round pass through it as marked texts.
 */
import * as ExactJson from "@sandtable/core/ExactJson"

/** No text of a server's is likely to begin so; one that does and goes on as a number is read as that number. */
const mark = "\ue000\ue000exact:"

/** What the library is to send. */
export const toSend = <A>(message: A): A => ExactJson.mapExact(message, ({ digits }) => mark + digits) as A

/** What it gave. */
export const received = (value: unknown): unknown => ExactJson.revived(value, mark)

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A fetch between the library and the server. */
export const through =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const body = init?.body
    const sent = typeof body === "string" ? { ...init, body: ExactJson.unmarked(body, mark) } : init
    const response = await fetch(url, sent)
    const type = response.headers.get("content-type") ?? ""
    if (!response.ok || response.body === null) return response
    if (/\bjson\b/i.test(type)) return new Response(marked(await response.text()), response)
    if (!/event-stream/i.test(type)) return response
    const lines = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(byLine())
    return new Response(lines.pipeThrough(new TextEncoderStream()), response)
  }

/** What is no JSON is left as it is. */
const marked = (text: string): string => {
  try {
    JSON.parse(text)
    return ExactJson.marked(text, mark)
  } catch {
    return text
  }
}

/** Events, whose data is one line of JSON each. */
const byLine = (): TransformStream<string, string> => {
  let rest = ""
  const ofLine = (line: string): string =>
    line.startsWith("data:") ? `data: ${marked(line.slice("data:".length).trim())}\n` : `${line}\n`
  return new TransformStream({
    transform: (text, controller) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      if (lines.length > 0) controller.enqueue(lines.map(ofLine).join(""))
    },
    flush: (controller) => {
      if (rest !== "") controller.enqueue(ofLine(rest).slice(0, -1))
    }
  })
}
