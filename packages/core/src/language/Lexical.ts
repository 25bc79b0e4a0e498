/**
 * Texts as bags of hashed words and word pairs: the built-in way to tell how alike two asks are, with no model. A
 * vector is sparse and of unit length, so that the cosine of two texts is the sum over the features they share. In
 * scripts that put no space between words (Chinese, Japanese, Thai) every character counts as a word.
 */

/** Features in ascending order with their weights; the squares of the weights sum to 1, or there are none. */
export interface SparseVector {
  readonly keys: Int32Array
  readonly weights: Float64Array
}

/**
 * What two texts have in common when only case, punctuation, width, accents' encoding, white space or what cannot be seen
 * differ: without default-ignorable characters, NFKC, lower case, apostrophes closed up, everything that is neither
 * letter, mark nor digit read as one space. A text of nothing but punctuation stays what it is.
 */
export const normalise = (text: string): string => {
  const plain = ascii.test(text)
  const lower = plain ? text.toLowerCase() : text.replace(unseen, "").normalize("NFKC").toLowerCase()
  const words = plain
    ? lower.replace(asciiApostrophes, "").replace(asciiSeparators, " ").trim()
    : lower.replace(apostrophes, "").replace(separators, " ").trim()
  return words.length > 0 ? words : lower.trim()
}

/** Whether two texts have one normal form. Most pairs differ in a letter, and then neither form is made. */
export const isSame = (a: string, b: string): boolean => !differInLetters(a, b) && normalise(a) === normalise(b)

/** The vector of a text; a text and its normal form have the same. */
export const vectorOf = (text: string): SparseVector => {
  const features = featuresOf(text)
  const count = features.length
  if (count === 0) return empty
  features.sort()
  const keys = new Int32Array(count)
  const weights = new Float64Array(count)
  let distinct = 0
  for (let i = 0; i < count; i++) {
    const key = features[i] as number
    if (distinct > 0 && keys[distinct - 1] === key) weights[distinct - 1] = (weights[distinct - 1] as number) + 1
    else {
      keys[distinct] = key
      weights[distinct] = 1
      distinct += 1
    }
  }
  let squares = 0
  for (let i = 0; i < distinct; i++) squares += (weights[i] as number) * (weights[i] as number)
  const norm = Math.sqrt(squares)
  for (let i = 0; i < distinct; i++) weights[i] = (weights[i] as number) / norm
  return { keys: keys.subarray(0, distinct), weights: weights.subarray(0, distinct) }
}

/** Cosine of two sparse vectors, in [0, 1]. */
export const cosine = (a: SparseVector, b: SparseVector): number => {
  let i = 0
  let j = 0
  let sum = 0
  while (i < a.keys.length && j < b.keys.length) {
    const x = a.keys[i] as number
    const y = b.keys[j] as number
    if (x === y) {
      sum += (a.weights[i] as number) * (b.weights[j] as number)
      i += 1
      j += 1
    } else if (x < y) i += 1
    else j += 1
  }
  return sum > 1 ? 1 : sum
}

/**
 * Runs of `size` words of a text, hashed: two texts that share one have copied that many words in a row. Each is the one
 * before it without its first word and with one more.
 */
export const shingles = (text: string, size: number): ReadonlyArray<number> => {
  const words = wordHashes(text)
  const out: Array<number> = []
  let leaving = 1
  for (let i = 0; i < size; i++) leaving = Math.imul(leaving, 31)
  let hash = 0
  for (let i = 0; i < words.length; i++) {
    hash = (Math.imul(hash, 31) + (words[i] as number)) | 0
    if (i >= size) hash = (hash - Math.imul(words[i - size] as number, leaving)) | 0
    if (i + 1 >= size) out.push(hash)
  }
  return out
}

const ascii = /^[\t\n\r -~]*$/
/** Zero-width and other characters that a page does not show. */
const unseen = /\p{Default_Ignorable_Code_Point}+/gu
/** A character of a script without spaces, with its marks. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Tai_Le}\p{scx=New_Tai_Lue}\p{scx=Tai_Tham}\p{scx=Javanese}\p{scx=Balinese}]\p{M}*/gu
const apostrophes = /['\u2019\u02bc]/g
const asciiApostrophes = /'/g
/** All but single spaces, which may stay. */
const asciiSeparators = / [^a-z0-9]+|[^a-z0-9 ][^a-z0-9]*/g
const separators = /[^\p{L}\p{M}\p{N}]+/gu
const empty: SparseVector = { keys: new Int32Array(0), weights: new Float64Array(0) }

/** Whether the letters and digits of two texts differ, before one that is not ASCII. What stands between is passed over. */
const differInLetters = (a: string, b: string): boolean => {
  let i = 0
  let j = 0
  for (;;) {
    let x = 0
    let y = 0
    while (i < a.length && x === 0) x = letterOf(a.charCodeAt(i++))
    while (j < b.length && y === 0) y = letterOf(b.charCodeAt(j++))
    if (x > 127 || y > 127) return false
    if (x !== y) return true
    if (x === 0) return false
  }
}

/** A letter in lower case or a digit; 0 for other ASCII, and what is none as it is. */
const letterOf = (code: number): number =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127
    ? code
    : code >= 65 && code <= 90
      ? code + 32
      : 0

/** Whether most of a text is in scripts without spaces, in which a word is some two characters long. */
export const isUnspaced = (text: string): boolean => {
  if (ascii.test(text)) return false
  const normal = normalise(text)
  const dense = normal.match(unspaced)?.length ?? 0
  return dense * 2 > normal.replaceAll(" ", "").length
}

/** 32-bit FNV-1a of each word of the normal form, read from the text itself where it is ASCII. */
const wordHashes = (text: string): Array<number> => {
  const source = ascii.test(text) ? text : normalise(text).replace(unspaced, " $& ")
  const out: Array<number> = []
  let hash = fnvOffset
  for (let i = 0; i <= source.length; i++) {
    const code = i === source.length ? 32 : source.charCodeAt(i)
    if (code === 39) continue
    const letter = code >= 65 && code <= 90 ? code + 32 : code
    if ((letter >= 97 && letter <= 122) || (letter >= 48 && letter <= 57) || letter > 127) {
      hash = Math.imul(hash ^ letter, 16777619)
    } else if (hash !== fnvOffset) {
      out.push(hash)
      hash = fnvOffset
    }
  }
  return out
}

const fnvOffset = 0x811c9dc5 | 0

const featuresOf = (text: string): Int32Array => {
  const words = wordHashes(text)
  const count = words.length
  if (count === 0) return new Int32Array(0)
  const out = new Int32Array(count * 2 - 1)
  for (let i = 0; i < count; i++) {
    const word = words[i] as number
    out[i] = word
    if (i + 1 < count)
      out[count + i] = (Math.imul(word, 0x9e3779b1) ^ Math.imul(words[i + 1] as number, 0x85ebca6b)) | 0
  }
  return out
}
