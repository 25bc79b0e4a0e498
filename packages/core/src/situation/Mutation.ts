/**
 * Makes a new ask out of one that went wrong, without a model: the same need, put in a way that strains the agent
 * elsewhere. Identifiers, e-mail addresses, URLs and code always survive.
 */
import type { Draws } from "../random/Randomness.ts"
import { isSame } from "../language/Lexical.ts"
import * as Rewrites from "./internal/rewrites.ts"
import { Cut } from "./internal/spans.ts"

export const operators = [
  "truncate",
  "drop_specifics",
  "join",
  "duplicate",
  "contradict",
  "reorder",
  "list_form",
  "drop_punctuation",
  "delete_words",
  "swap_words",
  "typo",
  "quote",
  "structured_payload",
  "followup_correction"
] as const
export type Operator = (typeof operators)[number]

export interface Options {
  /** Which operator comes first and every choice inside it. */
  readonly draws: Draws
  /** Another failing ask, for `join`; without it `join` is passed over. */
  readonly other?: string
  /** Further strings that must survive, such as the caller's identifiers. */
  readonly keep?: ReadonlyArray<string>
  /** Operators to choose from; all by default. */
  readonly operators?: ReadonlyArray<Operator>
}

export interface Mutant {
  readonly text: string
  readonly operator: Operator
}

/**
 * A mutant of the text by a drawn operator, or by the next one that applies. It differs from its parent after
 * normalisation and holds every identifier of it. Undefined only for a text without words, or when none of the
 * operators allowed applies.
 */
export const mutate = (text: string, options: Options): Mutant | undefined => {
  const allowed = options.operators ?? operators
  const bare = text.trim()
  if (bare.length === 0 || allowed.length === 0) return undefined
  const cut = new Cut(bare, options.keep)
  const first = options.draws.int(allowed.length)
  for (let i = 0; i < allowed.length; i++) {
    const operator = allowed[(first + i) % allowed.length] as Operator
    const mutant = rewrites[operator](cut, options)
    if (mutant === undefined || isSame(mutant, text)) continue
    if (cut.identifiers.every((identifier) => mutant.includes(identifier))) return { text: mutant, operator }
  }
  return undefined
}

const rewrites: Readonly<Record<Operator, Rewrites.Rewrite>> = {
  truncate: Rewrites.truncate,
  drop_specifics: Rewrites.dropSpecifics,
  join: Rewrites.joinWith,
  duplicate: Rewrites.duplicate,
  contradict: Rewrites.contradict,
  reorder: Rewrites.reorder,
  list_form: Rewrites.listForm,
  drop_punctuation: Rewrites.dropPunctuation,
  delete_words: Rewrites.deleteWords,
  swap_words: Rewrites.swapWords,
  typo: Rewrites.typo,
  quote: Rewrites.quote,
  structured_payload: Rewrites.structuredPayload,
  followup_correction: Rewrites.followupCorrection
}
