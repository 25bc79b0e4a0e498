/**
 * The options of a selection, checked and filled in.
 */
import { fix, isMark, passMark } from "../../row/PassMark.ts"
import type { Mode, Options } from "../Select.ts"

export interface Settings {
  readonly mode: Mode
  readonly target: number
  readonly band: readonly [number, number]
  readonly truncated: "drop" | "keep" | "penalise"
  readonly perTask: number
  readonly passAt: number
}

/** A group in which hardly any or nearly all rollouts pass teaches little and is mostly chance. */
const defaultBand = [0.2, 0.8] as const

export const settingsOf = ({
  band = defaultBand,
  mode,
  passAt = passMark,
  perTask = 1,
  target = Infinity,
  truncated = "drop"
}: Options): Settings => ({ mode, target, band: [band[0], band[1]], truncated, perTask, passAt })

export interface Problem {
  readonly option: string
  readonly problem: string
  readonly fix: string
}

/** The first thing that is wrong with the options, or null. */
export const problemOf = (options: Options): Problem | null => {
  const { mode, passAt = passMark, perTask = 1, target = 1, truncated = "drop" } = options
  const problem = (option: keyof Options, what: string, fix: string): Problem => ({ option, problem: what, fix })
  const is = (value: unknown): string => `is ${JSON.stringify(value)}`
  if (mode !== "rl" && mode !== "sft") return problem("mode", is(mode), 'Give "rl" or "sft".')
  const foreign = (mode === "rl" ? (["perTask", "passAt"] as const) : (["band"] as const)).find(
    (name) => options[name] !== undefined
  )
  if (foreign !== undefined) {
    return problem(foreign, `has no meaning in mode "${mode}"`, "Leave it out, or use the other mode.")
  }
  if (!["drop", "keep", "penalise"].includes(truncated)) {
    return problem("truncated", is(truncated), 'Give "drop", "keep" or "penalise".')
  }
  if (mode === "sft" && truncated === "penalise") {
    return problem(
      "truncated",
      'is "penalise", which sets rewards, and mode "sft" trains on none',
      'Give "drop" or "keep".'
    )
  }
  if (!isCount(target)) return problem("target", is(target), "Give a whole number of rows from 1.")
  const band: unknown = options.band ?? defaultBand
  if (!isBand(band)) return problem("band", is(band), "Give two mean rewards from 0 to 1, the lower first.")
  if (!isCount(perTask)) return problem("perTask", is(perTask), "Give a whole number of rows from 1.")
  if (!isMark(passAt)) return problem("passAt", is(passAt), fix)
  return null
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1

const isBand = (band: unknown): boolean => {
  if (!Array.isArray(band) || band.length !== 2) return false
  const [least, greatest]: ReadonlyArray<unknown> = band
  return typeof least === "number" && typeof greatest === "number" && least >= 0 && least <= greatest && greatest <= 1
}
