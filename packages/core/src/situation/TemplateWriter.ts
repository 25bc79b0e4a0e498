/**
 * Writes asks without a model and without a network: a person, their request in everyday words, and what the cell says
 * of them. The same seed, cell, visit, phrasing and attempt give the same text in every process.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { multiTool, unrelated, unspecified } from "../task/Cell.ts"
import { sha256Hex } from "../random/Hash.ts"
import type { Path, Service as Randomness } from "../random/Randomness.ts"
import { normalise } from "../row/NearCopies.ts"
import type { Tool } from "../task/Tool.ts"
import type { IdPool } from "./IdPool.ts"
import * as Asks from "./internal/template/asks.ts"
import { choicesOf, type Choice } from "./internal/template/choice.ts"
import * as Frames from "./internal/template/en/frames.ts"
import { copyGuard, type CopyGuard } from "./internal/template/copying.ts"
import { offTopic, probe } from "./internal/template/offGrid.ts"
import { ruleSentences, type RuleSentence } from "./internal/template/ruleSentences.ts"
import { factsOf, sceneOf, type Scene } from "./internal/template/scene.ts"
import { speechOf, type Speech } from "./internal/template/speech.ts"
import { textured, type Texture } from "./internal/template/texture.ts"
import { mutate, type Operator } from "./Mutation.ts"
import { SituationWriter, type Ask, type Kind, type Service, type Slot } from "./SituationWriter.ts"

export interface Input {
  readonly tools: ReadonlyArray<Tool>
  /** Clauses of the prompt by the ids the `rule` axis uses. */
  readonly clauses: ReadonlyArray<{ readonly id: string; readonly text: string }>
  readonly ids: IdPool
  readonly random: Randomness
}

/** What rows show as the writer. */
export const name = "template"

/** Attempts at one slot before it has nothing new to offer. */
export const mostAttempts = 24

/** Wordings tried when one copies a description, or an earlier wording of the situation. */
const retries = 6

export const make = (input: Input): Service => {
  const writer = prepare(input)
  return {
    identity: { name },
    write: (slots) => Effect.sync(() => slots.flatMap((slot) => writer.ask(slot) ?? []))
  }
}

/** The writer as a run makes it, from the run's tools, clauses and ids. */
export const kind: Kind = {
  identity: { name },
  namesIds: true,
  make: ({ clauses, ids, randomness, settings: { tools } }) => make({ tools, clauses, ids, random: randomness })
}

export const layer: Layer.Layer<SituationWriter> = Layer.succeed(SituationWriter, kind)

interface Prepared {
  readonly ask: (slot: Slot) => Ask | undefined
}

const prepare = ({ clauses, ids, random, tools }: Input): Prepared => {
  const speeches = new Map(tools.map((tool) => [tool.name, speechOf(tool)]))
  const everyone = [...speeches.values()]
  const rules = new Map(clauses.map((clause) => [clause.id, ruleSentences(clause.text)]))
  const guard = copyGuard([...tools.map((tool) => tool.description), ...clauses.map((clause) => clause.text)])
  const context: Context = { ids, random, speeches, everyone, rules, guard }
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
  readonly ids: IdPool
  readonly random: Randomness
  readonly speeches: ReadonlyMap<string, Speech>
  readonly everyone: ReadonlyArray<Speech>
  readonly rules: ReadonlyMap<string, RuleSentence>
  readonly guard: CopyGuard
}

/** A text of our own for a cell, or for a probe. */
const written = (context: Context, slot: Slot): Ask | undefined => {
  const probing = slot.source?._tag === "OpenEnded"
  const situation: Path = ["writer", probing ? "probe" : "cell", slot.cell.id, slot.visit]
  const choice = choicesOf(context.random.stream([...situation, "scene"]))
  const speeches = speechesFor(context, slot, probing, choice)
  if (speeches === undefined) return undefined
  const scene = sceneOf(speeches, context.ids, slot.visit, choice)
  const own = speeches.length > 0
  const need = own ? Asks.needOf(scene) : null
  const entity = scene.wants.find((want) => want.entity !== null)?.entity ?? null
  const wording = (phrasing: number, attempt: number, retry: number): Worded =>
    worded(context, slot, scene, choicesOf(context.random.stream([...situation, phrasing, attempt, retry])))
  const found = firstNew(context, slot, wording)
  if (found === undefined) return undefined
  const { shown, text, wants } = found
  const facts = wants === undefined ? scene.facts : factsOf(scene.wants.slice(0, wants))
  return { slot, text, shown, need: found.need ?? need, facts, entity, writer: name }
}

interface Worded extends Pick<Asks.Body, "need" | "wants"> {
  readonly text: string
  readonly shown: Readonly<Record<string, string>>
}

/** The wording of the slot, unlike the earlier wordings of its situation and no copy of a description. */
const firstNew = (
  { guard }: Context,
  slot: Slot,
  wording: (phrasing: number, attempt: number, retry: number) => Worded
): Worded | undefined => {
  const earlier = new Set<string>()
  for (let phrasing = 0; phrasing <= slot.phrasing; phrasing++) {
    const attempt = phrasing === slot.phrasing ? slot.attempt : 0
    for (let retry = 0; retry < retries; retry++) {
      const made = wording(phrasing, attempt, retry)
      if (phrasing === slot.phrasing && phrasing === 0) {
        if (!guard(made.text)) return made
        continue
      }
      const key = normalise(made.text)
      if (earlier.has(key) || guard(made.text)) continue
      if (phrasing === slot.phrasing) return made
      earlier.add(key)
      break
    }
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
    const others = everyone.filter((speech) => speech !== known && speech.doing !== "talk")
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
  const stance = dimensions["stance"]
  const tone = choice.pick(stance === "hurried" ? hurriedTones : tones)
  if (slot.source?._tag === "OpenEnded") return finished(context, scene, { ...probe(scene, choice), tone }, choice)
  if (scene.wants.length === 0) return finished(context, scene, { ...offTopic(dimensions, choice), tone }, choice)
  const rule = dimensions["rule"]
  const body = Asks.bodyOf({
    scene,
    dimensions,
    tone,
    choice,
    rule: rule === undefined ? undefined : context.rules.get(rule)
  })
  return finished(context, scene, { ...body, tone }, choice)
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

const finished = (
  context: Context,
  scene: Scene,
  body: Asks.Body & { readonly tone: Frames.Tone },
  choice: Choice
): Worded => {
  const { tone } = body
  const opener = choice.pick(Frames.openers[tone])
  const closing = choice.pick(Frames.closers[tone])
  const letter = tone === "formal" && choice.chance(0.5)
  const closer =
    tone === "formal" && letter && /regards|sincerely|Respectfully/.test(closing)
      ? `${closing},\n${scene.person.first} ${scene.person.last}`
      : closing
  const plain = Asks.message({ opener, sentences: [...body.before, body.request, ...body.after], closer, letter })
  const texture = textureFor(tone, choice)
  const keep = texture === "clean" ? [] : namedIds(scene).filter((id) => context.ids.known.has(id))
  const { text, shown } = textured(plain, texture, keep, choice)
  const worn = body.toned || Frames.showsTone(opener) || Frames.showsTone(closing)
  const toned = tone !== "neutral" && (tone === "terse" ? plain.split(" ").length <= tersest : worn)
  return {
    text,
    shown: { ...body.shown, ...(toned ? { tone } : {}), ...(shown === undefined ? {} : { texture: shown }) },
    ...(body.need === undefined ? {} : { need: body.need }),
    ...(body.wants === undefined ? {} : { wants: body.wants })
  }
}

/** Ids of the caller's can look like plain words. */
const namedIds = (scene: Scene): ReadonlyArray<string> =>
  scene.wants.flatMap(({ id, known }) => [...(id === undefined ? [] : [id]), ...known.flatMap(({ says }) => says)])

/** Most words of a text that is called terse. */
const tersest = 14

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
  const parent = normalise(source.text)
  const wording = (phrasing: number, attempt: number, retry: number): Worded => {
    const draws = context.random.stream([
      "writer",
      source._tag,
      key,
      slot.cell.id,
      slot.visit,
      phrasing,
      attempt,
      retry
    ])
    const choice = choicesOf(draws)
    if (source._tag === "Reword") return reworded(source.text, keep, choice)
    const other = source._tag === "Mutate" ? source.other : undefined
    const mutant = mutate(source.text, { draws, keep, ...(other === undefined ? {} : { other }) })
    if (mutant === undefined) return { text: source.text, shown: {} }
    const wraps = source._tag === "Vary" && !forms.has(mutant.operator) && choice.chance(0.5)
    return wraps ? reworded(mutant.text, keep, choice) : { text: mutant.text, shown: {} }
  }
  const made = firstNew({ ...context, guard: (text) => normalise(text) === parent }, slot, wording)
  if (made === undefined) return undefined
  const facts: Record<string, string> = Object.create(null) as Record<string, string>
  if (source._tag === "Vary") Object.assign(facts, source.facts)
  for (const { argument, id } of found) facts[argument] ??= id
  return { slot, ...made, need: null, facts, entity: entityIn(context, slot, found), writer: name }
}

/** Operators that leave no prose to greet and thank around. */
const forms: ReadonlySet<Operator> = new Set(["structured_payload", "list_form", "quote"])

/** The words stay; how they begin, end and look changes. A greeting gives way to another one. */
const reworded = (given: string, keep: ReadonlyArray<string>, choice: Choice): Worded => {
  const tone = choice.pick(rewordingTones)
  const begun = choice.pick(Frames.openers[tone])
  const closer = choice.pick(Frames.closers[tone])
  const text = begun === "" ? given.trim() : given.trim().replace(greeting, "")
  const ended = /[.!?:…)"”]$/u.test(text.trim()) || closer === "" ? text.trim() : `${text.trim()}.`
  const whole = begun === "" ? ended : `${begun} ${ended}`
  const plain = closer === "" ? whole : `${whole} ${closer}`
  const { text: out, shown } = textured(plain, textureFor(tone, choice), keep, choice)
  const toned = tone !== "neutral" && (Frames.showsTone(begun) || Frames.showsTone(closer))
  return { text: out, shown: { ...(toned ? { tone } : {}), ...(shown === undefined ? {} : { texture: shown }) } }
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
