/**
 * One span as others recorded it: OpenTelemetry GenAI conventions (attributes, or events of the span, or log records
 * beside it), OpenInference, and the older indexed form, flat or nested, also in OTLP's envelope.
 */
import { firstOf, isObject, listOf, objectOf, textOf, unpacked, type Json } from "../../json/foreignJson.ts"
import type { Atom } from "./traceAtom.ts"
import { atomsOf, unpackedParts } from "./traceAtoms.ts"

export interface Span {
  /** Number of the record it came with. */
  readonly record: number
  readonly trace: string
  readonly id: string
  readonly parent: string
  readonly name: string
  /** Nanoseconds as they came; only compared. */
  readonly start: number
  readonly end: number
  readonly failed: boolean
  /** Attributes of the span and of its events, as a tree. */
  readonly attributes: Json
  /** What its events tell, each by itself: what was said before, and what is said. */
  readonly tellings: ReadonlyArray<ReadonlyArray<SpanMessage>>
  /** A log record stands for a span that may come by itself. */
  readonly log: boolean
}

export interface SpanMessage {
  /** Whether the model said it in this span, or was told it. */
  readonly output: boolean
  readonly atoms: ReadonlyArray<Atom>
}

/** Whether a record is a span, a log record of one, or an envelope of either. */
export const isSpanRecord = (value: Json): boolean =>
  envelopes.some(([keys]) => Array.isArray(firstOf(value, keys))) || traceIdOf(value) !== undefined

const envelopes = [
  [["resourceSpans", "resource_spans"], ["scopeSpans", "scope_spans"], ["spans"]],
  [
    ["resourceLogs", "resource_logs"],
    ["scopeLogs", "scope_logs"],
    ["logRecords", "log_records"]
  ]
] as const

/** The spans of a record. */
export const spansOf = (value: Json, record: number, parent = ""): ReadonlyArray<Span> => {
  for (const [resources, scopes, spans] of envelopes) {
    const held = firstOf(value, resources)
    if (!Array.isArray(held)) continue
    return held
      .flatMap((resource) => listOf(firstOf(objectOf(resource), scopes)))
      .flatMap((scope) => listOf(firstOf(objectOf(scope), spans)))
      .flatMap((span) => (isObject(span) ? spansOf(span, record) : []))
  }
  const span = readSpan(value, record, parent)
  const children = listOf(firstOf(value, ["children", "child_spans"]))
  return [span, ...children.flatMap((child) => (isObject(child) ? spansOf(child, record, span.id) : []))]
}

/** Each span once, with what its log records say of it: some recorders write one in both, some write one twice. */
export const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const byId = new Map<string, Span>()
  spans.forEach((span, i) => {
    const key = span.id === "" ? `${i}` : `${span.trace} ${span.id}`
    const before = byId.get(key)
    if (before === undefined) byId.set(key, span)
    else if (span.log || before.log) byId.set(key, joined(before, span))
  })
  return [...byId.values()]
}

const joined = (a: Span, b: Span): Span => {
  const [own, log] = a.log ? [b, a] : [a, b]
  const tree = emptyTree()
  for (const { attributes } of [log, own]) plant(tree, leavesOf(attributes))
  return { ...own, record: Math.min(a.record, b.record), attributes: tree, tellings: [...a.tellings, ...b.tellings] }
}

/** The leaves of a tree of our making, by path. */
const leavesOf = (tree: Json, before = ""): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(tree).flatMap(([key, value]) =>
    isOwn(value) ? leavesOf(value, `${before}${key}.`) : [[`${before}${key}`, value] as const]
  )

/** The value at a dotted path of the attributes. */
export const at = (span: Span, path: string): unknown => {
  let node: unknown = span.attributes
  for (const part of path.split(".")) {
    if (!isObject(node) || !Object.hasOwn(node, part)) return undefined
    node = node[part]
  }
  return node ?? undefined
}

export const firstAt = (span: Span, paths: ReadonlyArray<string>): unknown => {
  for (const path of paths) {
    const value = at(span, path)
    if (value !== undefined && value !== "" && value !== "{}") return value
  }
  return undefined
}

/** Messages the attributes of a span tell, its own output last; without any, those of its events. */
export const tellingsOf = (span: Span): Span["tellings"] => {
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
  return told.length + said.length > 0 ? [telling(told, said)] : span.tellings
}

const telling = (
  told: ReadonlyArray<ReadonlyArray<Atom>>,
  said: ReadonlyArray<ReadonlyArray<Atom>>
): ReadonlyArray<SpanMessage> => [
  ...told.map((atoms) => ({ output: false, atoms })),
  ...said.map((atoms) => ({ output: true, atoms }))
]

/** What events tell: those with whole lists of messages each by itself, those of one message each together. */
const eventTellings = (events: ReadonlyArray<Json>): Span["tellings"] => {
  const lists = events.map((event) => {
    const tree = emptyTree()
    plant(tree, pairsOf(event["attributes"]))
    const body = valueOf(event["body"])
    // Some bodies say `input` and `output` for what the convention calls `gen_ai.input` and `gen_ai.output`.
    for (const from of [tree, objectOf(tree["gen_ai"]), nested(body), objectOf(nested(body)["gen_ai"])]) {
      const [told, said] = ["input", "output"].map((side) => readMessages(objectOf(from[side])["messages"])) as [
        ReturnType<typeof readMessages>,
        ReturnType<typeof readMessages>
      ]
      if (told.length + said.length > 0) return telling(told, said)
    }
    return []
  })
  const single = events.flatMap(eventMessage)
  return [...lists, single].filter((each) => each.length > 0)
}

const nested = (value: unknown): Json => {
  const tree = emptyTree()
  plant(tree, Object.entries(objectOf(unpacked(value))))
  return tree
}

/** `gen_ai.user.message`, `gen_ai.choice` and the like: one event a message. */
const eventMessage = (event: Json): ReadonlyArray<SpanMessage> => {
  const [, name] = /^gen_ai\.(user|assistant|tool|choice)(?:\.message)?$/.exec(eventNameOf(event)) ?? []
  if (name === undefined) return []
  const fields = { ...Object.fromEntries(pairsOf(event["attributes"])), ...objectOf(valueOf(event["body"])) }
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

const eventNameOf = (event: Json): string =>
  textOf(
    firstOf(event, ["name", "event_name", "eventName"]) ??
      Object.fromEntries(pairsOf(event["attributes"]))["event.name"]
  ) ?? ""

const readMessages = (value: unknown): ReadonlyArray<ReadonlyArray<Atom>> => {
  const read = unpacked(value)
  const inner = isObject(read) ? firstOf(read, ["contents", "content", "messages"]) : undefined
  const list = isObject(inner) ? [inner] : listOf(inner ?? read)
  return list.flatMap((raw) => {
    const message = objectOf(raw)
    const own = isObject(message["message"]) ? message["message"] : message
    const content = contentOf(own["content"])
    const atoms = atomsOf({ ...own, ...(content === undefined ? {} : { content }) })
    return atoms === undefined || atoms.length === 0 ? [] : [atoms]
  })
}

/** Content as text or blocks; some wrap it once more: `{ content: { content: "..." } }`. */
const contentOf = (content: unknown): unknown => {
  const inner = isObject(content) ? firstOf(content, ["content", "message", "text"]) : undefined
  return inner === undefined ? unpackedParts(content) : unpackedParts(inner)
}

const traceIdOf = (value: Json): string | undefined => {
  const context = objectOf(firstOf(value, ["context", "span_context"]))
  const trace = textOf(firstOf(value, ["trace_id", "traceId"]) ?? firstOf(context, ["trace_id", "traceId"]))
  const span = firstOf(value, ["span_id", "spanId"]) ?? firstOf(context, ["span_id", "spanId"])
  return span === undefined ? undefined : trace
}

const readSpan = (value: Json, record: number, parent: string): Span => {
  const context = objectOf(firstOf(value, ["context", "span_context"]))
  const status = objectOf(value["status"])
  const code = status["code"] ?? status["status_code"] ?? value["status_code"]
  const log = Object.hasOwn(value, "body")
  const events = log ? [value] : listOf(firstOf(value, ["span_events", "events"])).map(objectOf)
  const attributes = emptyTree()
  for (const event of events) plant(attributes, pairsOf(event["attributes"]))
  plant(attributes, pairsOf(value["attributes"]))
  const time = timeOf(firstOf(value, ["timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "timestamp"]))
  const start = firstOf(value, ["start_time", "startTimeUnixNano", "start_time_unix_nano", "startTime"])
  const end = firstOf(value, ["end_time", "endTimeUnixNano", "end_time_unix_nano", "endTime"])
  return {
    record,
    trace: traceIdOf(value) ?? "",
    id: textOf(firstOf(value, ["span_id", "spanId"]) ?? firstOf(context, ["span_id", "spanId"])) ?? "",
    parent: textOf(firstOf(value, ["parent_span_id", "parentSpanId", "parent_id", "parentId"])) ?? parent,
    name: textOf(value["name"]) ?? "",
    start: start === undefined ? time : timeOf(start),
    end: end === undefined ? time : timeOf(end),
    failed: /error/i.test(String(code ?? "")) || code === 2,
    attributes,
    tellings: eventTellings(events),
    log
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

/** A value as it is, or out of OTLP's wrapper. */
const valueOf = (value: unknown): unknown => (isObject(value) ? (otlpValue(value) ?? value) : value)

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
