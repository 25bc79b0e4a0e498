/**
 * Draws the person of a task and what they come about from the world that the task will have.
 */
import type * as Randomness from "../../random/Randomness.ts"
import type { Task } from "../../task/Task.ts"
import * as English from "../../language/English.ts"
import type * as Draws from "../Draws.ts"
import { find as fieldOf } from "./assign.ts"
import * as Identity from "./identity.ts"
import * as Keyed from "./keyed.ts"
import { referenceOf } from "./nouns.ts"
import * as Parts from "./parts.ts"
import { get, isRecord, type JsonObject } from "./records.ts"
import * as Render from "./render.ts"
import { plainEntity, TaskWorld } from "./taskWorld.ts"
import type { RunPlan, ToolPlan } from "./toolPlans.ts"

/** Where records are looked up: in a world of the mock, or in what a world of the caller's showed of itself. */
export interface Book {
  /** Empty for what it does not hold. */
  readonly record: (of: Target) => JsonObject
  /** Identifiers of a kind. */
  readonly population: (noun: string) => ReadonlyArray<string>
  /** Identifiers of a kind that belong to a record. */
  readonly owned: (of: Target, noun: string) => ReadonlyArray<string>
  /** Whether there are records of the kind. */
  readonly known: (noun: string) => boolean
  /** Whether it holds less than the world does: who owns what it does not hold cannot be known. */
  readonly partial: boolean
}

/** A record. */
export interface Target {
  readonly noun: string
  readonly id: string
}

/** What a draw reads: the book before anything is said of the task, and as it is in the task. */
interface Books {
  readonly before: Book
  readonly about: (plan: Partial<Task["plan"]>) => Book
}

/** Draws from the mock's worlds; a run's tools are read at the first one. */
export const make = (read: () => RunPlan, random: Randomness.Service): Draws.Draw => {
  let run: RunPlan | undefined
  const renderer = Render.make()
  return (request) => {
    const plans = (run ??= read())
    const worldOf = (plan: Partial<Task["plan"]>, worldState: string | null): TaskWorld =>
      new TaskWorld({ run: plans, renderer, task: taskWith(request.worldSeed, plan, worldState), random })
    const world = worldOf({}, null)
    return drawn(plans, request, Keyed.at(world.key, "drawn"), {
      before: bookOf(world),
      about: (plan) => bookOf(worldOf(plan, request.worldState))
    })
  }
}

/** Draws from what a world of the caller's showed of itself. */
export const fromBook = (run: RunPlan, random: Randomness.Service, book: Book): Draws.Draw => {
  return (request) =>
    drawn(run, request, Keyed.root(random.at(request.worldSeed), ["drawn"]), { before: book, about: () => book })
}

const bookOf = (world: TaskWorld): Book => ({
  record: ({ id, noun }) => world.record(world.base(noun, id) ?? plainEntity(noun, id)),
  population: (noun) => world.population(noun),
  owned: ({ id, noun }, kind) => world.owned(world.subject(noun, id), kind),
  known: (noun) => world.run.types.known(noun),
  partial: false
})

const taskWith = (world_seed: number, plan: Partial<Task["plan"]>, worldState: string | null): Task => ({
  id: "",
  scenarioId: "",
  prompt: "",
  dimensions: {},
  tier: null,
  shown: {},
  arm: "grid",
  phrasing: 0,
  writer: "",
  worldState,
  faults: [],
  plan: { world_seed, need: null, facts: {}, traits: {}, entity: null, ...plan },
  privileged: {}
})

const drawn = (run: RunPlan, request: Draws.Request, key: Keyed.Key, { about, before }: Books): Draws.Drawn => {
  const kind = personNoun(before)
  const targets: Array<Target | null> = []
  let owner: string | null = null
  request.wants.forEach((want, i) => {
    const noun = nounNamed(run, want)
    const target =
      // All they want of orders, they want of one order.
      targets.find((one) => one !== null && one.noun === noun) ??
      targetOf({ run, before, kind, owner, key: Keyed.nth(key, i), visit: request.visit }, want)
    if (target !== null && kind !== null) owner ??= ownerOf(before, kind, target)
    targets.push(target)
  })
  const lead = request.wants.findIndex((_, i) => targets[i] !== null)
  const first = targets[lead] ?? null
  // Whose a record is that nobody showed cannot be known; what is nobody's, anybody may ask about.
  const anybodys = first === null || !before.partial || Object.keys(before.record(first)).length > 0
  if (owner === null && kind !== null && anybodys) {
    owner = pick(Keyed.at(key, "person"), before.population(kind), request.visit)
  }
  const entity =
    lead < 0
      ? null
      : {
          tool: request.wants[lead]?.tool ?? "",
          argument: request.wants[lead]?.reference ?? "",
          id: first?.id ?? ""
        }
  const person = kind === null || owner === null ? undefined : { noun: kind, id: owner }
  const book = about({ entity, ...(person === undefined ? {} : { person }) })
  const who = person === undefined ? null : { ...person, record: book.record(person) }
  const self = who === null ? nobody : Identity.of(run, who, Keyed.at(key, "self"))
  return {
    person: who,
    ...self,
    wants: valuesOf({ run, world: book, who, key: Keyed.at(key, "values") }, request.wants, targets)
  }
}

const nobody: Pick<Draws.Drawn, "identity" | "unknown"> = { identity: {}, unknown: [] }

/** The kind of record that people who come are: the likeliest that tools take identifiers of. */
const personNoun = (book: Book): string | null => Parts.people.find((noun) => book.known(noun)) ?? null

interface Choosing {
  readonly run: RunPlan
  readonly before: Book
  readonly kind: string | null
  /** Who the person is, once an earlier want said so. */
  readonly owner: string | null
  readonly key: Keyed.Key
  readonly visit: number
}

/** The record a want is about: one of the person's where there are such, one that tools can work on. */
const targetOf = ({ before, key, kind, owner, run, visit }: Choosing, want: Draws.Wanted): Target | null => {
  const noun = nounNamed(run, want)
  if (noun === null) return null
  if (noun === kind && owner !== null) return { noun, id: owner }
  const held = before.population(noun)
  const all = want.declared.length > 0 && !(before.partial && held.length > 0) ? want.declared : held
  if (all.length === 0) return null
  if (owner === null || kind === null) return { noun, id: pick(key, all, visit) }
  const own = all.filter((id) => ownerOf(before, kind, { noun, id }) === owner)
  return { noun, id: pick(key, own.length > 0 ? own : all, visit) }
}

const pick = (key: Keyed.Key, ids: ReadonlyArray<string>, visit: number): string =>
  ids[(Keyed.int(key, 1 << 20) + visit) % ids.length] ?? ""

const nounNamed = (run: RunPlan, { reference, tool }: Draws.Wanted): string | null => {
  const plan = run.tools.get(tool)
  return plan === undefined ? null : nounOf(plan, reference)
}

/** The kind of record an argument names, as the world reads it. */
const nounOf = (plan: ToolPlan, argument: string | null): string | null => {
  const found = plan.arguments.find(({ name }) => name === argument)
  if (found === undefined || found.reference === null) return null
  return found.reference.noun === "" ? plan.type.noun : found.reference.noun
}

/** Whose record it is: what it says itself, or what it belongs to says; null for what is nobody's. */
const ownerOf = (world: Book, kind: string, target: Target, deep = 0): string | null => {
  if (target.noun === kind) return target.id
  if (deep > deepest) return null
  const record = world.record(target)
  const own = fieldNaming(record, kind)
  if (own !== null) return own
  for (const [name, value] of Object.entries(record)) {
    const noun = referenceOf(name)?.noun ?? ""
    if (typeof value !== "string" || noun === "" || noun === target.noun || !world.known(noun)) continue
    const found = ownerOf(world, kind, { noun, id: value }, deep + 1)
    if (found !== null) return found
  }
  return null
}
/** A transaction is of an account, that of a customer. */
const deepest = 2

const fieldNaming = (record: JsonObject, noun: string): string | null => {
  const found = Object.keys(record).find((name) => referenceOf(name)?.noun === noun)
  const value = found === undefined ? undefined : get(record, found)
  return typeof value === "string" || typeof value === "number" ? String(value) : null
}

/** What stands for the record in the argument: its identifier, or what a person is found by. */
const named = (
  run: RunPlan,
  { reference, tool }: Draws.Wanted,
  target: Target | null,
  who: Draws.Person | null
): string | null => {
  if (target !== null) return target.id
  const plan = run.tools.get(tool)
  if (plan === undefined || reference === null || plan.writes || plan.type.noun !== who?.noun) return null
  return Identity.valueOf(who.record, reference)
}

interface Knowing {
  readonly run: RunPlan
  readonly world: Book
  readonly who: Draws.Person | null
  readonly key: Keyed.Key
}

/** Values for the arguments that name records, and for those by which the person is found. */
const valuesOf = (
  knowing: Knowing,
  wants: ReadonlyArray<Draws.Wanted>,
  targets: ReadonlyArray<Target | null>
): ReadonlyArray<Draws.DrawnWant> => {
  /** One thing is known by one name: what an earlier want said of the same record holds for the later. */
  const told = new Map<string, ReadonlyArray<string>>()
  const exchanged = new Set(wants.flatMap((want) => incomingIn(knowing.run, want)))
  return wants.map((want, i) => {
    const target = targets[i] ?? null
    const values = new Map<string, ReadonlyArray<string>>()
    for (const [name, found] of valuesFor(knowing, want, target, { told, exchanged, targets })) {
      values.set(name, found)
      told.set(`${target?.id ?? ""} ${name}`, found)
    }
    return { reference: named(knowing.run, want, target, knowing.who), values }
  })
}

/** Kinds of which a want takes one for another: `item_ids` for `new_item_ids`. */
const incomingIn = (run: RunPlan, { arguments: names, tool }: Draws.Wanted): ReadonlyArray<string> => {
  const plan = run.tools.get(tool)
  if (plan === undefined) return []
  return plan.arguments.flatMap((one) =>
    one.reference?.incoming === true && names.includes(one.name) ? [one.reference.noun] : []
  )
}

interface Said {
  readonly targets: ReadonlyArray<Target | null>
  readonly told: ReadonlyMap<string, ReadonlyArray<string>>
  readonly exchanged: ReadonlySet<string>
}

const valuesFor = (
  { key, run, who, world }: Knowing,
  want: Draws.Wanted,
  target: Target | null,
  { exchanged, targets, told }: Said
): ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> => {
  const plan = run.tools.get(want.tool)
  if (plan === undefined) return []
  const values: Array<readonly [string, ReadonlyArray<string>]> = []
  const record = target === null ? null : world.record(target)
  /** What was chosen so far, by kind, for what has to go with it. */
  const chosen = new Map<string, ReadonlyArray<string>>()
  if (target !== null) chosen.set(target.noun, [target.id])
  for (const name of want.arguments) {
    const argument = plan.arguments.find((one) => one.name === name)
    if (argument === undefined || name === want.reference) continue
    const noun = nounOf(plan, name)
    if (noun === null) {
      const own = plan.writes || who === null || plan.type.noun !== who.noun ? null : Identity.valueOf(who.record, name)
      if (own !== null) values.push([name, [own]])
      continue
    }
    const incoming = argument.reference?.incoming === true
    const found =
      told.get(`${target?.id ?? ""} ${name}`) ??
      (incoming && !world.known(noun)
        ? []
        : related({
            world,
            who,
            record,
            target,
            targets,
            chosen,
            noun,
            key: Keyed.at(key, name),
            many: argument.many,
            exchanged: !incoming && exchanged.has(noun)
          }))
    values.push([name, found])
    if (!incoming) chosen.set(noun, [...(chosen.get(noun) ?? []), ...found])
  }
  return values
}

interface Relating {
  readonly world: Book
  readonly who: Draws.Person | null
  readonly record: JsonObject | null
  readonly target: Target | null
  readonly chosen: ReadonlyMap<string, ReadonlyArray<string>>
  readonly noun: string
  readonly key: Keyed.Key
  readonly many: boolean
  /** What other wants are about. */
  readonly targets: ReadonlyArray<Target | null>
  /** Whether another one is to come in its place. */
  readonly exchanged: boolean
}

/** Identifiers of a kind that go with what was chosen: its own, the person's, another of the same. */
const related = (relating: Relating): ReadonlyArray<string> => {
  const { chosen, key, many, noun, who, world } = relating
  if (who !== null && noun === who.noun) return [who.id]
  const elsewhere = relating.target?.noun === noun ? undefined : relating.targets.find((one) => one?.noun === noun)
  if (elsewhere !== undefined && elsewhere !== null) return [elsewhere.id]
  const before = chosen.get(noun)
  // Another one like it: of the same product, or beside it.
  if (before !== undefined && before.length > 0) {
    const out: Array<string> = []
    for (const id of before) out.push(...besides(world, noun, id, [...before, ...out], key))
    return out.length === before.length ? out : []
  }
  const all = candidates(relating)
  const replaceable = relating.exchanged ? all.filter((id) => besides(world, noun, id, [id], key).length > 0) : all
  const from = replaceable.length > 0 ? replaceable : all
  if (from.length === 0) return []
  const start = Keyed.int(key, from.length)
  const first = from[start] ?? ""
  const second = from[(start + 1) % from.length] ?? first
  const both =
    many &&
    second !== first &&
    Keyed.chance(Keyed.at(key, "two"), 0.4) &&
    (!relating.exchanged || productOf(world, noun, first) !== productOf(world, noun, second))
  return both ? [first, second] : [first]
}

/** What the record holds of the kind, else what the person does, else what belongs to either, else what there is. */
const candidates = ({ noun, record, target, who, world }: Relating): ReadonlyArray<string> => {
  const own = record === null ? [] : identifiersIn(record, noun)
  if (own.length > 0) return own
  const theirs = who === null ? [] : identifiersIn(who.record, noun)
  if (theirs.length > 0) return theirs
  const held = [target, who].flatMap((one) => (one === null ? [] : world.owned(one, noun)))
  if (held.length > 0) return held
  return world.known(noun) ? world.population(noun) : []
}

/** What a record is one of, or belongs to: the first record of another kind that it names. */
const productOf = (world: Book, noun: string, id: string): string => {
  const [parent] = parentsOf(world, noun, id)
  return parent === undefined ? id : parent.id
}

const parentsOf = (world: Book, noun: string, id: string): ReadonlyArray<Target> => {
  const record = world.record({ noun, id })
  return Object.keys(record).flatMap((name) => {
    const of = referenceOf(name)?.noun ?? ""
    const value = get(record, name)
    return of !== "" && of !== noun && typeof value === "string" && world.known(of) ? [{ noun: of, id: value }] : []
  })
}

/** One that could stand in its place: what it is of has it too, else any other. */
const besides = (
  world: Book,
  noun: string,
  id: string,
  without: ReadonlyArray<string>,
  key: Keyed.Key
): ReadonlyArray<string> => {
  const parents = parentsOf(world, noun, id)
  const alike = parents.flatMap((parent) => world.owned(parent, noun))
  const all = (parents.length > 0 ? alike : world.population(noun)).filter((one) => !without.includes(one))
  const left = all.filter((one) => fieldOf(world.record({ noun, id: one }), "available") !== false)
  const from = left.length > 0 ? left : all
  const first = from[Keyed.int(Keyed.at(key, id), from.length)]
  return first === undefined ? [] : [first]
}

/**
 * Identifiers of a kind that a record holds, at any depth, each once: fields that name one, and lists and tables that are
 * called what the kind is called.
 */
export const identifiersIn = (value: unknown, noun: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (one: unknown): void => {
    if (Array.isArray(one)) one.forEach(visit)
    else if (isRecord(one)) {
      for (const [name, inner] of Object.entries(one)) {
        if (referenceOf(name)?.noun === noun && (typeof inner === "string" || typeof inner === "number")) {
          found.add(String(inner))
        } else if (typeof inner === "object" && English.singular(name) === noun && name !== noun) {
          for (const id of listed(inner)) found.add(id)
          visit(inner)
        } else visit(inner)
      }
    }
  }
  visit(value)
  return [...found]
}

/** `orders: ["#W1"]`, `payment_methods: { paypal_1: { ... } }`, `accounts: [{ id: "A1" }]`. */
const listed = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    return value.flatMap((one) => {
      const id = isRecord(one) ? get(one, "id") : one
      return typeof id === "string" || typeof id === "number" ? [String(id)] : []
    })
  }
  if (!isRecord(value)) return []
  const entries = Object.entries(value)
  return entries.every(([, inner]) => isRecord(inner)) ? entries.map(([id]) => id) : []
}
