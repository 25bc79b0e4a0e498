/**
 * Which of many overlapping values and pairs make tasks fail, when each of them can do it alone (a noisy-or).
 */
import * as Portable from "../../random/portable.ts"

/** Places of tasks that have a value or a pair. */
export type Having = ReadonlyArray<number>

/** A cause that adds less to the log likelihood than this is not worth its name. */
const leastGain = 4
/** More causes than this are no explanation. */
const mostCauses = 60
const sweeps = 4

/**
 * Causes found forward and backward: the one that raises the likelihood most is added, all are fitted anew, and one that the
 * others explain by now is dropped. Gives their places in `candidates`. In the model a task fails unless every cause it has,
 * and a base rate that all tasks have, lets it pass.
 */
export const causesOf = (candidates: ReadonlyArray<Having>, fails: ReadonlyArray<boolean>): ReadonlyArray<number> => {
  const fit = new Fit(fails)
  const tried = new Set<number>()
  while (fit.causes.size < mostCauses) {
    let best = -1
    let most = leastGain
    for (const [i, having] of candidates.entries()) {
      if (tried.has(i)) continue
      const gain = fit.gainOf(having)
      if (gain > most) {
        best = i
        most = gain
      }
    }
    const having = candidates[best]
    if (having === undefined) break
    tried.add(best)
    fit.add(best, having)
    fit.dropExplained()
  }
  return [...fit.causes.keys()]
}

interface Cause {
  readonly having: Having
  /** Chance that it makes a task fail. */
  strength: number
}

class Fit {
  readonly causes = new Map<number, Cause>()
  private readonly fails: ReadonlyArray<boolean>
  private readonly base: Cause
  /** Chance that a task passes, by the base and all causes. */
  private readonly passes: Float64Array

  constructor(fails: ReadonlyArray<boolean>) {
    const share = fails.filter(Boolean).length / Math.max(1, fails.length)
    this.fails = fails
    this.base = { having: fails.map((_, task) => task), strength: share }
    this.passes = new Float64Array(fails.length).fill(1 - share)
  }

  /** What a further cause would add to the log likelihood. */
  gainOf(having: Having): number {
    return this.gain({ having, strength: this.fitted(having, 0.5) })
  }

  add(name: number, having: Having): void {
    const cause = { having, strength: 0 }
    this.causes.set(name, cause)
    this.set(cause, this.fitted(having, 0.5))
    this.refit()
  }

  /** Drops, the least first, what adds nothing to the others. */
  dropExplained(): void {
    while (true) {
      let least: readonly [number, Cause] | undefined
      let smallest = leastGain
      for (const entry of this.causes) {
        const [, cause] = entry
        const { strength } = cause
        this.set(cause, 0)
        const gain = this.gain({ having: cause.having, strength })
        this.set(cause, strength)
        if (gain < smallest) {
          least = entry
          smallest = gain
        }
      }
      if (least === undefined) return
      this.set(least[1], 0)
      this.causes.delete(least[0])
      this.refit()
    }
  }

  private refit(): void {
    for (let sweep = 0; sweep < sweeps; sweep++) {
      for (const cause of [...this.causes.values(), this.base]) {
        const before = cause.strength
        this.set(cause, 0)
        this.set(cause, this.fitted(cause.having, before))
      }
    }
  }

  /** The likeliest strength of a cause that is not in the fit, by expectation and maximisation. */
  private fitted(having: Having, from: number): number {
    let strength = Math.min(mostStrength, Math.max(0.01, from))
    for (let round = 0; round < 12; round++) {
      let blamed = 0
      for (const task of having) {
        if (this.fails[task] === true) blamed += strength / (1 - this.passing(task) * (1 - strength))
      }
      strength = Math.min(mostStrength, blamed / having.length)
    }
    return strength
  }

  /** What a cause that is not in the fit adds to the log likelihood. */
  private gain({ having, strength }: Cause): number {
    let failed = 0
    let passed = 0
    for (const task of having) {
      const pass = this.passing(task)
      if (this.fails[task] === true) failed += Portable.log((1 - pass * (1 - strength)) / (1 - pass))
      else passed += 1
    }
    return failed + passed * Portable.log(1 - strength)
  }

  private set(cause: Cause, strength: number): void {
    const factor = (1 - strength) / (1 - cause.strength)
    for (const task of cause.having) this.passes[task] = (this.passes[task] ?? 1) * factor
    cause.strength = strength
  }

  private passing(task: number): number {
    return Math.min(mostStrength, this.passes[task] ?? 1)
  }
}

/** Never certain, so that nothing is divided by nothing. */
const mostStrength = 0.999
