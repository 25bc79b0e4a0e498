/**
 * Puts a scene into words: what the cell says of stance, world, condition and history becomes sentences around the
 * request, and what the text then shows becomes its labels.
 */
import * as English from "../../../language/English.ts"
import { stances, tierOf, type Dimensions } from "../../../task/Cell.ts"
import * as Adversarial from "../../../language/internal/english/adversarial.ts"
import * as Clauses from "../../../language/internal/english/clauses.ts"
import * as Frames from "../../../language/internal/english/frames.ts"
import type { Choice } from "./choice.ts"
import { circumstancesOf } from "./circumstances.ts"
import { gerundOf } from "./grammar.ts"
import { filled, hasHole, patterns, patternsBy, type Fill, type Pattern } from "./pattern.ts"
import type { RuleSentence } from "./ruleSentences.ts"
import { plainly, spoken, type Manner, type Scene, type Spoken, type Want } from "./scene.ts"

/** Sentences before the request, the request, sentences after it, and what they show. */
export interface Body {
  readonly before: ReadonlyArray<string>
  readonly request: string
  readonly after: ReadonlyArray<string>
  /** Labels the text shows so far. */
  readonly shown: Record<string, string>
  /** The request itself is in the drawn tone. */
  readonly toned: boolean
  /** What is wanted and how many of the scene's wants it is about, where that is not all of them. */
  readonly need: string | undefined
  readonly wants: number | undefined
}

const frames = patternsBy(Frames.frames)
const questions = patternsBy(Frames.questions)
const hurried = patterns(Frames.hurried)
const hurriedQuestions = patterns(Frames.hurriedQuestions)
const seconds = patterns(Frames.secondRequests)
const exploratory = patterns(Clauses.exploratory)
const exploratoryQuestions = patterns(Clauses.exploratoryQuestions)
const vague = patternsBy(Clauses.vague)
const attacks = patternsBy(Adversarial.attacks)
const attackNames: ReadonlyArray<string> = [...attacks.keys()]
const nothing: ReadonlyArray<Pattern> = []

/** What is asked for, spoken one way: a single want, or several, joined or one by one. */
interface Request {
  readonly first: Spoken
  readonly agent: string
  readonly self: string
  readonly joined: { readonly join: Join; readonly selves: ReadonlyArray<string> } | undefined
  readonly more: ReadonlyArray<Spoken>
}
type Join = (typeof Frames.joins)[number]

const requestOf = ({ person, wants }: Scene, manner: Manner, choice: Choice, inOne: boolean): Request => {
  const first = spoken(wants[0] as Want, manner, choice, person)
  if (wants.length === 1) return { first, agent: first.agent, self: first.self, joined: undefined, more: none }
  const brief = { ...manner, brief: true }
  const more = wants.slice(1).map((want) => spoken(want, brief, choice, person))
  if (!inOne && !choice.chance(0.6)) return { first, agent: first.agent, self: first.self, joined: undefined, more }
  const join = choice.pick(Frames.joins)
  const all = [first, ...more]
  const selves = all.map(({ self }) => self)
  const agent = join(all.map((one) => one.agent))
  return { first, agent, self: join(selves), joined: { join, selves }, more: none }
}

const none: ReadonlyArray<Spoken> = []

/** A pattern filled with a request. */
const putIn = (chosen: Pattern, { agent, first, joined, self }: Request): string =>
  filled(chosen, {
    v: agent,
    s: self,
    g: !hasHole(chosen, "g") ? "" : joined === undefined ? gerundOf(self) : joined.join(joined.selves.map(gerundOf)),
    o: first.object + first.tail,
    is: first.plural ? "are" : "is"
  })

/** What is wanted in plain words, the same for every wording; the details are in the facts. */
export const needOf = (scene: Scene): string => `${English.capital(scene.wants.map(plainly).join(" and "))}.`

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
  const { sentences, stand, text, toned } = requestFor(said, stance, mannerOf(stance, choice), shown)
  const most =
    (hard.has(stance ?? "") ? mostOfHard : mostExtras) - (stand === undefined && stance !== "adversarial" ? 0 : 1)
  const extras = circumstancesOf(said, quiet)
  const left = quiet && extras.length > 1 ? [choice.pick(extras)] : thinned(extras, most, choice)
  const before: Array<string> = []
  const after: Array<string> = [...sentences]
  for (const { label, place, sentence, value } of left) {
    shown[label] = value
    if (place === "last") continue
    if (place === "anywhere" && before.length === 0 && choice.chance(0.4)) before.push(sentence)
    else after.push(sentence)
  }
  if (stand !== undefined) {
    if (stance === "retry" && before.length === 0 && choice.chance(0.5)) before.push(stand)
    else after.push(stand)
  }
  for (const { place, sentence } of left) if (place === "last") after.push(sentence)
  return { before, request: text, after, shown, toned, need: undefined, wants: undefined }
}

/** Nobody tells all of it at once: most sentences about circumstances beside the request, the stance's own included. */
const mostExtras = 2
const mostOfHard = 3
const hard: ReadonlySet<string> = new Set(stances.filter((stance) => tierOf(stance) !== "ordinary"))

/** At most so many of them, in their order. */
const thinned = <A>(all: ReadonlyArray<A>, most: number, choice: Choice): ReadonlyArray<A> => {
  if (all.length <= most) return all
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
  const { intent } = (scene.wants[0] as Want).speech
  if (stance === "ambiguous") {
    const own = vague.get(intent)
    const usable =
      own !== undefined && (ownOnly.has(intent) || choice.chance(0.5)) ? own : (vague.get("any") ?? nothing)
    return { text: filled(choice.pick(usable), { t: topicsOf(scene) }), sentences: [], stand: undefined, toned: false }
  }
  const request = requestOf(scene, manner, choice, stance === "exploratory")
  const askable = request.first.askable && scene.wants.length === 1
  const plain = (pool: ReadonlyArray<Pattern>, questions: ReadonlyArray<Pattern>, share: number): string =>
    putIn(choice.pick(askable && choice.chance(share) ? questions : pool), request)
  switch (stance) {
    case "hurried": {
      const text = plain(hurried, hurriedQuestions, 0.3)
      return { text, sentences: restOf(request, choice), stand: undefined, toned: false }
    }
    case "exploratory":
      return { text: plain(exploratory, exploratoryQuestions, 0.5), sentences: [], stand: undefined, toned: false }
    case "adversarial": {
      const text = attackOn((scene.wants[0] as Want).speech.record ?? "my account", request, choice, shown)
      return { text, sentences: restOf(request, choice), stand: undefined, toned: false }
    }
  }
  const text = plain(frames.get(tone) ?? nothing, questions.get(tone) ?? nothing, 0.4)
  const rest = restOf(request, choice)
  const sentences = rest.length === 0 ? request.first.sentences : [...request.first.sentences, ...rest]
  const stand = standFor(stance, intent, choice)
  if (stance !== undefined && stance !== "ordinary" && stand === undefined) delete shown["stance"]
  return { text, sentences, stand, toned: tone !== "neutral" }
}

/** A request inside an attack of some kind, which then shows. */
const attackOn = (record: string, { agent }: Request, choice: Choice, shown: Record<string, string>): string => {
  const name = choice.pick(attackNames)
  shown["attack"] = name
  const attack = choice.pick(attacks.get(name) ?? nothing)
  return filled(attack, { v: agent, r: record, x: choice.pick(Adversarial.others) })
}

/** The wants after the first, each in a sentence. */
const restOf = ({ more }: Request, choice: Choice): ReadonlyArray<string> =>
  more.map(({ agent, self }) => filled(choice.pick(seconds), { v: agent, s: self }))

/** The sentence by which a stance shows beside a request. */
const standFor = (stance: string | undefined, intent: Clauses.Intent, choice: Choice): string | undefined => {
  switch (stance) {
    case "boundary":
      return choice.pick(wordingsBy(Clauses.boundary, intent, choice))
    case "mistaken":
      return choice.pick(wordingsBy(Clauses.mistaken, intent, choice))
    case "conflicting":
      return choice.pick(wordingsBy(Clauses.conflicting, intent, choice))
    case "unsure":
      return choice.pick(Clauses.unsure)
    case "retry":
      return choice.pick(Clauses.retry)
    default:
      return undefined
  }
}

const wordingsBy = (table: Clauses.ByIntent, intent: Clauses.Intent, choice: Choice): ReadonlyArray<string> => {
  const own = table[intent]
  return own !== undefined && choice.chance(0.75) ? own : table.any
}

/** What people of these tools ask vaguely for is not something that is wrong with a thing. */
const ownOnly: ReadonlySet<Clauses.Intent> = new Set(["make", "look", "reckon", "talk"])

const topicsOf = (scene: Scene): string => {
  const topics = [...new Set(scene.wants.map(({ speech }) => speech.topic))]
  return topics.slice(0, 2).join(" and ")
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

/** Fills a probe's holes from one or two wants. */
export const probeFill = (scene: Scene, chosen: Pattern, choice: Choice): Fill => {
  const manner: Manner = { openness: choice.chance(0.6) ? "id" : "nothing", brief: true }
  const [one, two] = scene.wants.map((want) => spoken(want, manner, choice, scene.person))
  const other = two ?? one
  return {
    v: one?.agent ?? "",
    s: one?.self ?? "",
    g: hasHole(chosen, "g") ? gerundOf(one?.self ?? "") : "",
    v2: other?.agent ?? "",
    g2: hasHole(chosen, "g2") ? gerundOf(other?.self ?? "") : "",
    t: scene.wants[0]?.speech.topic ?? ""
  }
}
