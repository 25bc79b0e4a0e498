/**
 * Spreads a choice over a pool of candidates, so that each pick is as unlike all earlier ones as can be.
 */
import type { Vector } from "../model/Embedder.ts"

/**
 * Greedy k-center: up to `count` indices of the pool in picking order. Each pick is the candidate whose most alike
 * neighbour among what was picked (and what was `chosen` before) is least alike; ties go to the earlier candidate, and
 * with nothing chosen the first candidate comes first. Each pick reads the pool once.
 * Source: Gonzalez 1985, "Clustering to minimize the maximum intercluster distance".
 */
export const spread = (
  pool: ReadonlyArray<Vector>,
  count: number,
  chosen: ReadonlyArray<Vector> = []
): ReadonlyArray<number> => {
  const compare = comparer(pool)
  /** Similarity of each candidate to the nearest pick; above 1 once it is a pick itself. */
  const nearest = new Float64Array(pool.length).fill(-1)
  for (const vector of chosen) compare(vector, nearest)
  const picks: Array<number> = []
  while (picks.length < Math.min(count, pool.length)) {
    let pick = -1
    for (let i = 0; i < nearest.length; i++) {
      if ((nearest[i] as number) < (pick === -1 ? taken : (nearest[pick] as number))) pick = i
    }
    if (pick === -1) break
    picks.push(pick)
    compare(pool[pick] as Vector, nearest)
    nearest[pick] = taken
  }
  return picks
}

const taken = 2

/** Raises each candidate's nearest similarity by one more vector. */
type Compare = (vector: Vector, nearest: Float64Array) => void

const comparer = (pool: ReadonlyArray<Vector>): Compare => {
  const [first] = pool
  return first instanceof Float32Array ? denseComparer(pool, first.length) : sparseComparer(pool)
}

/** The pool as one table with features numbered from 0, so that a pick is scattered once and every row is one walk. */
const sparseComparer = (pool: ReadonlyArray<Vector>): Compare => {
  const numbers = new Map<number, number>()
  const starts = new Int32Array(pool.length + 1)
  for (let i = 0; i < pool.length; i++) starts[i + 1] = (starts[i] as number) + sizeOf(pool[i])
  const features = new Int32Array(starts[pool.length] as number)
  const weights = new Float64Array(features.length)
  for (let i = 0; i < pool.length; i++) {
    const vector = pool[i]
    if (vector === undefined || vector instanceof Float32Array) continue
    const start = starts[i] as number
    for (let j = 0; j < vector.keys.length; j++) {
      const key = vector.keys[j] as number
      let number = numbers.get(key)
      if (number === undefined) numbers.set(key, (number = numbers.size))
      features[start + j] = number
      weights[start + j] = vector.weights[j] as number
    }
  }
  const scattered = new Float64Array(numbers.size)
  return (vector, nearest) => {
    if (vector instanceof Float32Array) return
    for (let j = 0; j < vector.keys.length; j++) {
      const number = numbers.get(vector.keys[j] as number)
      if (number !== undefined) scattered[number] = vector.weights[j] as number
    }
    for (let i = 0; i < nearest.length; i++) {
      let sum = 0
      const end = starts[i + 1] as number
      for (let j = starts[i] as number; j < end; j++) {
        sum += (weights[j] as number) * (scattered[features[j] as number] as number)
      }
      if (sum > (nearest[i] as number)) nearest[i] = sum
    }
    for (let j = 0; j < vector.keys.length; j++) {
      const number = numbers.get(vector.keys[j] as number)
      if (number !== undefined) scattered[number] = 0
    }
  }
}

const sizeOf = (vector: Vector | undefined): number =>
  vector === undefined || vector instanceof Float32Array ? 0 : vector.keys.length

const denseComparer = (pool: ReadonlyArray<Vector>, size: number): Compare => {
  const table = new Float32Array(pool.length * size)
  pool.forEach((vector, i) => {
    if (vector instanceof Float32Array) table.set(vector.subarray(0, size), i * size)
  })
  return (vector, nearest) => {
    if (!(vector instanceof Float32Array)) return
    for (let i = 0; i < nearest.length; i++) {
      let sum = 0
      const start = i * size
      for (let j = 0; j < size; j++) sum += (table[start + j] as number) * (vector[j] ?? 0)
      if (sum > (nearest[i] as number)) nearest[i] = sum
    }
  }
}
