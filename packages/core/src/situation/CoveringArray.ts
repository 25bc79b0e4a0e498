/**
 * Covering arrays: few rows in which every combination of values of any t factors occurs. Factors may have different
 * numbers of values, combinations may be forbidden, and rows may be given that come first. The same model gives the same
 * rows in every process.
 */
import * as Randomness from "../random/Randomness.ts"
import * as ArrayCheck from "./internal/arrayCheck.ts"
import * as ArrayProblem from "./internal/arrayProblem.ts"
import * as GreedyRows from "./internal/greedyRows.ts"
import * as KnownArrays from "./internal/knownArrays.ts"
import * as QuickDraws from "./internal/quickDraws.ts"
import * as RowOrder from "./internal/rowOrder.ts"
import * as ShrinkRows from "./internal/shrinkRows.ts"
import * as TupleSpace from "./internal/tupleSpace.ts"

/** Values of some factors: (factor, value) pairs, both counted from 0. */
export type Assignment = ReadonlyArray<readonly [factor: number, value: number]>

/** One value per factor. */
export type CoveringRow = ReadonlyArray<number>

/** A cell of a fixed row that is left to the array. */
export const open = -1

export interface Model {
  /** How many values each factor has. */
  readonly levels: ReadonlyArray<number>
  /** Every combination of values of this many factors occurs, 1 or more; at most the number of factors counts. */
  readonly strength: number
  /** Assignments that no row may hold, each of one factor or more. */
  readonly forbidden?: ReadonlyArray<Assignment>
  /** Rows that come first, as they are; `open` cells are filled in. */
  readonly fixedRows?: ReadonlyArray<CoveringRow>
}

export interface Options {
  /** Another number gives another array of the same model. Default 0. */
  readonly seed?: number
  /**
   * How much work goes into a small array: `full` (the default) tries constructions, several searches and long repair;
   * `brief` repairs one search for a moment; `quick` takes the first array found.
   */
  readonly effort?: "quick" | "brief" | "full"
}

/** A fixed row that cannot come first, and why. */
export interface RefusedRow {
  readonly index: number
  readonly reason: "malformed" | "forbidden"
}

export interface CoveringArray {
  readonly rows: ReadonlyArray<CoveringRow>
  /** Tuples that some valid row holds: all of them occur in `rows`. */
  readonly planned: number
  readonly refused: ReadonlyArray<RefusedRow>
}

/** What an array does not keep. All three are empty for a right one. */
export type Faults = ArrayCheck.Faults

/** How far some rows have come. */
export interface Coverage {
  readonly planned: number
  readonly covered: number
  /** covered / planned; 1 when nothing is planned. */
  readonly fraction: number
  readonly missing: ReadonlyArray<Assignment>
  /** Rows that would cover what is missing (an array that was found, so never too few). */
  readonly rowsMissing: number
}

/**
 * A covering array of the model. A fixed row that is malformed or forbidden is left out and reported. A forbidden
 * assignment outside of the model, or strength below 1, is a mistake of the calling code and throws.
 */
export const generate = (model: Model, options: Options = {}): CoveringArray => {
  const forbidden = model.forbidden ?? []
  assertSound(model, forbidden)
  const problem = ArrayProblem.make(model.levels, model.strength, forbidden)
  const { kept, refused } = fixedRows(problem, model.fixedRows ?? [])
  const rows = search(problem, kept, options).map((row) => Array.from(row))
  const faults = check(model, rows)
  if (faults.missing.length + faults.broken.length + faults.malformed.length > 0) {
    throw new Error(`The covering array of ${JSON.stringify(model)} is not one: ${JSON.stringify(faults)}`)
  }
  return { rows, planned: problem.required.length, refused }
}

/** Checks rows against a model by brute force, by code that shares nothing with `generate`. */
export const check = (model: Model, rows: ReadonlyArray<CoveringRow>): Faults =>
  ArrayCheck.faults(model.levels, model.strength, model.forbidden ?? [], rows)

/** How much of the model some rows cover, and what the rest would cost. `open` cells cover nothing. */
export const coverage = (model: Model, rows: ReadonlyArray<CoveringRow>): Coverage => {
  const problem = ArrayProblem.make(model.levels, model.strength, model.forbidden ?? [])
  const seen = new Uint8Array(problem.space.size)
  for (const row of rows) {
    for (let c = 0; c < problem.space.combinations; c++) {
      const tuple = TupleSpace.tupleAt(problem.space, c, row)
      if (tuple >= 0) seen[tuple] = 1
    }
  }
  const missing = problem.required.filter((tuple) => seen[tuple] === 0)
  const planned = problem.required.length
  const rest = { ...problem, required: missing }
  return {
    planned,
    covered: planned - missing.length,
    fraction: planned === 0 ? 1 : (planned - missing.length) / planned,
    missing: Array.from(missing, (tuple) => assignmentOf(problem.space, tuple)),
    rowsMissing: missing.length === 0 ? 0 : search(rest, [], { effort: "quick" }).length
  }
}

/**
 * Work of a search, counted in tuples looked at (some fifty million a second), so that equal calls do equal work.
 * Repair is bounded per required tuple, and for all: small arrays stop improving long before large ones.
 */
const looks = {
  greedy: 500_000,
  /** Repair of every start, and then of the best. */
  brief: { each: { perTuple: 3_000, most: 2_000_000 }, best: { perTuple: 0, most: 0 } },
  full: { each: { perTuple: 2_000, most: 2_000_000 }, best: { perTuple: 10_000, most: 12_000_000 } }
}
const mostCandidates = { quick: 2, brief: 3, full: 30 }
/** A start this much larger than the best array is not worth repairing. */
const worthRepair = 1.25

const search = (
  problem: ArrayProblem.Problem,
  kept: ReadonlyArray<Int32Array>,
  options: Options
): ReadonlyArray<Int32Array> => {
  const { required, space } = problem
  const effort = options.effort ?? "full"
  const random = Randomness.make(options.seed ?? 0)
  const floor = Math.max(kept.length, lowerBound(problem))
  const rowCost = Math.max(1, space.combinations * space.strength * 8 * floor)
  const candidates = Math.max(1, Math.min(mostCandidates[effort], Math.floor(looks.greedy / rowCost)))
  const draws = (use: string, attempt: number) => QuickDraws.make(random, ["covering-array", use, attempt])
  const shrink = (
    rows: ReadonlyArray<Int32Array>,
    limit: { readonly perTuple: number; readonly most: number },
    attempt: number
  ) =>
    ShrinkRows.shrink(
      problem,
      rows,
      { kept: kept.length, floor, looks: Math.min(limit.most, limit.perTuple * required.length) },
      draws("shrink", attempt)
    )

  let best = GreedyRows.cover(problem, { kept, templates: [], candidates, atMost: Infinity }, draws("greedy", 0)) ?? []
  if (effort !== "quick" && best.length > floor) {
    best = shrink(best, looks[effort].each, 0)
    const starts = effort === "full" ? templates(problem, options) : []
    starts.forEach((start, attempt) => {
      if (best.length <= floor) return
      const atMost = Math.floor(best.length * worthRepair)
      const rows = GreedyRows.cover(
        problem,
        { kept, templates: start, candidates, atMost },
        draws("greedy", attempt + 1)
      )
      const smaller = rows === undefined ? best : shrink(rows, looks[effort].each, attempt + 1)
      if (smaller.length < best.length) best = smaller
    })
    best = shrink(best, looks[effort].best, starts.length + 1)
  }
  return RowOrder.order(space, best, kept.length).map((at) => best[at]!)
}

/** Known arrays for as many levels as the largest factor has, its columns dealt to the factors by falling levels. */
const templates = (
  { levels, space }: ArrayProblem.Problem,
  options: Options
): ReadonlyArray<ReadonlyArray<Int32Array>> => {
  const most = Math.max(...levels)
  const byLevels = levels.map((_, factor) => factor).sort((a, b) => levels[b]! - levels[a]! || a - b)
  const build: KnownArrays.Build = (factors, count, strength) =>
    generate({ levels: Array.from({ length: factors }, () => count), strength }, options).rows.map((row) =>
      Int32Array.from(row)
    )
  return KnownArrays.candidates(levels.length, most, space.strength, build).map((rows) =>
    rows.map((row) => {
      const out = new Int32Array(levels.length)
      byLevels.forEach((factor, column) => {
        const value = row[column]!
        out[factor] = value < levels[factor]! ? value : open
      })
      return out
    })
  )
}

/** The most tuples any one choice of factors requires: each needs a row of its own. Binary pairs: Katona's bound. */
const lowerBound = ({ levels, required, space }: ArrayProblem.Problem): number => {
  const counts = new Int32Array(space.combinations)
  let combination = 0
  for (const tuple of required) {
    while (combination + 1 < space.combinations && space.offsets[combination + 1]! <= tuple) combination += 1
    counts[combination]! += 1
  }
  const most = counts.reduce((sofar, count) => Math.max(sofar, count), 0)
  const binary = space.strength === 2 && levels.every((count) => count === 2) && required.length === space.size
  return binary ? Math.max(most, KnownArrays.rowsOfBinaryPairs(levels.length)) : most
}

const fixedRows = (
  { levels, validity }: ArrayProblem.Problem,
  rows: ReadonlyArray<CoveringRow>
): { readonly kept: ReadonlyArray<Int32Array>; readonly refused: ReadonlyArray<RefusedRow> } => {
  const kept: Array<Int32Array> = []
  const refused: Array<RefusedRow> = []
  rows.forEach((row, index) => {
    const inRange = (value: number, factor: number) =>
      Number.isInteger(value) && value >= open && value < levels[factor]!
    if (row.length !== levels.length || !row.every(inRange)) {
      refused.push({ index, reason: "malformed" })
      return
    }
    const fits =
      row.every((value, factor) => value === open || validity.assign(factor, value)) && validity.completable()
    validity.reset()
    if (fits) kept.push(Int32Array.from(row))
    else refused.push({ index, reason: "forbidden" })
  })
  return { kept, refused }
}

const assignmentOf = (space: TupleSpace.TupleSpace, tuple: number): Assignment => {
  const row = new Int32Array(space.levels.length).fill(open)
  TupleSpace.writeTuple(space, tuple, row)
  return Array.from(row).flatMap((value, factor) => (value === open ? [] : [[factor, value] as const]))
}

const assertSound = (model: Model, forbidden: ReadonlyArray<Assignment>): void => {
  if (!Number.isInteger(model.strength) || model.strength < 1) {
    throw new RangeError(`strength is ${model.strength}; it must be a whole number of at least 1`)
  }
  for (const count of model.levels) {
    if (!Number.isInteger(count) || count < 1) throw new RangeError(`a factor has ${count} levels; it needs at least 1`)
  }
  for (const cells of forbidden) {
    if (cells.length === 0) throw new RangeError("a forbidden assignment names no factor")
    for (const [factor, value] of cells) {
      if (!(value >= 0 && value < (model.levels[factor] ?? 0))) {
        throw new RangeError(`forbidden: factor ${factor} has no value ${value}`)
      }
    }
  }
}
