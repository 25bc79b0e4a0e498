/**
 * Stateless randomness: a draw is a function of a seed, a path and a number, never of what was drawn before it or of
 * when it was asked for. Two fibers that draw in any order draw the same values, and a rollout can be forked anywhere.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { sha256Hex } from "./Hash.ts"
import * as Json from "../json/jsonList.ts"

/**
 * What a draw is for, such as `["user", taskId, rolloutIndex]`.
 * @since 0.1.0
 * @category models
 */
export type Path = ReadonlyArray<string | number>

/**
 * Successive draws of one path.
 * @since 0.1.0
 * @category models
 */
export interface Draws {
  /** A number in [0, 1) with 53 random bits. */
  next(): number
  /** A whole number in [0, n). */
  int(n: number): number
  /** One of the values, all equally likely. */
  pick<A>(values: readonly [A, ...Array<A>] | ReadonlyArray<A>): A
  /** True with the given probability. */
  chance(probability: number): boolean
  /** The values in a random order (Fisher-Yates). */
  shuffle<A>(values: ReadonlyArray<A>): Array<A>
}

/**
 * Draws that depend on the seed and a path alone.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The seed everything is drawn from. */
  readonly seed: number
  /** The n-th (from 0) draw of a path, in [0, 1). */
  readonly draw: (path: Path, n?: number) => number
  /** The draws of a path one after the other; the n-th `next()` equals `draw(path, n)`. */
  readonly stream: (path: Path) => Draws
  /** The same service under another seed (worlds draw from their task's `world_seed`). */
  readonly at: (seed: number) => Service
}

/** Changing how a draw is made changes every seeded run: raise this with it. */
const version = 1

/**
 * Draws by SHA-256 of (version, seed, block, path); a block holds four draws.
 * @since 0.1.0
 * @category constructors
 */
export const make = (seed: number): Service => {
  const head = `[${version},${Json.scalar(seed)},`
  return {
    seed,
    draw: (path, n = 0) => wordAt(block(head, Math.floor(n / 4), Json.list(path)), n % 4),
    stream: (path) => new Hashed(head, Json.list(path)),
    at: make
  }
}

/**
 * What everything of a run is drawn from; seed 0 unless another is provided.
 * @since 0.1.0
 * @category services
 */
export class Randomness extends Context.Reference<Randomness>()("@sandtable/core/Randomness", {
  defaultValue: (): Service => make(0)
}) {}

/**
 * Draws from this seed.
 * @since 0.1.0
 * @category layers
 */
export const layer = (seed: number): Layer.Layer<never> => Layer.succeed(Randomness, make(seed))

/**
 * Every draw is the given value, or the values in turn by draw number: for tests.
 * @since 0.1.0
 * @category layers
 */
export const layerFixed = (...values: readonly [number, ...Array<number>]): Layer.Layer<never> => {
  const at = (n: number): number => values[n % values.length] ?? values[0]
  const fixed: Service = {
    seed: 0,
    draw: (_path, n = 0) => at(n),
    stream: () => new Fixed(at),
    at: () => fixed
  }
  return Layer.succeed(Randomness, fixed)
}

/** What draws are made of: successive fractions. */
abstract class Sequence implements Draws {
  abstract next(): number

  int(n: number): number {
    return Math.floor(this.next() * n)
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.int(values.length)] as A
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  shuffle<A>(values: ReadonlyArray<A>): Array<A> {
    const out = [...values]
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(i + 1)
      const held = out[i] as A
      out[i] = out[j] as A
      out[j] = held
    }
    return out
  }
}

class Hashed extends Sequence {
  private readonly head: string
  private readonly path: string
  private n = 0
  private digits = ""

  constructor(head: string, path: string) {
    super()
    this.head = head
    this.path = path
  }

  override next(): number {
    const word = this.n % 4
    if (word === 0) this.digits = block(this.head, this.n / 4, this.path)
    this.n += 1
    return wordAt(this.digits, word)
  }
}

class Fixed extends Sequence {
  private readonly at: (n: number) => number
  private n = 0

  constructor(at: (n: number) => number) {
    super()
    this.at = at
  }

  override next(): number {
    return this.at(this.n++)
  }
}

/** The hex digits of four draws. */
const block = (head: string, index: number, path: string): string => sha256Hex(`${head}${index},${path}]`)

/** 53 bits of the word-th sixteen hex digits, as a fraction: exact in a double, so equal on every machine. */
const wordAt = (digits: string, word: number): number => {
  const high = digitsAt(digits, word * 16) >>> 5
  const low = digitsAt(digits, word * 16 + 8) >>> 6
  return (high * 67108864 + low) / 9007199254740992
}

/** Eight lower-case hex digits as a number of 32 bits: several times as fast as to cut them out and parse them. */
const digitsAt = (digits: string, from: number): number => {
  let bits = 0
  for (let i = from; i < from + 8; i++) {
    const code = digits.charCodeAt(i)
    bits = (bits << 4) | (code < 58 ? code - 48 : code - 87)
  }
  return bits
}
