/**
 * What a reader of a comparison should know of its sides.
 */
import type { Note } from "../Measured.ts"
import type { Pairing } from "./pairing.ts"
import type { Table } from "./table.ts"
import * as Words from "./words.ts"

export const of = (pairing: Pairing, names: readonly [string, string] = ["a", "b"]): ReadonlyArray<Note> => [
  ...dropped(pairing, names),
  ...pairing.loaded.flatMap(({ broken, table }, side) => [
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
