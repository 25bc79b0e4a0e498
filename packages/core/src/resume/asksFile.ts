/**
 * Lines of `run.asks.jsonl`: the tasks as they were admitted, in order, and beside them what a model wrote for them, so
 * that a run which is gone on with asks it nothing twice.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { schemaVersion } from "../row/Row.ts"
import type { Ask, Slot } from "../situation/SituationWriter.ts"
import { Entity } from "../task/Plan.ts"
import * as Task from "../task/Task.ts"
import type { Payloads } from "../world/World.ts"

const texts = Schema.Record({ key: Schema.String, value: Schema.String })

const WrittenLine = Schema.Struct({
  /** Places that were asked for; those without an ask got none. */
  slots: Schema.Array(Schema.String),
  written: Schema.Array(
    Schema.Struct({
      slot: Schema.String,
      text: Schema.String,
      shown: texts,
      need: Schema.NullOr(Schema.String),
      facts: texts,
      entity: Schema.NullOr(Entity),
      writer: Schema.String,
      likeness: Schema.optionalWith(Schema.Number, { exact: true })
    })
  )
})

const PayloadsLine = Schema.Struct({
  payloads: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.Unknown) })
})

/** A task as it was admitted, without what only graders may see. */
export const ofTask = (runId: string, task: Task.Task, order: number): object => ({
  schema_version: schemaVersion,
  run_id: runId,
  order,
  ...Task.encode(task)
})

/** What a model gave for a request. */
export const ofWritten = (runId: string, slots: ReadonlyArray<Slot>, asks: ReadonlyArray<Ask>): object => ({
  schema_version: schemaVersion,
  run_id: runId,
  slots: slots.map(slotKey),
  written: asks.map(({ slot, ...ask }): (typeof WrittenLine.Type)["written"][number] => ({
    slot: slotKey(slot),
    text: ask.text,
    shown: ask.shown,
    need: ask.need,
    facts: ask.facts,
    entity: ask.entity,
    writer: ask.writer,
    ...(ask.likeness === undefined ? {} : { likeness: ask.likeness })
  }))
})

/** Results that a model imagined for tools that show none. */
export const ofPayloads = (runId: string, payloads: Payloads): object => ({
  schema_version: schemaVersion,
  run_id: runId,
  payloads: Object.fromEntries(payloads)
})

/** A place that an ask was wanted for. */
export const slotKey = ({ attempt, phrasing, scenarioId }: Slot): string => `${scenarioId}/${phrasing}/${attempt}`

export type Line =
  | { readonly _tag: "Task"; readonly task: Task.Task }
  | {
      readonly _tag: "Written"
      readonly slots: ReadonlyArray<string>
      readonly asks: ReadonlyArray<readonly [slot: string, ask: Omit<Ask, "slot">]>
    }
  | { readonly _tag: "Payloads"; readonly payloads: Payloads }

const AnyLine = Schema.parseJson(Schema.Union(Task.Written, WrittenLine, PayloadsLine))

/** Reads a line; null for one that is none of these. */
export const read = (text: string): Line | null => {
  const line = Option.getOrNull(Schema.decodeUnknownOption(AnyLine)(text))
  if (line === null) return null
  if ("payloads" in line) return { _tag: "Payloads", payloads: new Map(Object.entries(line.payloads)) }
  if ("written" in line) {
    return { _tag: "Written", slots: line.slots, asks: line.written.map(({ slot, ...ask }) => [slot, ask] as const) }
  }
  return { _tag: "Task", task: { ...line, privileged: {} } }
}
