/**
 * Sentences with holes: `{v}` is filled with what the ask says there, `{V}` the same at the start of a sentence.
 */
import * as English from "../../../language/English.ts"
export interface Pattern {
  readonly pieces: ReadonlyArray<string>
  /** The holes between the pieces. */
  readonly holes: ReadonlyArray<Hole>
}

interface Hole {
  readonly name: string
  /** It begins a sentence. */
  readonly capital: boolean
}

export type Fill = Readonly<Record<string, string>>

export const pattern = (text: string): Pattern => {
  const parts = text.split(/\{(\w+)\}/)
  return {
    pieces: parts.filter((_, i) => i % 2 === 0),
    holes: parts.flatMap((hole, i) => (i % 2 === 0 ? [] : [{ name: hole.toLowerCase(), capital: /[A-Z]/.test(hole) }]))
  }
}

export const patterns = (texts: ReadonlyArray<string>): ReadonlyArray<Pattern> => texts.map(pattern)

/** A hole nobody fills stays empty. */
export const filled = ({ pieces, holes }: Pattern, fill: Fill): string => {
  let out = pieces[0] ?? ""
  for (let i = 0; i < holes.length; i++) {
    const hole = holes[i] as Hole
    const text = fill[hole.name]
    if (text !== undefined) out += hole.capital ? English.capital(text) : text
    out += pieces[i + 1] ?? ""
  }
  return out
}

/** Whether a pattern has that hole. */
export const hasHole = ({ holes }: Pattern, name: string): boolean => {
  for (const hole of holes) if (hole.name === name) return true
  return false
}

/** Tables of sentences by key. */
export const patternsBy = (
  table: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyMap<string, ReadonlyArray<Pattern>> =>
  new Map(Object.entries(table).map(([key, texts]) => [key, patterns(texts)]))
