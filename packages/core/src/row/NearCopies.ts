/**
 * Finds the kept text that is most like a given one, fast enough to compare every new ask with every trace: an index
 * over words and word pairs that looks only where a text alike enough could be.
 */
import * as Lexical from "../model/Lexical.ts"

/** Texts at least this alike are near copies (situations: traces). */
export const nearCopyThreshold = 0.9

/** Equal texts up to Unicode form, case, punctuation and white space have equal normal forms. */
export const normalise = Lexical.normalise

/** How alike two texts are: the cosine of their hashed words and word pairs, 1 when equal after normalisation. */
export const similarity = (a: string, b: string): number => {
  const [x, y] = [normalise(a), normalise(b)]
  return x === y ? 1 : Lexical.cosine(Lexical.vectorOf(x), Lexical.vectorOf(y))
}

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
}

/**
 * An empty index. A text `x` that shares none of its rarest features with `y` can only be as like it as the length of
 * what is left of `x` (Cauchy-Schwarz), so a search reads the features of `x` from the rarest on and stops when what
 * is left is shorter than the best match. The answer is exact.
 */
export const make = (): NearCopies => {
  const texts: Array<string> = []
  const vectors: Array<Lexical.SparseVector> = []
  const byNormal = new Map<string, number>()
  const postings = new Map<number, Array<number>>()
  /** The last search that looked at a text, so that each is compared once per search. */
  const lookedAt: Array<number> = []
  let search = 0

  const add = (text: string): number => {
    const normal = normalise(text)
    const known = byNormal.get(normal)
    if (known !== undefined) return known
    const index = texts.length
    const vector = Lexical.vectorOf(normal)
    texts.push(text)
    vectors.push(vector)
    lookedAt.push(0)
    byNormal.set(normal, index)
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
    const lists = Array.from(vector.keys, (key, i) => ({
      weight: vector.weights[i] as number,
      list: postings.get(key)
    }))
    lists.sort((a, b) => (a.list?.length ?? 0) - (b.list?.length ?? 0))
    search += 1
    let rest = 1
    let best = atLeast
    let found = -1
    for (const { weight, list } of lists) {
      if (rest <= 0 || Math.sqrt(rest) < best - rounding) break
      rest -= weight * weight
      for (const index of list ?? none) {
        if (lookedAt[index] === search) continue
        lookedAt[index] = search
        const cosine = Lexical.cosine(vector, vectors[index] as Lexical.SparseVector)
        if (cosine > best || (cosine > 0 && cosine === best && (found === -1 || index < found))) {
          best = cosine
          found = index
        }
      }
    }
    return found === -1 ? undefined : { similarity: best, index: found, text: texts[found] as string }
  }

  return { add, has: (text) => byNormal.has(normalise(text)), nearest, size: () => texts.length }
}

const none: ReadonlyArray<number> = []

/** Slack for sums of squares that should be exact. */
const rounding = 1e-9
