/**
 * Puts a scene into words: what the cell says of stance, world, condition and history becomes sentences around the
 * request, and what the text then shows becomes its labels.
 */
import { stances, tierOf, type Dimensions } from "../../../task/Cell.ts"
import * as Adversarial from "./en/adversarial.ts"
import * as Clauses from "./en/clauses.ts"
import * as Frames from "./en/frames.ts"
import type { Choice } from "./choice.ts"
import { gerundOf } from "./grammar.ts"
import { capital, filled, patterns, type Fill, type Pattern } from "./pattern.ts"
import type { RuleSentence } from "./ruleSentences.ts"
import { plainly, spoken, type Manner, type Scene, type Spoken, type Want } from "./scene.ts"
import { tellWith } from "./tell.ts"

/** Sentences before the request, the request, sentences after it, and what they show. */
export interface Body {
  readonly before: ReadonlyArray<string>
  readonly request: string
  readonly after: ReadonlyArray<string>
  readonly shown: Readonly<Record<string, string>>
  /** The request itself is in the drawn tone. */
  readonly toned: boolean
  /** What is wanted and how many of the scene's wants it is about, where that is not all of them. */
  readonly need?: string
  readonly wants?: number
}

const compiled = <K extends string>(
  table: Readonly<Record<K, ReadonlyArray<string>>>
): ReadonlyMap<string, ReadonlyArray<Pattern>> =>
  new Map(Object.entries<ReadonlyArray<string>>(table).map(([key, texts]) => [key, patterns(texts)]))

const frames = compiled(Frames.frames)
const questions = compiled(Frames.questions)
const hurried = patterns(Frames.hurried)
const hurriedQuestions = patterns(Frames.hurriedQuestions)
const seconds = patterns(Frames.secondRequests)
const exploratory = patterns(Clauses.exploratory)
const exploratoryQuestions = patterns(Clauses.exploratoryQuestions)
const worldStates = compiled(Clauses.worldStates)
const conditions = compiled(Clauses.conditions)
const histories = compiled(Clauses.histories)
const vague = compiled(Clauses.vague as Readonly<Record<string, ReadonlyArray<string>>>)
const attacks = compiled(Adversarial.attacks)
const attackNames: ReadonlyArray<string> = [...attacks.keys()]
const nothing: ReadonlyArray<Pattern> = []

/** What is asked for, spoken one way: a single want, or several joined. */
interface Request {
  readonly first: Spoken
  readonly fill: Fill
  readonly sentences: ReadonlyArray<string>
  readonly more: ReadonlyArray<Spoken>
}

const fillOf = (agent: string, self: string, gerund: string, said: Spoken): Fill => ({
  v: agent,
  s: self,
  g: gerund,
  o: said.object + said.tail,
  is: said.plural ? "are" : "is"
})

const requestOf = (scene: Scene, manner: Manner, choice: Choice, inOne: boolean): Request => {
  const tell = tellWith(choice, scene.person)
  const all = scene.wants.map((want, i) => spoken(want, i === 0 ? manner : { ...manner, brief: true }, choice, tell))
  const [first, ...more] = all as [Spoken, ...Array<Spoken>]
  if (more.length > 0 && (inOne || choice.chance(0.6))) {
    const join = choice.pick(Frames.joins)
    const selves = all.map(({ self }) => self)
    const fill = fillOf(join(all.map(({ agent }) => agent)), join(selves), join(selves.map(gerundOf)), first)
    return { first, fill, sentences: first.sentences, more: [] }
  }
  return { first, fill: fillOf(first.agent, first.self, gerundOf(first.self), first), sentences: first.sentences, more }
}

/** What is wanted in plain words, the same for every wording; the details are in the facts. */
export const needOf = (scene: Scene): string => `${capital(scene.wants.map(plainly).join(" and "))}.`

export interface Said {
  readonly scene: Scene
  readonly dimensions: Dimensions
  readonly tone: Frames.Tone
  readonly choice: Choice
  /** A sentence that touches the cell's clause. */
  readonly rule: RuleSentence | undefined
}

export const bodyOf = (said: Said): Body => {
  const { choice, dimensions } = said
  const stance = Object.hasOwn(dimensions, "stance") ? dimensions["stance"] : undefined
  const shown: Record<string, string> = {}
  if (stance !== undefined) shown["stance"] = stance
  const quiet = stance === "ambiguous" || stance === "hurried"
  const manner = mannerOf(stance, choice)
  const main = requestFor(said, stance, manner, shown)
  const stand = main.stand
  const most =
    (hard.has(stance ?? "") ? mostOfHard : mostExtras) - (stand === undefined && stance !== "adversarial" ? 0 : 1)
  const extras = clausesOf(said, quiet)
  const left = quiet && extras.length > 1 ? [choice.pick(extras)] : extras
  const before: Array<string> = []
  const after: Array<string> = [...main.sentences]
  const closing: Array<string> = []
  for (const [label, value, sentence, place] of thinned(left, most, choice)) {
    shown[label] = value
    if (place === "last") closing.push(sentence)
    else if (place === "anywhere" && before.length === 0 && choice.chance(0.4)) before.push(sentence)
    else after.push(sentence)
  }
  if (stand !== undefined) {
    if (stance === "retry" && before.length === 0 && choice.chance(0.5)) before.push(stand)
    else after.push(stand)
  }
  after.push(...closing)
  return { before, request: main.text, after, shown, toned: main.toned }
}

/** Nobody tells all of it at once: most sentences about circumstances beside the request, the stance's own included. */
const mostExtras = 2
const mostOfHard = 3
const hard: ReadonlySet<string> = new Set(stances.filter((stance) => tierOf(stance) !== "ordinary"))

/** At most so many of them, in their order. */
const thinned = <A>(all: ReadonlyArray<A>, most: number, choice: Choice): ReadonlyArray<A> => {
  const left = [...all]
  while (left.length > most) left.splice(choice.int(left.length), 1)
  return left
}

const mannerOf = (stance: string | undefined, choice: Choice): Manner => {
  switch (stance) {
    case "ambiguous":
      return { openness: "nothing", brief: true }
    case "hurried":
      return { openness: "id", brief: true }
    case "exploratory":
      return { openness: choice.chance(0.5) ? "id" : "nothing", brief: true }
    case "adversarial":
      return { openness: choice.chance(0.6) ? "all" : "id", brief: true }
    default:
      return { openness: choice.chance(0.85) ? "all" : "some", brief: false }
  }
}

interface Main {
  readonly text: string
  readonly sentences: ReadonlyArray<string>
  /** The sentence by which a stance shows, where it is not the request itself. */
  readonly stand: string | undefined
  readonly toned: boolean
}

const requestFor = (
  { choice, scene, tone }: Said,
  stance: string | undefined,
  manner: Manner,
  shown: Record<string, string>
): Main => {
  const doing = (scene.wants[0] as Want).speech.doing
  const by = (table: Clauses.ByDoing): string => {
    const own = table[doing]
    return choice.pick(own !== undefined && choice.chance(0.75) ? own : table.any)
  }
  if (stance === "ambiguous") {
    const t = topicsOf(scene)
    const own = vague.get(doing)
    const usable = own !== undefined && (ownOnly.has(doing) || choice.chance(0.5)) ? own : (vague.get("any") ?? nothing)
    return { text: filled(choice.pick(usable), { t }), sentences: [], stand: undefined, toned: false }
  }
  const request = requestOf(scene, manner, choice, stance === "exploratory")
  const { fill, first } = request
  const plain = (pool: ReadonlyArray<Pattern>, asks: ReadonlyArray<Pattern>, share: number): string =>
    filled(
      choice.pick(
        first.askable && request.more.length === 0 && scene.wants.length === 1 && choice.chance(share) ? asks : pool
      ),
      fill
    )
  const rest = (): ReadonlyArray<string> =>
    request.more.map((more) => filled(choice.pick(seconds), { v: more.agent, s: more.self }))
  switch (stance) {
    case "hurried":
      return { text: plain(hurried, hurriedQuestions, 0.3), sentences: rest(), stand: undefined, toned: false }
    case "exploratory":
      return { text: plain(exploratory, exploratoryQuestions, 0.5), sentences: [], stand: undefined, toned: false }
    case "adversarial": {
      const name = choice.pick(attackNames)
      shown["attack"] = name
      const record = (scene.wants[0] as Want).speech.record ?? "my account"
      const text = filled(choice.pick(attacks.get(name) ?? nothing), {
        ...fill,
        r: record,
        x: choice.pick(Adversarial.others)
      })
      return { text, sentences: rest(), stand: undefined, toned: false }
    }
  }
  const text = plain(frames.get(tone) ?? nothing, questions.get(tone) ?? nothing, 0.4)
  const sentences = [...request.sentences, ...rest()]
  const stands: Readonly<Record<string, () => string>> = {
    boundary: () => by(Clauses.boundary),
    mistaken: () => by(Clauses.mistaken),
    conflicting: () => by(Clauses.conflicting),
    unsure: () => choice.pick(Clauses.unsure),
    retry: () => choice.pick(Clauses.retry)
  }
  const stand = stance !== undefined && Object.hasOwn(stands, stance) ? stands[stance]?.() : undefined
  if (stance !== undefined && stance !== "ordinary" && stand === undefined) delete shown["stance"]
  return { text, sentences, stand, toned: tone !== "neutral" }
}

/** What people of these tools ask vaguely for is not something that is wrong with a thing. */
const ownOnly: ReadonlySet<Clauses.Doing> = new Set(["make", "look", "reckon", "talk"])

const topicsOf = (scene: Scene): string => {
  const topics = [...new Set(scene.wants.map(({ speech }) => speech.topic))]
  return topics.slice(0, 2).join(" and ")
}

type Clause = readonly [label: string, value: string, sentence: string, place: "anywhere" | "after" | "last"]

/** People who don't want anything done yet, or doubt that they do, don't tell anybody to go ahead. */
const calm: ReadonlySet<string> = new Set(["exploratory", "unsure", "ambiguous"])

/** Sentences on world, condition, history and rule; vague and hurried people seldom say any. */
const clausesOf = ({ choice, dimensions, rule, scene }: Said, quiet: boolean): ReadonlyArray<Clause> => {
  const about = scene.wants.find(({ entity }) => entity !== null)
  const looking = about !== undefined && about.speech.doing === "look"
  const out: Array<Clause> = []
  const add = (
    label: string,
    table: ReadonlyMap<string, ReadonlyArray<Pattern>>,
    fill: Fill,
    place: Clause[3]
  ): void => {
    const value = Object.hasOwn(dimensions, label) ? dimensions[label] : undefined
    const wordings =
      value === undefined ? undefined : ((looking ? table.get(`${value} (lookup)`) : undefined) ?? table.get(value))
    if (value !== undefined && wordings !== undefined)
      out.push([label, value, filled(choice.pick(wordings), fill), place])
  }
  add("history", histories, {}, "anywhere")
  // What is only to be made has no state yet, unless the person knows it by an identifier.
  if (about !== undefined && !(about.speech.doing === "make" && about.id === undefined))
    add("world_state", worldStates, { n: about.speech.record ?? "it" }, "after")
  add("tool_condition", conditions, {}, "anywhere")
  if (quiet && out.length > 0) out.splice(0, out.length, ...(choice.chance(0.45) ? [choice.pick(out)] : []))
  if (rule !== undefined && !(quiet && choice.chance(0.6))) {
    const sentence = rule(choice, calm.has(dimensions["stance"] ?? ""))
    if (sentence !== undefined) out.push(["rule", dimensions["rule"] ?? "", sentence, "last"])
  }
  return out
}

/** Sentences by which a stance shows. */
export interface Stand {
  readonly lead: string | undefined
  readonly tail: string | undefined
  /** The kind of attack, for adversarial people. */
  readonly attack?: string
}

/** A stance on a text that is not about any tool. */
export const standAlone = (stance: string | undefined, choice: Choice): Stand => {
  const tail = (texts: ReadonlyArray<string>): Stand => ({ lead: undefined, tail: choice.pick(texts) })
  switch (stance) {
    case "unsure":
      return tail([
        "I'm not sure if this is the right place to ask.",
        "Not sure you can even help with that.",
        "I might be in the wrong chat, I'm not sure."
      ])
    case "hurried":
      return tail([
        "Quick please, I'm in a hurry.",
        "Need an answer asap.",
        "It's urgent.",
        "I need to know right now."
      ])
    case "retry":
      return { lead: choice.pick(Clauses.retry), tail: undefined }
    case "exploratory":
      return {
        lead: choice.pick(["Just curious.", "Just exploring what this can do.", "Just looking around, so:"]),
        tail: undefined
      }
    case "mistaken":
      return tail([
        "As far as I know that's exactly what you're for.",
        "I was under the impression that you handle this too.",
        "I'm pretty sure you helped my friend with that."
      ])
    case "conflicting":
      return tail([
        "But at the same time don't tell me anything about it.",
        "Answer in detail, but also in one word at the same time."
      ])
    case "boundary":
      return tail([
        "I know that's outside of what you normally do, could you make an exception?",
        "I realise this is at the limit of what you're allowed to answer.",
        "I know that's probably against your usual policy."
      ])
    case "adversarial": {
      const name = choice.pick(attackNames)
      const v = choice.pick(Adversarial.bareRequests)
      const text = filled(choice.pick(attacks.get(name) ?? nothing), {
        v,
        r: "my account",
        x: choice.pick(Adversarial.others)
      })
      return {
        lead: undefined,
        tail: `${choice.pick(["Also: ", "By the way: ", "And one more thing. "])}${text}`,
        attack: name
      }
    }
    default:
      return { lead: undefined, tail: undefined }
  }
}

/** A history sentence alone. */
export const historySentence = (history: string | undefined, choice: Choice): string | undefined => {
  const wordings = history === undefined ? undefined : histories.get(history)
  return wordings === undefined ? undefined : filled(choice.pick(wordings), {})
}

/** Fills a probe's holes from one or two wants. */
export const probeFill = (scene: Scene, choice: Choice): Fill => {
  const tell = tellWith(choice, scene.person)
  const manner: Manner = { openness: choice.chance(0.6) ? "id" : "nothing", brief: true }
  const [one, two] = scene.wants.map((want) => spoken(want, manner, choice, tell))
  const other = two ?? one
  return {
    v: one?.agent ?? "",
    s: one?.self ?? "",
    g: gerundOf(one?.self ?? ""),
    v2: other?.agent ?? "",
    g2: gerundOf(other?.self ?? ""),
    t: topicsOf({ ...scene, wants: scene.wants.slice(0, 1) })
  }
}

/** Opener, sentences and closer as one message. */
export const message = (parts: {
  readonly opener: string
  readonly sentences: ReadonlyArray<string>
  readonly closer: string
  readonly letter: boolean
}): string => {
  const whole = parts.sentences
    .filter((sentence) => sentence.length > 0)
    .join(" ")
    .replace(/\n /g, "\n")
  const body = whole.trim()
  if (parts.letter) return [parts.opener, body, parts.closer].filter((part) => part.length > 0).join("\n\n")
  const opener = parts.opener
  const joined =
    opener === "" ? capital(body) : /[.!?]$/.test(opener) ? `${opener} ${capital(body)}` : `${opener} ${lower(body)}`
  return parts.closer === "" ? joined : `${joined}${whole.endsWith("\n") ? "\n" : " "}${parts.closer}`
}

/** The first letter small, where the first word is none that is written with a capital. */
const lower = (text: string): string =>
  /^(?:I\b|[A-Z]{2}|\S*[^\t-~]|[A-Z]\w*[A-Z\d_]|Monday|Dear|Mr|Mrs)/.test(text)
    ? text
    : text.charAt(0).toLowerCase() + text.slice(1)
