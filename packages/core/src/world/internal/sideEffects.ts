/**
 * What a write does to records other than its own: money that moves between accounts, things that go into a cart or
 * out of it.
 */
import * as English from "../../language/English.ts"
import { wordsOf } from "../../task/ToolKind.ts"
import type { Answer } from "../World.ts"
import * as Failures from "./failures.ts"
import { spoken } from "./nouns.ts"
import { get, isRecord, withFields, type JsonObject, isId } from "./records.ts"
import * as Store from "./store.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity } from "./taskWorld.ts"

const givers = new Set(["from", "source", "sender", "debit"])
const takers = new Set(["to", "target", "destination", "recipient", "credit"])

/** The accounts a payment names have less or more by its amount; what is not there cannot be paid. */
export const moveMoney = (world: Store.World, plan: ToolPlan, args: JsonObject): Store.World | Answer => {
  const { amount } = args
  if (plan.tool.kind !== "pay" && plan.subject.verb !== "transfer") return world
  if (typeof amount !== "number" || amount <= 0) return world
  let now = world
  for (const { argument, noun } of plan.references) {
    const id = get(args, argument.name)
    const entity = isId(id) ? Store.find(now, noun, String(id)) : null
    const balance = entity === null ? undefined : get(world.taskWorld.record(entity), "balance")
    if (entity === null || typeof balance !== "number") continue
    const [word = ""] = wordsOf(argument.name)
    const sign =
      givers.has(word) || plan.subject.verb === "withdraw"
        ? -1
        : takers.has(word) || plan.subject.verb === "deposit"
          ? 1
          : 0
    if (sign === 0) continue
    if (sign < 0 && balance < amount) {
      return Failures.refused(
        plan,
        `The ${spoken(noun)} ${JSON.stringify(entity.id)} has ${balance}, which is less than ${amount}.`
      )
    }
    const after = Math.round((balance + sign * amount) * 100) / 100
    now = Store.store(now, { ...entity, fields: withFields(entity.fields, [["balance", after]]) })
  }
  return now
}

/** The record something is added to: the cart of `add_item_to_cart`. */
export const holderOf = (plan: ToolPlan): ToolPlan["references"][number] | null => {
  if (plan.subject.verb !== "add") return null
  const words = wordsOf(plan.tool.name)
  const to = words.findIndex((word) => word === "to" || word === "into")
  const after = to < 0 ? [] : words.slice(to + 1)
  return (
    plan.references.find(({ noun }) => noun !== plan.type.noun && after.includes(noun.split("_").pop() ?? "")) ?? null
  )
}

/** Puts what was made into the list of its holder. */
export const putInto = (
  world: Store.World,
  holder: Entity,
  made: Entity,
  holderField: string
): readonly [Store.World, Entity] => {
  const record = world.taskWorld.record(holder)
  const field =
    [English.plural(made.noun), "items", "lines"].find((name) => Array.isArray(get(record, name))) ??
    English.plural(made.noun)
  const held = get(record, field)
  const shown = world.taskWorld.record(made)
  const line = withFields(
    {},
    Object.entries(shown).filter(([name]) => name !== holderField && name !== "created_at" && name !== "status")
  )
  const changed = {
    ...holder,
    fields: withFields(holder.fields, [[field, [...(Array.isArray(held) ? held : []), line]]])
  }
  return [Store.store(world, changed), changed]
}

/** Takes what is gone out of the lists of the records that the call names. */
export const takeOut = (world: Store.World, plan: ToolPlan, args: JsonObject, gone: Entity): Store.World => {
  let now = world
  for (const { argument, noun } of plan.references) {
    const id = get(args, argument.name)
    const holder = isId(id) ? Store.find(now, noun, String(id)) : null
    if (holder === null) continue
    const record = world.taskWorld.record(holder)
    const without = Object.keys(record).flatMap((field) => {
      const list = record[field]
      if (!Array.isArray(list)) return []
      const kept = list.filter((one) => !isRecord(one) || String(get(one, plan.type.idField)) !== gone.id)
      return kept.length < list.length ? [[field, kept] as const] : []
    })
    if (without.length > 0) now = Store.store(now, { ...holder, fields: withFields(holder.fields, without) })
  }
  return now
}
