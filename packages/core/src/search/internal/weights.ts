/**
 * Choices in proportion to weights, and what an arm's weight is.
 */
import type { Draws } from "../../random/Randomness.ts"
import { Arm } from "../../task/Cell.ts"
import type { ArmTally, State } from "./state.ts"

/**
 * With a grader an arm is paid for new ways to fail alone: failing again in a known way is worth nothing. Until it has found
 * one an arm is taken to find as many as a row of any arm does, in as many rows as this.
 */
const priorRows = 2
/** What an arm may lose of its share: arms that find nothing new make room for the grid. */
const discoveryFloor = 0.15

/** An arm's yield moves its weight between these factors, so that none starves and none takes all. */
const yieldFloor = 0.5
const yieldCeiling = 2

/** What a row of any arm finds (new signatures and new tuples), smoothed by one row. */
export const meanYield = ({ arms }: State): number => {
  let rows = 0
  let found = 0
  for (const arm of Arm.literals) {
    rows += arms[arm].rows
    found += foundBy(arms[arm])
  }
  return (found + 1) / (rows + 1)
}

/** Where an arm stands before the slot is looked at: its base share times what a row of it finds against the mean. */
export const earned = ({ arms, fixed, input }: State, arm: Arm, mean: number): number => {
  if (input.judged) return fixed.weights[arm] * discovering(arms, arm)
  const own = (foundBy(arms[arm]) + mean) / (arms[arm].rows + 1)
  return fixed.weights[arm] * Math.min(yieldCeiling, Math.max(yieldFloor, own / mean))
}

/** New failures of a row of an arm against those of a row of the grid, which is tried whatever it finds. */
const discovering = (arms: State["arms"], arm: Arm): number => {
  if (arm === "grid") return 1
  const { grid } = arms
  const mean = (grid.newFailures + 1) / (grid.rows + 10)
  const own = (arms[arm].newFailures + mean * priorRows) / (arms[arm].rows + priorRows)
  return Math.min(yieldCeiling, Math.max(discoveryFloor, own / mean))
}

const foundBy = ({ newCells, newSignatures }: ArmTally): number => newSignatures + newCells

/** Which of `count` was drawn, in proportion to their weights; -1, without a draw, where none is above 0. */
export const pick = (count: number, weightOf: (index: number) => number, draws: Draws): number => {
  let total = 0
  let last = -1
  for (let i = 0; i < count; i++) {
    const weight = weightOf(i)
    total += weight
    if (weight > 0) last = i
  }
  if (last === -1) return -1
  let rest = draws.next() * total
  for (let i = 0; i < last; i++) {
    rest -= weightOf(i)
    if (rest < 0) return i
  }
  return last
}
