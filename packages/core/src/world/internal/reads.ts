/**
 * Reads: one record by its identifier, one by anything else, or several.
 */
import { find as fieldOf } from "./assign.ts"
import * as Failures from "./failures.ts"
import { spoken } from "./nouns.ts"
import { get, withFields, type JsonObject } from "./records.ts"
import * as Render from "./render.ts"
import * as Searches from "./searches.ts"
import { ambiguous, ok, unknownReference, type Step } from "./steps.ts"
import * as Store from "./store.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity } from "./taskWorld.ts"

/** The record with the identifier that was given. */
export const byId = (world: Store.World, plan: ToolPlan, args: JsonObject): Step => {
  const name = plan.primary?.name ?? ""
  const value = get(args, name)
  if (value === undefined || value === null || value === "") return lookup(world, plan, args)
  const entity = Store.find(world, plan.type.noun, String(value))
  if (entity === null) return [world, Failures.notFound(plan, plan.type.noun, name, value)]
  const missing = unknownReference(world, plan, args)
  if (missing !== null) return [world, missing]
  const extra = checking.has(plan.subject.verb)
    ? verified(world, plan, args, entity)
    : plan.subject.tail === ""
      ? attribute(world, plan, entity)
      : Render.nothing
  const echoed = name === plan.type.idField || plan.shape._tag !== "None" ? extra : withFields(extra, [[name, value]])
  return [Store.see(world, entity), ok(plan, world.taskWorld.renderer.one(world.taskWorld, plan, entity, echoed))]
}

/** `verify_identity` answers whether what it was told is so; it takes nothing it was told as a fact. */
const checking = new Set(["verify", "validate", "authenticate"])
const verified = (world: Store.World, plan: ToolPlan, args: JsonObject, entity: Entity): JsonObject => {
  const record = world.taskWorld.record(entity)
  const claims = Object.keys(args).filter(
    (name) => name !== plan.primary?.name && plan.arguments.some((one) => one.name === name)
  )
  const so = claims.every((name) => {
    const own = fieldOf(record, name) ?? world.taskWorld.facts.get(name)
    return own !== undefined && String(own).toLowerCase() === String(get(args, name)).toLowerCase()
  })
  return { verified: so }
}

/** `get_account_balance` has a balance, whatever else the record holds. */
const attribute = (world: Store.World, plan: ToolPlan, entity: Entity): JsonObject => {
  const asked = plan.attribute
  if (asked === null || fieldOf(world.taskWorld.record(entity), asked.name) !== undefined) return Render.nothing
  const value = asked.make(world.taskWorld.subject(entity.noun, entity.id))
  return value === undefined || value === null ? Render.nothing : { [asked.name]: value }
}

/** The record that what was given says of it. */
export const lookup = (world: Store.World, plan: ToolPlan, args: JsonObject): Step => {
  const missing = unknownReference(world, plan, args)
  if (missing !== null) return [world, missing]
  const [now, found] = Searches.lookup(world, plan, args)
  const { noun, idField } = plan.type
  const [first] = found
  if (first === undefined) {
    const asked = Object.entries(args)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(", ")
    return [now, Failures.failure("not_found", `No ${spoken(noun)} found with ${asked}.`, plan.latency)]
  }
  const { shape } = plan
  if (found.length > 1) {
    if (shape._tag === "None" || (shape._tag === "Schema" && shape.place.many))
      return [now, ok(plan, world.taskWorld.renderer.many(world.taskWorld, plan, found, {}))]
    return [now, ambiguous(plan, found)]
  }
  if (plan.subject.tail === "id" && shape._tag === "None") {
    const record = now.taskWorld.record(first)
    return [now, ok(plan, withFields({ [idField]: get(record, idField) ?? first.id }, Object.entries(args)))]
  }
  return [now, ok(plan, now.taskWorld.renderer.one(now.taskWorld, plan, first, echo(plan, args)))]
}

/** How a result is to be shown is echoed; claims are not. */
const echo = (plan: ToolPlan, args: JsonObject): JsonObject => {
  const given = plan.arguments.filter(({ name }) => shown.test(name) && typeof get(args, name) === "string")
  return given.length === 0
    ? Render.nothing
    : withFields(
        {},
        given.map(({ name }) => [name, get(args, name)])
      )
}
const shown = /(?:^|_)(?:units?|currency|language)$/

export const list = (world: Store.World, plan: ToolPlan, args: JsonObject): Step => {
  const missing = unknownReference(world, plan, args)
  if (missing !== null) return [world, missing]
  const [now, found] = Searches.list(world, plan, args)
  return [now, ok(plan, now.taskWorld.renderer.many(now.taskWorld, plan, found, echo(plan, args)))]
}
