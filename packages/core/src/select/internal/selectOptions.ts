/**
 * The options of a selection, checked and filled in.
 */
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

export const check = (options: Options): Settings => {
  const { band = defaultBand, mode, passAt = 1, perTask = 1, target = Infinity, truncated = "drop" } = options
  if (mode !== "rl" && mode !== "sft") {
    throw new RangeError(`mode of a selection is ${JSON.stringify(mode)}: give "rl" or "sft".`)
  }
  const foreign = mode === "rl" ? (["perTask", "passAt"] as const) : (["band"] as const)
  for (const name of foreign) {
    if (options[name] !== undefined) {
      throw new RangeError(`${name} has no meaning in mode "${mode}": leave it out, or use the other mode.`)
    }
  }
  if (!["drop", "keep", "penalise"].includes(truncated)) {
    throw new RangeError(`truncated of a selection is ${JSON.stringify(truncated)}: give "drop", "keep" or "penalise".`)
  }
  if (mode === "sft" && truncated === "penalise") {
    throw new RangeError(
      `truncated: "penalise" needs rewards that a trainer reads: in mode "sft" use "drop" or "keep".`
    )
  }
  if (target !== Infinity && !(Number.isSafeInteger(target) && target >= 1)) {
    throw new RangeError(`target of a selection is ${target}: give a whole number of rows from 1.`)
  }
  const [least, greatest] = band
  if (band.length !== 2 || !(least >= 0 && least <= greatest && greatest <= 1)) {
    throw new RangeError(
      `band of a selection is [${band.join(", ")}]: give two mean rewards from 0 to 1, the lower first.`
    )
  }
  if (!(Number.isSafeInteger(perTask) && perTask >= 1)) {
    throw new RangeError(`perTask of a selection is ${perTask}: give a whole number of rows from 1.`)
  }
  if (!(passAt > 0 && passAt <= 1)) {
    throw new RangeError(`passAt of a selection is ${passAt}: give a reward above 0 and up to 1.`)
  }
  return { mode, target, band: [least, greatest], truncated, perTask, passAt }
}
