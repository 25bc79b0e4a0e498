/**
 * How far apart two evaluations of one agent come by chance: the band that a difference has to pass to be a change.
 */

export interface Options {
  /** Standard deviation of a run's mean between runs. */
  readonly std: number
  /** Eval runs on each side. */
  readonly runs: readonly [number, number]
  /** Degrees of freedom of an estimated spread; left out for a spread that is given. */
  readonly df?: number
}
