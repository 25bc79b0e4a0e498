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
import { people, refer } from "./parts.ts"
import * as Population from "./population.ts"
import { freeze, withFields, type JsonObject } from "./records.ts"
import type { Renderer } from "./render.ts"
import * as Situations from "./situations.ts"
import type { RunPlan } from "./toolPlans.ts"
import * as PersistentMap from "./persistentMap.ts"
import type * as Subjects from "./subjects.ts"

/** Share of identifiers nobody declared that exist all the same. */
const existing = 0.7
/** Kinds that may belong to one another in a circle are followed no further. */
const furthest = 3
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

/** What was worked out of one identifier. */
interface Spot extends PersistentMap.Named {
  readonly of: Subjects.FieldContext
  base: Entity | null | undefined
  /** What a record of the kind holds that the world has, and one made in a rollout; not frozen yet. */
  found: JsonObject | undefined
  made: JsonObject | undefined
  /** What the record held when it was last looked at, and as what. */
  seen: Entity | undefined
  held: JsonObject
  /** Results by tool, each with the state of the record it shows. */
  results: Map<string, { readonly of: Entity; readonly value: unknown }> | undefined
}

export interface Parts {
  readonly run: RunPlan
  readonly renderer: Renderer
  readonly task: Task
  readonly random: Randomness.Service
}

export class TaskWorld implements Subjects.Surroundings {
  readonly run: RunPlan
  readonly renderer: Renderer
  readonly task: Task
  readonly situation: Situations.Situation | null
  private readonly random: Randomness.Service
  private root: Keyed.Key | undefined
  private known: ReadonlyMap<string, string> | undefined
  private spots: PersistentMap.PersistentMap<Spot> = PersistentMap.empty
  private readonly populations = new Map<string, Population.Population>()

  constructor({ run, renderer, task, random }: Parts) {
    this.run = run
    this.renderer = renderer
    this.task = task
    this.random = random
    this.situation = Situations.of(this, this.state())
  }

  /** What everything is drawn from. */
  get key(): Keyed.Key {
    return (this.root ??= Keyed.root(this.random.at(this.task.plan.world_seed), ["world"]))
  }

  /** What the person of the task is known to have, by argument name. */
  get facts(): ReadonlyMap<string, string> {
    return (this.known ??= new Map(Object.keys(this.task.plan.facts).map((name) => [name, this.fact(name) ?? ""])))
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
    if (spot.seen !== entity) {
      spot.held = this.holding(spot, entity)
      spot.seen = entity
    }
    return spot.held
  }

  private holding(spot: Spot, { noun, fields, origin }: Entity): JsonObject {
    const type = this.type(noun)
    const own =
      origin === "bare"
        ? nothing
        : origin === "made"
          ? (spot.made ??= type.contents.made(spot.of))
          : (spot.found ??= type.contents.found(spot.of))
    const laid = Object.entries(fields).filter(([name]) => !(type.known && name === type.idField))
    if (laid.length === 0) return freeze(own)
    // What it was found by comes first where it has no identifier.
    const first = type.known || origin === "made" ? own : withFields(withFields({}, laid), Object.entries(own))
    return freeze(withFields(first, laid))
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

  subject(noun: string, id: string): Subjects.FieldContext {
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

  other(noun: string, id: string): Subjects.FieldContext {
    return this.subject(noun, id)
  }

  place(of: Subjects.FieldContext): number {
    return of.id === "" ? -1 : this.populationOf(of.noun).place(of.id)
  }

  owned(of: Subjects.FieldContext, noun: string): ReadonlyArray<string> {
    return this.population(noun).filter((one) => refer(this.subject(noun, one), of.noun) === of.id)
  }

  refer(of: Subjects.FieldContext, noun: string, key: Keyed.Key): string | null {
    if (!this.run.types.known(noun)) return null
    const others = this.populationOf(noun)
    return this.told(of, noun) ?? others.at(Keyed.int(key, others.size))
  }

  parent(of: Subjects.FieldContext, noun: string): string | null {
    return this.parentOver(of, noun, 0)
  }

  private parentOver(of: Subjects.FieldContext, noun: string, steps: number): string | null {
    if (!this.run.types.known(noun)) return null
    const others = this.populationOf(noun)
    const { situation } = this
    // Two that are taken for one another have the same owner.
    if (situation !== null && of.id === situation.twin && of.noun === situation.noun && of.id !== "")
      return this.parentOver(this.subject(of.noun, situation.id), noun, steps)
    const between = steps < furthest ? this.between(of.noun, noun) : null
    if (between !== null && this.told(of, noun) === undefined) {
      const via = this.parentOver(of, between, furthest)
      if (via !== null) return this.parentOver(this.subject(between, via), noun, steps + 1)
    }
    const place = of.id === "" ? -1 : this.basePlace(of)
    // Dealt out in turn, so that everyone has some.
    const dealt =
      place < 0
        ? Keyed.int(Keyed.at(of.key, `ref_${noun}`), others.size)
        : (place + this.dealtFrom(of.noun, noun)) % others.size
    return this.told(of, noun) ?? others.at(dealt)
  }

  /** A payment of an account is of the one whose account it is: the kind a record belongs to whose owner is its own. */
  private between(noun: string, owner: string): string | null {
    if (!people.includes(owner)) return null
    const { parents } = this.type(noun)
    return parents.find((one) => one !== owner && this.type(one).parents.includes(owner)) ?? null
  }

  /** What the caller's facts say the situation's record belongs to; facts read from this world say nothing new. */
  private told(of: Subjects.FieldContext, noun: string): string | undefined {
    if (this.task.plan.person !== undefined || !this.isSituation(of.noun, of.id)) return undefined
    return this.fact(`${noun}_id`)
  }

  private basePlace(of: Subjects.FieldContext): number {
    const population = this.populationOf(of.noun)
    const place = population.place(of.id)
    return place < population.size ? place : -1
  }

  private dealtFrom(noun: string, parent: string): number {
    return Keyed.int(Keyed.at(this.key, `dealt:${noun}:${parent}`), 1 << 10)
  }

  private spot(noun: string, id: string): Spot {
    const before = PersistentMap.find(this.spots, noun, id)
    if (before !== undefined) return before
    const { head, statuses } = this.type(noun)
    const of = { key: Keyed.at(this.key, `record:${id}`), id, noun, head, statuses, world: this }
    const spot: Spot = {
      noun,
      id,
      of,
      base: undefined,
      found: undefined,
      made: undefined,
      seen: undefined,
      held: nothing,
      results: undefined
    }
    this.spots = PersistentMap.set(this.spots, spot)
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
    if (this.task.plan.person !== undefined) return []
    const telling: Array<readonly [string, string]> = []
    for (const name of Object.keys(this.task.plan.facts)) {
      if (identifying.has(name)) telling.push([name, this.fact(name) ?? ""])
    }
    return telling.length > 0 && (this.isSituation(noun, id) || this.factIds(noun).includes(id)) ? telling : []
  }

  private populationOf(noun: string): Population.Population {
    const before = this.populations.get(noun)
    if (before !== undefined) return before
    const { situation } = this
    const { declared, form, head } = this.type(noun)
    const { person } = this.task.plan
    const about = situation?.noun === noun && situation.state !== "missing" ? [situation.id] : []
    // What a caller speaks of is among the first; what was drawn from this world is where it was.
    const first = person === undefined ? [...about, ...this.factIds(noun)] : []
    const sure = new Set([...first, ...[...declared].slice(0, listed)])
    const made = new Population.Population(head, [...sure], form, Keyed.at(this.key, `population:${noun}`))
    this.populations.set(noun, made)
    if (person?.noun === noun) made.add(person.id)
    if (situation?.noun !== noun) return made
    if (situation.state === "missing") made.leaveOut(situation.id)
    else made.add(situation.id)
    if (situation.twin !== null) made.add(situation.twin)
    return made
  }

  private fact(name: string): string | undefined {
    const { facts } = this.task.plan
    return Object.hasOwn(facts, name) ? facts[name] : undefined
  }

  private state(): string | null {
    const { worldState } = this.task
    return worldState === "unknown" ? Keyed.pick(Keyed.at(this.key, "state"), tellable) : worldState
  }

  private exists(noun: string, id: string): boolean {
    const { situation } = this
    if (situation?.noun === noun && situation.id === id) return situation.state !== "missing"
    const { declared, form } = this.type(noun)
    if (declared.has(id) || this.run.existing.has(id) || Population.mentions(this.task.prompt, id)) return true
    const population = this.populationOf(noun)
    if (population.spoken(id)) return true
    // What differs from a real identifier only in case or signs is mistyped, not another record.
    if (population.resembles(id)) return population.place(id) >= 0
    const first = form.write(Keyed.at(this.key, `issued:${noun}`))
    return !Population.isIssued(first, id) && Keyed.unit(Keyed.at(this.key, `exists:${id}`)) < existing
  }
}

const nothing: JsonObject = Object.freeze({})

/** States that one can be told of. */
const tellable = worldStates.filter((state) => state !== "unknown")

/** Fields by which people are told apart. */
export const identifying: ReadonlySet<string> = new Set(
  "email phone phone_number name full_name first_name last_name username user_name zip zip_code postal_code dob date_of_birth birth_date".split(
    " "
  )
)
