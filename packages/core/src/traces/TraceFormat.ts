/**
 * Traces of any usual format, read as rows: our own rows, prompt/steps/final records, OpenAI chat `messages`, Anthropic
 * content blocks, logs of requests and responses, and spans of OpenTelemetry GenAI and OpenInference. A row that was read
 * this way has what its record had: at least a prompt or a task id, steps and a final text. A record that tells no reply is
 * no row when it has a score; without one it is an ask that nobody answered, and is told.
 */
import * as ExactJson from "../json/ExactJson.ts"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Platform from "../row/internal/platform.ts"
import { firstKey, firstOf, isObject, listOf, objectOf, textOf, unpacked, type Json } from "../json/foreignJson.ts"
import { statusOf } from "./internal/resultStatus.ts"
import { argumentsOf, type Atom } from "./internal/traceAtom.ts"
import { anyAtomsOf, isThread } from "./internal/traceAtoms.ts"
import * as Exchange from "./internal/traceExchange.ts"
import * as Spans from "./internal/traceSpans.ts"
import { threadOf, type Thread } from "./internal/traceThread.ts"
import { fromJson, isAgentCall, type Step } from "../row/Row.ts"
import * as RowFile from "../row/RowFile.ts"
import { fromPlatform, type RowFileError } from "../row/RowFileError.ts"
import * as TextFile from "../row/TextFile.ts"

/**
 * What measuring and mining need of a row; every `Row` is one.
 * @since 0.1.0
 * @category models
 */
export interface TraceRow {
  readonly prompt: string
  readonly steps: ReadonlyArray<Step>
  readonly final_text: string
  readonly opener?: string
  readonly task_id?: string
  readonly scenario_id?: string
  readonly rollout_index?: number
  /** In [0, 1]; null or left out when the record has none. */
  readonly reward?: number | null
  readonly model_version?: string
  readonly [key: string]: unknown
}

/**
 * A record that is no trace, by its number: the line of a JSONL file, or the place in a list, from 1.
 * @since 0.1.0
 * @category errors
 */
export class TraceProblem extends Schema.TaggedError<TraceProblem>()("TraceProblem", {
  record: Schema.Int,
  detail: Schema.String
}) {
  override get message(): string {
    return `Record ${this.record} was left out: ${this.detail}`
  }
}

/**
 * Parts of records that were passed over: of which kind, how many, and the first record they were met in.
 * @since 0.1.0
 * @category models
 */
export interface PassedOver {
  /** Such as `web_search_call`, `compaction`, `message of role "narrator"`, `record without a reply`. */
  readonly item: string
  readonly count: number
  readonly record: number
}

/**
 * What was read of records: traces, and what could not be read.
 * @since 0.1.0
 * @category models
 */
export interface Imported {
  readonly rows: ReadonlyArray<TraceRow>
  readonly unreadable: ReadonlyArray<TraceProblem>
  /** In the order they were met. */
  readonly passedOver: ReadonlyArray<PassedOver>
}

/**
 * Rows of records that are in memory: parsed JSON of any of the formats, spans in any order.
 * @since 0.1.0
 * @category constructors
 */
export const fromRecords = (records: Iterable<unknown>): Imported => {
  const reader = makeReader()
  let number = 0
  for (const record of records) reader.read(record, ++number)
  return reader.end()
}

/**
 * Rows of a file: JSONL, or one JSON document (a record, a list of them, or an object that holds a list).
 * @since 0.1.0
 * @category functions
 */
export const read: (path: string) => Effect.Effect<Imported, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "TraceFormat.read"
)(function* (path: string) {
  const document = yield* readDocument(path)
  if (document !== undefined) return fromDocument(document)
  const reader = makeReader()
  yield* RowFile.readText(path, (lines) =>
    Effect.sync(() => {
      for (const line of lines) readLine(reader, line)
    })
  )
  return reader.end()
})

/**
 * Rows of a JSON value that was read whole.
 * @since 0.1.0
 * @category constructors
 */
export const fromDocument = (document: unknown): Imported => fromRecords(recordsOf(document) ?? [document])

interface Reader {
  readonly read: (record: unknown, number: number) => void
  readonly fail: (number: number, detail: string) => void
  readonly end: () => Imported
}

/** A row, and what was passed over in its record. */
interface Read {
  readonly row: TraceRow
  readonly others: ReadonlyArray<string>
}

/** Spans wait until all are in, since those of one trace may stand anywhere. */
const makeReader = (): Reader => {
  const rows: Array<{ readonly number: number; readonly row: TraceRow }> = []
  const unreadable: Array<TraceProblem> = []
  const spans: Array<Spans.Span> = []
  const passedOver = new Map<string, PassedOver>()
  const fail = (record: number, detail: string): void => void unreadable.push(new TraceProblem({ record, detail }))
  const read = (record: unknown, number: number, where = ""): void => {
    const held = recordsOf(record)
    if (held !== undefined) held.forEach((one, i) => read(one, number, `item ${i + 1}: ${where}`))
    else if (isObject(record) && Spans.isSpanRecord(record)) spans.push(...Spans.spansOf(record, number))
    else
      add(
        number,
        Either.mapLeft(toRow(record), (detail) => where + detail)
      )
  }
  const add = (number: number, read: Either.Either<Read, string>): void => {
    if (Either.isLeft(read)) return fail(number, read.left)
    rows.push({ number, row: read.right.row })
    for (const item of read.right.others) {
      const before = passedOver.get(item)
      passedOver.set(item, {
        item,
        count: (before?.count ?? 0) + 1,
        record: Math.min(before?.record ?? number, number)
      })
    }
  }
  return {
    read,
    fail,
    end: () => {
      for (const group of Spans.conversationsOf(spans)) add(group[0]?.record ?? 0, spanRow(group))
      rows.sort((a, b) => a.number - b.number)
      unreadable.sort((a, b) => a.record - b.record)
      return { rows: rows.map((one) => one.row), unreadable, passedOver: [...passedOver.values()] }
    }
  }
}

/** One record that is no span. */
const toRow = (record: unknown): Either.Either<Read, string> => {
  if (isThread(record)) return finished({}, threadOf(record.map(anyAtomsOf)))
  if (!isObject(record)) return Either.left("it is neither an object nor a list of messages.")
  if (Object.hasOwn(record, "schema_version") && Object.hasOwn(record, "row_id")) {
    return Either.mapBoth(fromJson(record), {
      onLeft: (problem) => problem.message,
      onRight: (row) => ({ row, others: [] })
    })
  }
  const steps = listOf(unpacked(firstOf(record, ["steps", "events"])))
  return steps.length > 0 ? stepsRow(record, steps) : exchangeRow(record)
}

/** A thread, a request and its response, or a prompt and a final text. */
const exchangeRow = (record: Json): Either.Either<Read, string> => {
  const asked = Exchange.askedOf(record)
  const reply = Exchange.replyOf(record)
  if (asked === undefined && reply === undefined) {
    return Either.left(`it has no messages, no spans, no steps and no prompt${errorIn(record)}.`)
  }
  const turns = asked === undefined ? (reply ?? []) : answered(asked, reply ?? [], isFinal(record))
  return finished(record, threadOf(turns), reply?.length === 0)
}

/** Whether the record says of its reply that it is the last word. */
const isFinal = (record: Json): boolean =>
  firstOf(record, ["final_text", "finalText", "final", "final_answer"]) !== undefined

/** What was asked and then replied. A log may tell the reply in both, or the whole thread in either. */
const answered = (asked: Exchange.Turns, reply: Exchange.Turns, final: boolean): Exchange.Turns => {
  const firstAsk = asked.flat().find((atom) => atom._tag === "User")
  const whole = reply.flat().some((atom) => atom._tag === "User" && atom.text === firstAsk?.text)
  if (whole) return reply
  const last = asked.flat().findLast((atom) => atom._tag === "Agent" || atom._tag === "User")
  if (last?._tag !== "Agent") return [...asked, ...reply]
  const said = reply.flat().find((atom) => atom._tag === "Agent")
  if (said === undefined || said.text === last.text) return asked
  return final || /```|<code>|^\s*thought\s*:/i.test(last.text) ? [...asked, ...reply] : asked
}

const spanRow = (spans: ReadonlyArray<Spans.Span>): Either.Either<Read, string> => {
  const root = spans.find((span) => span.parent === "") ?? spans[0]
  const attributes = root === undefined ? {} : objectOf(root.attributes)
  const metadata = objectOf(unpacked(attributes["metadata"]))
  return finished({ ...metadata, ...attributes }, threadOf(Spans.turnsOf(spans)))
}

/** `{ prompt, steps, final_text }` under the names such records use. */
const stepsRow = (record: Json, listed: ReadonlyArray<unknown>): Either.Either<Read, string> => {
  const turns: Array<ReadonlyArray<Atom>> = listed.map(readStep)
  const asked = Exchange.askedOf(record) ?? []
  const prompt = asked.flat().find((atom) => atom._tag === "User")?.text
  if (!turns.some((atoms) => atoms.some((atom) => atom._tag === "User"))) turns.unshift(...asked)
  const reply = Exchange.replyOf(record) ?? []
  const thread = threadOf(turns)
  const lastSaid = thread.steps.findLast((step) => "text" in step)?.text
  const final = reply.flat().findLast((atom) => atom._tag === "Agent")?.text
  const said = final === undefined || (lastSaid !== undefined && lastSaid === final)
  const whole = said ? thread : threadOf([...turns, ...reply])
  return finished(
    record,
    { ...whole, prompt: prompt ?? whole.prompt },
    reply.length === 0 && Exchange.replyOf(record) !== undefined
  )
}

/** A step in our words or in those of a loop of thought, action and observation; else a message. */
const readStep = (raw: unknown): ReadonlyArray<Atom> => {
  if (!isObject(raw)) return anyAtomsOf(raw)
  const user = textOf(raw["user"])
  if (user !== undefined) return [{ _tag: "User", text: user }]
  const thought = textOf(firstOf(raw, ["thought", "thoughts"]))
  const thoughts: ReadonlyArray<Atom> = thought === undefined ? [] : [{ _tag: "Thought", text: thought }]
  const code = textOf(raw["code"])
  const tool = textOf(firstOf(raw, ["tool", "tool_name", "action"])) ?? (code === undefined ? undefined : "code")
  if (tool !== undefined) {
    const id = textOf(firstOf(raw, ["call_id", "tool_call_id", "id"]))
    const idField = id === undefined ? {} : { id }
    const content = unpacked(firstOf(raw, ["result", "output", "observation", "response"]) ?? null)
    const failed = typeof raw["status"] === "string" && statusOf({ status: raw["status"] }) !== "ok"
    const given = firstOf(raw, ["arguments", "args", "input", "action_input"]) ?? (code === undefined ? {} : { code })
    const by = raw["called_by"] === "user" || raw["requestor"] === "user" ? { by: "user" as const } : {}
    return [
      ...thoughts,
      { _tag: "Call", ...idField, name: tool, arguments: argumentsOf(given), ...by },
      { _tag: "Result", ...idField, name: tool, content, failed }
    ]
  }
  const text = textOf(firstOf(raw, ["text", "agent", "assistant"]))
  const reasoning = textOf(raw["reasoning"])
  if (text !== undefined && !Object.hasOwn(raw, "role")) {
    return [...thoughts, { _tag: "Agent", text, ...(reasoning === undefined ? {} : { reasoning }) }]
  }
  return anyAtomsOf(raw)
}

/** `unread`: the record has a reply of which nothing could be read. */
const finished = (record: Json, thread: Thread, unread = false): Either.Either<Read, string> => {
  const labels = labelsOf(record)
  const replied = thread.steps.some((step) => ("text" in step ? step.text.trim() !== "" : isAgentCall(step)))
  if (!replied && (unread || labels.reward !== undefined)) {
    return Either.left(`no reply can be read in it${errorIn(record)}.`)
  }
  if (thread.prompt === "" && labels.task_id === undefined) {
    return Either.left("nobody asks anything in it, and no task is named.")
  }
  const row = {
    prompt: thread.prompt,
    ...(thread.opener === undefined ? {} : { opener: thread.opener }),
    steps: thread.steps,
    final_text: thread.finalText,
    ...labels
  }
  return Either.right({ row, others: [...thread.others, ...(replied ? [] : ["record without a reply"])] })
}

/** The error that stands where a reply would. */
const errorIn = (record: Json): string => {
  const reply = objectOf(unpacked(firstOf(record, ["response", "result", "output"])))
  const error = [record, reply, objectOf(unpacked(reply["body"]))].map((one) => one["error"]).find(isSaid)
  const inner = objectOf(error)
  const text = textOf(error) ?? textOf(inner["message"]) ?? textOf(objectOf(inner["error"])["message"])
  return text === undefined ? "" : `; it says of an error: ${text.slice(0, 200).replace(/[.\s]+$/, "")}`
}

const isSaid = (error: unknown): boolean => (typeof error === "string" ? error !== "" : isObject(error))

type Labels = Pick<TraceRow, "task_id" | "scenario_id" | "rollout_index" | "reward" | "model_version">

const labelsOf = (record: Json): Labels => {
  const trial = wholeOf(
    firstOf(record, ["rollout_index", "trial", "trial_index", "epoch", "attempt", "repeat", "sample_index"])
  )
  // A bare `id` names the record, unless records are repeated: then it names what is repeated.
  const names = [
    "task_id",
    "taskId",
    "task",
    "item_id",
    "itemId",
    "item",
    "instance_id",
    "example_id",
    "question_id",
    "custom_id"
  ]
  const task = nameOf(firstOf(record, trial === undefined ? names : [...names, "id"]))
  const scenario = nameOf(record["scenario_id"])
  const reward = rewardOf(record)
  const model = textOf(firstOf(record, ["model_version", "model"]))
  return {
    ...(task === undefined ? {} : { task_id: task }),
    ...(scenario === undefined ? {} : { scenario_id: scenario }),
    ...(trial === undefined ? {} : { rollout_index: trial }),
    ...(reward === undefined ? {} : { reward }),
    ...(model === undefined ? {} : { model_version: model })
  }
}

const nameOf = (value: unknown): string | undefined => {
  if (isObject(value)) return nameOf(firstOf(value, ["id", "task_id", "name"]))
  return typeof value === "number" ? String(value) : value === "" ? undefined : textOf(value)
}

const wholeOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** A number in [0, 1] or a yes or no; a score on another scale is no reward and is left out. */
const rewardOf = (record: Json): number | undefined => {
  const nested = objectOf(firstOf(record, ["reward_info", "evaluation", "result"]))
  const value =
    firstOf(record, ["reward", "score", "passed", "success", "correct", "resolved"]) ??
    firstOf(nested, ["reward", "score"])
  if (typeof value === "boolean") return value ? 1 : 0
  const number = ExactJson.rounded(value)
  return typeof number === "number" && number >= 0 && number <= 1 ? number : undefined
}

/** The records of a list, or of an object that holds a list of them under a usual name. */
const recordsOf = (value: unknown): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(value)) return isThread(value) ? undefined : value
  if (!isObject(value) || Spans.isSpanRecord(value)) return undefined
  const name = firstKey(value, listNames)
  const held = name === undefined ? undefined : value[name]
  if (name === undefined || !Array.isArray(held)) return undefined
  if (!held.some((one) => isObject(one) || Array.isArray(one))) return undefined
  // One conversation, as an API hands out its messages a page at a time.
  return isThread(held) ? [{ ...Record.remove(value, name), messages: held }] : held
}

const listNames = [
  "rows",
  "traces",
  "spans",
  "simulations",
  "samples",
  "records",
  "items",
  "data",
  "results",
  "trajectories"
]

const readLine = (reader: Reader, line: RowFile.TextLine): void => {
  const record = line._tag === "Text" ? parsed(line.text) : undefined
  if (record !== undefined) reader.read(record, line.number)
  else reader.fail(line.number, line._tag === "Text" ? "it is no JSON." : line.detail)
}

/** A document is read as one text, so there is an end to its size; lines have none. */
const largestDocument = 256 * 1024 * 1024

/** The file as one JSON value, when its first line is not one by itself but begins as one; else undefined. */
const readDocument = (path: string): Effect.Effect<unknown, RowFileError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const first = yield* RowFile.firstText(path)
    if (first?._tag !== "Text" || !/^\ufeff?\s*[[{]/.test(first.text) || parsed(first.text) !== undefined)
      return undefined
    const fs = yield* Platform.FileSystem
    const { size } = yield* Effect.mapError(fs.stat(path), fromPlatform(path, "read"))
    return Number(size) > largestDocument ? undefined : parsed(yield* TextFile.read(path))
  })

const parsed = (text: string): unknown => {
  try {
    return ExactJson.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
