/**
 * Which failures of a model call are asked again, and when: exponential backoff with seeded jitter, and the hints that
 * servers give, within a cap. A hint of nothing, of the past or of hours still backs off by what is sane.
 */
export { classify, type Answer, type Failure } from "./internal/failure.ts"
export { hintOf } from "./internal/hints.ts"

/**
 * How often a failed call is tried again, and after how long. Seconds.
 * @since 0.1.0
 * @category models
 */
export interface Policy {
  /** Most tries of a call that fails: a server in trouble, a cut connection, no reply in time (6). */
  readonly attempts: number
  /** Most tries of a call that is told to come later, while the limit adapts to what the server takes (24). */
  readonly throttledAttempts: number
  /** Seconds before the second try; they double with each one after that (0.5). */
  readonly base: number
  /** Longest wait in seconds, also where a server asks for more (60). */
  readonly cap: number
}

/**
 * Six tries, 24 where the server asks to wait, from half a second up to a minute apart.
 * @since 0.1.0
 * @category constants
 */
export const defaults: Policy = { attempts: 6, throttledAttempts: 24, base: 0.5, cap: 60 }

/**
 * Asks once and takes what comes.
 * @since 0.1.0
 * @category constants
 */
export const never: Policy = { ...defaults, attempts: 1, throttledAttempts: 1 }

/**
 * Whole milliseconds until the next try: at least the backoff after that many failures (from 1), half of it jittered by the
 * draw in [0, 1); longer where the server's hint is, with a little jitter on top so that not everybody comes back at
 * once; never more than the cap.
 * @since 0.1.0
 * @category functions
 */
export const delay = (policy: Policy, failures: number, hint: number | null, draw: number): number => {
  const cap = policy.cap * 1000
  let backoff = policy.base * 1000
  for (let i = 1; i < failures && backoff < cap; i++) backoff *= 2
  backoff = Math.min(backoff, cap)
  const jittered = backoff * (0.5 + draw / 2)
  const hinted = hint !== null && hint > 0 ? hint * (1 + draw / 10) : 0
  return Math.min(cap, Math.ceil(Math.max(jittered, hinted)))
}
