/**
 * What a mode sets, and the defaults beside it.
 */
import type { Mode, RepeatPolicy } from "../../task/RunSettings.ts"

export interface Preset {
  /** n and k. */
  readonly phrasings: number
  readonly repeats: number
  readonly repeatPolicy: RepeatPolicy
  readonly faultRate: number
}

export const presets: Readonly<Record<Mode, Preset>> = {
  // widest coverage: every row is a new world
  explore: { phrasings: 1, repeats: 1, repeatPolicy: "none", faultRate: 0.5 },
  // several completions of one ask to choose from
  sft: { phrasings: 3, repeats: 4, repeatPolicy: "adaptive", faultRate: 0.5 },
  // groups with signal: k is a ceiling, unanimous groups stop early
  rl: { phrasings: 1, repeats: 8, repeatPolicy: "successive", faultRate: 0.8 },
  // exploring and verifying in balance
  adaptive: { phrasings: 3, repeats: 3, repeatPolicy: "adaptive", faultRate: 0.5 }
}

export const defaults = {
  mode: "explore",
  seed: 0,
  budget: 1000,
  concurrency: 32,
  /** Rollouts of a batch: apart from the concurrency, so that rows are the same at any. */
  batch: 32,
  hardShare: 0.4,
  probe: 2,
  strength: 2,
  ruleCap: 16,
  openEndedShare: 0.1,
  completionsPerRequest: 1,
  avgTurns: 12,
  minUserTurns: 1,
  temperature: 0.8,
  locale: "en",
  /** Seconds. */
  timeout: 300,
  toolTimeout: 60,
  userTimeout: 60,
  graderTimeout: 120,
  grace: 5
} as const
