/**
 * One situation in the flesh: a person, what they want of which tools, the ids and values they know. All wordings of a
 * situation are of one scene.
 */
import { wordsOf } from "../../../task/ToolKind.ts"
import type { Entity } from "../../../task/Plan.ts"
import type { IdPool } from "../../IdPool.ts"
import type { Choice } from "./choice.ts"
import { series } from "./grammar.ts"
import { filled } from "./pattern.ts"
import { referenceHole, type Detail, type ObjectPhrase, type Speech } from "./speech.ts"
import { personOf, type Person, type Role } from "./values.ts"

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
  readonly wants: ReadonlyArray<Want>
  /** By argument name. */
  readonly facts: Readonly<Record<string, string>>
}

export const sceneOf = (speeches: ReadonlyArray<Speech>, ids: IdPool, visit: number, choice: Choice): Scene => {
  const person = personOf(choice)
  const taken = new Map<string, string>()
  const wants = speeches.map((speech): Want => {
    const idFor = (detail: Detail, which: number): string => {
      const noun = which === 0 ? detail.noun : `${detail.noun} ${which}`
      let id = taken.get(noun)
      if (id === undefined) {
        id = ids.take(speech.tool.name, detail.parameter.name, choice.int(idSpread) + visit + which, choice).id
        taken.set(noun, id)
      }
      return id
    }
    const said = new Set<string>()
    const known = speech.details.flatMap((detail): ReadonlyArray<Known> => {
      if (!detail.parameter.required) return []
      let own = valueOf(detail, speech, ids, person, choice, idFor)
      // nobody asks for a trip from Oslo to Oslo
      for (let i = 0; i < redraws && own !== undefined && said.has(own.fact); i++) {
        own = valueOf(detail, speech, ids, person, choice, idFor)
      }
      if (own !== undefined && detail.parameter.type === "string") said.add(own.fact)
      return own === undefined ? [] : [{ detail, ...own }]
    })
    const reference = speech.reference
    const id = reference?.parameter.isId === true ? idFor(reference, 0) : undefined
    const named = id ?? known.find(({ detail }) => detail === reference)?.fact
    const entity =
      reference === undefined || named === undefined
        ? null
        : { tool: speech.tool.name, argument: reference.parameter.name, id: named }
    return { speech, id, known, entity }
  })
  return { person, wants, facts: factsOf(wants) }
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

const valueOf = (
  detail: Detail,
  speech: Speech,
  ids: IdPool,
  person: Person,
  choice: Choice,
  idFor: (detail: Detail, which: number) => string
): Omit<Known, "detail"> | undefined => {
  const { parameter, maker } = detail
  if (parameter.isId) {
    const count = parameter.many ? 1 + choice.int(2) : 1
    const all = [...new Set(Array.from({ length: count }, (_, which) => idFor(detail, which)))]
    return { says: all, fact: all.join(", ") }
  }
  const declared = ids.declared(speech.tool.name, parameter.name)
  if (declared.length > 0 && parameter.choices.length === 0) {
    const id = declared[choice.int(declared.length)] as string
    return { says: [id], fact: id }
  }
  if (maker === undefined) return undefined
  const home = speech.homely ? homeOf(parameter.name, person) : undefined
  if (home !== undefined) return { says: [home], fact: home }
  const count = parameter.many ? 2 + choice.int(2) : 1
  const values = Array.from({ length: count }, () => maker.make(choice, person))
  const says = [...new Set(values.map(({ say }) => say))]
  return { says, fact: [...new Set(values.map(({ fact }) => fact))].join(", ") }
}

/** Parts of one address belong together. */
const homeOf = (argument: string, person: Person): string | undefined => {
  const words = wordsOf(argument)
  if (words.length === 1 && words[0] === "location") return person.city
  if (words.includes("city") || words.includes("town")) return person.city
  if (words.includes("state") || words.includes("province")) return person.state
  if (words.includes("country")) return "USA"
  return undefined
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
): { readonly text: string; readonly used: ReadonlySet<Known> } => {
  const used = new Set<Known>()
  const converted = conversion(want, giving, used)
  if (converted !== undefined) return { text: converted, used }
  let text = ""
  for (const piece of phrase.pieces) {
    let part = piece
    if (typeof part !== "string") {
      const { hole, open } = part
      const value = hole === referenceHole ? undefined : giving.find(({ detail }) => detail.parameter.name === hole)
      if (value !== undefined) used.add(value)
      part = hole === referenceHole ? (id ?? "") : value === undefined ? open : series(value.says)
    }
    if (part !== "") text += text === "" ? part : ` ${part}`
  }
  return { text, used }
}

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

export const spoken = (want: Want, manner: Manner, choice: Choice, tell: Tell): Spoken => {
  const { speech } = want
  const at = choice.int(speech.objects.length)
  const phrase = speech.objects[at] as ObjectPhrase
  const verbs = speech.verbs[at] as Speech["verbs"][number]
  const id = manner.openness === "nothing" ? undefined : want.id
  const giving =
    manner.openness === "all"
      ? want.known
      : manner.openness === "some"
        ? want.known.filter(({ detail }) => essential.has(detail.maker?.role ?? "text") || choice.chance(0.5))
        : nothing
  const { text: object, used } = objectText(want, phrase, giving, id)
  const left = used.size === 0 ? giving : giving.filter((value) => !used.has(value))
  const { sentences, tail } = tell(want, left, phrase.holdsReference ? undefined : id, {
    brief: manner.brief,
    named: phrase.namesRecord
  })
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

const nothing: ReadonlyArray<Known> = []

/** Nobody books a room without saying when. */
const essential: ReadonlySet<Role> = new Set(["date", "time", "count", "duration", "place", "from", "to", "name"])

export type Tell = (
  want: Want,
  values: ReadonlyArray<Known>,
  id: string | undefined,
  /** `brief`: nothing in sentences of its own. `named`: the object already says what the id is of. */
  how: { readonly brief: boolean; readonly named: boolean }
) => { readonly tail: string; readonly sentences: ReadonlyArray<string> }

/** "250 USD to EUR" */
const conversion = (want: Want, giving: ReadonlyArray<Known>, used: Set<Known>): string | undefined => {
  if (want.speech.convertible === undefined) return undefined
  const parts = want.speech.convertible.map((part) => giving.find(({ detail }) => detail === part))
  const [amount, from, to] = parts
  if (amount === undefined || from === undefined || to === undefined) return undefined
  for (const part of [amount, from, to]) used.add(part)
  return `${series(amount.says)} ${series(from.says)} to ${series(to.says)}`
}
