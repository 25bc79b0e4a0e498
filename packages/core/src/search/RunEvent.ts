/**
 * What a run tells while it goes on: the same events drive the command line's progress.
 */
import type { Role } from "../model/ModelCall.ts"
import type { LossReason } from "../rollout/AgentBackend.ts"
import type { Row } from "../row/Row.ts"
import type { Warning } from "../report/Warning.ts"
import type { Task } from "../task/Task.ts"
import type { StopReason } from "./Search.ts"

/**
 * What happens in a run, in the order in which it happens.
 * @since 0.1.0
 * @category models
 */
export type RunEvent =
  /** Before the first rollout: what is known of the run, with the notes on its options. */
  | {
      readonly _tag: "Started"
      readonly runId: string
      readonly budget: number
      /** Rows the run will give if nothing cuts it short, where that is known. */
      readonly expected: number | null
      readonly warnings: ReadonlyArray<Warning>
    }
  /** A row that an earlier call of the run left on disk: it counts as it is. Told before any rollout. */
  | { readonly _tag: "RowResumed"; readonly row: Row }
  /** A rollout that an earlier call of the run lost. */
  | {
      readonly _tag: "LossResumed"
      readonly taskId: string
      readonly index: number
      readonly evalRun: number
      readonly reason: LossReason
      readonly detail: string
    }
  /** The search chose an ask; told once per task and call, before its first rollout. */
  | { readonly _tag: "TaskChosen"; readonly task: Omit<Task, "privileged"> }
  | { readonly _tag: "RolloutStarted"; readonly taskId: string; readonly index: number; readonly evalRun: number }
  | {
      readonly _tag: "RolloutLost"
      readonly taskId: string
      readonly index: number
      readonly evalRun: number
      readonly reason: LossReason
      readonly detail: string
    }
  | { readonly _tag: "Judged"; readonly rowId: string; readonly reward: number | null; readonly status: string }
  /** A role's model calls wait for their endpoint, until then (milliseconds since 1970); null when none waits any more. */
  | { readonly _tag: "Waiting"; readonly role: Role; readonly who: string; readonly until: number | null }
  /** A model call of the role ended: what all roles spent so far, null where nothing is known. */
  | {
      readonly _tag: "Spent"
      readonly role: Role
      readonly input: number | null
      readonly output: number | null
      /** US dollars. */
      readonly cost: number | null
    }
  /** A row is done: it has its verdict and, with an output file, is on disk. */
  | { readonly _tag: "RowLanded"; readonly row: Row }
  /** Nothing more is chosen; what is in flight may still land. */
  | { readonly _tag: "Stopping"; readonly reason: StopReason }
  | { readonly _tag: "Stopped"; readonly reason: StopReason; readonly rows: number }
