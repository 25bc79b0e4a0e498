/**
 * Draws of the mock world, keyed by name: one draw of the run's randomness is the root, and every id and field mixes
 * its own name into it. A record's field is thus the same whatever was read before it, and costs a tenth of a
 * microsecond where a hashed draw costs fifteen. Integer arithmetic only, equal on every machine.
 */
import type * as Randomness from "../../random/Randomness.ts"

export interface Key {
  readonly a: number
  readonly b: number
}

export const root = (random: Randomness.Service, path: Randomness.Path): Key => {
  const draws = random.stream(path)
  return { a: (draws.next() * 4294967296) | 0, b: (draws.next() * 4294967296) | 0 }
}

/** The key of a name below a key. Multipliers and shifts are those of MurmurHash3. */
export const at = (key: Key, name: string): Key => {
  let a = key.a ^ 0x9e3779b9
  let b = key.b ^ name.length
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    a = Math.imul(a ^ code, 0xcc9e2d51)
    b = Math.imul(b ^ code, 0x1b873593)
    a = (a << 13) | (a >>> 19)
  }
  return mixed(a, b)
}

/** The key of a place in a list. */
export const nth = (key: Key, n: number): Key => mixed(key.a ^ Math.imul(n + 1, 0x9e3779b1), key.b + n)

/** In [0, 1). */
export const unit = (key: Key): number => ((key.a >>> 5) * 67108864 + (key.b >>> 6)) / 9007199254740992

/** A whole number in [0, n). */
export const int = (key: Key, n: number): number => Math.floor(unit(key) * n)

/** A whole number from low to high, both included. */
export const between = (key: Key, low: number, high: number): number => low + int(key, high - low + 1)

export const pick = <A>(key: Key, values: readonly [A, ...Array<A>] | ReadonlyArray<A>): A =>
  values[int(key, values.length)] as A

export const chance = (key: Key, probability: number): boolean => unit(key) < probability

const mixed = (first: number, second: number): Key => {
  let a = first ^ (second >>> 16)
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b)
  a = Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  a ^= a >>> 16
  let b = second ^ a
  b = Math.imul(b ^ (b >>> 16), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 13), 0x85ebca6b)
  b ^= b >>> 16
  return { a, b }
}
