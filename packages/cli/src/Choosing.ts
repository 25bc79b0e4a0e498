/**
 * The options that choose what is asked. Where the asks are given otherwise (a replay, a fixed list), they have no place:
 * neither as flags nor in what an agent file says for its other runs.
 */
import type * as Engine from "./Engine.ts"
import type { Flag } from "./Flags.ts"

const asks: ReadonlySet<string> = new Set([
  "situations",
  "requestsPerSituation",
  "phrasings",
  "n",
  "uniqueSituations",
  "unique",
  "until",
  "seeds",
  "hardShare",
  "dimensions",
  "traces",
  "strategy",
  "tasks"
])

const search: ReadonlySet<string> = new Set([
  "mutateFailures",
  "mutateGradedFailures",
  "armWeights",
  "strength",
  "constraints",
  "fixedRows",
  "ruleCap",
  "completionsPerRequest",
  "seedPrompts",
  "writerFallback",
  "openEndedShare"
])

/** The flags without those that choose, and without the given ones. */
export const without = (flags: ReadonlyArray<Flag>, others: ReadonlySet<string>): ReadonlyArray<Flag> =>
  flags.filter(({ option }) => {
    if (option === null) return true
    const inner = /^advanced\.(.*)$/.exec(option)?.[1]
    return !others.has(option) && (inner === undefined ? !asks.has(option) : !search.has(inner))
  })

/** An agent file's options without those that choose, and without the given ones. */
export const dropped = (options: Engine.Options, others: ReadonlySet<string>): Engine.Options => {
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !asks.has(name) && !others.has(name)))
  const { advanced } = kept
  if (typeof advanced !== "object" || advanced === null) return kept
  return { ...kept, advanced: Object.fromEntries(Object.entries(advanced).filter(([name]) => !search.has(name))) }
}
