/**
 * What has to have come about when a task is done: for graders alone, like a gold answer. It is in no row, no message and no
 * export.
 */

/**
 * A call with the arguments that matter; without any, every call of the tool is meant.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExpectedCall {
  readonly tool: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

/**
 * What has to have come about.
 *
 * @since 0.1.0
 * @category models
 */
export interface Expected {
  /** The writes that have to have happened; an empty list when nothing may be written. */
  readonly writes?: ReadonlyArray<ExpectedCall> | undefined
  /** The values the agent's replies have to tell. */
  readonly tells?: ReadonlyArray<string> | undefined
}
