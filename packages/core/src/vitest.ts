/**
 * Matchers for vitest: a run as a test. `expect.extend(matchers)` once, then `expect(run).toPassAtLeast(0.8)`.
 */
import type {} from "vitest"
import { passAtLeast, type PassOptions } from "./measure/internal/passAtLeast.ts"

export type { PassOptions }

declare module "vitest" {
  interface Matchers<T> {
    /**
     * Holds the pass rate (pass@1, a mean over tasks) of a run or of rows against a threshold in [0, 1]. A run that cannot
     * be measured does not pass.
     */
    toPassAtLeast: (threshold: number, options?: PassOptions) => T
  }
}

/**
 * The matchers that importing this module adds to vitest's `expect`.
 * @since 0.1.0
 * @category constants
 */
export const matchers = { toPassAtLeast: passAtLeast }
