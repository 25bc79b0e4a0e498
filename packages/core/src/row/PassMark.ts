/**
 * What a pass is: a reward of at least the pass mark, which is 1 unless a call names another (`passAt`). Everything graded
 * below it is no pass, half credit among it. Pass rates, gates, reports, comparisons and exports all read rewards here. The
 * search steers by another line, a reward under one half (`Grader.isGradedFailure`), which is no pass mark.
 */

/**
 * The pass mark where none is named.
 * @since 0.1.0
 * @category constants
 */
export const passMark = 1

/**
 * Whether a reward is a pass. A row without a reward has no verdict, and is neither a pass nor none.
 * @since 0.1.0
 * @category functions
 */
export const isPass = (reward: number, passAt: number = passMark): boolean => reward >= passAt

/**
 * Whether a number can be a pass mark: with 0 everything would pass.
 * @since 0.1.0
 * @category functions
 */
export const isMark = (passAt: number): boolean => passAt > 0 && passAt <= 1

/**
 * What to give instead of a pass mark that is none.
 * @since 0.1.0
 * @category constants
 */
export const fix = "Give a reward above 0 and up to 1."
