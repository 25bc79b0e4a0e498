/**
 * Tells whether a text copies eight words in a row from any of the given ones.
 */
import { isUnspaced, shingles } from "../../../language/Lexical.ts"

/** True when the text copies. */
export type CopyGuard = (text: string) => boolean

/** Words in a row that count as a copy (situations: writers), and characters where no space parts words. */
const copied = 8
const copiedUnspaced = 16

export const copyGuard = (sources: ReadonlyArray<string>): CopyGuard => {
  const known = new Set(sources.flatMap((source) => shingles(source, runOf(source))))
  return (text) => known.size > 0 && shingles(text, runOf(text)).some((shingle) => known.has(shingle))
}

const runOf = (text: string): number => (isUnspaced(text) ? copiedUnspaced : copied)
