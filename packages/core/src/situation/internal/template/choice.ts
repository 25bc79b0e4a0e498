/**
 * Small choices out of few draws: one 53-bit draw answers several picks (as the digits of a mixed-radix number), because
 * an ask takes some forty of them and a draw costs a hash.
 */
import type { Draws } from "../../../random/Randomness.ts"

export interface Choice {
  /** A whole number in [0, n). */
  int(n: number): number
  pick<A>(values: ReadonlyArray<A>): A
  chance(probability: number): boolean
}

/** Every answer keeps at least 14 random bits, so that no value of a table is noticeably likelier. */
const spare = 16384
const all = 9007199254740992
const percents = 100

export const choicesOf = (draws: Draws): Choice => new Digits(draws)

class Digits implements Choice {
  private readonly draws: Draws
  private fraction = 0
  /** How many values the fraction can still tell apart. */
  private room = 0

  constructor(draws: Draws) {
    this.draws = draws
  }

  int(n: number): number {
    if (n <= 1) return 0
    if (this.room < n * spare) {
      this.fraction = this.draws.next()
      this.room = all
    }
    const scaled = this.fraction * n
    const whole = Math.floor(scaled)
    this.fraction = scaled - whole
    this.room /= n
    return whole
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.int(values.length)] as A
  }

  chance(probability: number): boolean {
    return this.int(percents) < probability * percents
  }
}
