/**
 * What a reader of a comparison should know of its sides.
 */
import type { Metric, Note } from "../Measured.ts"
import { passMetric } from "./figures.ts"
import type { Pairing } from "./pairing.ts"
import { unsaid, type Table } from "./table.ts"
import * as Words from "./words.ts"

export const of = (pairing: Pairing, names: readonly [string, string] = ["a", "b"]): ReadonlyArray<Note> => [
  ...dropped(pairing, names),
  ...unknownArms(pairing.loaded.map(({ table }) => table)),
  ...pairing.loaded.flatMap(({ broken, table }, side) => [
    ...ungraded(table, names[side] ?? ""),
    ...missing(table, ` of ${names[side]}`),
    ...uneven(table, ` of ${names[side]}`),
    ...early(table, names[side] ?? ""),
    ...(broken.lines === 0
      ? []
      : [
          {
            code: "broken_lines",
            message: `${Words.count(broken.lines, "line")} of ${names[side]} left out (${(broken.first ?? "").replace(/\.$/, "")}).`
          }
        ])
  ])
]

const ungraded = ({ distinct, ungradedBy }: Table, side: string): ReadonlyArray<Note> => {
  const without = [...ungradedBy.values()].reduce((sum, n) => sum + n, 0)
  if (without === 0 || without === distinct) return []
  const reasons = Words.counts(Object.fromEntries(ungradedBy))
  return [
    {
      code: "ungraded",
      message: `Graded ${distinct - without} of ${Words.count(distinct, "row")} of ${side}; without a reward: ${reasons}.`
    }
  ]
}

/** Half credit is easily taken for a pass, or for no verdict. */
export const halfCredit = (
  { loaded }: Pairing,
  metrics: ReadonlyArray<Metric>,
  option: "metric" | "target",
  names: readonly [string, string] = ["a", "b"]
): ReadonlyArray<Note> => {
  const [{ table: a }, { table: b }] = loaded
  const [inA, inB] = [fractionsIn(a), fractionsIn(b)]
  if (!metrics.includes(passMetric) || inA + inB === 0) return []
  const read =
    a.passAt === 1 ? "are no passes: a pass is a reward of 1 (`passAt`)" : `are passes from ${a.passAt} on (\`passAt\`)`
  const message = `Rewards between 0 and 1 (${inA} in ${names[0]}, ${inB} in ${names[1]}) ${read}. With \`${option}: "reward"\` half credit counts as what it is.`
  return [{ code: "fractional", message }]
}

const fractionsIn = ({ anyFraction, groups, order, reward }: Table): number => {
  let fractions = 0
  if (!anyFraction) return fractions
  for (const { end, start } of groups) {
    for (let i = start; i < end; i++) {
      const value = reward.at(order[i] as number)
      if (value > 0 && value < 1) fractions += 1
    }
  }
  return fractions
}

/** Rollouts that were there once: a file from which what failed was taken out has a fine rate. */
export const missing = ({ missing: n }: Table, of = ""): ReadonlyArray<Note> =>
  n === 0
    ? []
    : [
        {
          code: "missing_rollouts",
          message: `${Words.count(n, "rollout")}${of} ${n === 1 ? "has" : "have"} no row: the numbers between those of the others are missing. Rates leave them out, and are too high if these failed.`
        }
      ]

/** From how many groups, and from which share of them, other lengths are no accident. */
const [someGroups, uneasyShare] = [5, 0.1]

/** A log that stopped asks by how they went is as biased as a run that does, and does not say so. */
export const uneven = ({ groups }: Table, of = ""): ReadonlyArray<Note> => {
  const lengths = groups.flatMap(({ end, policy, rows, start }) =>
    rows > 0 && policy.name === unsaid ? [end - start] : []
  )
  const most = lengths.reduce((a, b) => Math.max(a, b), 0)
  const fewer = lengths.filter((length) => length < most)
  if (lengths.length < someGroups || fewer.length < uneasyShare * lengths.length) return []
  const least = fewer.reduce((a, b) => Math.min(a, b), most)
  const message = `${fewer.length} of ${Words.count(lengths.length, "group")}${of} have fewer rollouts than others (${least} to ${most}), and nothing says why. If how often an ask was rolled depended on how it went, rates are biased: rows whose lineage has a \`repeat_policy\` of "successive" are read by their first rollouts alone.`
  return [{ code: "uneven_groups", message }]
}

/** Arms that no table has are left out of nothing. */
export const unknownArms = (tables: ReadonlyArray<Table>): ReadonlyArray<Note> => {
  const [first, ...others] = tables
  const names = first?.unknownArms.filter((arm) => others.every((table) => table.unknownArms.includes(arm))) ?? []
  if (names.length === 0) return []
  const known = [...new Set(tables.flatMap((table) => [...table.arms.names, ...table.excluded.keys()]))].sort()
  return [
    {
      code: "unknown_arm",
      message: `Nothing was left out for ${names.join(", ")}: no row has such an arm. There ${known.length === 1 ? "is" : "are"} ${known.join(", ")}.`
    }
  ]
}

/** Shared tasks that a metric could not be compared on. */
export const partly = (
  shared: number,
  differences: ReadonlyArray<{ readonly metric: string; readonly tasks: number }>
): ReadonlyArray<Note> =>
  differences.flatMap(({ metric, tasks }) => {
    if (tasks === 0 || tasks === shared) return []
    const message = `${Words.count(shared - tasks, "shared task")} left out of ${Words.metric(metric)}: no figure on one side.`
    return [{ code: "partly_measured", message }]
  })

const dropped = ({ onlyA, onlyB, shared }: Pairing, [a, b]: readonly [string, string]): ReadonlyArray<Note> => {
  if (onlyA + onlyB === 0 || shared === 0) return []
  const message = `Left out for want of a pair: ${Words.count(onlyA, "task")} only in ${a}, ${onlyB} only in ${b}.`
  return [{ code: "dropped", message }]
}

const early = ({ policies }: Table, side: string): ReadonlyArray<Note> => {
  const found = [...policies.values()].find(({ probe }) => probe !== null)
  if (found === undefined) return []
  const first = found.probe === 1 ? "the first rollout" : `the first ${found.probe} rollouts`
  const message = `Repeats of ${side} were ${found.name}, so ${first} of each group count: how many more there are depends on verdicts.`
  return [{ code: "early_stopping", message }]
}
