/**
 * How a call fails.
 */
import * as Data from "effect/Data"
import type { InvalidOptions } from "../options/InvalidOptions.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import type { StopReason } from "../search/Search.ts"
import type { SimulationData } from "./SimulationData.ts"

/**
 * A run ended without a single row (`agent_failed`, `writer_failed`, `empty_replies`, `auth_failed`,
 * `quota_exceeded`), or its rows could not be written (`output_failed`). What there is comes with it.
 * @since 0.1.0
 * @category errors
 */
export class RunFailed extends Data.TaggedError("RunFailed")<{
  readonly reason: StopReason
  readonly detail: string
  readonly data: SimulationData
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.detail
  }
}

/**
 * Everything `simulate` fails with.
 * @since 0.1.0
 * @category models
 */
export type SimulationError = InvalidOptions | RowFileError | RunFailed
