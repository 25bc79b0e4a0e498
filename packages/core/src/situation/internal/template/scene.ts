/**
 * One situation in the flesh: a person, what they want of which tools, the ids and values they know. All wordings of a
 * situation are of one scene.
 */
import * as English from "../../../language/English.ts"
import type { Entity } from "../../../task/Plan.ts"
import type { IdPool } from "../../IdPool.ts"
import type { Choice } from "./choice.ts"
import { filled } from "./pattern.ts"
import type { Drawn, DrawnWant } from "../../../world/Draws.ts"
import { ofRecord, personOf, renamed, type Person } from "./person.ts"
import { referenceHole, type Detail, type ObjectPhrase, type Speech } from "./speech.ts"
import { verbalise } from "./verbalise.ts"
import type { Role } from "./values.ts"

/** What the person knows for one argument. */
export interface Known {
  readonly detail: Detail
  /** As they write it: one text per value. */
  readonly says: ReadonlyArray<string>
  readonly fact: string
}

/** One thing the person wants. */
export interface Want {
  readonly speech: Speech
  /** The id of the record asked about, when its tool takes one. */
  readonly id: string | undefined
  /** Values by argument name, the reference's id left out. */
  readonly known: ReadonlyArray<Known>
  readonly entity: Entity | null
}

export interface Scene {
  readonly person: Person
  /** Whether the person is somebody of the world: others do not sign with a name that nobody knows. */
  readonly known: boolean
  readonly wants: ReadonlyArray<Want>
  /** By argument name. */
  readonly facts: Readonly<Record<string, string>>
}

/** What a scene is made of: `drawn` is who comes and about what, where the world said so. */
export interface Given {
  readonly ids: IdPool
  readonly visit: number
  readonly choice: Choice
  readonly drawn: Drawn | null
}

export const sceneOf = (speeches: ReadonlyArray<Speech>, { choice, drawn, ids, visit }: Given): Scene => {
  const made = personOf(choice)
  const own = drawn?.person ?? null
  const person = own === null ? made : ofRecord(own.record, made)
  const taken = new Map<string, string>()
  const wants = speeches.map((speech, i) => {
    // What is to be set is not what is there.
    const next = own !== null && speech.tool.kind !== "read" ? renamed(made, person) : person
    return wantOf(speech, { ids, visit, choice, person: next, taken, drawn: drawn?.wants[i] ?? null })
  })
  return { person, known: own !== null, wants, facts: factsOf(wants) }
}

/** What a situation is drawn from, and the ids it has taken so far, by what they name. */
interface Drawing {
  readonly ids: IdPool
  readonly visit: number
  readonly choice: Choice
  readonly person: Person
  readonly taken: Map<string, string>
  readonly drawn: DrawnWant | null
}

const wantOf = (speech: Speech, drawing: Drawing): Want => {
  const known: Array<Known> = []
  for (const detail of speech.details) {
    if (!detail.parameter.required) continue
    let own = valueOf(detail, speech, drawing)
    // nobody asks for a trip from Oslo to Oslo
    for (let i = 0; i < redraws && own !== undefined && isSaid(known, own.fact); i++) {
      own = valueOf(detail, speech, drawing)
    }
    if (own !== undefined) known.push({ detail, says: own.says, fact: own.fact })
  }
  const reference = speech.reference
  const id =
    reference?.parameter.isId === true ? (drawing.drawn?.reference ?? idFor(reference, 0, speech, drawing)) : undefined
  const named = id ?? known.find(({ detail }) => detail === reference)?.fact
  const entity =
    reference === undefined || named === undefined
      ? null
      : { tool: speech.tool.name, argument: reference.parameter.name, id: named }
  return { speech, id, known, entity }
}

const isSaid = (known: ReadonlyArray<Known>, fact: string): boolean =>
  known.some((value) => value.fact === fact && value.detail.parameter.type === "string")

/** All arguments of a situation that name the same thing hold the same id of it. */
const idFor = (
  { noun, parameter }: Detail,
  which: number,
  speech: Speech,
  { choice, ids, taken, visit }: Drawing
): string => {
  const key = which === 0 ? noun : `${noun} ${which}`
  let id = taken.get(key)
  if (id === undefined) {
    id = ids.take(speech.tool.name, parameter.name, choice.int(idSpread) + visit + which, choice).id
    taken.set(key, id)
  }
  return id
}

/** What the person knows for these wants, by argument name. */
export const factsOf = (wants: ReadonlyArray<Want>): Readonly<Record<string, string>> => {
  const facts: Record<string, string> = Object.create(null) as Record<string, string>
  for (const { id, known, speech } of wants) {
    if (speech.reference !== undefined && id !== undefined) facts[speech.reference.parameter.name] ??= id
    for (const { detail, fact } of known) facts[detail.parameter.name] ??= fact
  }
  return facts
}

/** Tries at a value no other argument has. */
const redraws = 3

/** Draws of ids go far enough apart for any list of ids to be spread evenly. */
const idSpread = 1 << 20

const valueOf = (detail: Detail, speech: Speech, drawing: Drawing): Omit<Known, "detail"> | undefined => {
  const { parameter, maker } = detail
  const { choice, drawn, ids, person } = drawing
  const own = drawn?.values.get(parameter.name) ?? referenceValue(detail, speech, drawn)
  // There is no such thing for them to name.
  if (own?.length === 0) return undefined
  if (own !== undefined) return { says: own, fact: own.join(", ") }
  if (parameter.isId) {
    const count = parameter.many ? 1 + choice.int(2) : 1
    const all: Array<string> = []
    for (let which = 0; which < count; which++) addNew(all, idFor(detail, which, speech, drawing))
    return { says: all, fact: all.join(", ") }
  }
  const declared = ids.declared(speech.tool.name, parameter.name)
  if (declared.length > 0 && parameter.choices.length === 0) {
    const id = declared[choice.int(declared.length)] as string
    return { says: [id], fact: id }
  }
  if (maker === undefined) return undefined
  const home = speech.homely ? homeOf(detail.home, person) : undefined
  if (home !== undefined) return { says: [home], fact: home }
  const count = parameter.many ? 2 + choice.int(2) : 1
  const says: Array<string> = []
  const facts: Array<string> = []
  for (let i = 0; i < count; i++) {
    const { fact, say } = maker.make(choice, person)
    addNew(says, say)
    addNew(facts, fact)
  }
  return { says, fact: facts.join(", ") }
}

/** What the record is found by, where that is no identifier. */
const referenceValue = (
  detail: Detail,
  { reference }: Speech,
  drawn: DrawnWant | null
): ReadonlyArray<string> | undefined =>
  detail === reference && typeof drawn?.reference === "string" ? [drawn.reference] : undefined

const addNew = (texts: Array<string>, text: string): void => {
  if (!texts.includes(text)) texts.push(text)
}

/** Parts of one address belong together. */
const homeOf = (part: Detail["home"], person: Person): string | undefined => {
  switch (part) {
    case "city":
      return person.city
    case "state":
      return person.state
    case "country":
      return "USA"
    default:
      return undefined
  }
}

/** "cancel my pending order #W123": a want in its first words, with its id and what its object holds. */
export const plainly = (want: Want): string => {
  const { speech } = want
  const [phrase] = speech.objects as [ObjectPhrase]
  const { text } = objectText(want, phrase, want.known, want.id)
  const told = want.id === undefined || phrase.holdsReference ? "" : ` (${speech.reference?.noun ?? ""} ${want.id})`
  const [verb] = speech.verbs[0]?.self ?? []
  return `${verb === undefined ? text : filled(verb, { o: text })}${told}`
}

/** The object with its holes filled by what is given, and what was used for it. */
const objectText = (
  want: Want,
  phrase: ObjectPhrase,
  giving: ReadonlyArray<Known>,
  id: string | undefined
): { readonly text: string; readonly used: ReadonlyArray<Known> } => {
  const converted = conversion(want, giving)
  if (converted !== undefined) return converted
  let used = nothing
  let text = ""
  for (const piece of phrase.pieces) {
    let part = piece
    if (typeof part !== "string") {
      const { hole, open } = part
      const value = hole === referenceHole ? undefined : giving.find(({ detail }) => detail.parameter.name === hole)
      if (value !== undefined) used = [...used, value]
      part = hole === referenceHole ? (id ?? "") : value === undefined ? open : English.series(value.says)
    }
    if (part !== "") text += text === "" ? part : ` ${part}`
  }
  return { text, used }
}

const nothing: ReadonlyArray<Known> = []

/** What an ask gives away: all of it, most of it (when and for how many, not every reason), the id alone, or nothing. */
export type Openness = "all" | "some" | "id" | "nothing"

/** A want in words: the object, and what is said of it behind the verb and in sentences of its own. */
export interface Spoken {
  readonly object: string
  /** Begins with a space, or is empty. */
  readonly tail: string
  readonly sentences: ReadonlyArray<string>
  readonly agent: string
  readonly self: string
  /** Whether the object can be asked for with "what is". */
  readonly askable: boolean
  readonly plural: boolean
}

export interface Manner {
  readonly openness: Openness
  /** Only what fits behind the verb. */
  readonly brief: boolean
}

export const spoken = (want: Want, { brief, openness }: Manner, choice: Choice, person: Person): Spoken => {
  const { speech } = want
  const at = choice.int(speech.objects.length)
  const phrase = speech.objects[at] as ObjectPhrase
  const verbs = speech.verbs[at] as Speech["verbs"][number]
  const id = openness === "nothing" ? undefined : want.id
  const giving =
    openness === "all"
      ? want.known
      : openness === "some"
        ? want.known.filter(({ detail }) => essential.has(detail.maker?.role ?? "text") || choice.chance(0.5))
        : nothing
  const { text: object, used } = objectText(want, phrase, giving, id)
  const left = used.length === 0 ? giving : giving.filter((value) => !used.includes(value))
  const idLeft = phrase.holdsReference ? undefined : id
  const { sentences, tail } = verbalise({ want, brief, choice, person, named: phrase.namesRecord }, left, idLeft)
  const fill = { o: object }
  return {
    object,
    tail,
    sentences,
    agent: filled(choice.pick(verbs.agent), fill) + tail,
    self: filled(choice.pick(verbs.self), fill) + tail,
    askable: phrase.askable,
    plural: phrase.plural
  }
}

/** Nobody books a room without saying when. */
const essential: ReadonlySet<Role> = new Set(["date", "time", "count", "duration", "place", "from", "to", "name"])

/** "250 USD to EUR" */
const conversion = (
  { speech }: Want,
  giving: ReadonlyArray<Known>
): { readonly text: string; readonly used: ReadonlyArray<Known> } | undefined => {
  if (speech.convertible === undefined) return undefined
  const [amount, from, to] = speech.convertible.map((part) => giving.find(({ detail }) => detail === part))
  if (amount === undefined || from === undefined || to === undefined) return undefined
  const text = `${English.series(amount.says)} ${English.series(from.says)} to ${English.series(to.says)}`
  return { text, used: [amount, from, to] }
}
