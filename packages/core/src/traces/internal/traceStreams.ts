/**
 * Recorded streams put together to the reply they carried: events of Anthropic's Messages, chunks of chat completions,
 * events of OpenAI's Responses, as a list or as the text of server-sent events.
 */
import { firstOf, isObject, listOf, objectOf, textOf, type Json } from "../../json/foreignJson.ts"

/** The events of a text of server-sent events; undefined when it is none. */
export const eventsOf = (text: string): ReadonlyArray<unknown> | undefined => {
  if (!/^(?:event|data|id|:)[^\n]*\n?/.test(text.trimStart()) || !/^data:/m.test(text)) return undefined
  const events = text.split(/\r?\n\r?\n/).flatMap((block) => {
    const data = block.split(/\r?\n/).flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trim()] : []))
    try {
      return data.length === 0 ? [] : [JSON.parse(data.join("\n")) as unknown]
    } catch {
      return []
    }
  })
  return events.length === 0 ? undefined : events
}

/** The body that a request without streaming would have got; undefined when the list holds no stream. */
export const wholeOf = (list: ReadonlyArray<unknown>): Json | undefined => {
  const events = list.flatMap((one) => {
    const event = isObject(one) && isObject(one["data"]) ? one["data"] : one
    return isObject(event) ? [event] : []
  })
  const last = events.findLast(({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(textOf(type) ?? ""))
  if (last !== undefined) return objectOf(last["response"])
  if (events.some(({ type }) => type === "message_start" || type === "content_block_delta")) return blocks(events)
  return events.some((event) => listOf(event["choices"]).some((choice) => isObject(objectOf(choice)["delta"])))
    ? chunks(events)
    : undefined
}

const blocks = (events: ReadonlyArray<Json>): Json => {
  let message: Json = { role: "assistant" }
  const content = new Map<unknown, Record<string, unknown>>()
  for (const { content_block: block, delta, index, message: begun, type } of events) {
    // What begins anew in one stream begins anew.
    if (type === "message_start") {
      message = { role: "assistant", ...objectOf(begun) }
      content.clear()
      listOf(message["content"]).forEach((one, i) => content.set(i, { ...objectOf(one) }))
    }
    if (isObject(block)) content.set(index, { ...block })
    if (type !== "content_block_delta" || !isObject(delta)) continue
    const own = content.get(index) ?? { type: delta["partial_json"] === undefined ? "text" : "tool_use" }
    content.set(index, own)
    for (const field of ["text", "thinking"]) own[field] = joined(own[field], delta[field])
    const input = textOf(delta["partial_json"])
    if (input !== undefined) own["input"] = typeof own["input"] === "string" ? own["input"] + input : input
  }
  return { ...message, content: [...content.values()] }
}

const joined = (before: unknown, more: unknown): unknown =>
  typeof more === "string" ? `${textOf(before) ?? ""}${more}` : before

/** Only the first of several choices is put together. */
const chunks = (events: ReadonlyArray<Json>): Json => {
  const message: Record<string, unknown> = { role: "assistant" }
  const calls: Array<{ key: unknown; id: unknown; name: string; arguments: string }> = []
  const choices = events.flatMap((event) => listOf(event["choices"]).map(objectOf))
  const first = choices.find(({ index }) => index !== undefined)?.["index"]
  for (const choice of choices) {
    if (choice["index"] !== first) continue
    const delta = objectOf(firstOf(choice, ["delta", "message"]))
    for (const field of ["content", "refusal", "reasoning_content", "reasoning"])
      message[field] = joined(message[field], delta[field])
    for (const raw of listOf(delta["tool_calls"])) {
      const call = objectOf(raw)
      const fn = objectOf(call["function"])
      const [key, id] = [call["index"], call["id"] || undefined]
      let own = calls.findLast((one) => one.key === key)
      if (own === undefined || (id !== undefined && own.id !== undefined && own.id !== id))
        calls.push((own = { key, id, name: "", arguments: "" }))
      own.id ??= id
      own.name += textOf(fn["name"]) ?? ""
      own.arguments += textOf(fn["arguments"]) ?? ""
    }
  }
  const others = new Set(choices.map(({ index }) => index)).size - 1
  return {
    choices: [
      {
        message: {
          ...message,
          tool_calls: calls.map(({ id, name, ...call }) => ({ id, function: { name, arguments: call.arguments } }))
        }
      },
      ...Array.from({ length: others }, () => ({}))
    ]
  }
}
