/**
 * Writes: records are made, changed, acted on and removed, and what they became is what every later read shows.
 */
import type { Answer } from "../World.ts"
import { assign } from "./assign.ts"
import * as Calendar from "./calendar.ts"
import * as Failures from "./failures.ts"
import { sentBy, stateAfter, spoken } from "./nouns.ts"
import { freeze, get, isRecord, withFields, type JsonObject, isId } from "./records.ts"
import * as Render from "./render.ts"
import * as Searches from "./searches.ts"
import { listOf, statusAfter } from "./situations.ts"
import { ambiguous, ok, unknownReference, type Step } from "./steps.ts"
import * as SideEffects from "./sideEffects.ts"
import * as Store from "./store.ts"
import * as Templates from "./templates.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity } from "./taskWorld.ts"
import * as Words from "./vocabulary.ts"

/** What a write is given: everything but what locates the record or says how to go about it. */
const content = (plan: ToolPlan, args: JsonObject): ReadonlyArray<readonly [string, unknown]> =>
  Object.keys(args).flatMap((name): ReadonlyArray<readonly [string, unknown]> => {
    const value = get(args, name)
    if (name === plan.primary?.name || manners.has(name) || value === undefined) return []
    return isRecord(value) && bundle.test(name) ? Object.entries(value) : [[name, value]]
  })
/** `updates: { priority: "high" }` changes the priority. */
const bundle = /(?:^|_)(?:data|updates?|changes|fields|patch|attributes|properties)$/
const manners = new Set(["confirm", "confirmed", "force", "dry_run", "notify", "idempotency_key"])

export const create = (world: Store.World, plan: ToolPlan, args: JsonObject): Step => {
  const { taskWorld } = world
  const { type } = plan
  const own = plan.references.find(({ noun, argument }) => noun === type.noun && !argument.many)
  const others = own === undefined ? plan : { ...plan, references: plan.references.filter((one) => one !== own) }
  const missing = unknownReference(world, others, args)
  if (missing !== null) return [world, missing]
  for (const { argument, noun } of others.references) {
    const about = get(args, argument.name)
    const entity = isId(about) ? Store.find(world, noun, String(about)) : null
    if (entity !== null && plan === taskWorld.situation?.write && isDone(entity, plan)) {
      const done = asked(plan) ? Failures.alreadyAsked(plan, noun, entity.id) : doneBefore(plan, noun, entity.id)
      return [world, done]
    }
  }
  const givenId = own === undefined ? undefined : get(args, own.argument.name)
  if (
    givenId !== undefined &&
    (type.declared.has(String(givenId)) || Store.known(world, type.noun).some((one) => one.id === String(givenId)))
  ) {
    return [
      world,
      Failures.failure(
        "already_done",
        `A ${spoken(type.noun)} with ${type.idField} ${JSON.stringify(givenId)} already exists.`,
        plan.latency
      )
    ]
  }
  const id = givenId === undefined ? taskWorld.issued(type.noun, world.made.length) : String(givenId)
  const fields = withFields({}, [
    ...content(plan, args).filter(([name]) => name !== own?.argument.name),
    ...(Object.hasOwn(args, "status") ? [] : [["status", firstStatus(plan)] as const]),
    ["created_at", Calendar.instant(0, world.made.length)]
  ])
  const entity: Entity = { noun: type.noun, id, fields, origin: "made", removed: false, done: [], donePart: null }
  const paid = SideEffects.moveMoney(world, plan, args)
  if (isAnswer(paid)) return [world, paid]
  const stored = Store.store({ ...paid, made: [...world.made, id] }, entity)
  const holding = SideEffects.holderOf(plan)
  const holder = holding === null ? null : Store.find(stored, holding.noun, String(get(args, holding.argument.name)))
  if (holding === null || holder === null) {
    return [Store.written(stored, plan, args, entity), ok(plan, taskWorld.renderer.one(taskWorld, plan, entity))]
  }
  const [put, held] = SideEffects.putInto(stored, holder, entity, holding.argument.name)
  const shown = plan.shape._tag === "None" ? taskWorld.record(held) : taskWorld.renderer.one(taskWorld, plan, entity)
  return [Store.written(put, plan, args, entity), ok(plan, shown)]
}

const asked = ({ subject }: ToolPlan): boolean => subject.verb === "request"

const firstStatus = ({ tool, subject, type }: ToolPlan): string => {
  if (tool.kind === "send") return stateAfter(subject.verb === "" ? "send" : subject.verb)
  if (tool.kind === "pay") return "completed"
  if (subject.verb === "request") return stateAfter(subject.verb)
  return Words.statusesByNoun.get(type.head)?.[0] ?? "created"
}

/** What was sent is not the record itself. */
const doneBefore = (plan: ToolPlan, noun: string, id: string): Answer => {
  const sent = sentBy(plan.tool.name)
  return sent === null
    ? Failures.alreadyDone(plan, noun, id, statusAfter(plan))
    : Failures.alreadySent(plan, sent, noun, id)
}

const isDone = (entity: Entity, plan: ToolPlan): boolean =>
  entity.done.includes("*") || entity.done.includes(plan.tool.name)

/** The record a write is for: by its identifier, else by what names it, else the one there is of its kind. */
const target = (world: Store.World, plan: ToolPlan, args: JsonObject): readonly [Store.World, Entity | Answer] => {
  const name = plan.primary?.name
  const value = name === undefined ? undefined : get(args, name)
  if (name !== undefined && value !== undefined && value !== null && value !== "") {
    const id = String(value)
    const entity = Store.find(world, plan.type.noun, id)
    if (entity !== null) return [world, entity]
    return [
      world,
      Store.wasRemoved(world, plan.type.noun, id)
        ? Failures.alreadyDone(plan, plan.type.noun, id, "deleted")
        : Failures.notFound(plan, plan.type.noun, name, value)
    ]
  }
  const keys = withFields(
    {},
    plan.locating.flatMap((key) => (get(args, key) === undefined ? [] : [[key, get(args, key)] as const]))
  )
  const [now, [found, other]] = Searches.lookup(world, plan, keys)
  if (found !== undefined && other !== undefined) return [now, ambiguous(plan, [found, other])]
  if (found !== undefined) return [now, found]
  const asked = Object.entries(keys)
    .map(([key, one]) => `${key} ${JSON.stringify(one)}`)
    .join(", ")
  return [now, Failures.failure("not_found", `No ${spoken(plan.type.noun)} found with ${asked}.`, plan.latency)]
}

const isAnswer = (value: Entity | Store.World | Answer): value is Answer => "answeredBy" in value

export const update = (before: Store.World, plan: ToolPlan, args: JsonObject): Step => {
  const [world, entity] = target(before, plan, args)
  if (isAnswer(entity)) return [world, entity]
  const { taskWorld } = world
  const { noun } = plan.type
  const record = taskWorld.record(entity)
  if (isDone(entity, plan)) {
    const status = get(record, "status")
    const answer =
      typeof status === "string" && entity.done.includes("*")
        ? Failures.alreadyDone(plan, noun, entity.id, status)
        : doneBefore(plan, noun, entity.id)
    return [Store.see(world, entity), answer]
  }
  const missing = unknownReference(world, plan, args)
  if (missing !== null) return [world, missing]
  const status = get(record, "status")
  if (plan.needs !== null && typeof status === "string" && status !== plan.needs) {
    return [
      world,
      Failures.refused(
        plan,
        `The ${spoken(noun)} ${JSON.stringify(entity.id)} is ${spoken(status)}; ${plan.tool.name} needs it to be ${spoken(plan.needs)}.`
      )
    ]
  }
  const parts = changedParts(world, plan, args, entity, record)
  if ("answer" in parts) return [world, parts.answer]
  const tooMuch = overpaid(plan, args, record)
  if (tooMuch !== null) return [world, tooMuch]
  const changes = assign(
    record,
    content(plan, args)
      .filter(([name]) => !parts.used.has(name))
      // What is paid of a record is not what the record is worth.
      .map(([name, value]) =>
        plan.tool.kind === "pay" && name === "amount" ? [`${statusAfter(plan)}_amount`, value] : [name, value]
      )
  )
  // Of what nobody has a record of, a write shows what it was given.
  const bare = !plan.type.known && plan.shape._tag === "None" && !Templates.isKnown(noun)
  const becomes = plan.becomes ?? (bare && plan.subject.verb !== "" ? statusAfter(plan) : null)
  const stamps: ReadonlyArray<readonly [string, unknown]> = [
    ...(becomes === null ? [] : [["status", becomes] as const]),
    ...(!bare && Object.hasOwn(record, "updated_at") ? [["updated_at", Calendar.instant(0)] as const] : [])
  ]
  const changed: Entity = {
    ...entity,
    fields: freeze(
      withFields(entity.fields, [...Object.entries(changes), ...parts.fields, ...stamps, ...remaining(record, plan)])
    ),
    origin: bare ? "bare" : entity.origin,
    done: plan.mode === "act" ? [...entity.done, plan.tool.name] : entity.done
  }
  return [
    Store.written(Store.store(world, changed), plan, args, changed),
    ok(plan, taskWorld.renderer.one(taskWorld, plan, changed, echoed(plan, args)))
  ]
}

const echoed = (plan: ToolPlan, args: JsonObject): JsonObject => {
  const name = plan.primary?.name
  return name === undefined || name === plan.type.idField || plan.shape._tag !== "None"
    ? Render.nothing
    : { [name]: get(args, name) }
}

/** A write that finishes what was partly done takes it off the list. */
const remaining = (record: JsonObject, plan: ToolPlan): ReadonlyArray<readonly [string, unknown]> => {
  const progress = get(record, "progress")
  if (!isRecord(progress) || !Array.isArray(progress["remaining"])) return []
  const completed = Array.isArray(progress["completed"]) ? progress["completed"] : []
  return [
    [
      "progress",
      {
        completed: [...completed, plan.tool.name],
        remaining: progress["remaining"].filter((one) => one !== plan.tool.name)
      }
    ]
  ]
}

/** A refund or a charge beyond what the record is worth is refused: an amount is a claim until the record bears it out. */
const overpaid = (plan: ToolPlan, args: JsonObject, record: JsonObject): Answer | null => {
  const { amount } = args
  const worth = ["total", "total_price", "amount", "price"]
    .map((name) => get(record, name))
    .find((value) => typeof value === "number")
  if (plan.tool.kind !== "pay" || typeof amount !== "number" || typeof worth !== "number" || amount <= worth)
    return null
  return Failures.refused(plan, `The amount ${amount} is more than the ${spoken(plan.type.noun)}'s ${worth}.`)
}

interface Parts {
  readonly fields: ReadonlyArray<readonly [string, unknown]>
  readonly used: ReadonlySet<string>
}

/** Things a write picks from a list of the record: they have to be in it, and may be replaced one for one. */
const changedParts = (
  world: Store.World,
  plan: ToolPlan,
  args: JsonObject,
  entity: Entity,
  record: JsonObject
): Parts | { readonly answer: Answer } => {
  const list = listOf(plan, record)
  const picked = list === null ? undefined : get(args, list.argument)
  if (list === null || !Array.isArray(picked)) return { fields: [], used: new Set() }
  const ids = picked.map(String)
  const held = list.elements.map((one) => String(get(one, list.idField)))
  const stranger = ids.find((id) => !held.includes(id))
  if (stranger !== undefined) {
    return {
      answer: Failures.refused(
        plan,
        `${list.idField} ${JSON.stringify(stranger)} is not in the ${list.field} of ${spoken(entity.noun)} ${JSON.stringify(entity.id)}.`
      )
    }
  }
  if (entity.donePart !== null && ids.includes(entity.donePart)) {
    return { answer: Failures.alreadyDone(plan, list.idField.replace(/_id$/, ""), entity.donePart, statusAfter(plan)) }
  }
  const incoming = plan.references.find(
    (one) => one.argument.many && one.argument.reference?.incoming === true && `${one.noun}_id` === list.idField
  )
  const replacements = incoming === undefined ? undefined : get(args, incoming.argument.name)
  if (incoming === undefined || !Array.isArray(replacements)) return { fields: [], used: new Set() }
  if (replacements.length !== ids.length) {
    return {
      answer: Failures.refused(plan, `${list.argument} and ${incoming.argument.name} must have the same length.`)
    }
  }
  const elements = list.elements.map((one) => {
    const at = ids.indexOf(String(get(one, list.idField)))
    return at < 0 ? one : replaced(world, one, list.idField, incoming.noun, String(replacements[at]))
  })
  return { fields: [[list.field, elements]], used: new Set([list.argument, incoming.argument.name]) }
}

/** The line with another thing in it: what the line shows of a thing is what the thing's own record says. */
const replaced = (world: Store.World, line: JsonObject, idField: string, noun: string, id: string): JsonObject => {
  const entity = Store.find(world, noun, id)
  const record = entity === null ? {} : world.taskWorld.record(entity)
  return withFields(line, [
    ...Object.keys(line).flatMap((name) => (Object.hasOwn(record, name) ? [[name, record[name]] as const] : [])),
    [idField, id]
  ])
}

export const remove = (before: Store.World, plan: ToolPlan, args: JsonObject): Step => {
  const [world, entity] = target(before, plan, args)
  if (isAnswer(entity)) return [world, entity]
  const { type } = plan
  if (isDone(entity, plan)) return [world, Failures.alreadyDone(plan, type.noun, entity.id, statusAfter(plan))]
  const missing = unknownReference(world, plan, args)
  if (missing !== null) return [world, missing]
  const gone = SideEffects.takeOut(Store.store(world, { ...entity, removed: true }), plan, args, entity)
  const record = { ...entity, fields: withFields(entity.fields, [["status", "deleted"]]) }
  const located =
    plan.primary === null
      ? withFields(
          {},
          plan.locating.map((name) => [name, get(args, name)])
        )
      : { [plan.primary.name]: get(args, plan.primary.name) }
  const result =
    plan.shape._tag === "None"
      ? { ...located, status: "deleted" }
      : world.taskWorld.renderer.one(world.taskWorld, plan, record, { deleted: true, success: true })
  return [Store.written(gone, plan, args, entity), ok(plan, result)]
}
