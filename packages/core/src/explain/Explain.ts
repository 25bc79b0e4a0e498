/**
 * Why a row failed: what goes with its failure, the smallest task that still fails, and the turn at which it was lost.
 */
export * from "./Explanation.ts"
export * as Blame from "./Blame.ts"
export * as Fork from "./Fork.ts"
export * as Minimise from "./Minimise.ts"
