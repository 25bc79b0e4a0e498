/**
 * Sentences with holes: `{v}` is filled with what the ask says there, `{V}` the same at the start of a sentence.
 */
export interface Pattern {
  readonly pieces: ReadonlyArray<string>
  /** Names of the holes between the pieces. */
  readonly holes: ReadonlyArray<string>
}

export type Fill = Readonly<Record<string, string>>

export const pattern = (text: string): Pattern => {
  const parts = text.split(/\{(\w+)\}/)
  return {
    pieces: parts.filter((_, i) => i % 2 === 0),
    holes: parts.filter((_, i) => i % 2 === 1)
  }
}

export const patterns = (texts: ReadonlyArray<string>): ReadonlyArray<Pattern> => texts.map(pattern)

/** A hole nobody fills stays empty. */
export const filled = ({ pieces, holes }: Pattern, fill: Fill): string => {
  let out = pieces[0] ?? ""
  for (let i = 0; i < holes.length; i++) {
    const hole = holes[i] as string
    const lower = fill[hole]
    out += lower ?? capital(fill[hole.toLowerCase()] ?? "")
    out += pieces[i + 1] ?? ""
  }
  return out
}

/** The first letter in upper case, unless the text begins with an identifier or a number. */
export const capital = (text: string): string => {
  const first = text.charAt(0)
  const upper = first.toUpperCase()
  if (upper === first || notPlain.test(text)) return text
  return upper + text.slice(1)
}

const notPlain = /^[^\s.,;:!?]*[\d_@/\\]|^\p{Ll}\S*\p{Lu}/u
