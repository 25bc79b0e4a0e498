/**
 * The checks of a judge against labels.
 */
import * as Hash from "../../random/Hash.ts"
import type { Check, CheckName, Status } from "../JudgeTrust.ts"
import type { Interval } from "../Measured.ts"
import { kappa, wilson, type Confusion } from "../Statistics.ts"
import { correlate } from "./withinGroups.ts"
import { leastAgreement, leastKappa, mostWrong } from "./judgeLimits.ts"

/** A row with what the label and what the judge says: good or not. */
export interface Labelled {
  readonly key: string
  readonly label: boolean
  readonly verdict: boolean
  /** Characters of the final text. */
  readonly length: number
}

/** Under this many rows a bias could hide. */
const fewRows = 20
/** The 99.5% point of the standard normal distribution: halves further apart than it allows are not one judge. */
const z99 = 2.575829303548901
const shuffles = 500
/** A bias this small changes no ranking. */
const slightBias = 0.1

const check = (
  name: CheckName,
  status: Status,
  figure: {
    readonly value: number | null
    readonly interval?: Interval | null
    readonly n: number
    readonly limit: number
  }
): Check => ({ name, status, figure: { interval: null, ...figure } })

export const agreement = (rows: ReadonlyArray<Labelled>): Check => {
  const n = rows.length
  const limit = leastAgreement
  if (n === 0) return check("agreement", "not_measured", { value: null, n, limit })
  const agreed = rows.filter(({ label, verdict }) => label === verdict).length
  const interval = wilson(agreed, n)
  const [low, high] = interval ?? [0, 1]
  // What more labels could still show is not failed yet.
  const status = low >= limit ? "passed" : high < limit || agreed < limit * n ? "failed" : "low_power"
  return check("agreement", status, { value: agreed / n, interval, n, limit })
}

export const kappaCheck = (confusion: Confusion): Check => {
  const { fn, fp, tn, tp } = confusion
  const n = tp + fp + fn + tn
  const limit = leastKappa
  if (n === 0) return check("kappa", "not_measured", { value: null, n, limit })
  const value = kappa(confusion)
  if (tp + fn === 0 || fp + tn === 0) return check("kappa", "degenerate", { value, n, limit })
  return check("kappa", value !== null && value >= limit ? "passed" : "failed", { value, n, limit })
}

/** Of the rows that are bad by their labels, those the judge lets through. */
export const leak = ({ fp, tn }: Confusion): Check => wrongShare("leak", fp, fp + tn)

/** Of the rows that are good by their labels, those the judge refuses. */
export const miss = ({ fn, tp }: Confusion): Check => wrongShare("miss", fn, fn + tp)

const wrongShare = (name: CheckName, wrong: number, n: number): Check =>
  shareCheck(name, wrong, n, mostWrong, "not_measured")

/** A share that must stay at or under its limit; `low_power` while the interval reaches above it. */
export const shareCheck = (name: CheckName, wrong: number, n: number, limit: number, without: Status): Check => {
  const interval = wilson(wrong, n)
  if (interval === null) return check(name, without, { value: null, n, limit })
  const value = wrong / n
  return check(name, value > limit ? "failed" : interval[1] > limit ? "low_power" : "passed", {
    value,
    interval,
    n,
    limit
  })
}

/**
 * The agreement in two halves of the rows, parted by a hash of their ids. The figure is the difference; its limit is what
 * chance stays under 99 times in 100 (two shares, pooled).
 */
export const splitHalves = (rows: ReadonlyArray<Labelled>): Check => {
  const n = rows.length
  if (n < 2) return check("split_halves", n === 0 ? "not_measured" : "low_power", { value: null, n, limit: 1 })
  const ranked = rows
    .map((row) => ({ right: row.label === row.verdict, rank: Hash.sha256Hex(row.key) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const middle = Math.floor(n / 2)
  const first = ranked.slice(0, middle).filter(({ right }) => right).length
  const second = ranked.slice(middle).filter(({ right }) => right).length
  const pooled = (first + second) / n
  const limit = z99 * Math.sqrt(pooled * (1 - pooled) * (1 / middle + 1 / (n - middle)))
  const value = Math.abs(first / middle - second / (n - middle))
  return check("split_halves", value > limit ? "failed" : n < fewRows ? "low_power" : "passed", { value, n, limit })
}

/**
 * Whether the judge favours long replies (or short ones) among rows that are alike by their labels: the correlation of
 * verdict and length within the label classes, against the 95% point of its size when verdicts are shuffled there.
 */
export const lengthBias = (rows: ReadonlyArray<Labelled>, seed: number): Check => {
  const n = rows.length
  if (n === 0) return check("length_bias", "not_measured", { value: null, n, limit: slightBias })
  const classes = [true, false]
    .map((label) => rows.filter((row) => row.label === label))
    .filter(({ length }) => length > 0)
  const ordered = classes.flat()
  const { floor, values } = correlate(
    {
      features: [Float64Array.from(ordered, ({ length }) => length)],
      target: Float64Array.from(ordered, ({ verdict }) => (verdict ? 1 : 0)),
      sizes: classes.map(({ length }) => length)
    },
    { shuffles, seed, path: ["judge_trust", "length_bias"] }
  )
  // A judge that never errs has nothing to favour.
  const value = values[0] ?? 0
  const limit = Math.max(slightBias, floor ?? 0)
  const status = Math.abs(value) > limit ? "failed" : n < fewRows ? "low_power" : "passed"
  return check("length_bias", status, { value, n, limit })
}
