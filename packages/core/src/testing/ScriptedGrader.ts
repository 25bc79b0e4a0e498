/**
 * A grader whose answers a test writes down.
 */
import type * as Layer from "effect/Layer"
import * as Grader from "../grade/Grader.ts"
import type { Row } from "../row/Row.ts"
import type { Given } from "../task/internal/callerEffects.ts"

/**
 * A grader that grades by a script, with the rows it saw.
 * @since 0.1.0
 * @category models
 */
export interface Scripted {
  readonly service: Grader.Service
  readonly layer: Layer.Layer<never>
  /** The rows that were graded, in the order in which they came. */
  readonly seen: ReadonlyArray<Row>
}

/**
 * Answers in turn, the last one for all further rows; an answer is whatever a grader may return, so an `Effect.never`
 * hangs and an `Effect.fail` fails. With a function instead, the answer depends on the row, which stays the same at any
 * concurrency.
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  answers: readonly [Given, ...ReadonlyArray<Given>] | ((row: Row) => Given),
  options: Omit<Grader.Options, "name" | "grade"> & { readonly name?: string } = {}
): Scripted => {
  const seen: Array<Row> = []
  const service = Grader.make({
    name: "scripted",
    ...options,
    grade: (row) => {
      seen.push(row)
      return typeof answers === "function" ? answers(row) : answers[Math.min(seen.length, answers.length) - 1]
    }
  })
  return { service, layer: Grader.layerService(service), seen }
}
