/**
 * The world of a task before anything happens in it: which records exist and what they hold. Everything here is a
 * function of the task and a name, so all rollouts of a task share one, whatever they read and in whatever order; what is
 * kept is only what was worked out already.
 */
import type * as Randomness from "../../random/Randomness.ts"
import { worldStates } from "../../task/Cell.ts"
import type { Task } from "../../task/Task.ts"
import type { EntityType } from "./entityTypes.ts"
import * as Keyed from "./keyed.ts"
import { referenceOf } from "./nouns.ts"
import * as Population from "./population.ts"
import { freeze, withFields, type JsonObject } from "./records.ts"
import type { Renderer } from "./render.ts"
import * as Situations from "./situations.ts"
import { refer } from "./templates.ts"
import type { RunPlan } from "./toolPlans.ts"
import type * as Subjects from "./subjects.ts"

/** Share of identifiers nobody declared that exist all the same. */
const existing = 0.7
/** A list never runs through more declared records than this. */
const listed = 64

/** A record as it stands; `fields` are laid over what its kind makes of its identifier. */
export interface Entity {
  readonly noun: string
  readonly id: string
  readonly fields: JsonObject
  /** `made` in this rollout it holds what it was given, not what its kind would; `bare`, it is nothing else, either. */
  readonly origin: "world" | "made" | "bare"
  readonly removed: boolean
  /** Tools whose work on it is done; `*` when all is. */
  readonly done: ReadonlyArray<string>
  /** Part of a list in it that is done. */
  readonly donePart: string | null
}

export const plainEntity = (noun: string, id: string): Entity => ({
  noun,
  id,
  fields: {},
  origin: "world",
  removed: false,
  done: [],
  donePart: null
})

type Pairs = ReadonlyArray<readonly [string, unknown]>

/** What was worked out of one identifier. */
interface Spot {
  readonly of: Subjects.Of
  base: Entity | null | undefined
  own: Pairs | undefined
  made: Pairs | undefined
  record: { readonly of: Entity; readonly value: JsonObject } | undefined
  /** Results by tool, each with the state of the record it shows. */
  results: Map<string, { readonly of: Entity; readonly value: unknown }> | undefined
}

export interface Parts {
  readonly run: RunPlan
  readonly renderer: Renderer
  readonly task: Task
  readonly random: Randomness.Service
}

export class Universe implements Subjects.Surroundings {
  readonly run: RunPlan
  readonly renderer: Renderer
  readonly task: Task
  readonly key: Keyed.Key
  /** What the person of the task is known to have, by argument name. */
  readonly facts: ReadonlyMap<string, string>
  readonly situation: Situations.Situation | null
  private readonly spots = new Map<string, Spot>()
  private readonly populations = new Map<string, Population.Population>()

  constructor({ run, renderer, task, random }: Parts) {
    this.run = run
    this.renderer = renderer
    this.task = task
    this.key = Keyed.root(random.at(task.plan.world_seed), ["world"])
    this.facts = new Map(Object.keys(task.plan.facts).map((name) => [name, task.plan.facts[name] ?? ""]))
    this.situation = Situations.of(this, resolvedState(task, this.key))
  }

  type(noun: string): EntityType {
    return this.run.types.type(noun)
  }

  /** The record at the beginning; null when there is none. */
  base(noun: string, id: string): Entity | null {
    const spot = this.spot(noun, id)
    if (spot.base === undefined) {
      spot.base = this.exists(noun, id) ? Situations.apply(this, plainEntity(noun, id), this.factsOf(noun, id)) : null
    }
    return spot.base
  }

  /** What the record holds: its identifier, what its kind makes of it, and what the rollout laid over that. */
  record(entity: Entity): JsonObject {
    const spot = this.spot(entity.noun, entity.id)
    if (spot.record?.of === entity) return spot.record.value
    const type = this.type(entity.noun)
    const own =
      entity.origin === "bare"
        ? none
        : entity.origin === "made"
          ? (spot.made ??= fieldsOf(type, spot.of, true))
          : (spot.own ??= fieldsOf(type, spot.of, false))
    const laid = Object.keys(entity.fields).flatMap((name) =>
      type.known && name === type.idField ? [] : [[name, entity.fields[name]] as const]
    )
    // What it was found by comes first where it has no identifier.
    const ordered = type.known || entity.origin === "made" ? own : [...laid, ...own]
    const value = freeze(withFields({}, laid.length === 0 ? own : [...ordered, ...laid]))
    spot.record = { of: entity, value }
    return value
  }

  /** A result worked out once for each state of a record. */
  result(entity: Entity, tool: string, make: () => unknown): unknown {
    const spot = this.spot(entity.noun, entity.id)
    const results = (spot.results ??= new Map())
    const before = results.get(tool)
    if (before?.of === entity) return before.value
    const value = make()
    results.set(tool, { of: entity, value })
    return value
  }

  subject(noun: string, id: string): Subjects.Of {
    return this.spot(noun, id).of
  }

  /** Identifiers of the kind that lists and other records know. */
  population(noun: string): ReadonlyArray<string> {
    return this.populationOf(noun).all()
  }

  /** The identifier of what a search by these texts finds. */
  minted(noun: string, by: string, names: readonly [string, string] | null): string {
    const own = Keyed.at(this.key, `minted:${noun}:${by}`)
    const { form } = this.type(noun)
    return names !== null && form.ofPerson !== null ? form.ofPerson(names[0], names[1], own) : form.write(own)
  }

  /** The identifier of the n-th record made in a rollout. */
  issued(noun: string, n: number): string {
    const { form } = this.type(noun)
    const key = Keyed.at(this.key, `issued:${noun}`)
    return Population.numbered(form.write(key), n) ?? form.write(Keyed.nth(key, n))
  }

  has(noun: string): boolean {
    return this.run.types.known(noun)
  }

  argument(name: string): boolean {
    return this.run.types.argument(name)
  }

  other(noun: string, id: string): Subjects.Of {
    return this.subject(noun, id)
  }

  place(of: Subjects.Of): number {
    return of.id === "" ? -1 : this.populationOf(of.noun).place(of.id)
  }

  owned(of: Subjects.Of, noun: string): ReadonlyArray<string> {
    return this.population(noun).filter((one) => refer(this.subject(noun, one), of.noun) === of.id)
  }

  refer(of: Subjects.Of, noun: string, key: Keyed.Key): string | null {
    if (!this.has(noun)) return null
    const others = this.populationOf(noun)
    const told = this.isSituation(of.noun, of.id) ? this.facts.get(`${noun}_id`) : undefined
    return told ?? others.at(Keyed.int(key, others.size))
  }

  private spot(noun: string, id: string): Spot {
    const name = `${noun}\u0000${id}`
    const before = this.spots.get(name)
    if (before !== undefined) return before
    const { head, statuses } = this.type(noun)
    const of = { key: Keyed.at(this.key, `record:${id}`), id, noun, head, statuses, world: this }
    const spot: Spot = { of, base: undefined, own: undefined, made: undefined, record: undefined, results: undefined }
    this.spots.set(name, spot)
    return spot
  }

  private isSituation(noun: string, id: string): boolean {
    const { situation } = this
    return situation !== null && situation.noun === noun && (situation.id === id || situation.twin === id)
  }

  /** What the person says of themselves belongs to their own records. */
  private factIds(noun: string): ReadonlyArray<string> {
    const ids: Array<string> = []
    for (const [name, value] of this.facts) if (value !== "" && referenceOf(name)?.noun === noun) ids.push(value)
    return ids
  }

  /** Facts that fields of the person's own records hold. */
  private factsOf(noun: string, id: string): ReadonlyArray<readonly [string, string]> {
    if (this.facts.size === 0) return []
    if (!this.isSituation(noun, id) && !this.factIds(noun).includes(id)) return []
    return [...this.facts].filter(([name]) => referenceOf(name) === null && identifying.has(name))
  }

  private populationOf(noun: string): Population.Population {
    const before = this.populations.get(noun)
    if (before !== undefined) return before
    const { situation } = this
    const { declared, form, head } = this.type(noun)
    const sure = new Set([
      ...(situation?.noun === noun ? [situation.id] : []),
      ...this.factIds(noun),
      ...[...declared].slice(0, listed)
    ])
    if (situation?.noun === noun) {
      if (situation.state === "missing") sure.delete(situation.id)
      if (situation.twin !== null) sure.add(situation.twin)
    }
    const made = new Population.Population(head, [...sure], form, Keyed.at(this.key, `population:${noun}`))
    this.populations.set(noun, made)
    return made
  }

  private exists(noun: string, id: string): boolean {
    const { situation } = this
    if (situation?.noun === noun && situation.id === id) return situation.state !== "missing"
    const population = this.populationOf(noun)
    const { declared, form } = this.type(noun)
    if (population.spoken(id) || declared.has(id) || this.run.existing.has(id)) return true
    if (Population.mentions(this.task.prompt, id)) return true
    // What differs from a real identifier only in case or signs is mistyped, not another record.
    if (population.resembles(id)) return population.place(id) >= 0
    const first = form.write(Keyed.at(this.key, `issued:${noun}`))
    return !Population.isIssued(first, id) && Keyed.unit(Keyed.at(this.key, `exists:${id}`)) < existing
  }
}

const none: Pairs = []

/** Fields by which people are told apart. */
export const identifying: ReadonlySet<string> = new Set(
  "email phone phone_number name full_name first_name last_name username user_name zip zip_code postal_code dob date_of_birth birth_date".split(
    " "
  )
)

/** A record's identifier first, then what its kind makes of it. */
const fieldsOf = (type: EntityType, of: Subjects.Of, created: boolean): Pairs => {
  const fields: Array<readonly [string, unknown]> = []
  if (type.known || created) fields.push([type.idField, identifier(type, of.id)])
  const taken = new Set(fields.map(([name]) => spelling(name)))
  for (const source of type.sources) {
    for (const pair of source(of)) {
      const [name, value] = pair
      if (taken.has(spelling(name)) || (created && !(type.known && isOwnWork(name, value)))) continue
      taken.add(spelling(name))
      fields.push(pair)
      freeze(value)
    }
  }
  return fields
}

/** `startTime` and `start_time` are one field. */
const spelling = (name: string): string => (/[A-Z_]/.test(name) ? name.toLowerCase().replaceAll("_", "") : name)

/** What a service adds by itself to what it was given: prices. */
const isOwnWork = (name: string, value: unknown): boolean =>
  typeof value === "number" && /(?:^|_)(?:price|total|cost|fee)(?:_|$)/.test(name)

const identifier = (type: EntityType, id: string): string | number =>
  type.numeric && /^\d{1,15}$/.test(id) ? Number(id) : id

const resolvedState = (task: Task, key: Keyed.Key): string | null => {
  if (task.worldState !== "unknown") return task.worldState
  return Keyed.pick(
    Keyed.at(key, "state"),
    worldStates.filter((state) => state !== "unknown")
  )
}
