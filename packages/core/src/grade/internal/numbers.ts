/**
 * Numbers as people and models write them: `1,234.5`, `3/4`, `1 1/2`, `25%`, `$9.99`, `1e-3`, `\frac{1}{2}`, `\boxed{42}`.
 */

export interface Numeral {
  /** The number as it stands: 25 of `25%`. */
  readonly value: number
  readonly percent: boolean
}

const digits = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+`
const numeral = new RegExp(
  String.raw`([-−]?)\s?[$€£¥]?\s?(?:\\d?frac\{\s?(${digits})\s?\}\{\s?(${digits})\s?\}|(?:(\d{1,3})\s)?(${digits})\s?/\s?(${digits})|(${digits})(?:[eE]([-+]?\d{1,3}))?)\s?(\\?%|percent\b)?`,
  "g"
)

/** All numbers of a text in order. */
export const numeralsIn = (text: string): ReadonlyArray<Numeral> =>
  Array.from(text.matchAll(numeral), (match) => {
    const [, sign, top, bottom, whole, over, under, plain, exponent, percent] = match
    const numerator = top ?? over
    const magnitude =
      numerator === undefined
        ? Number(`${bare(plain)}${exponent === undefined ? "" : `e${exponent}`}`)
        : (whole === undefined ? 0 : Number(whole)) + Number(bare(numerator)) / Number(bare(bottom ?? under))
    // A hyphen between two words or digits is no minus.
    const before = text.charAt(match.index - 1)
    const negative = sign !== "" && !/[\p{L}\p{N}]/u.test(before)
    return { value: negative ? -magnitude : magnitude, percent: percent !== undefined }
  }).filter(({ value }) => Number.isFinite(value))

/** The number a reply gives for its answer: the boxed one, the one after its last "answer", else its last one. */
export const answerIn = (text: string): Numeral | null => {
  const boxed = lastBoxed(text)
  if (boxed !== null) return numeralsIn(boxed).at(-1) ?? null
  const declared = [...text.matchAll(/\banswer\b(?:\s+is)?[\s:=*]*/gi)].at(-1)
  const after = declared === undefined ? undefined : numeralsIn(text.slice(declared.index + declared[0].length)).at(0)
  return after ?? numeralsIn(text).at(-1) ?? null
}

/** What is in the last `\boxed{...}`. */
export const lastBoxed = (text: string): string | null => {
  const at = text.lastIndexOf("\\boxed{")
  if (at < 0) return null
  let depth = 0
  for (let i = at + "\\boxed".length; i < text.length; i++) {
    if (text[i] === "{") depth++
    else if (text[i] === "}" && --depth === 0) return text.slice(at + "\\boxed{".length, i)
  }
  return null
}

/** Whether two numbers are equal within a tolerance; of `25%` and a bare number either reading may be meant. */
export const isClose = (
  a: Numeral,
  b: Numeral,
  { absolute, relative }: { readonly absolute: number; readonly relative: number }
): boolean => {
  const close = (x: number, y: number): boolean => Math.abs(x - y) <= Math.max(absolute, relative * Math.abs(y))
  const share = ({ value, percent }: Numeral): number => (percent ? value / 100 : value)
  return close(share(a), share(b)) || (a.percent !== b.percent && close(a.value, b.value))
}

const bare = (text: string | undefined): string => (text ?? "").replaceAll(",", "")
