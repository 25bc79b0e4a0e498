/**
 * Small choices out of few draws: one 53-bit draw answers several picks (as the digits of a mixed-radix number), because
 * an ask takes some forty of them and a draw costs a hash.
 */
import type { Draws } from "../../../random/Randomness.ts"

export interface Choice {
  /** A whole number in [0, n). */
  readonly int: (n: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A
  readonly chance: (probability: number) => boolean
}

/** Every answer keeps at least 14 random bits, so that no value of a table is noticeably likelier. */
const spare = 16384
const all = 9007199254740992
const percents = 100

export const choicesOf = (draws: Draws): Choice => {
  let fraction = 0
  let room = 0
  const int = (n: number): number => {
    if (n <= 1) return 0
    if (room < n * spare) {
      fraction = draws.next()
      room = all
    }
    const scaled = fraction * n
    const whole = Math.floor(scaled)
    fraction = scaled - whole
    room /= n
    return whole
  }
  return {
    int,
    pick: (values) => values[int(values.length)] as (typeof values)[number],
    chance: (probability) => int(percents) < probability * percents
  }
}
