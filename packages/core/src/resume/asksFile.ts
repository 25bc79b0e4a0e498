/**
 * Lines of `run.asks.jsonl`: the tasks as they were admitted, in order, and beside them what a model wrote for them, so
 * that a run which is gone on with asks it nothing twice.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { schemaVersion } from "../row/Row.ts"
import type { Ask, Slot } from "../situation/SituationWriter.ts"
import { Aim, Arm, Dimensions, Tier } from "../task/Cell.ts"
import { Entity, Fault, Plan } from "../task/Plan.ts"
import type { Task } from "../task/Task.ts"
import type { Payloads } from "../world/World.ts"

const texts = Schema.Record({ key: Schema.String, value: Schema.String })

const TaskLine = Schema.Struct({
  task_id: Schema.String,
  scenario_id: Schema.String,
  prompt: Schema.String,
  scenario_dimensions: Dimensions,
  tier: Schema.NullOr(Tier),
  shown: texts,
  arm: Arm,
  phrasing: Schema.Int,
  writer_model: Schema.String,
  parent_task_id: Schema.optionalWith(Schema.String, { exact: true }),
  aim: Schema.optionalWith(Aim, { exact: true }),
  world_state: Schema.NullOr(Schema.String),
  faults: Schema.NullOr(Schema.Array(Fault)),
  plan: Plan
})

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

/** A task as it was admitted, without what only graders may see. Keys are set one by one: spreads cost several times that. */
export const ofTask = (runId: string, task: Task, order: number): object => {
  const line: Record<string, unknown> = {
    schema_version: schemaVersion,
    run_id: runId,
    order,
    task_id: task.id,
    scenario_id: task.scenarioId,
    prompt: task.prompt,
    scenario_dimensions: task.dimensions,
    tier: task.tier,
    shown: task.shown,
    arm: task.arm,
    phrasing: task.phrasing,
    writer_model: task.writer
  }
  if (task.parentTaskId !== undefined) line["parent_task_id"] = task.parentTaskId
  if (task.aim !== undefined) line["aim"] = task.aim
  line["world_state"] = task.worldState
  line["faults"] = task.faults.length === 0 ? null : task.faults
  line["plan"] = task.plan
  return line
}

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
  | { readonly _tag: "Task"; readonly task: Task }
  | {
      readonly _tag: "Written"
      readonly slots: ReadonlyArray<string>
      readonly asks: ReadonlyArray<readonly [slot: string, ask: Omit<Ask, "slot">]>
    }
  | { readonly _tag: "Payloads"; readonly payloads: Payloads }

const AnyLine = Schema.parseJson(Schema.Union(TaskLine, WrittenLine, PayloadsLine))

/** Reads a line; null for one that is none of these. */
export const read = (text: string): Line | null => {
  const line = Option.getOrNull(Schema.decodeUnknownOption(AnyLine)(text))
  if (line === null) return null
  if ("payloads" in line) return { _tag: "Payloads", payloads: new Map(Object.entries(line.payloads)) }
  if ("written" in line) {
    return { _tag: "Written", slots: line.slots, asks: line.written.map(({ slot, ...ask }) => [slot, ask] as const) }
  }
  return {
    _tag: "Task",
    task: {
      id: line.task_id,
      scenarioId: line.scenario_id,
      prompt: line.prompt,
      dimensions: line.scenario_dimensions,
      tier: line.tier,
      shown: line.shown,
      arm: line.arm,
      phrasing: line.phrasing,
      writer: line.writer_model,
      ...(line.parent_task_id === undefined ? {} : { parentTaskId: line.parent_task_id }),
      ...(line.aim === undefined ? {} : { aim: line.aim }),
      worldState: line.world_state,
      faults: line.faults ?? [],
      plan: line.plan,
      privileged: {}
    }
  }
}
