/**
 * Axis values as callers write them: `dimensions`, constraints and fixed rows, read against the values there are.
 */
import { type AxisName, axisNames, type Dimensions } from "../../task/Cell.ts"
import type { Problem } from "../Axes.ts"
import type { Clause } from "../Clauses.ts"

/** Every value an axis can be given. */
export type Values = ReadonlyMap<AxisName, ReadonlyArray<string>>

export const isAxis = (name: string): name is AxisName => axisNames.some((axis) => axis === name)

/** A clause may be named by its text. */
export const ruleIdOf = (given: string, clauses: ReadonlyArray<Clause>): string =>
  clauses.find(({ text }) => text.toLowerCase() === given.trim().toLowerCase())?.id ?? given

export const withRuleIds = (dimensions: Dimensions, clauses: ReadonlyArray<Clause>): Dimensions =>
  Object.hasOwn(dimensions, "rule") ? { ...dimensions, rule: ruleIdOf(dimensions["rule"] ?? "", clauses) } : dimensions

/** What is wrong with one assignment of some axes. */
export const problemsOf = (option: string, dimensions: Dimensions, values: Values): ReadonlyArray<Problem> =>
  Object.entries(dimensions).flatMap(([axis, value]) =>
    isAxis(axis) ? unknownValues(`${option}.${axis}`, [value], values.get(axis) ?? []) : [unknownAxis(option, axis)]
  )

/** The pinned values by axis, in the caller's order and each once; and what is wrong with them. */
export const read = (
  dimensions: Readonly<Record<string, ReadonlyArray<string>>>,
  values: Values,
  clauses: ReadonlyArray<Clause>
): { readonly pins: Values; readonly problems: ReadonlyArray<Problem> } => {
  const pins = new Map<AxisName, ReadonlyArray<string>>()
  const problems: Array<Problem> = []
  for (const [axis, given] of Object.entries(dimensions)) {
    if (!isAxis(axis)) {
      problems.push(unknownAxis("dimensions", axis))
      continue
    }
    const wanted = axis === "rule" ? given.map((value) => ruleIdOf(value, clauses)) : given
    const known = values.get(axis) ?? []
    if (wanted.length === 0) {
      problems.push({
        option: `dimensions.${axis}`,
        problem: "lists no value",
        fix: `List the values to keep (${listed(known)}), or leave the axis out to keep all of them.`
      })
    }
    problems.push(...unknownValues(`dimensions.${axis}`, wanted, known))
    pins.set(axis, [...new Set(wanted)])
  }
  return { pins, problems }
}

const unknownAxis = (option: string, axis: string): Problem => ({
  option: `${option}.${axis}`,
  problem: axis === "tier" ? "is no axis: a situation's tier follows from its stance" : "is no axis",
  fix:
    axis === "tier" ? "Name values of `stance` instead, or set `hardShare`." : `The axes are ${axisNames.join(", ")}.`
})

const unknownValues = (
  option: string,
  given: ReadonlyArray<string>,
  known: ReadonlyArray<string>
): ReadonlyArray<Problem> =>
  given
    .filter((value) => !known.includes(value))
    .map((value) => ({
      option,
      problem: `has no value ${JSON.stringify(value)}`,
      fix: `Its values here are ${listed(known)}.`
    }))

const listed = (values: ReadonlyArray<string>): string => values.join(", ")
