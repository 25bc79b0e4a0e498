/**
 * What people say beside their request: of the state of things, of what they see from outside, of earlier contacts, and
 * of a rule.
 */
import type { Dimensions } from "../../../task/Cell.ts"
import type { Choice } from "./choice.ts"
import * as Clauses from "../../../language/internal/english/clauses.ts"
import { filled, patternsBy, type Fill } from "./pattern.ts"
import type { RuleSentence } from "./ruleSentences.ts"
import type { Scene } from "./scene.ts"

const worldStates = patternsBy(Clauses.worldStates)
/** What people say of a state who only look something up. */
const worldStatesLooking: typeof worldStates = new Map([
  ...worldStates,
  ...[...worldStates].flatMap(([state, wordings]) =>
    state.endsWith(" (lookup)") ? [[state.replace(" (lookup)", ""), wordings] as const] : []
  )
])
const conditions = patternsBy(Clauses.conditions)
const histories = patternsBy(Clauses.histories)

interface Circumstances {
  readonly scene: Scene
  readonly dimensions: Dimensions
  readonly choice: Choice
  /** A sentence that touches the cell's clause. */
  readonly rule: RuleSentence | undefined
}

/** A sentence, the label that shows by it, and where in the message it may stand. */
export interface Sentence {
  readonly label: string
  readonly value: string
  readonly sentence: string
  readonly place: "anywhere" | "after" | "last"
}

/** People who don't want anything done yet, or doubt that they do, don't tell anybody to go ahead. */
const calm: ReadonlySet<string> = new Set(["exploratory", "unsure", "ambiguous"])

/** Sentences on world, condition, history and rule; vague and hurried people seldom say any. */
export const circumstancesOf = (
  { choice, dimensions, rule, scene }: Circumstances,
  quiet: boolean
): ReadonlyArray<Sentence> => {
  const about = scene.wants.find(({ entity }) => entity !== null)
  const said: Array<Sentence> = []
  const add = (label: string, table: typeof histories, fill: Fill, place: Sentence["place"]): void => {
    const value = Object.hasOwn(dimensions, label) ? dimensions[label] : undefined
    const wordings = value === undefined ? undefined : table.get(value)
    if (value !== undefined && wordings !== undefined)
      said.push({ label, value, sentence: filled(choice.pick(wordings), fill), place })
  }
  add("history", histories, unfilled, "anywhere")
  // What is only to be made has no state yet, unless the person knows it by an identifier.
  if (about !== undefined && !(about.speech.intent === "make" && about.id === undefined)) {
    const states = about.speech.intent === "look" ? worldStatesLooking : worldStates
    add("world_state", states, { n: about.speech.record ?? "it" }, "after")
  }
  add("tool_condition", conditions, unfilled, "anywhere")
  const kept = !quiet || said.length === 0 ? said : choice.chance(0.45) ? [choice.pick(said)] : []
  if (rule !== undefined && !(quiet && choice.chance(0.6))) {
    const sentence = rule(choice, calm.has(dimensions["stance"] ?? ""))
    if (sentence !== undefined) kept.push({ label: "rule", value: dimensions["rule"] ?? "", sentence, place: "last" })
  }
  return kept
}

const unfilled: Fill = {}

/** A history sentence alone. */
export const historySentence = (history: string | undefined, choice: Choice): string | undefined => {
  const wordings = history === undefined ? undefined : histories.get(history)
  return wordings === undefined ? undefined : filled(choice.pick(wordings), {})
}
