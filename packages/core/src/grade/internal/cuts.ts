/**
 * Texts made shorter: the beginning and the end stay, the middle says how much of it is missing.
 */

/** Length of a value as JSON. */
export const jsonLength = (value: unknown): number => (JSON.stringify(value) ?? "").length

/** The text, or as much of its two ends as fits, so that as a JSON string it has at most `room` characters. */
export const fit = (text: string, room: number): string => {
  if (text.length + 2 <= room && jsonLength(text) <= room) return text
  let low = 0
  let high = Math.min(text.length - 1, room)
  // Escapes make a text longer by an amount only JSON knows.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (jsonLength(cut(text, middle)) <= room) low = middle
    else high = middle - 1
  }
  return cut(text, low)
}

/** The text with `keep` of its characters, two thirds of them from its beginning. */
export const cut = (text: string, keep: number): string => {
  if (keep >= text.length) return text
  const head = text.slice(0, boundary(text, Math.ceil((keep * 2) / 3)))
  const tail = text.slice(boundaryAfter(text, text.length - (keep - Math.ceil((keep * 2) / 3))))
  return `${head} [${text.length - head.length - tail.length} characters left out] ${tail}`.trim()
}

/** Marks that belong to the character before them: accents, skin tones, variation selectors, joiners and what they join. */
const joins = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d|[\u{e0020}-\u{e007f}])/u

/** The nearest place at or before `at` that is inside no character. */
const boundary = (text: string, at: number): number => {
  let place = at
  while (place > 0 && place < text.length && isInside(text, place)) place -= 1
  return place
}

const boundaryAfter = (text: string, at: number): number => {
  let place = at
  while (place > 0 && place < text.length && isInside(text, place)) place += 1
  return place
}

const isInside = (text: string, at: number): boolean =>
  isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))
    ? true
    : text[at - 1] === "\u200d" || joins.test(text.slice(at, at + 2)) || splitsFlag(text, at)

/** Two regional letters are one flag: an odd number of them before the place means it is inside one. */
const splitsFlag = (text: string, at: number): boolean => {
  if (!regional.test(text.slice(at, at + 2))) return false
  let before = 0
  for (let i = at - 2; i >= 0 && regional.test(text.slice(i, i + 2)); i -= 2) before += 1
  return before % 2 === 1
}

const regional = /^[\u{1f1e6}-\u{1f1ff}]/u

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
