/**
 * Keeps what is written for a run away from the asks of source traces, so that those stay fit to be held out: an ask
 * that is a near copy of one, or holds most of one, is refused and written anew, and so is a later line of the person.
 */
import * as Effect from "effect/Effect"
import * as Embedder from "../model/Embedder.ts"
import type { Reaction, Service as User } from "../rollout/UserSimulator.ts"
import * as NearCopies from "../language/NearCopies.ts"
import { degraded, type Warning } from "../report/Warning.ts"
import type { Service as Writer } from "./SituationWriter.ts"

export interface Leakage {
  readonly asks: ReadonlyArray<string>
  /** At least this alike is a near copy. */
  readonly threshold: number
  /**
   * How much of a copy of a source ask a text is, in [0, 1]; 0 when it is under `atLeast`. The larger of likeness and of
   * the share of a source that the text holds; one that holds four fifths of a source is past the threshold.
   */
  readonly similarity: (text: string, atLeast: number) => number
}

/** By hashed words and word pairs, and by runs of four words. */
export const make = (asks: ReadonlyArray<string>): Leakage => {
  const sources = NearCopies.heldOut(asks)
  const threshold = NearCopies.nearCopyThreshold
  return {
    asks,
    threshold,
    similarity: (text, atLeast) => {
      const copied = sources.copied(text)
      if (copied !== undefined) return Math.max(threshold, copied.similarity)
      return sources.nearest(text, atLeast)?.similarity ?? 0
    }
  }
}

/** A person whose lines are held against the sources, and what came of it so far. */
export interface Guarded {
  readonly user: User
  readonly seen: () => { readonly refused: number; readonly highest: number }
}

/** The person is told which lines not to say; one that comes all the same is a missed line. */
export const guard = (user: User, leakage: Leakage): Guarded => {
  let refused = 0
  let highest = 0
  const refuses = (text: string): boolean => {
    const similarity = leakage.similarity(text, highest)
    if (similarity >= leakage.threshold) refused += 1
    else highest = Math.max(highest, similarity)
    return similarity >= leakage.threshold
  }
  const held = (reaction: Reaction): Reaction =>
    "text" in reaction && refuses(reaction.text)
      ? { _tag: "Missed", repeated: false, ...(reaction.usage === undefined ? {} : { usage: reaction.usage }) }
      : reaction
  return {
    user: { identity: user.identity, react: (turn) => Effect.map(user.react({ ...turn, refuses }), held) },
    seen: () => ({ refused, highest })
  }
}

/**
 * A writer whose asks say how alike they are to the sources by an embedder as well. Without vectors words alone decide,
 * which is said.
 */
export const measured = (writer: Writer, leakage: Leakage, embedder: Embedder.Service): Writer => {
  let sources: ReadonlyArray<Embedder.Vector> | undefined
  let failure: string | undefined
  const vectorsOf = (texts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      sources ??= yield* embedder.embed(leakage.asks)
      return yield* embedder.embed(texts)
    })
  return {
    ...writer,
    write: (slots) =>
      Effect.flatMap(writer.write(slots), (asks) =>
        Effect.match(vectorsOf(asks.map(({ text }) => text)), {
          onFailure: (error) => {
            failure ??= error.message
            return asks
          },
          onSuccess: (vectors) => asks.map((ask, i) => ({ ...ask, likeness: highest(vectors[i], sources ?? []) }))
        })
      ),
    degraded: Effect.map(writer.degraded ?? Effect.succeed(nothing), (own) =>
      failure === undefined ? own : [...own, degraded.embedding_unavailable({ detail: failure })]
    )
  }
}

const nothing: ReadonlyArray<Warning> = []

const highest = (vector: Embedder.Vector | undefined, sources: ReadonlyArray<Embedder.Vector>): number =>
  vector === undefined ? 0 : sources.reduce((most, source) => Math.max(most, Embedder.similarity(vector, source)), 0)
