/**
 * The axes of the situations a run can open, built from tools and policy, and the grid of cells that covers them.
 */
import * as Either from "effect/Either"
import * as Randomness from "../random/Randomness.ts"
import * as Cell from "../task/Cell.ts"
import { referencesOf } from "../task/References.ts"
import type { Constraint, RunSettings } from "../settings/RunSettings.ts"
import * as Clauses from "./Clauses.ts"
import * as Coverage from "./Coverage.ts"
import * as ArrayProblem from "./internal/arrayProblem.ts"
import * as AxisConstraints from "./internal/axisConstraints.ts"
import * as CellOrder from "./internal/cellOrder.ts"
import * as GridBlocks from "./internal/gridBlocks.ts"
import * as QuickDraws from "./internal/quickDraws.ts"
import * as Pins from "./internal/pins.ts"
import * as RowOrder from "./internal/rowOrder.ts"
import * as ToolRounds from "./internal/toolRounds.ts"

export * as Cell from "../task/Cell.ts"
export * as Coverage from "./Coverage.ts"

/**
 * The axes of a run with the values each can take.
 * @since 0.1.0
 * @category models
 */
export interface Axes {
  /**
   * All six in their order, with the values that situations can have. `rule` holds `unspecified` (no clause in
   * particular) and then clause ids, unless pinned.
   */
  readonly axes: ReadonlyArray<Cell.Axis>
  /** Every clause of the policy, also those beyond the cap: ids and texts. */
  readonly clauses: ReadonlyArray<Clauses.Clause>
  /** Clauses on the `rule` axis, and clauses found: 16 of 32. */
  readonly rules: { readonly used: number; readonly found: number }
  /** What cannot occur together, ours and the caller's. */
  readonly constraints: ReadonlyArray<Constraint>
  /** The caller's own first rows; axes they leave out are filled in. */
  readonly fixedRows: ReadonlyArray<Cell.Dimensions>
  /** Tools in the order of an aim; null without one. */
  readonly ranks: ReadonlyArray<string> | null
  /** Values that the constraints leave no situation for (a pinned world state leaves out tools without references). */
  readonly unreachable: ReadonlyArray<{ readonly axis: Cell.AxisName; readonly value: string }>
}

/**
 * What is wrong with `dimensions`, `constraints` or `fixedRows`.
 * @since 0.1.0
 * @category models
 */
export interface Problem {
  /** Which option, with the place in it. */
  readonly option: string
  /** What is wrong, as the rest of a sentence that begins with the option. */
  readonly problem: string
  /** What to write instead. */
  readonly fix: string
}

/**
 * The settings the axes depend on.
 * @since 0.1.0
 * @category models
 */
export type Settings = Pick<
  RunSettings,
  "tools" | "systemPrompt" | "dimensions" | "constraints" | "fixedRows" | "ruleCap" | "hardShare"
>

/**
 * What traces make of the values the caller did not pin.
 * @since 0.1.0
 * @category models
 */
export interface Aim {
  /** The tools that situations may have, the most wanted first. */
  readonly tools: ReadonlyArray<string>
  /** Whether asks that need no tool, or several, stay. */
  readonly unrelated: boolean
  readonly several: boolean
  readonly toolConditions: ReadonlyArray<string>
  readonly worldStates: ReadonlyArray<string>
}

/**
 * The cells of a run: a covering array over the axes.
 * @since 0.1.0
 * @category models
 */
export interface Grid {
  readonly axes: Axes
  /** Each once: the caller's rows first, then the others so that any prefix covers most. */
  readonly cells: ReadonlyArray<Cell.Cell>
  /** How many of the first cells cover whatever the array covers. */
  readonly coveredAt: number
  readonly strength: number
  /** Tuples that some situation can hold; the cells cover them all. */
  readonly planned: number
  /** Nothing covered yet. */
  readonly coverage: Coverage.Coverage
}

/**
 * The axes of a run, or everything that is wrong with the options that shape them.
 *
 * `dimensions` keeps only the listed values of the axes it names (`rule` takes clause ids or their texts). With
 * `hardShare` 0 the hard stances cannot be drawn and are left out, with 1 the ordinary ones; a pinned stance wins. A
 * constraint of ours that would leave a pinned value no situation gives way to the pin. An `aim` narrows and orders the
 * values that are left; what the caller pins or names in `fixedRows` stays.
 * @since 0.1.0
 * @category constructors
 */
export const make = (settings: Settings, aim: Aim | null = null): Either.Either<Axes, ReadonlyArray<Problem>> => {
  const clauses = Clauses.read(settings.systemPrompt)
  const defaults = defaultValues(settings, clauses)
  const known = new Map(defaults)
  known.set("rule", [Cell.unspecified, ...clauses.map(({ id }) => id)])
  known.set("world_state", [...new Set([...(defaults.get("world_state") ?? []), ...Cell.worldStates])])
  const { pins, problems } = Pins.read(settings.dimensions, known, clauses)
  const axes = Cell.axisNames.map((name): Cell.Axis => {
    const values = pins.get(name) ?? aimedValues(name, defaults.get(name) ?? [], settings, aim)
    return { name, values: name === "stance" ? withinHardShare(values, settings.hardShare) : values }
  })
  const named = namedProblems(settings, clauses, known, axes)
  const wrong = [...problems, ...named.problems]
  if (wrong.length > 0) return Either.left(wrong)

  const ours = AxisConstraints.builtIn(settings.tools.list)
  const lost = unreachableValues(axes, [...ours, ...named.constraints]).filter(({ axis }) => pins.has(axis))
  const kept = ours.filter(({ forbid }) => !lost.some(({ axis, value }) => forbid[axis] === value))
  const constraints = [...kept, ...named.constraints]
  const unreachable = unreachableValues(axes, constraints)
  const impossible = [
    ...noSituation(axes, unreachable),
    ...named.fixedRows.flatMap((row, at) => fixedRowProblem(axes, constraints, row, at))
  ]
  if (impossible.length > 0) return Either.left(impossible)
  const rules = axes.find(({ name }) => name === "rule")?.values ?? []
  return Either.right({
    axes,
    clauses,
    rules: { used: rules.filter((rule) => rule !== Cell.unspecified).length, found: clauses.length },
    constraints,
    fixedRows: named.fixedRows,
    ranks: aim === null ? null : (axes.find(({ name }) => name === "tool")?.values ?? []),
    unreachable
  })
}

/**
 * How far a grid goes beyond its covering array.
 * @since 0.1.0
 * @category models
 */
export interface Growth {
  /** Another seed gives another array and other cells beyond it. */
  readonly seed: number
  /** Cells that a run can use, by tier; the array is whole, however few they are. */
  readonly wanted: Readonly<Record<Cell.Tier, number>>
}

/**
 * The cells of a run: a covering array at a strength of 2 to 4, and beyond it cells that cover most triples, then most
 * tuples of four. The same axes and growth give the same cells in every process.
 * @since 0.1.0
 * @category functions
 */
export const grid = (axes: Axes, strength: number, growth: Growth = noGrowth): Grid => {
  const blocks = GridBlocks.make(axes.axes, axes.constraints, axes.fixedRows, strength, growth.seed)
  const byId = new Map([...blocks.fixed, ...blocks.rows].map(Cell.make).map((cell) => [cell.id, cell]))
  const fixed = new Set(blocks.fixed.map((row) => Cell.make(row).id)).size
  const cells = [...byId.values()]
  const plan = Coverage.planOf(axes.axes, axes.constraints, strength)
  const covering = RowOrder.order(plan.space, Coverage.numbersOf(plan, cells), fixed).map((at) => cells[at]!)
  const ordered = axes.ranks === null ? covering : ToolRounds.byRank(covering, axes.ranks, fixed)
  const draw = QuickDraws.make(Randomness.make(growth.seed), ["grid", "beyond"])
  // An aimed array has an order of its own.
  const kept = axes.ranks === null ? fixed : ordered.length
  const grown = CellOrder.order(
    axes.axes,
    axes.constraints,
    strength,
    { first: ordered.slice(0, kept), array: ordered.slice(kept) },
    growth.wanted,
    draw
  )
  const coverage = Coverage.make(plan, ordered)
  return { axes, ...grown, strength, planned: coverage.planned, coverage }
}

const noGrowth: Growth = { seed: 0, wanted: { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 } }

const defaultValues = (
  { ruleCap, tools: { list: tools } }: Settings,
  clauses: ReadonlyArray<Clauses.Clause>
): Map<Cell.AxisName, ReadonlyArray<string>> => {
  const names = tools.map(({ name }) => name)
  const several = tools.length > 1 ? [Cell.multiTool] : []
  const aboutRecords = tools.some((tool) => referencesOf(tool).length > 0)
  return new Map<Cell.AxisName, ReadonlyArray<string>>([
    ["tool", [...new Set([...names, Cell.unrelated, ...several])]],
    ["rule", [Cell.unspecified, ...clauses.slice(0, ruleCap).map(({ id }) => id)]],
    ["stance", Cell.stances],
    ["world_state", aboutRecords ? Cell.worldStates : [Cell.unspecified]],
    ["tool_condition", Cell.toolConditions],
    ["history", Cell.histories]
  ])
}

/** The default values of an axis as the aim has them, and those of the caller's rows. */
const aimedValues = (
  name: Cell.AxisName,
  values: ReadonlyArray<string>,
  { fixedRows }: Settings,
  aim: Aim | null
): ReadonlyArray<string> => {
  if (aim === null || values.length < 2) return values
  const wanted: Readonly<Partial<Record<Cell.AxisName, ReadonlyArray<string>>>> = {
    tool: [
      ...aim.tools.filter((tool) => values.includes(tool)),
      ...values.filter(
        (value) => (value === Cell.unrelated && aim.unrelated) || (value === Cell.multiTool && aim.several)
      )
    ],
    tool_condition: aim.toolConditions,
    world_state: aim.worldStates
  }
  const given = fixedRows.flatMap((row) => (Object.hasOwn(row, name) ? [row[name] ?? ""] : []))
  return [...new Set([...(wanted[name] ?? values), ...given.filter((value) => values.includes(value))])]
}

/** The stances that can be drawn at all. */
const withinHardShare = (stances: ReadonlyArray<string>, hardShare: number): ReadonlyArray<string> => {
  const drawn = stances.filter((stance) => {
    const hard = Cell.hardTiers.includes(Cell.tierOf(stance))
    return hard ? hardShare > 0 : hardShare < 1
  })
  return drawn.length > 0 ? drawn : stances
}

/** Constraints and fixed rows with clauses by id, and what they name that is not there. */
const namedProblems = (
  settings: Settings,
  clauses: ReadonlyArray<Clauses.Clause>,
  known: Pins.Values,
  axes: ReadonlyArray<Cell.Axis>
) => {
  const constraints = settings.constraints.map(({ forbid }) => ({ forbid: Pins.withRuleIds(forbid, clauses) }))
  const fixedRows = settings.fixedRows.map((row) => Pins.withRuleIds(row, clauses))
  const forbiddable = new Map(
    [...known].map(([name, values]) => [name, values.filter((value) => value !== Cell.unspecified)] as const)
  )
  const drawable = new Map(axes.map(({ name, values }) => [name, values]))
  return {
    constraints,
    fixedRows,
    problems: [
      ...constraints.flatMap(({ forbid }, at) =>
        Object.keys(forbid).length === 0
          ? [emptyConstraint(`advanced.constraints[${at}].forbid`)]
          : Pins.problemsOf(`advanced.constraints[${at}].forbid`, forbid, forbiddable)
      ),
      ...fixedRows.flatMap((row, at) => Pins.problemsOf(`advanced.fixedRows[${at}]`, row, drawable))
    ]
  }
}

const emptyConstraint = (option: string): Problem => ({
  option,
  problem: "names no axis, so it would forbid every situation",
  fix: 'Name the values that cannot occur together, such as { tool_condition: "timeout", history: "fresh" }.'
})

const unreachableValues = (axes: ReadonlyArray<Cell.Axis>, constraints: ReadonlyArray<Constraint>) => {
  const levels = axes.map(({ values }) => values.length)
  const { required, space } = ArrayProblem.make(levels, 1, AxisConstraints.inNumbers(axes, constraints, new Map()))
  const reachable = new Set(required)
  return axes.flatMap(({ name, values }, factor) =>
    values.flatMap((value, at) => (reachable.has(space.offsets[factor]! + at) ? [] : [{ axis: name, value }]))
  )
}

const noSituation = (axes: ReadonlyArray<Cell.Axis>, unreachable: Axes["unreachable"]): ReadonlyArray<Problem> =>
  unreachable.length < axes.reduce((sum, { values }) => sum + values.length, 0)
    ? []
    : [
        {
          option: "advanced.constraints",
          problem: "leave no situation that `dimensions` and `tools` allow",
          fix: "Take a constraint out, or let `dimensions` keep more values."
        }
      ]

const fixedRowProblem = (
  axes: ReadonlyArray<Cell.Axis>,
  constraints: ReadonlyArray<Constraint>,
  row: Cell.Dimensions,
  at: number
): ReadonlyArray<Problem> => {
  const narrowed = axes.map(({ name, values }) => ({ name, values: [row[name] ?? values].flat() }))
  const broken = constraints.find(({ forbid }) => Object.entries(forbid).every(([axis, value]) => row[axis] === value))
  const none = noSituation(narrowed, unreachableValues(narrowed, constraints)).length > 0
  if (!none) return []
  return [
    {
      option: `advanced.fixedRows[${at}]`,
      problem:
        broken === undefined
          ? "can be completed to no situation under the constraints"
          : `holds ${Object.entries(broken.forbid)
              .map(([axis, value]) => `${axis} ${value}`)
              .join(" with ")}, which cannot occur together`,
      fix: "Change one of its values, or leave the row out."
    }
  ]
}
