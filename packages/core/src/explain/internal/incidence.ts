/**
 * Which tasks have which value, and which pair of values, as sets of bits: a bit for each task.
 */
import { ones } from "../../measure/internal/bits.ts"
import type { Stratum } from "./hypergeometric.ts"

/**
 * One value of a situation: an axis and what it is there, such as `stance` and `hurried`. The axis `fault` holds planned
 * failures: `timeout of refund_order`.
 * @since 0.1.0
 * @category models
 */
export interface Factor {
  readonly axis: string
  readonly value: string
}

/** A value, or a pair of values, with the tasks that have it. */
export interface Member {
  /** One or two places in the list of values. */
  readonly of: ReadonlyArray<number>
  readonly set: Uint32Array
}

export class Incidence {
  /** Values and pairs that at least `fewest` tasks have and as many do not; of equal sets the first. */
  readonly members: ReadonlyArray<Member>
  private readonly values: ReadonlyArray<{ readonly factor: Factor; readonly set: Uint32Array }>
  private readonly strataSets: ReadonlyArray<Uint32Array>
  private readonly tasks: number

  constructor(strata: ReadonlyArray<string>, factors: ReadonlyArray<ReadonlyArray<Factor>>, fewest: number) {
    this.tasks = factors.length
    this.strataSets = [...new Set(strata)].map((name) => this.setOf((task) => strata[task] === name))
    const found = new Map<string, { readonly factor: Factor; readonly set: Uint32Array }>()
    for (const [task, own] of factors.entries()) {
      for (const factor of own) {
        const key = JSON.stringify([factor.axis, factor.value])
        const value = found.get(key) ?? { factor, set: new Uint32Array(this.words) }
        found.set(key, value)
        add(value.set, task)
      }
    }
    this.values = [...found.values()]
    const members: Array<Member> = []
    const seen = new Set<string>()
    const take = (of: ReadonlyArray<number>, set: Uint32Array): void => {
      const size = sizeOf(set)
      if (size < fewest || this.tasks - size < fewest) return
      const key = set.join()
      if (seen.has(key)) return
      seen.add(key)
      members.push({ of, set })
    }
    for (const [i, { set }] of this.values.entries()) take([i], set)
    for (const [i, a] of this.values.entries()) {
      for (const [j, b] of this.values.entries()) {
        if (j > i && a.factor.axis !== b.factor.axis) {
          take(
            [i, j],
            a.set.map((word, at) => word & (b.set[at] ?? 0))
          )
        }
      }
    }
    this.members = members
  }

  factor(value: number): Factor {
    return this.value(value).factor
  }

  valueSet(value: number): Uint32Array {
    return this.value(value).set
  }

  /** The tasks of which something holds. */
  setOf(holds: (task: number) => boolean): Uint32Array {
    const set = new Uint32Array(this.words)
    for (let task = 0; task < this.tasks; task++) if (holds(task)) add(set, task)
    return set
  }

  /** Places of the tasks of a set. */
  tasksOf(set: Uint32Array): ReadonlyArray<number> {
    return this.flags(set).flatMap((has, task) => (has ? [task] : []))
  }

  /** For each task whether it is in a set. */
  flags(set: Uint32Array): ReadonlyArray<boolean> {
    return Array.from({ length: this.tasks }, (_, task) => (((set[task >>> 5] ?? 0) >>> (task & 31)) & 1) === 1)
  }

  /** The tasks that have none of these. */
  without(members: ReadonlyArray<Member>): Uint32Array {
    const open = this.setOf(() => true)
    for (const { set } of members) for (const [i, word] of set.entries()) open[i] = (open[i] ?? 0) & ~word
    return open
  }

  /** Counts by stratum, among some of the tasks. */
  strata(having: Uint32Array, failed: Uint32Array, among: Uint32Array): ReadonlyArray<Stratum> {
    return this.strataSets.map((stratum) => {
      let [tasks, failures, haves, both] = [0, 0, 0, 0]
      for (const [i, word] of stratum.entries()) {
        const own = word & (among[i] ?? 0)
        const fails = own & (failed[i] ?? 0)
        const has = having[i] ?? 0
        tasks += ones(own)
        failures += ones(fails)
        haves += ones(own & has)
        both += ones(fails & has)
      }
      return { tasks, failed: failures, having: haves, both }
    })
  }

  private get words(): number {
    return Math.ceil(this.tasks / 32)
  }

  private value(at: number): { readonly factor: Factor; readonly set: Uint32Array } {
    const value = this.values[at]
    if (value === undefined) throw new RangeError(`there is no value ${at}`)
    return value
  }
}

const add = (set: Uint32Array, task: number): void => {
  const word = task >>> 5
  set[word] = (set[word] ?? 0) | (1 << (task & 31))
}

const sizeOf = (set: Uint32Array): number => set.reduce((sum, word) => sum + ones(word), 0)
