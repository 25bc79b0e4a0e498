/**
 * What a world state does to the record a task is about.
 *
 * The record is the plan's entity. A plan without one speaks of every record whose identifier the ask itself names, so
 * that a state always means the same records in every rollout of the task; with neither, a state has no effect.
 */
import type { Task } from "../../task/Task.ts"
import { assign } from "./assign.ts"
import * as Calendar from "./calendar.ts"
import * as IdForms from "./idForms.ts"
import { referenceOf, sentBy } from "./nouns.ts"
import { get, isRecord, withFields, type JsonObject } from "./records.ts"
import type { RunPlan, ToolPlan } from "./toolPlans.ts"
import type { Entity, TaskWorld } from "./taskWorld.ts"

export interface Situation {
  readonly noun: string
  readonly id: string
  readonly state: string
  /** The second candidate of a duplicate. */
  readonly twin: string | null
  /** How the record is found when it is not by an identifier: the argument and its value. */
  readonly by: readonly [string, string] | null
  /** The state the record is in so that the situation's tool can work. */
  readonly needs: string | null
  /** The write the state speaks of: already made, or made in part. */
  readonly write: ToolPlan | null
  /** The write that is done when the record is only partly so. */
  readonly part: ToolPlan | null
}

export const of = (taskWorld: TaskWorld, state: string | null): Situation | null => {
  const found = subjectOf(taskWorld)
  if (found === null) return null
  const { noun, id, by, tool } = found
  const writes = taskWorld.run.writesOn(noun)
  const write = tool?.writes === true ? tool : (writes[0] ?? null)
  const shown = state ?? "exists"
  const twin = shown === "duplicate" ? taskWorld.minted(noun, `twin:${id}`, IdForms.nameIn(id)) : null
  return {
    noun,
    id,
    state: shown,
    twin: twin === id ? `${id}2` : twin,
    by,
    needs: tool?.needs ?? write?.needs ?? null,
    write,
    part: writes.find((plan) => plan !== write && plan.becomes === null && plan.mode === "update") ?? write
  }
}

interface Found {
  readonly noun: string
  readonly id: string
  readonly by: readonly [string, string] | null
  readonly tool: ToolPlan | null
}

const subjectOf = (taskWorld: TaskWorld): Found | null => {
  const { run, task } = taskWorld
  const { entity } = task.plan
  if (entity === null) return mentioned(run, task)
  const tool = run.tools.get(entity.tool) ?? null
  const reference = referenceOf(entity.argument)
  const own = tool?.type.noun ?? "record"
  if (reference !== null) return { noun: reference.noun || own, id: entity.id, by: null, tool }
  // What they are found by is theirs already.
  const { person } = task.plan
  if (person?.noun === own) return { noun: own, id: person.id, by: null, tool }
  const id = taskWorld.minted(own, bySaying(entity.argument, entity.id), IdForms.nameIn(entity.id))
  return { noun: own, id, by: [entity.argument, entity.id], tool }
}

/** How a value that locates is written where identifiers are made of it. */
export const bySaying = (name: string, value: unknown): string => `${name}=${String(value).trim().toLowerCase()}`

/** The first identifier of a known kind in the ask's own words. */
const mentioned = (run: RunPlan, task: Task): Found | null => {
  if (!/\d/.test(task.prompt)) return null
  const tool = run.tools.get(task.dimensions["tool"] ?? "") ?? null
  const plans = tool === null ? [...run.tools.values()] : [tool, ...run.tools.values()]
  for (const word of task.prompt.split(/[\s,;:!?"'()]+/u)) {
    const id = word.replace(/\.+$/, "")
    if (id.length < 3 || !/\d/.test(id)) continue
    for (const plan of plans) {
      if (plan.primary === null || !looksLike(plan, id)) continue
      return { noun: plan.type.noun, id, by: null, tool: tool?.type.noun === plan.type.noun ? tool : null }
    }
  }
  return null
}

/** Same signs and lengths of digits as identifiers of the kind. */
const looksLike = (plan: ToolPlan, id: string): boolean => {
  if (plan.type.declared.has(id)) return true
  const form = (text: string): string => text.replace(/\d/g, "9").replace(/[a-z]+/g, "a")
  return form(plan.type.form.write({ a: 1, b: 1 })) === form(id)
}

/** The record as facts and state have it. */
export const apply = (
  taskWorld: TaskWorld,
  entity: Entity,
  facts: ReadonlyArray<readonly [string, string]>
): Entity | null => {
  const { situation } = taskWorld
  const laid = (on: Entity, changes: JsonObject): Entity => ({
    ...on,
    fields: { ...on.fields, ...changes }
  })
  const told = facts.length === 0 ? entity : laid(entity, placed(taskWorld.record(entity), facts))
  if (situation === null || situation.noun !== entity.noun) return told
  const isTwin = entity.id === situation.twin
  if (entity.id !== situation.id && !isTwin) return told
  const found = situation.by === null ? told : laid(told, assign(taskWorld.record(told), [situation.by]))
  const able = situation.needs === null ? found : laid(found, { status: situation.needs })
  // Two people who are taken for one another are known by the same things.
  if (isTwin)
    return taskWorld.type(entity.noun).person ? laid(able, sharedBy(taskWorld, entity.noun, situation.id)) : able
  switch (situation.state) {
    case "already_acted_on": {
      const { changes, done } = actedOn(situation.write)
      return laid({ ...able, done }, { ...changes, ...updated })
    }
    case "partially_completed":
      return partly(situation, able, taskWorld.record(able))
    default:
      return able
  }
}

const sharedBy = (taskWorld: TaskWorld, noun: string, id: string): JsonObject => {
  const one = taskWorld.base(noun, id)
  const record = one === null ? {} : taskWorld.record(one)
  return withFields(
    {},
    Object.entries(record).filter(([name]) => shared.test(name))
  )
}
const shared =
  /^(?:first_name|last_name|name|full_name|email|address|zip|zip_code|postal_code|date_of_birth|dob|birth_date)$/

const placed = (record: JsonObject, facts: ReadonlyArray<readonly [string, string]>): JsonObject =>
  assign(
    record,
    facts.filter(
      ([name]) =>
        Object.hasOwn(record, name) ||
        Object.values(record).some((inner) => isRecord(inner) && Object.hasOwn(inner, name))
    )
  )

const updated: JsonObject = { updated_at: Calendar.instant(-1) }

/** The status a record has when the write is made. */
export const statusAfter = (write: ToolPlan | null): string => write?.after ?? "completed"

/** Which writes are done on a record that was acted on, and what it shows of that. */
const actedOn = (write: ToolPlan | null): { readonly done: ReadonlyArray<string>; readonly changes: JsonObject } => {
  if (write === null) return { done: ["*"], changes: { status: statusAfter(write) } }
  const { name } = write.tool
  // A request is beside the record, which goes on as it was.
  if (write.mode === "create" && write.subject.verb === "request") {
    return { done: [name], changes: { [write.type.noun.replace(/_request$/, "")]: "requested" } }
  }
  // A receipt that was sent leaves the booking as it was, to be refunded still.
  const sent = sentBy(name)
  if (sent !== null) return { done: [name], changes: { [`${sent}_status`]: statusAfter(write) } }
  return { done: ["*"], changes: { status: statusAfter(write) } }
}

/** The first of several parts is done: one of the things the write lists, else one of the writes the record can have. */
const partly = (situation: Situation, entity: Entity, record: JsonObject): Entity => {
  const { write, part } = situation
  const list = write === null ? null : listOf(write, record)
  if (write !== null && list !== null) {
    const [first, ...rest] = list.elements
    const done = { ...first, status: statusAfter(write) }
    return {
      ...entity,
      fields: withFields(entity.fields, [[list.field, [done, ...rest]]]),
      donePart: String(get(first ?? {}, list.idField))
    }
  }
  const done = part?.tool.name ?? "request"
  const after = part?.becomes
  return {
    ...entity,
    fields: withFields(entity.fields, [
      ...(after === null || after === undefined ? [] : ([["status", `partially ${after}`]] as const)),
      [
        "progress",
        { completed: [done], remaining: [write === part || write === null ? "confirmation" : write.tool.name] }
      ]
    ]),
    done: [done]
  }
}

/** The list inside a record that a write picks from: the items of an order for `item_ids`. */
export const listOf = (
  plan: ToolPlan,
  record: JsonObject
): {
  readonly field: string
  readonly idField: string
  readonly elements: ReadonlyArray<JsonObject>
  readonly argument: string
} | null => {
  for (const { argument, noun } of plan.references) {
    if (!argument.many || argument.reference?.incoming === true) continue
    const idField = `${noun}_id`
    for (const field of Object.keys(record)) {
      const elements = record[field]
      if (!Array.isArray(elements) || elements.length === 0) continue
      if (elements.every((one): one is JsonObject => isRecord(one) && Object.hasOwn(one, idField))) {
        return { field, idField, elements, argument: argument.name }
      }
    }
  }
  return null
}
