/**
 * What real servers refuse a whole thread for, in words like theirs; null for a thread that keeps the rules.
 */

type Json = Readonly<Record<string, unknown>>

export const violationOf = (path: string, body: Json): string | null => {
  if (path.endsWith("/messages")) return messages(body)
  if (path.endsWith("/responses")) return responses(body)
  return path.endsWith("/chat/completions") ? completions(body) : null
}

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? (value as ReadonlyArray<Json>) : [])
const blank = (value: unknown): boolean => typeof value !== "string" || value.trim() === ""

const completions = (body: Json): string | null => {
  const thread = list(body["messages"])
  if (thread.length === 0) return "messages: at least one is required"
  let open: Array<unknown> = []
  for (const [i, message] of thread.entries()) {
    if (message["role"] === "tool") {
      const at = open.indexOf(message["tool_call_id"])
      if (at < 0) return `messages[${i}]: a tool message must answer a preceding call`
      if (typeof message["content"] !== "string") return `messages[${i}]: content must be a text`
      open.splice(at, 1)
      continue
    }
    if (open.length > 0) return `messages[${i}]: tool_call_ids ${open.join(", ")} were not answered`
    const calls = list(message["tool_calls"])
    open = calls.map((call) => call["id"])
    if (new Set(open).size !== open.length) return `messages[${i}]: call ids must differ`
    for (const call of calls) {
      const given = call["function"] as Json
      if (typeof given["arguments"] !== "string") return `messages[${i}]: arguments must be a text`
    }
    if (calls.length === 0 && typeof message["content"] !== "string") return `messages[${i}]: content is missing`
  }
  return open.length > 0 ? "the last calls were not answered" : null
}

const messages = (body: Json): string | null => {
  if (typeof body["max_tokens"] !== "number") return "max_tokens: field required"
  const thread = list(body["messages"])
  if (thread[0]?.["role"] !== "user") return "messages: first message must use the user role"
  if (thread.at(-1)?.["role"] !== "user") return "messages: the last message must use the user role"
  for (const block of list(body["system"])) if (blank(block["text"])) return "system: text blocks must be non-empty"
  let before: Json | undefined
  for (const [i, message] of thread.entries()) {
    if (message["role"] === before?.["role"]) return `messages.${i}: roles must alternate`
    if (message["role"] !== "user" && message["role"] !== "assistant") return `messages.${i}: unexpected role`
    const content =
      typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : list(message["content"])
    if (content.length === 0) return `messages.${i}: content must not be empty`
    if (content.some((block) => block["type"] === "text" && blank(block["text"]))) {
      return `messages.${i}: text content blocks must contain non-whitespace text`
    }
    const calls = list(before?.["content"]).filter((block) => block["type"] === "tool_use")
    const results = content.filter((block) => block["type"] === "tool_result")
    const first = content.slice(0, calls.length)
    if (results.length !== calls.length || first.some((block, at) => block["tool_use_id"] !== calls[at]?.["id"])) {
      return `messages.${i}: tool_use ids must each have one tool_result, first and in order`
    }
    if (results.some((block) => blank(block["content"]))) return `messages.${i}: tool_result must not be empty`
    for (const block of content) {
      if (block["type"] === "tool_use") {
        if (!/^[\w-]+$/.test(String(block["id"]))) return `messages.${i}: tool_use id has odd characters`
        const input = block["input"]
        if (typeof input !== "object" || input === null || Array.isArray(input)) {
          return `messages.${i}: tool_use.input must be an object`
        }
      }
      if (block["type"] === "thinking" && block["signature"] !== `signed:${String(block["thinking"])}`) {
        return `messages.${i}: thinking blocks cannot be modified`
      }
    }
    before = message
  }
  return null
}

const responses = (body: Json): string | null => {
  const open = new Set<unknown>()
  for (const [i, item] of list(body["input"]).entries()) {
    if (item["type"] === "function_call") open.add(item["call_id"])
    else if (item["type"] === "function_call_output") {
      if (!open.delete(item["call_id"])) return `input[${i}]: no tool call found for function call output`
    } else if (item["type"] === "reasoning" && typeof item["encrypted_content"] === "string") {
      const text = list(item["summary"])[0]?.["text"]
      if (item["encrypted_content"] !== `sealed:${String(text)}`) return `input[${i}]: reasoning was changed`
    }
  }
  return open.size > 0 ? `no tool output found for function call ${[...open].join(", ")}` : null
}
