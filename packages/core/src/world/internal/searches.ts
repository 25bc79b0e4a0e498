/**
 * Finding records by anything but their identifier. What a search finds is what a read of it shows: hits are records of
 * the world that match, and only where none can match (a name nobody has yet) is one found that has what was asked for.
 */
import { wordsOf } from "../../task/ToolKind.ts"
import { assign, find as fieldOf } from "./assign.ts"
import type { Argument } from "./entityTypes.ts"
import * as IdForms from "./idForms.ts"
import * as Identity from "./identity.ts"
import * as Keyed from "./keyed.ts"
import { paged } from "./paging.ts"
import { get, isRecord, withFields, type JsonObject } from "./records.ts"
import * as SearchDates from "./searchDates.ts"
import { bySaying } from "./situations.ts"
import * as Store from "./store.ts"
import type { ToolPlan } from "./toolPlans.ts"
import * as Words from "./vocabulary.ts"
import { identifying, plainEntity, type Entity } from "./taskWorld.ts"
import * as Texts from "./texts.ts"

/** Someone nobody knows is found as often as an undeclared identifier exists. */
const found = 0.7
/** A search makes up so many candidates before it says there is nothing. */
const candidates = 12
const hits = 3

type Keys = ReadonlyArray<readonly [string, unknown]>
type Found = readonly [Store.World, ReadonlyArray<Entity>]

/** What of the arguments locates a record: not what pages or sorts, and not claims about it. */
const keysOf = (plan: ToolPlan, args: JsonObject): Keys =>
  plan.arguments.flatMap((argument) => {
    const value = get(args, argument.name)
    const role = plan.roles.get(argument.name)
    const locates = role === "bind" || role === "text" || (role === "filter" && argument.required)
    return value !== undefined && value !== null && locates && !isClaim(argument)
      ? [[argument.name, value] as const]
      : []
  })

const isClaim = ({ name }: Argument): boolean => claims.has(wordsOf(name).at(-1) ?? "")
const claims = new Set("amount price total cost balance fee refund paid verified reason note notes".split(" "))

/** One record, by what people are known by: none, one, or the candidates of a duplicate. */
export const lookup = (world: Store.World, plan: ToolPlan, args: JsonObject): Found => {
  const { taskWorld } = world
  const { noun } = plan.type
  const keys = keysOf(plan, args)
  const ids = ofSituation(world, plan, keys)
  if (ids !== null) return located(world, noun, ids, [])
  const matching = (entity: Entity): boolean =>
    keys.length > 0 && keys.every(([name, value]) => same(calledFor(taskWorld.record(entity), name), value))
  const mine = Store.known(world, noun).filter(matching)
  if (mine.length > 0) return seen(world, mine.slice(0, 1))
  if (plan.type.known) {
    const others = taskWorld
      .population(noun)
      .map((id) => Store.find(world, noun, id))
      .filter((one) => one !== null && matching(one))
    if (others[0] !== undefined && others[0] !== null) return seen(world, [others[0]])
  }
  const by = keys.map(([name, value]) => bySaying(name, value)).join("&")
  const who = keys.find(([name]) => identifying.has(name))
  // Where the person is somebody of this world, nobody else comes about for being asked for.
  const closed = taskWorld.task.plan.person !== undefined
  if (plan.type.person && who !== undefined && (closed || Keyed.unit(Keyed.at(taskWorld.key, `found:${by}`)) >= found))
    return [world, []]
  return located(world, noun, [taskWorld.minted(noun, by, namesIn(keys))], keys)
}

/** A field by its name, or what a person's record has under another one. */
const calledFor = (record: JsonObject, name: string): unknown =>
  fieldOf(record, name) ?? Identity.valueOf(record, name) ?? undefined

/**
 * Identifiers that a search by these keys finds when it is one for the situation's record; null when it is for others.
 * What is looked up without being told apart from the situation's record is taken to be it, where the state is about
 * finding it. Such a search teaches the record nothing: it holds what it holds for whoever reads it.
 */
const ofSituation = (world: Store.World, plan: ToolPlan, keys: Keys): ReadonlyArray<string> | null => {
  const { situation, facts } = world.taskWorld
  if (situation === null || situation.noun !== plan.type.noun || keys.length === 0) return null
  const { by, state, twin, id } = situation
  const told =
    by !== null
      ? keys.some(([name, value]) => name === by[0] && same(value, by[1]))
      : keys.some(([name]) => facts.has(name)) &&
        keys.every(([name, value]) => !facts.has(name) || same(facts.get(name), value))
  const taken =
    by === null && plan.type.known && (state === "duplicate" || (plan.mode !== "list" && state === "missing"))
  if (!told && !taken) return null
  if (state === "missing") return []
  return twin === null ? [id] : [id, twin]
}

/** The records that are not gone, holding what they were found by. */
const located = (world: Store.World, noun: string, ids: ReadonlyArray<string>, keys: Keys): Found => {
  let now = world
  const out: Array<Entity> = []
  for (const id of ids) {
    if (Store.wasRemoved(now, noun, id)) continue
    const entity = Store.find(now, noun, id) ?? plainEntity(noun, id)
    const record = world.taskWorld.record(entity)
    const missing = keys.filter(([name, value]) => !same(fieldOf(record, name), value) && !spelled(record, name, value))
    const holding =
      missing.length === 0
        ? entity
        : {
            ...entity,
            fields: withFields(
              entity.fields,
              Object.entries(
                assign(record, [...inPlace(record, fullNamed(record, missing)), ...SearchDates.onDay(record, missing)])
              )
            )
          }
    now = holding === entity ? Store.see(now, entity) : Store.store(now, holding)
    out.push(holding)
  }
  return [now, out]
}

/** `first_name` of a record that has one `name`. */
const spelled = (record: JsonObject, name: string, value: unknown): boolean =>
  (name === "first_name" || name === "last_name") &&
  typeof record["name"] === "string" &&
  record["name"].toLowerCase().includes(String(value).toLowerCase())

const fullNamed = (record: JsonObject, keys: Keys): Keys => {
  const first = keys.find(([name]) => name === "first_name")?.[1]
  const last = keys.find(([name]) => name === "last_name")?.[1]
  if (first === undefined || last === undefined || typeof record["name"] !== "string") return keys
  return [
    ...keys.filter(([name]) => name !== "first_name" && name !== "last_name"),
    ["name", `${String(first)} ${String(last)}`]
  ]
}

/** What is found in a city has an address in it. */
const inPlace = (record: JsonObject, keys: Keys): Keys => {
  const { address } = record
  const asked = keys.find(([name, value]) => (name === "city" || name === "location") && typeof value === "string")
  if (asked === undefined || !isRecord(address) || !Object.hasOwn(address, "city")) return keys
  const [city = ""] = String(asked[1]).split(",", 1)
  const place = Words.places.find((one) => one.city.toLowerCase() === city.trim().toLowerCase())
  const kept = Object.entries(address).flatMap(([name, value]): Keys => {
    if (name === "city") return [[name, city.trim()]]
    const inCity =
      name === "state" || name === "province"
        ? place?.state
        : /zip|postal/.test(name)
          ? place && `${place.zip}${String(value).slice(3)}`
          : value
    return inCity === undefined || (place === undefined && name === "country") ? [] : [[name, inCity]]
  })
  return [...keys.filter(([name]) => name !== "city"), ["address", withFields({}, kept)]]
}

const namesIn = (keys: Keys): readonly [string, string] | null => {
  const of = (name: string): string => String(keys.find(([key]) => key === name)?.[1] ?? "")
  const [first, last] = [of("first_name"), of("last_name")]
  if (/^[a-z]+$/i.test(first) && /^[a-z]+$/i.test(last)) return [Texts.capital(first), Texts.capital(last)]
  return IdForms.nameIn(of("email")) ?? IdForms.nameIn(of("name")) ?? IdForms.nameIn(of("full_name"))
}

const seen = (world: Store.World, entities: ReadonlyArray<Entity>): Found => [
  entities.reduce(Store.see, world),
  entities
]

/** Several records: those of a parent, those that match, or those there are. */
export const list = (world: Store.World, plan: ToolPlan, args: JsonObject): Found => {
  const { noun } = plan.type
  const { taskWorld } = world
  const told = keysOf(plan, args)
  const stay = plan.type.known && !booked.has(plan.type.head) ? told.filter(([name]) => isStay(name)) : []
  const keys = stay.length === 0 ? told : told.filter(([name]) => !isStay(name))
  const passes = filters(world, plan, args)
  const range = SearchDates.rangeOf(args, plan.ranges)
  const ids = ofSituation(world, plan, keys)
  if (ids !== null) {
    const [now, all] = located(world, noun, ids, [])
    return [now, paged(plan, args, all.filter(passes))]
  }
  const parent = plan.references.find(({ argument }) => !argument.many && given(get(args, argument.name)))
  const own = Store.known(world, noun).filter(
    (entity) =>
      entity.origin === "made" &&
      (parent === undefined || same(get(entity.fields, parent.argument.name), get(args, parent.argument.name)))
  )
  const [narrowed, base] =
    parent === undefined
      ? [world, plan.type.known ? existing(world, noun, taskWorld.population(noun)) : []]
      : children(world, plan, parent.noun, String(get(args, parent.argument.name)))
  const fits = [...own, ...base].filter(
    (entity) =>
      keys.every((key) => matches(world, plan, entity, key)) &&
      passes(entity) &&
      (range === null || SearchDates.isWithin(taskWorld.record(entity), range))
  )
  const matched = stay.length === 0 ? fits : free(world, fits, stay)
  const narrowing = keys.length > 0 || range !== null
  const enough = matched.length > 0 || (!narrowing && (base.length > 0 || parent !== undefined))
  const [now, all] = enough ? seen(narrowed, matched) : madeUp(narrowed, plan, keys, range, passes)
  return [now, paged(plan, args, all)]
}

/** When and for how many: what a search says of a stay, not of what is there to stay in. */
const isStay = (name: string): boolean =>
  /^check_?(?:in|out)(?:_date)?$|^(?:arrival|departure)_date$|^(?:num(?:ber_of)?_)?(?:guests|people|adults|children|nights|persons)$/.test(
    wordsOf(name).join("_")
  )
const booked: ReadonlySet<string> = new Set(["booking", "reservation", "rental", "trip", "flight", "train", "bus"])

/** What is not taken on the days asked for: more than half, what the caller declared surely. */
const free = (world: Store.World, all: ReadonlyArray<Entity>, stay: Keys): ReadonlyArray<Entity> => {
  const { taskWorld } = world
  const when = stay.map(([name, value]) => bySaying(name, value)).join("&")
  const left = all.filter(
    ({ id, noun }) =>
      taskWorld.type(noun).declared.has(id) || Keyed.unit(Keyed.at(taskWorld.key, `free:${when}:${id}`)) < vacant
  )
  return left.length > 0 ? left : all.slice(0, 1)
}
const vacant = 0.6

const existing = (world: Store.World, noun: string, ids: ReadonlyArray<string>): ReadonlyArray<Entity> =>
  ids.map((id) => Store.find(world, noun, id)).filter((entity) => entity !== null)

/** What belongs to a parent; a parent nothing refers to yet has one or two of its own. */
const children = (world: Store.World, plan: ToolPlan, parentNoun: string, parentId: string): Found => {
  const { taskWorld } = world
  const { noun } = plan.type
  const parent = taskWorld.subject(parentNoun, parentId)
  const owned = parent.world.owned(parent, noun)
  if (plan.type.known && (owned.length > 0 || taskWorld.population(parentNoun).includes(parentId)))
    return [world, existing(world, noun, owned)]
  const key = Keyed.at(taskWorld.key, `children:${noun}:${parentId}`)
  const ids = Array.from({ length: Keyed.between(key, 1, 2) }, (_, i) =>
    taskWorld.minted(noun, `${parentNoun}:${parentId}:${i}`, null)
  )
  return located(world, noun, ids, [[`${parentNoun}_id`, parentId]])
}

/** Records made to match, where none does. */
const madeUp = (
  world: Store.World,
  plan: ToolPlan,
  keys: Keys,
  range: readonly [number, number] | null,
  passes: (entity: Entity) => boolean
): Found => {
  const { taskWorld } = world
  const { noun } = plan.type
  const by = [...keys.map(([name, value]) => bySaying(name, value)), ...(range === null ? [] : [range.join("-")])].join(
    "&"
  )
  const wanted = Keyed.between(Keyed.at(taskWorld.key, `hits:${noun}:${by}`), 2, hits)
  let now = world
  const out: Array<Entity> = []
  for (let i = 0; i < candidates && out.length < wanted; i++) {
    const id = taskWorld.minted(noun, `${by}#${i}`, null)
    const record = taskWorld.record(Store.find(world, noun, id) ?? plainEntity(noun, id))
    const dates = range === null ? [] : SearchDates.inRange(record, range, taskWorld.subject(noun, id).key)
    const bound = keys.map((key) => variant(named(plan, record, key), i))
    const [, [entity]] = located(world, noun, [id], [...bound, ...dates])
    if (entity === undefined || !passes(entity) || out.some((one) => one.id === id)) continue
    now = Store.store(now, entity)
    out.push(entity)
  }
  return [now, out]
}

/** A query is found in what the record is called. */
const named = (
  plan: ToolPlan,
  record: JsonObject,
  [name, value]: readonly [string, unknown]
): readonly [string, unknown] => {
  if (plan.roles.get(name) !== "text" || typeof value !== "string") return [name, value]
  return [callings.find((one) => Object.hasOwn(record, one)) ?? "name", value]
}
const callings = ["name", "title", "subject", "question"]

const variants = ["", " Plus", " Classic", " Mini", " Pro", " Select"]
const variant = ([name, value]: readonly [string, unknown], i: number): readonly [string, unknown] =>
  callings.includes(name) && typeof value === "string"
    ? [name, `${Texts.titled(value.trim().replace(/\s+/g, "_"))}${variants[i % variants.length] ?? ""}`]
    : [name, value]

const matches = (
  world: Store.World,
  plan: ToolPlan,
  entity: Entity,
  [name, value]: readonly [string, unknown]
): boolean => {
  const record = world.taskWorld.record(entity)
  if (plan.roles.get(name) !== "text") return same(fieldOf(record, name), value)
  const text = JSON.stringify(record).toLowerCase()
  return wordsOf(String(value)).every((word) => text.includes(word))
}

const given = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

const same = (a: unknown, b: unknown): boolean =>
  a === b ||
  (a !== undefined && a !== null && !isRecord(a) && String(a).trim().toLowerCase() === String(b).trim().toLowerCase())

/** What narrows a search: listed values and bounds. */
const filters = (world: Store.World, plan: ToolPlan, args: JsonObject): ((entity: Entity) => boolean) => {
  const tests: Array<(record: JsonObject) => boolean> = []
  for (const argument of plan.arguments) {
    const value = get(args, argument.name)
    const role = plan.roles.get(argument.name)
    if (!given(value)) continue
    if (role === "filter" && !argument.required) {
      tests.push((record) => {
        const own = fieldOf(record, argument.name)
        return own === undefined || value === "all" || value === "any" || same(own, value)
      })
    }
    if ((role === "least" || role === "most") && typeof value === "number") {
      tests.push((record) => {
        const own = measured(record, argument.name)
        return own === null || (role === "least" ? own >= value : own <= value)
      })
    }
  }
  return (entity) => tests.every((test) => test(world.taskWorld.record(entity)))
}

/** The number a bound speaks of: `max_price` and `budget` of a price. */
const measured = (record: JsonObject, name: string): number | null => {
  const words = wordsOf(name).filter((word) => !["min", "max", "minimum", "maximum"].includes(word))
  const field = words.join("_") === "budget" ? "price" : words.join("_")
  const own =
    fieldOf(record, field) ??
    Object.entries(record).find(([key, value]) => typeof value === "number" && key.startsWith(`${field}_`))?.[1]
  return typeof own === "number" ? own : null
}
