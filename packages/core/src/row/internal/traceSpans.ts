/**
 * Spans to threads: OpenTelemetry GenAI conventions (attributes, or events of a span), OpenInference, and the older
 * indexed form, flat or nested, also in OTLP's envelope. All spans of one conversation (or trace) are one thread. Its
 * words are those of the model calls of the outermost agent; its calls are all tool runs, those of agents that were
 * themselves called as tools included.
 */
import * as Hash from "../../random/Hash.ts"
import { firstOf, isObject, listOf, objectOf, textOf, unpacked, type Json } from "./foreignJson.ts"
import { argumentsOf, atomsOf, unpackedParts, type Atom, type Result } from "./traceAtoms.ts"

export interface Span {
  /** Number of the record it came with. */
  readonly record: number
  readonly trace: string
  readonly id: string
  readonly parent: string
  /** Nanoseconds as they came; only compared. */
  readonly start: number
  readonly end: number
  readonly failed: boolean
  /** Attributes of the span and of its events, as a tree. */
  readonly attributes: Json
  /** Messages that came as events of their own. */
  readonly events: ReadonlyArray<SpanMessage>
}

interface SpanMessage {
  /** Whether the model said it in this span, or was told it. */
  readonly output: boolean
  readonly atoms: ReadonlyArray<Atom>
}

/** Whether a record is a span, or an envelope of spans. */
export const isSpanRecord = (value: Json): boolean =>
  Array.isArray(firstOf(value, ["resourceSpans", "resource_spans"])) || traceIdOf(value) !== undefined

/** The spans of a record. */
export const spansOf = (value: Json, record: number): ReadonlyArray<Span> => {
  const resources = firstOf(value, ["resourceSpans", "resource_spans"])
  if (Array.isArray(resources)) {
    return resources
      .flatMap((resource) => listOf(firstOf(objectOf(resource), ["scopeSpans", "scope_spans"])))
      .flatMap((scope) => listOf(objectOf(scope)["spans"]))
      .flatMap((span) => (isObject(span) ? spansOf(span, record) : []))
  }
  const children = listOf(firstOf(value, ["children", "child_spans"]))
  return [readSpan(value, record), ...children.flatMap((child) => (isObject(child) ? spansOf(child, record) : []))]
}

/** Spans that belong to one conversation, in the order their first spans came. */
export const conversationsOf = (spans: ReadonlyArray<Span>): ReadonlyArray<ReadonlyArray<Span>> => {
  const conversation = new Map<string, string>()
  for (const span of spans) {
    const id = textOf(at(span, "gen_ai.conversation.id") ?? at(span, "session.id"))
    if (id !== undefined && id !== "" && !conversation.has(span.trace))
      conversation.set(span.trace, `conversation ${id}`)
  }
  const groups = new Map<string, Array<Span>>()
  for (const span of spans) {
    const key = conversation.get(span.trace) ?? `trace ${span.trace}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [span])
    else group.push(span)
  }
  return [...groups.values()]
}

/** The thread of one conversation, message by message. */
export const turnsOf = (spans: ReadonlyArray<Span>): ReadonlyArray<ReadonlyArray<Atom>> => {
  const ordered = [...spans].sort((a, b) => a.start - b.start || b.end - a.end)
  const tools = ordered.filter(isTool)
  const above = ancestry(ordered)
  const telling = ordered.filter(
    (span) => !isTool(span) && messagesOf(span).length > 0 && !above(span).some(isTool) && !isWithin(span, tools)
  )
  // Where model calls are recorded, agents and chains around them only say the same again.
  const models = telling.filter((span) => !isAgent(span))
  const candidates = models.length > 0 ? models : telling
  const speaking = candidates.filter((span) => !above(span).some((one) => candidates.includes(one)))
  const history: Array<Entry> = []
  for (const span of speaking) addModelCall(history, span)
  for (const span of tools) addToolRun(history, span)
  return history.map((entry) => entry.atoms)
}

/** One message of the thread; `time` places tool runs that no message speaks of. */
interface Entry {
  readonly atoms: Array<Atom>
  readonly time: number
  readonly keys: ReadonlyArray<string>
}

/**
 * A model call tells the thread so far and adds to it. What is known already is passed over; ids say nothing here, since
 * some recorders give one call an id when it is made and another when it is told again.
 */
const addModelCall = (history: Array<Entry>, span: Span): void => {
  let known = 0
  for (const { atoms, output } of messagesOf(span)) {
    const keys = atoms.map(keyOf)
    const place = history.findIndex((entry, i) => i >= known && sameKeys(entry.keys, keys))
    if (place >= 0 && !output) known = place + 1
    else if (keys.length > 0) {
      history.push({ atoms: [...atoms], keys, time: output ? span.end : span.start })
      known = history.length
    }
  }
}

const sameKeys = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((key, i) => key === b[i])

const keyOf = (atom: Atom): string => {
  switch (atom._tag) {
    case "User":
      return `user ${atom.text}`
    case "Agent":
      return `agent ${atom.text}`
    case "Call":
      return `call ${atom.name} ${Hash.canonical(atom.arguments)}`
    case "Result":
      return `result ${Hash.canonical(atom.content)}`
  }
}

/** What a tool run says of its call goes before what the thread was told of it; a call the thread lacks is added. */
const addToolRun = (history: Array<Entry>, span: Span): void => {
  const name = textOf(at(span, "gen_ai.tool.name") ?? at(span, "tool.name") ?? at(span, "traceloop.entity.name"))
  if (name === undefined) return
  const output = unpacked(firstAt(span, ["gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "output.value"]))
  const input = firstAt(span, ["gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "input.value"])
  const args = argumentsOf(input)
  const id = textOf(at(span, "gen_ai.tool.call.id") ?? at(span, "tool_call.id") ?? objectOf(output)["tool_call_id"])
  const made = findCall(history, id, name, args)
  const idField = made?.id ?? id
  const error = textOf(firstAt(span, ["error.message", "exception.message", "error.type"]))
  const result: Result = {
    _tag: "Result",
    ...(idField === undefined ? {} : { id: idField }),
    name,
    content: output ?? (span.failed ? (error ?? "error") : null),
    failed: span.failed
  }
  if (made !== undefined && output === undefined && !span.failed) return
  const entry: Entry = { atoms: [result], keys: [], time: span.start }
  if (made === undefined)
    entry.atoms.unshift({ _tag: "Call", ...(id === undefined ? {} : { id }), name, arguments: args })
  // Bound first: a thread takes the first answer a call gets.
  const place = made === undefined ? lastBefore(history, span.start) : history.findIndex((e) => e.atoms.includes(made))
  history.splice(place + 1, 0, entry)
}

type Call = Extract<Atom, { _tag: "Call" }>

const findCall = (
  history: ReadonlyArray<Entry>,
  id: string | undefined,
  name: string,
  args: unknown
): Call | undefined => {
  const answered = new Set(
    history.flatMap((e) => (e.keys.length === 0 ? e.atoms.flatMap((a) => (a._tag === "Result" ? [a.id] : [])) : []))
  )
  const calls = history.flatMap((e) => (e.keys.length === 0 ? [] : e.atoms.filter((a): a is Call => a._tag === "Call")))
  const byId = id === undefined ? undefined : calls.find((call) => call.id === id)
  if (byId !== undefined) return byId
  const open = calls.filter((call) => call.name === name && (call.id === undefined || !answered.has(call.id)))
  const key = Hash.canonical(args)
  return open.find((call) => Hash.canonical(call.arguments) === key)
}

const lastBefore = (history: ReadonlyArray<Entry>, time: number): number =>
  history.findLastIndex((entry) => entry.time <= time)

const operationOf = (span: Span): string =>
  (
    textOf(
      at(span, "gen_ai.operation.name") ?? at(span, "openinference.span.kind") ?? at(span, "traceloop.span.kind")
    ) ?? ""
  ).toLowerCase()

const isTool = (span: Span): boolean => ["execute_tool", "tool"].includes(operationOf(span))
const isAgent = (span: Span): boolean =>
  ["invoke_agent", "create_agent", "agent", "chain", "workflow", "task"].includes(operationOf(span))

/** The spans above each span. */
const ancestry = (spans: ReadonlyArray<Span>): ((span: Span) => ReadonlyArray<Span>) => {
  const byId = new Map(spans.map((span) => [span.id, span]))
  return (span) => {
    const found: Array<Span> = []
    for (let up = byId.get(span.parent); up !== undefined && !found.includes(up); up = byId.get(up.parent))
      found.push(up)
    return found
  }
}

/** Wholly within the time of a tool run: recorders of agents that are called as tools do not all keep the parent. */
const isWithin = (span: Span, tools: ReadonlyArray<Span>): boolean =>
  tools.some(
    (tool) => tool.trace === span.trace && tool.end > tool.start && tool.start <= span.start && span.end <= tool.end
  )

/** Messages a span tells, its own output last. */
const messagesOf = (span: Span): ReadonlyArray<SpanMessage> => {
  const told = readMessages(
    firstAt(span, [
      "gen_ai.input.messages",
      "llm.input_messages",
      "gen_ai.prompt",
      "gcp.vertex.agent.llm_request",
      "pydantic_ai.all_messages"
    ])
  )
  const said = readMessages(
    firstAt(span, [
      "gen_ai.output.messages",
      "llm.output_messages",
      "gen_ai.completion",
      "gcp.vertex.agent.llm_response"
    ])
  )
  return [
    ...told.map((atoms) => ({ output: false, atoms })),
    ...said.map((atoms) => ({ output: true, atoms })),
    ...(told.length + said.length === 0 ? span.events : [])
  ]
}

/** `gen_ai.user.message`, `gen_ai.choice` and the like: one event a message. */
const eventMessage = (event: Json): ReadonlyArray<SpanMessage> => {
  const [, name] =
    /^gen_ai\.(user|assistant|tool|choice)(?:\.message)?$/.exec(textOf(firstOf(event, ["name", "event_name"])) ?? "") ??
    []
  if (name === undefined) return []
  const fields = { ...Object.fromEntries(pairsOf(event["attributes"])), ...objectOf(event["body"]) }
  const inner = unpacked(firstOf(fields, ["message"]) ?? fields)
  const message = isObject(inner) ? inner : { content: inner }
  const toolCalls = unpacked(message["tool_calls"])
  const raw = {
    ...message,
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
    role: name === "choice" ? "assistant" : name
  }
  return readMessages([raw]).map((atoms) => ({ output: name === "choice", atoms }))
}

const readMessages = (value: unknown): ReadonlyArray<ReadonlyArray<Atom>> => {
  const read = unpacked(value)
  const inner = isObject(read) ? firstOf(read, ["contents", "content", "messages"]) : undefined
  const list = isObject(inner) ? [inner] : listOf(inner ?? read)
  return list.flatMap((raw) => {
    const message = objectOf(raw)
    const own = isObject(message["message"]) ? message["message"] : message
    const atoms = atomsOf({
      ...own,
      ...(Object.hasOwn(own, "content") ? { content: unpackedParts(own["content"]) } : {})
    })
    return atoms === undefined || atoms.length === 0 ? [] : [atoms]
  })
}

const traceIdOf = (value: Json): string | undefined => {
  const context = objectOf(firstOf(value, ["context", "span_context"]))
  const trace = textOf(firstOf(value, ["trace_id", "traceId"]) ?? firstOf(context, ["trace_id", "traceId"]))
  const span = firstOf(value, ["span_id", "spanId"]) ?? firstOf(context, ["span_id", "spanId"])
  return span === undefined ? undefined : trace
}

const readSpan = (value: Json, record: number): Span => {
  const context = objectOf(firstOf(value, ["context", "span_context"]))
  const status = objectOf(value["status"])
  const code = status["code"] ?? status["status_code"] ?? value["status_code"]
  const events = listOf(firstOf(value, ["span_events", "events"])).map(objectOf)
  const attributes = emptyTree()
  for (const event of events) plant(attributes, pairsOf(event["attributes"]))
  plant(attributes, pairsOf(value["attributes"]))
  return {
    record,
    trace: traceIdOf(value) ?? "",
    id: textOf(firstOf(value, ["span_id", "spanId"]) ?? firstOf(context, ["span_id", "spanId"])) ?? "",
    parent: textOf(firstOf(value, ["parent_span_id", "parentSpanId", "parent_id", "parentId"])) ?? "",
    start: timeOf(firstOf(value, ["start_time", "startTimeUnixNano", "start_time_unix_nano", "startTime"])),
    end: timeOf(firstOf(value, ["end_time", "endTimeUnixNano", "end_time_unix_nano", "endTime"])),
    failed: /error/i.test(String(code ?? "")) || code === 2,
    attributes,
    events: events.flatMap(eventMessage)
  }
}

/** A number, digits, or an ISO date. */
const timeOf = (value: unknown): number => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return 0
  return /^\d+$/.test(value) ? Number(value) : (Date.parse(value) || 0) * 1e6
}

/** Attributes as pairs: an object, or OTLP's list of `{ key, value: { stringValue } }`. */
const pairsOf = (attributes: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Array.isArray(attributes)
    ? attributes.map((one) => {
        const { key, value } = objectOf(one)
        return [String(key), otlpValue(value)] as const
      })
    : Object.entries(objectOf(attributes))

const otlpValue = (value: unknown): unknown => {
  const typed = objectOf(value)
  const list = objectOf(firstOf(typed, ["arrayValue", "array_value"]))["values"]
  if (Array.isArray(list)) return list.map(otlpValue)
  const map = objectOf(firstOf(typed, ["kvlistValue", "kvlist_value"]))["values"]
  if (Array.isArray(map)) return Object.fromEntries(pairsOf(map))
  return firstOf(typed, [
    "stringValue",
    "string_value",
    "intValue",
    "int_value",
    "doubleValue",
    "double_value",
    "boolValue",
    "bool_value"
  ])
}

/** Puts `a.b.0.c` where a nested form has it, so that both are read by one path. */
const plant = (tree: Record<string, unknown>, pairs: ReadonlyArray<readonly [string, unknown]>): void => {
  for (const [key, value] of pairs) {
    const path = key.split(".")
    const leaf = path.pop() ?? key
    let node = tree
    for (const part of path) {
      const next = node[part]
      const child = isOwn(next) ? next : Object.assign(emptyTree(), isObject(next) ? next : {})
      node[part] = child
      node = child
    }
    node[leaf] = value
  }
}

/** Objects without a prototype are of our making; others are the caller's and are copied before they are added to. */
const emptyTree = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>
const isOwn = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.getPrototypeOf(value) === null

/** The value at a dotted path of the attributes. */
export const at = (span: Span, path: string): unknown => {
  let node: unknown = span.attributes
  for (const part of path.split(".")) {
    if (!isObject(node) || !Object.hasOwn(node, part)) return undefined
    node = node[part]
  }
  return node ?? undefined
}

const firstAt = (span: Span, paths: ReadonlyArray<string>): unknown => {
  for (const path of paths) {
    const value = at(span, path)
    if (value !== undefined && value !== "" && value !== "{}") return value
  }
  return undefined
}
