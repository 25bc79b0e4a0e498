/**
 * Reads what a model answered: JSON where it is, also behind thinking, inside fences and between sentences.
 */

/** The JSON of a reply; undefined when there is none. The whole text counts first, then fences, then the first value. */
export const jsonOf = (reply: string): unknown => {
  const text = reply.replace(thinking, "").trim()
  const whole = parsed(text)
  if (whole !== undefined) return whole
  for (const fence of text.matchAll(fences)) {
    const inside = parsed(fence[1] ?? "")
    if (inside !== undefined) return inside
  }
  for (const match of text.matchAll(/[{[]/g)) {
    const end = closing(text, match.index)
    const value = end === undefined ? undefined : parsed(text.slice(match.index, end + 1))
    if (value !== undefined) return value
  }
  return undefined
}

const thinking = /<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>/gi
const fences = /```[a-z]*\s*\n([\s\S]*?)```/gi

/** An object or a list; a bare word or number is prose. */
const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Where the value that begins at `start` ends, strings passed over. */
const closing = (text: string, start: number): number | undefined => {
  let depth = 0
  let quoted = false
  for (let i = start; i < text.length; i++) {
    const char = text.charAt(i)
    if (quoted) {
      if (char === "\\") i += 1
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{" || char === "[") depth += 1
    else if (char === "}" || char === "]") {
      depth -= 1
      if (depth === 0) return i
    }
  }
  return undefined
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The list under a name, or the value when it is a list itself. */
export const listOf = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const held = isRecord(value) && Object.hasOwn(value, name) ? value[name] : value
  return Array.isArray(held) ? held : []
}

export const textOf = (value: unknown, name: string): string => {
  const held = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof held === "string" ? held.trim() : ""
}

/** A JSON Schema of an object in the strict form that structured output asks for: every property required, no other. */
export const strict = (properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false
})
export const text = { type: "string" } as const
export const list = (items: unknown): Readonly<Record<string, unknown>> => ({ type: "array", items })

/** A message for a card, as it was answered. */
export interface Draft {
  readonly id: string
  readonly message: string
  readonly need: string
  /** Words of the message that show a trait, by trait. */
  readonly shows: ReadonlyMap<string, string>
  /** Further things the person knows, by argument name. */
  readonly knows: ReadonlyMap<string, string>
}

export const draftSchema = strict({
  messages: list(
    strict({
      id: text,
      message: text,
      need: text,
      shows: list(strict({ trait: text, words: text })),
      knows: list(strict({ name: text, value: text }))
    })
  )
})

/** The messages of a reply by card, the first of each; undefined when the reply holds no JSON. */
export const draftsOf = (reply: string): ReadonlyMap<string, Draft> | undefined => {
  const value = jsonOf(reply)
  if (value === undefined) return undefined
  const found = new Map<string, Draft>()
  for (const entry of entriesOf(value)) {
    const id = textOf(entry, "id")
    const message = textOf(entry, "message") || textOf(entry, "text")
    if (id === "" || message === "" || found.has(id)) continue
    const pairs = (name: string, key: string, of: string): ReadonlyMap<string, string> =>
      new Map(
        listOf(isRecord(entry) ? entry[name] : [], name).map((pair) => [textOf(pair, key), textOf(pair, of)] as const)
      )
    found.set(id, {
      id,
      message,
      need: meant(textOf(entry, "need")),
      shows: pairs("shows", "trait", "words"),
      knows: pairs("knows", "name", "value")
    })
  }
  return found
}

/** A list of messages, an object that holds one, or messages by card id. */
const entriesOf = (value: unknown): ReadonlyArray<unknown> => {
  const listed = listOf(value, "messages")
  if (listed.length > 0 || !isRecord(value)) return listed
  if (textOf(value, "id") !== "") return [value]
  const inner = isRecord(value["messages"]) ? value["messages"] : value
  return Object.entries(inner).map(([id, entry]) =>
    typeof entry === "string" ? { id, message: entry } : isRecord(entry) ? { ...entry, id } : entry
  )
}

/** `"..."` and "string" stand where a model had nothing to say. */
const meant = (text: string): string =>
  /^[^\p{L}\p{N}]*$/u.test(text) || /^(?:string|text|n\/?a|none|null|<[^>]*>)$/i.test(text.trim()) ? "" : text
