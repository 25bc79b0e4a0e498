/**
 * Writes asks without a model and without a network: a person, their request in everyday words, and what the cell says
 * of them. The same seed, cell, visit, phrasing and attempt give the same text in every process.
 */
import * as Effect from "effect/Effect"
import { multiTool, unrelated, unspecified } from "../task/Cell.ts"
import { sha256Hex } from "../random/Hash.ts"
import type { Draws, Service as Randomness } from "../random/Randomness.ts"
import { isSame, normalise } from "../language/Lexical.ts"
import type { Tool } from "../task/Tool.ts"
import * as WorldSeed from "../task/WorldSeed.ts"
import type { Draw, Drawn } from "../world/Draws.ts"
import type { IdPool } from "./IdPool.ts"
import * as Asks from "./internal/template/asks.ts"
import { choicesOf, type Choice } from "./internal/template/choice.ts"
import type * as Frames from "../language/internal/english/frames.ts"
import { copyGuard, type CopyGuard } from "./internal/template/copying.ts"
import { closersOf, letter, message, openersOf } from "./internal/template/message.ts"
import { offTopic, probe } from "./internal/template/offGrid.ts"
import { ruleSentences, type RuleSentence } from "./internal/template/ruleSentences.ts"
import { factsOf, sceneOf, type Scene } from "./internal/template/scene.ts"
import { speechOf, type Speech } from "./internal/template/speech.ts"
import { textured, type Texture } from "./internal/template/texture.ts"
import * as SeedPerson from "./SeedPerson.ts"
import { knownFacts } from "./internal/knownFacts.ts"
import { mutate, type Operator } from "./Mutation.ts"
import type { Ask, Kind, Service, Slot } from "./SituationWriter.ts"

/**
 * What the template writer writes from.
 * @since 0.1.0
 * @category models
 */
export interface Input {
  readonly tools: ReadonlyArray<Tool>
  /** Clauses of the prompt by the ids the `rule` axis uses. */
  readonly clauses: ReadonlyArray<{ readonly id: string; readonly text: string }>
  readonly ids: IdPool
  readonly random: Randomness
  /** Draws people and records from the world of a task; without it the writer makes them up. */
  readonly draw?: Draw | null
}

/**
 * What rows show as the writer.
 * @since 0.1.0
 * @category constants
 */
export const name = "template"

/**
 * Attempts at one slot before it has nothing new to offer.
 * @since 0.1.0
 * @category constants
 */
export const mostAttempts = 24

/** Wordings tried when one copies a description, or an earlier wording of the situation. */
const retries = 6

/**
 * A template writer for these tools and clauses. It calls no model.
 * @since 0.1.0
 * @category constructors
 */
export const make = (input: Input): Service => {
  const writer = prepare(input)
  return {
    identity: { name },
    deterministic: true,
    write: (slots) => Effect.sync(() => slots.flatMap((slot) => writer.ask(slot) ?? []))
  }
}

/**
 * The writer as a run makes it, from the run's tools, clauses and ids.
 * @since 0.1.0
 * @category constants
 */
export const kind: Kind = {
  identity: { name },
  namesIds: true,
  make: ({ clauses, draw, ids, randomness, settings: { tools } }) =>
    make({ tools: tools.list, clauses, ids, random: randomness, draw })
}

interface Prepared {
  readonly ask: (slot: Slot) => Ask | undefined
}

const prepare = ({ clauses, draw = null, ids, random, tools }: Input): Prepared => {
  const speeches = new Map(tools.map((tool) => [tool.name, speechOf(tool)]))
  const everyone = [...speeches.values()]
  const rules = new Map(clauses.map((clause) => [clause.id, ruleSentences(clause.text)]))
  const guard = copyGuard([...tools.map((tool) => tool.description), ...clauses.map((clause) => clause.text)])
  const behind = draw === null ? null : SeedPerson.make(draw, ids, tools)
  const context: Context = { behind, ids, random, draw, speeches, everyone, rules, guard }
  return {
    ask: (slot) => {
      if (slot.attempt >= mostAttempts) return undefined
      const source = slot.source
      if (source === undefined || source._tag === "OpenEnded") return written(context, slot)
      return rewritten(context, slot, source)
    }
  }
}

interface Context {
  /** Who is behind a text of somebody's. */
  readonly behind: SeedPerson.SeedPerson | null
  readonly ids: IdPool
  readonly random: Randomness
  readonly draw: Draw | null
  readonly speeches: ReadonlyMap<string, Speech>
  readonly everyone: ReadonlyArray<Speech>
  readonly rules: ReadonlyMap<string, RuleSentence>
  readonly guard: CopyGuard
}

/** A text of our own for a cell, or for a probe. */
const written = (context: Context, slot: Slot): Ask | undefined => {
  const { guard, ids, random } = context
  const probing = slot.source?._tag === "OpenEnded"
  const about = probing ? "probe" : "cell"
  const { cell, visit } = slot
  const choice = choicesOf(random.stream(["writer", about, cell.id, visit, "scene"]))
  const speeches = speechesFor(context, slot, probing, choice)
  if (speeches === undefined) return undefined
  const drawn = drawnFor(context, slot, speeches)
  const scene = sceneOf(speeches, { ids, visit, choice, drawn })
  const found = firstNew(slot, (phrasing, attempt, retry) => {
    const draws = random.stream(["writer", about, cell.id, visit, phrasing, attempt, retry])
    const made = worded(context, slot, scene, choicesOf(draws))
    return guard(made.text) ? undefined : made
  })
  if (found === undefined) return undefined
  const { need, shown, text, wants } = found
  const own = wants === undefined ? scene.facts : factsOf(scene.wants.slice(0, wants))
  const person = drawn?.person ?? null
  const entity = scene.wants.find((want) => want.entity !== null)?.entity ?? null
  return {
    slot,
    text,
    shown,
    need: need ?? needIn(scene),
    facts: drawn === null ? own : knownFacts(own, drawn.identity),
    entity,
    ...(person === null ? {} : { person: { noun: person.noun, id: person.id } }),
    ...(drawn === null ? {} : { unknown: drawn.unknown.filter((argument) => !Object.hasOwn(own, argument)) }),
    writer: name
  }
}

/** The person and the records of a slot, from the world its task will have. */
const drawnFor = ({ draw, ids, random }: Context, slot: Slot, speeches: ReadonlyArray<Speech>): Drawn | null => {
  if (draw === null) return null
  const state = slot.cell.dimensions["world_state"]
  return draw({
    worldSeed: WorldSeed.of(random, slot.scenarioId),
    worldState: state === undefined || state === unspecified ? null : state,
    visit: slot.visit,
    wants: speeches.map(({ details, reference, tool }) => ({
      tool: tool.name,
      reference: reference?.parameter.name ?? null,
      declared: reference?.parameter.isId === true ? ids.declared(tool.name, reference.parameter.name) : [],
      arguments: details.flatMap(({ parameter }) => (parameter.required ? [parameter.name] : []))
    }))
  })
}

const needIn = (scene: Scene): string | null => (scene.wants.length > 0 ? Asks.needOf(scene) : null)

interface Worded {
  readonly text: string
  readonly shown: Readonly<Record<string, string>>
  readonly need: string | undefined
  readonly wants: number | undefined
}

/** Undefined where it has nothing new. */
type Wording = (phrasing: number, attempt: number, retry: number) => Worded | undefined

/** The wording of the slot, unlike the earlier ones of its situation. */
const firstNew = ({ attempt, phrasing: last }: Slot, wording: Wording): Worded | undefined => {
  if (last === 0) return firstUnlike(unsaid, wording, 0, attempt)
  const earlier = new Set<string>()
  for (let phrasing = 0; phrasing < last; phrasing++) {
    const made = firstUnlike(earlier, wording, phrasing, 0)
    if (made !== undefined) earlier.add(normalise(made.text))
  }
  return firstUnlike(earlier, wording, last, attempt)
}

const unsaid: ReadonlySet<string> = new Set()

const firstUnlike = (
  earlier: ReadonlySet<string>,
  wording: Wording,
  phrasing: number,
  attempt: number
): Worded | undefined => {
  for (let retry = 0; retry < retries; retry++) {
    const made = wording(phrasing, attempt, retry)
    if (made !== undefined && (earlier.size === 0 || !earlier.has(normalise(made.text)))) return made
  }
  return undefined
}

/** The tools an ask is about: none when it needs none, undefined when the cell names one that is not there. */
const speechesFor = (
  context: Context,
  slot: Slot,
  probing: boolean,
  choice: Choice
): ReadonlyArray<Speech> | undefined => {
  const tool = slot.cell.dimensions["tool"]
  const { everyone } = context
  if (tool === unrelated || everyone.length === 0) return []
  const known = tool === undefined ? undefined : context.speeches.get(tool)
  if (probing || tool === multiTool) {
    const count = probing ? 2 : choice.chance(0.75) ? 2 : 3
    const others = everyone.filter((speech) => speech !== known && speech.intent !== "talk")
    const start = choice.int(Math.max(1, others.length))
    const chosen = known === undefined ? [] : [known]
    for (let i = 0; chosen.length < Math.min(count, everyone.length) && i < others.length; i++) {
      // a stride of its own per pick, so that neighbours in the list are not always asked for together
      const next = others[(start + i * (1 + choice.int(others.length))) % others.length] as Speech
      if (!chosen.includes(next)) chosen.push(next)
    }
    return chosen.length > 0 ? chosen : everyone.slice(0, 1)
  }
  if (known !== undefined) return [known]
  return tool === undefined || tool === unspecified ? [choice.pick(everyone)] : undefined
}

const worded = (context: Context, slot: Slot, scene: Scene, choice: Choice): Worded => {
  const { dimensions } = slot.cell
  const tone = choice.pick(dimensions["stance"] === "hurried" ? hurriedTones : tones)
  if (slot.source?._tag === "OpenEnded") return finished(context, scene, probe(scene, choice), tone, choice)
  if (scene.wants.length === 0) return finished(context, scene, offTopic(dimensions, choice), tone, choice)
  const rule = dimensions["rule"] === undefined ? undefined : context.rules.get(dimensions["rule"])
  return finished(context, scene, Asks.bodyOf({ scene, dimensions, tone, choice, rule }), tone, choice)
}

/** Neutral people are the most frequent. */
const tones: ReadonlyArray<Frames.Tone> = [
  "neutral",
  "neutral",
  "neutral",
  "polite",
  "casual",
  "formal",
  "frustrated",
  "friendly",
  "terse"
]
const hurriedTones: ReadonlyArray<Frames.Tone> = ["neutral", "terse", "casual", "neutral"]

const finished = (context: Context, scene: Scene, body: Asks.Body, tone: Frames.Tone, choice: Choice): Worded => {
  const opener = choice.pick(openersOf(tone))
  const closer = choice.pick(closersOf(tone))
  const plain =
    tone === "formal" && choice.chance(0.5)
      ? letter(
          opener,
          body,
          closer.signs && scene.known ? `${closer.text},\n${scene.person.first} ${scene.person.last}` : closer.text
        )
      : message(opener, body, closer.text)
  const texture = textureFor(tone, choice)
  const keep = texture === "clean" ? nothing : namedIds(scene, context.ids)
  const text = textured(plain, texture, keep, choice)
  const { need, shown, wants } = body
  const toned = tone === "terse" ? isTerse(plain) : body.toned || opener.toned || closer.toned
  if (tone !== "neutral" && toned) shown["tone"] = tone
  if (text !== plain) shown["texture"] = texture
  return { text, shown, need, wants }
}

const nothing: ReadonlyArray<string> = []

/** Ids of the caller's can look like plain words. */
const namedIds = ({ wants }: Scene, { known: ids }: IdPool): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (const { id, known } of wants) {
    if (id !== undefined && ids.has(id)) out.push(id)
    for (const { says } of known) for (const said of says) if (ids.has(said)) out.push(said)
  }
  return out
}

/** Most words of a text that is called terse. */
const tersest = 14

const isTerse = (text: string): boolean => {
  let words = 1
  for (let at = text.indexOf(" "); at !== -1 && words <= tersest; at = text.indexOf(" ", at + 1)) words += 1
  return words <= tersest
}

const textureFor = (tone: Frames.Tone, choice: Choice): Texture => {
  if (tone === "formal") return "clean"
  return choice.pick(tone === "frustrated" ? angry : tone === "casual" || tone === "terse" ? loose : careful)
}
const careful: ReadonlyArray<Texture> = [
  "clean",
  "clean",
  "clean",
  "clean",
  "clean",
  "clean",
  "clean",
  "typos",
  "lowercase",
  "clean"
]
/** Few people end every sentence in dots or exclamation marks. */
const loose: ReadonlyArray<Texture> = [
  "clean",
  "clean",
  "clean",
  "clean",
  "clean",
  "lowercase",
  "lowercase",
  "lowercase",
  "typos",
  "typos",
  "no_punctuation",
  "dots"
]
const angry: ReadonlyArray<Texture> = ["clean", "clean", "clean", "exclamations", "shouting", "typos", "clean"]

type Rewritten = Exclude<NonNullable<Slot["source"]>, { readonly _tag: "OpenEnded" }>

/** A text made from another one: a seed in other clothes, or a mutant. */
const rewritten = (context: Context, slot: Slot, source: Rewritten): Ask | undefined => {
  const key = sha256Hex(source.text).slice(0, 16)
  const found = context.ids.find(source.text)
  const keep = found.map(({ id }) => id)
  const made = firstNew(slot, (phrasing, attempt, retry) => {
    const { cell, visit } = slot
    const path = ["writer", source._tag, key, cell.id, visit, phrasing, attempt, retry]
    return rewording(source, keep, attempt, context.random.stream(path))
  })
  if (made === undefined) return undefined
  const facts: Record<string, string> = Object.create(null) as Record<string, string>
  if (source._tag === "Vary") Object.assign(facts, source.facts)
  for (const { argument, id } of found) facts[argument] ??= id
  const { shown, text } = made
  const behind = context.behind?.(text, WorldSeed.of(context.random, slot.scenarioId)) ?? null
  return {
    slot,
    text,
    shown,
    need: null,
    entity: entityIn(context, slot, found),
    writer: name,
    ...(behind === null || Object.keys(facts).length > found.length ? { facts } : behind)
  }
}

/** Undefined where it comes out as the source. */
const rewording = (
  source: Rewritten,
  keep: ReadonlyArray<string>,
  attempt: number,
  draws: Draws
): Worded | undefined => {
  const choice = choicesOf(draws)
  if (source._tag === "Reword") return unlike(source.text, reworded(source.text, keep, choice))
  const other = source._tag === "Mutate" ? source.other : undefined
  const mutant = mutate(source.text, { draws, keep, ...(other === undefined ? {} : { other }) })
  if (mutant === undefined) return undefined
  if (source._tag === "Vary" && attempt > 0) {
    const text = farther(mutant.text, attempt, keep, draws)
    return unlike(source.text, { text, shown: {}, need: undefined, wants: undefined })
  }
  const wraps = source._tag === "Vary" && !forms.has(mutant.operator) && choice.chance(0.5)
  if (wraps) return unlike(source.text, reworded(mutant.text, keep, choice))
  return { text: mutant.text, shown: {}, need: undefined, wants: undefined }
}

/** A variant that was too close to its source goes on changing, more with each attempt. */
const farther = (text: string, attempt: number, keep: ReadonlyArray<string>, draws: Draws): string => {
  let out = text
  for (let i = 0; i < 2 * attempt; i++) out = mutate(out, { draws, keep, operators: loosening })?.text ?? out
  return out
}
const loosening: ReadonlyArray<Operator> = ["reorder", "drop_specifics", "delete_words", "truncate", "swap_words"]

const unlike = (source: string, made: Worded): Worded | undefined => (isSame(made.text, source) ? undefined : made)

/** Operators that leave no prose to greet and thank around. */
const forms: ReadonlySet<Operator> = new Set(["structured_payload", "list_form", "quote"])

/** The words stay; how they begin, end and look changes. A greeting gives way to another one. */
const reworded = (given: string, keep: ReadonlyArray<string>, choice: Choice): Worded => {
  const tone = choice.pick(rewordingTones)
  const opener = choice.pick(openersOf(tone))
  const closer = choice.pick(closersOf(tone))
  const begun = opener.text
  const text = begun === "" ? given.trim() : given.trim().replace(greeting, "")
  const ended = /[.!?:…)"”]$/u.test(text.trim()) || closer.text === "" ? text.trim() : `${text.trim()}.`
  const whole = begun === "" ? ended : `${begun} ${ended}`
  const plain = closer.text === "" ? whole : `${whole} ${closer.text}`
  const texture = textureFor(tone, choice)
  const out = textured(plain, texture, keep, choice)
  const shown: Record<string, string> = {}
  if (tone !== "neutral" && (opener.toned || closer.toned)) shown["tone"] = tone
  if (out !== plain) shown["texture"] = texture
  return { text: out, shown, need: undefined, wants: undefined }
}
const greeting =
  /^(?:(?:hi|hey|hello|heya|yo|dear \w+|good (?:morning|afternoon|evening|day))(?: (?:there|all|team))?[\s,.!]+)(?=\S)/i
const rewordingTones: ReadonlyArray<Frames.Tone> = ["neutral", "neutral", "polite", "casual", "friendly", "frustrated"]

/** The record a rewritten text names, when the pool knows its id. */
const entityIn = (
  { everyone, speeches }: Context,
  slot: Slot,
  found: ReadonlyArray<{ readonly argument: string; readonly id: string }>
): Ask["entity"] => {
  const own = speeches.get(slot.cell.dimensions["tool"] ?? "")
  for (const speech of own === undefined ? everyone : [own, ...everyone]) {
    const argument = speech.reference?.parameter.name
    const named = found.find((candidate) => candidate.argument === argument)
    if (named !== undefined) return { tool: speech.tool.name, argument: named.argument, id: named.id }
  }
  return null
}
