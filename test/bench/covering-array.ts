/**
 * B9: rows of covering arrays beside published sizes, with the time each took here (one call in a warm process). The
 * published tools ran elsewhere, so sizes compare and times do not.
 */
import * as CoveringArray from "../../packages/core/src/situation/CoveringArray.ts"
import { mixed, publishedMixed, publishedSizes, uniform } from "./support/array-sizes.ts"
import { print, type Result, save } from "./support/measure.ts"

const measured = (levels: ReadonlyArray<number>, strength: number) => {
  const from = performance.now()
  const { rows } = CoveringArray.generate({ levels, strength })
  return { rows: rows.length, milliseconds: Math.round(performance.now() - from) }
}

measured(uniform(8, 3), 2)

const equal = publishedSizes.map(({ best, factors, ipogF, levels, strength }): Result => {
  const { milliseconds, rows } = measured(uniform(factors, levels), strength)
  return {
    array: `t=${strength} ${levels}^${factors}`,
    rows,
    "IPOG-F": ipogF ?? "-",
    "best known": best,
    "over best": rows / best,
    "at or under IPOG-F": ipogF === null ? "-" : rows <= ipogF ? "yes" : "NO",
    milliseconds
  }
})

const unequal = publishedMixed.map(({ best, greedy, name, parts }): Result => {
  const { milliseconds, rows } = measured(mixed(parts), 2)
  return {
    array: `t=2 ${name}`,
    rows,
    "greedy tools": greedy.join("-"),
    "best known": best,
    "over best": rows / best,
    milliseconds
  }
})

/** Tools, stances, world states, conditions and histories of a run; `brief` is what a run spends on them. */
const runs = [4, 8, 18, 40].map((tools): Result => {
  const levels = [tools, 10, 6, 5, 5]
  const last = tools - 1
  const forbidden = [1, 2, 3, 4].flatMap((v): ReadonlyArray<CoveringArray.Assignment> => [
    [
      [0, last],
      [2, v]
    ],
    [
      [0, last],
      [3, v]
    ]
  ])
  const from = performance.now()
  const { rows } = CoveringArray.generate({ levels, strength: 2, forbidden }, { effort: "brief" })
  return {
    array: `t=2 ${levels.join(" x ")}, constrained`,
    rows: rows.length,
    "no fewer than": Math.max(tools, 6) * 10,
    milliseconds: Math.round(performance.now() - from)
  }
})

print("Covering arrays, equal levels", equal)
print("Covering arrays, mixed levels", unequal)
print("The block without rules of a run", runs)
save("covering-array", [...equal, ...unequal, ...runs])
