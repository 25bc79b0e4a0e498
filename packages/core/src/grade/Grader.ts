/**
 * The grader contract: a function of a row, and what its answers become.
 */
import type * as Effect from "effect/Effect"
import type { JudgeStatus, Row } from "../row/Row.ts"
import type { Tool } from "../task/Tool.ts"
import type { Privileged } from "../task/Task.ts"

/** What a grader may look at beside the row. */
export interface GraderContext {
  readonly tools: ReadonlyArray<Tool>
  readonly systemPrompt: string
  /** Gold answers and the like: never written anywhere. */
  readonly privileged: Privileged
  /** The world at the end of the rollout, when there was one. */
  readonly outcome: { readonly writes: ReadonlyArray<unknown>; readonly state: unknown } | null
  readonly locale: string
}

export interface Verdict {
  /** In [0, 1]; null when there is none, never a silent 0. */
  readonly reward: number | null
  readonly status: JudgeStatus
  readonly reason?: string
  readonly failureClass?: string
  readonly markers?: Readonly<Record<string, number | null>>
  /** Goes to the row's `judge_meta`. */
  readonly meta: Readonly<Record<string, unknown>>
}

export interface Service {
  readonly name: string
  readonly kind: "rule" | "model" | "human"
  /** The judge's declared model, if any. */
  readonly model: string | null
  readonly version: string | null
  /** Whether this is the conduct ladder: its rewards get `label_source: "conduct"`. */
  readonly conduct: boolean
  /** Never fails and never dies: what goes wrong is a verdict without a reward. */
  readonly grade: (row: Row, context: GraderContext) => Effect.Effect<Verdict>
}
