/**
 * Picks among several messages for one persona the one that is least like what was picked before.
 */
import * as Effect from "effect/Effect"
import * as Embedder from "../../../model/Embedder.ts"
import { spread } from "../../Novelty.ts"
import type { Persona } from "./personas.ts"
import type { Draft } from "./replies.ts"

/** One of its messages for each persona that has any. */
export type Choose = (
  personas: ReadonlyArray<Persona>,
  drafts: ReadonlyMap<string, ReadonlyArray<Draft>>
) => Effect.Effect<ReadonlyArray<readonly [Persona, Draft]>>

export interface Chooser {
  /** Choices against what is remembered now, so that those made side by side do not depend on which comes first. */
  readonly begin: () => { readonly choose: Choose; readonly picks: () => ReadonlyArray<Embedder.Vector> }
  readonly remember: (picks: ReadonlyArray<Embedder.Vector>) => void
}

/** Earlier picks that a new one is held against. */
const remembered = 256

/** Where there is nothing to choose, nothing is embedded. Without the embedder's vectors words decide, which is said. */
export const make = (embedder: Embedder.Service, unavailable: (detail: string) => void): Chooser => {
  let memory: ReadonlyArray<Embedder.Vector> = []
  let using = embedder
  const embed = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Embedder.Vector>> =>
    Effect.catchAll(using.embed(texts), (error) => {
      unavailable(error.message)
      using = Embedder.lexical
      return Effect.orDie(Embedder.lexical.embed(texts))
    })
  return {
    begin: () => {
      const before = memory
      const picks: Array<Embedder.Vector> = []
      return {
        picks: () => picks,
        choose: (personas, drafts) => {
          const all = personas.flatMap((persona) => (drafts.get(persona.id) ?? []).map((draft) => ({ persona, draft })))
          if (all.length === drafts.size)
            return Effect.succeed(all.map(({ persona, draft }) => [persona, draft] as const))
          return Effect.map(embed(all.map(({ draft }) => draft.message)), (vectors) => {
            const candidates = all.map((one, i) => ({ ...one, vector: vectors[i] as Embedder.Vector }))
            return personas.flatMap((persona): ReadonlyArray<readonly [Persona, Draft]> => {
              const own = candidates.filter((one) => one.persona === persona)
              const vectorsOf = own.map(({ vector }) => vector)
              const picked = own[spread(vectorsOf, 1, [...before, ...picks])[0] ?? -1]
              if (picked === undefined) return []
              picks.push(picked.vector)
              return [[persona, picked.draft]]
            })
          })
        }
      }
    },
    remember: (picks) => {
      memory = [...memory, ...picks].slice(-remembered)
    }
  }
}
