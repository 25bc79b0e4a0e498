/**
 * Tells whether a text copies eight words in a row from any of the given ones.
 */
import { shingles } from "../../../model/Lexical.ts"

/** True when the text copies. */
export type CopyGuard = (text: string) => boolean

/** Words in a row that count as a copy (situations: writers). */
const copied = 8

export const copyGuard = (sources: ReadonlyArray<string>): CopyGuard => {
  const known = new Set(sources.flatMap((source) => shingles(source, copied)))
  return (text) => known.size > 0 && shingles(text, copied).some((shingle) => known.has(shingle))
}
