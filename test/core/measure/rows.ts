/**
 * Rows to measure, from a few letters: `1` a pass, `0` a fail, `h` half a reward, `?` no reward.
 */
import type { MeasuredRow } from "@sandtable/core/Measured"
import * as Randomness from "@sandtable/core/Randomness"

export interface Extra {
  readonly run?: string
  readonly evalRun?: number
  readonly policy?: "fixed" | "successive" | "adaptive"
  readonly probe?: number
  readonly [field: string]: unknown
}

export const rewards = { "1": 1, "0": 0, h: 0.5, "?": null } as const

/** One group: the rollouts of one ask in one eval run. */
export const group = (task: string, pattern: string, extra: Extra = {}): ReadonlyArray<MeasuredRow> => {
  const { evalRun = 0, policy = "fixed", probe = 2, run = "run", lineage, ...rest } = extra
  return [...pattern].map((letter, rollout_index) => ({
    row_id: `${run} ${evalRun} ${task} ${rollout_index}`,
    task_id: task,
    scenario_id: `situation ${task}`,
    prompt: `Ask ${task}?`,
    final_text: "Done.",
    reward: rewards[letter as keyof typeof rewards],
    rollout_index,
    ...rest,
    lineage: { run_id: run, eval_run: evalRun, repeat_policy: policy, probe, ...(lineage as object) }
  }))
}

/** Several groups, tasks `t0`, `t1`, ... in order. */
export const groups = (patterns: ReadonlyArray<string>, extra: Extra = {}): ReadonlyArray<MeasuredRow> =>
  patterns.flatMap((pattern, i) => group(`t${i}`, pattern, extra))

/** Verdicts drawn at each task's rate: `runs` eval runs of k rollouts each. */
export const drawn = (
  rates: ReadonlyArray<number>,
  options: Extra & { readonly seed: number; readonly runs?: number; readonly k?: number }
): ReadonlyArray<MeasuredRow> => {
  const { k = 4, runs = 1, seed, ...extra } = options
  const random = Randomness.make(seed)
  return rates.flatMap((rate, task) =>
    Array.from({ length: runs }, (_, evalRun) => {
      const draws = random.stream([task, evalRun])
      const pattern = Array.from({ length: k }, () => (draws.next() < rate ? "1" : "0")).join("")
      return group(`t${task}`, pattern, { ...extra, evalRun })
    }).flat()
  )
}

/** Task rates between 0 and 1 around a mean. */
export const spreadRates = (n: number, mean = 0.6): ReadonlyArray<number> =>
  Array.from({ length: n }, (_, i) => Math.min(1, Math.max(0, mean - 0.4 + (0.8 * (i + 0.5)) / n)))
