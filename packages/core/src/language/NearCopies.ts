/**
 * Finds the kept text that is most like a given one, fast enough to compare every new ask with every trace: an index
 * over words and word pairs that looks only where a text alike enough could be.
 */
import * as Lexical from "./Lexical.ts"
import * as Contained from "./internal/contained.ts"

/** Texts at least this alike are near copies (situations: traces). */
export const nearCopyThreshold = 0.9

/** A text that holds at least this much of another is a copy of it, whatever stands around it. */
export const containedThreshold = 0.8

/** Words in a row that are looked for to tell how much of a text another holds. */
export const runLength = Contained.runLength

/** Equal texts up to Unicode form, case, punctuation and white space have equal normal forms. */
export const normalise = Lexical.normalise

/** How alike two texts are: the cosine of their hashed words and word pairs, 1 when equal after normalisation. */
export const similarity = (a: string, b: string): number => {
  const [x, y] = [normalise(a), normalise(b)]
  return x === y ? 1 : Lexical.cosine(Lexical.vectorOf(x), Lexical.vectorOf(y))
}

/**
 * How much of `source` is in `text`: the share of its runs of four words, in [0, 1], or that of the text's own where it has
 * eight words or more and is itself a piece of the source. 0 where either has fewer than four words.
 */
export const containment = (source: string, text: string): number =>
  Contained.shareOf(Contained.runsOf(source), Contained.runsOf(text))

/** Whether a text has too few words to be looked for inside another. */
export const isShort = (text: string): boolean => Contained.runsOf(text).size === 0

export interface Match {
  /** In (0, 1]; 1 when the texts are equal after normalisation. */
  readonly similarity: number
  /** Which text, in the order they were added. */
  readonly index: number
  readonly text: string
}

export interface NearCopies {
  /** Keeps a text and gives its index; texts that are equal after normalisation are kept once. */
  readonly add: (text: string) => number
  /** Whether a text equal after normalisation is kept. */
  readonly has: (text: string) => boolean
  /**
   * The most alike text whose similarity is at least `atLeast`, the earliest of equals. To follow the highest
   * similarity of what stays under a threshold, pass the highest seen so far: the higher, the less is looked at.
   */
  readonly nearest: (text: string, atLeast?: number) => Match | undefined
  /** How many texts are kept. */
  readonly size: () => number
  /** What is kept, in the order in which it was added. */
  readonly texts: () => ReadonlyArray<string>
}

/**
 * An empty index. The answer is exact. By Cauchy-Schwarz the similarity of `x` and `y` is at most the root of the
 * squared weight of `x` that lies on features they share. So a search reads the features of `x` from the rarest on, adds
 * up what each text shares, and compares in full only the texts that could still be more alike than the best so far,
 * the most promising one first. The commonest features, whose lists are long, are mostly never read.
 */
export const make = (): NearCopies => {
  const texts: Array<string> = []
  const vectors: Array<Lexical.SparseVector> = []
  const byNormal = new Map<string, number>()
  const postings = new Map<number, Array<number>>()
  /** Squared weight of the query that each text was seen to share; all zero between searches. */
  let shared = new Float64Array(1024)

  const add = (text: string): number => {
    const normal = normalise(text)
    const known = byNormal.get(normal)
    if (known !== undefined) return known
    const index = texts.length
    const vector = Lexical.vectorOf(normal)
    texts.push(text)
    vectors.push(vector)
    byNormal.set(normal, index)
    if (index >= shared.length) shared = new Float64Array(shared.length * 2)
    for (const key of vector.keys) {
      const list = postings.get(key)
      if (list === undefined) postings.set(key, [index])
      else list.push(index)
    }
    return index
  }

  const nearest = (text: string, atLeast: number = nearCopyThreshold): Match | undefined => {
    const normal = normalise(text)
    const equal = byNormal.get(normal)
    if (equal !== undefined) return { similarity: 1, index: equal, text: texts[equal] as string }
    const vector = Lexical.vectorOf(normal)
    const order = rarestFirst(vector, postings)

    /** What a text may lack and still be near enough. */
    const slack = 1 - atLeast * atLeast
    const enough = slack + margin
    const seen: Array<number> = []
    let read = 0
    let promising = -1
    for (const { list, square } of order) {
      if (read > enough) break
      read += square
      for (let i = 0; i < list.length; i++) {
        const index = list[i] as number
        const before = shared[index] as number
        if (before === 0) seen.push(index)
        shared[index] = before + square
      }
    }
    for (const index of seen) {
      if (promising === -1 || (shared[index] as number) > (shared[promising] as number)) promising = index
    }
    let best = atLeast
    let found = -1
    const compare = (index: number): void => {
      const cosine = Lexical.cosine(vector, vectors[index] as Lexical.SparseVector)
      if (cosine > best || (cosine > 0 && cosine === best && (found === -1 || index < found))) {
        best = cosine
        found = index
      }
    }
    if (promising !== -1) compare(promising)
    for (const index of seen) {
      const possible = (shared[index] as number) + 1 - read
      shared[index] = 0
      if (index !== promising && possible >= best * best - rounding) compare(index)
    }
    return found === -1 ? undefined : { similarity: best, index: found, text: texts[found] as string }
  }

  return { add, has: (text) => byNormal.has(normalise(text)), nearest, size: () => texts.length, texts: () => texts }
}

/** Texts that are to stay out of what is written or trained on. */
export interface HeldOut {
  readonly texts: ReadonlyArray<string>
  /** How many are too short (fewer than four words) to be looked for inside another text. */
  readonly short: number
  /**
   * The text that a given one is most of a copy of, by likeness or by what it holds of it, and how much; undefined under
   * `atLeast`.
   */
  readonly nearest: (text: string, atLeast?: number) => Match | undefined
  /** The text that a given one copies: its near copy, or one of which it holds at least `coverage`. */
  readonly copied: (text: string, coverage?: number) => Match | undefined
}

/** The one measure of a copy: of sources that a search must not repeat, and of asks that training must not hold. */
export const heldOut = (texts: ReadonlyArray<string>): HeldOut => {
  const index = make()
  for (const text of texts) index.add(text)
  const kept = index.texts()
  const contained = Contained.make(kept)
  const most = (text: string, likeness: number, coverage: number): Match | undefined => {
    const alike = index.nearest(text, likeness)
    const held = contained.highest(text, Math.max(coverage, alike?.similarity ?? 0))
    return held === undefined ? alike : { similarity: held.share, index: held.index, text: kept[held.index] as string }
  }
  return {
    texts: kept,
    short: contained.short,
    nearest: (text, atLeast = nearCopyThreshold) => most(text, atLeast, atLeast),
    copied: (text, coverage = containedThreshold) => most(text, Math.max(coverage, nearCopyThreshold), coverage)
  }
}

interface Feature {
  /** Texts that have it. */
  readonly list: ReadonlyArray<number>
  /** Its squared weight in the query. */
  readonly square: number
}

const none: ReadonlyArray<number> = []

const rarestFirst = (
  { keys, weights }: Lexical.SparseVector,
  postings: ReadonlyMap<number, ReadonlyArray<number>>
): ReadonlyArray<Feature> => {
  const out: Array<Feature> = []
  for (let i = 0; i < keys.length; i++) {
    const weight = weights[i] as number
    out.push({ list: postings.get(keys[i] as number) ?? none, square: weight * weight })
  }
  return out.sort((a, b) => a.list.length - b.list.length)
}

/** Weight read beyond the slack: a little more reading spares many full comparisons (measured in B10). */
const margin = 0.15

/** Slack for sums of squares that should be exact. */
const rounding = 1e-9
