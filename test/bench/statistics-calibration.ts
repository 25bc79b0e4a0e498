/**
 * Whether intervals and verdicts are what they claim to be, by simulation from known rates.
 *
 * - Early stopping: groups rolled `successive` (k 8, probe 2) at one true rate: the plain mean over all rollouts, and ours.
 * - Coverage: how often the 95% interval of pass@1 holds the true mean, for tasks drawn from a population of rates.
 * - Same agent: how often two evaluations of one agent on the same tasks are told as a change.
 * - Power: how often a true change is told, on sets of the size that `holdoutSize` gives.
 */
import * as DeltaReport from "@sandtable/core/DeltaReport"
import type { MeasuredRow } from "@sandtable/core/Measured"
import * as PassAt from "@sandtable/core/PassAt"
import * as Randomness from "@sandtable/core/Randomness"
import * as Sizing from "@sandtable/core/Sizing"
import * as Statistics from "@sandtable/core/Statistics"
import { print, type Result, save } from "./support/measure.ts"

interface Rolled {
  readonly task: number
  readonly evalRun?: number
  readonly policy?: "fixed" | "successive"
  readonly rewards: ReadonlyArray<number>
}

const rowsOf = ({ evalRun = 0, policy = "fixed", rewards, task }: Rolled): ReadonlyArray<MeasuredRow> =>
  rewards.map((reward, rollout_index) => ({
    task_id: `t${task}`,
    prompt: `Ask ${task}`,
    final_text: "Done.",
    reward,
    rollout_index,
    lineage: { run_id: "run", eval_run: evalRun, repeat_policy: policy, probe: 2 }
  }))

const random = Randomness.make(0)

const biasOf = (rate: number): Result => {
  const groups = 50_000
  const k = 8
  const draws = random.stream(["bias", String(rate)])
  const roll = (): number => (draws.next() < rate ? 1 : 0)
  let plain = 0
  let face = 0
  const rows: Array<MeasuredRow> = []
  for (let task = 0; task < groups; task++) {
    const rewards = [roll(), roll()]
    if (rewards[0] !== rewards[1]) while (rewards.length < k) rewards.push(roll())
    const passes = rewards.reduce((sum, reward) => sum + reward, 0)
    plain += passes / rewards.length
    if (passes === rewards.length) face += 1
    rows.push(...rowsOf({ task, policy: "successive", rewards }))
  }
  const ours = PassAt.passAt(rows, { k })
  return {
    "true rate": rate,
    "plain pass@1": plain / groups,
    "our pass@1": ours.pass_at_1 ?? "-",
    "true pass^8": rate ** k,
    "pass^8 at face value": face / groups,
    "our pass^8 is at most": ours.pass_hat_k ?? "-",
    "true pass@8": 1 - (1 - rate) ** k,
    "our pass@8 is at least": ours.pass_at_k ?? "-"
  }
}

/** Populations of task rates with a mean of .6. */
const populations: Readonly<Record<string, (draws: Randomness.Draws) => number>> = {
  "even between .2 and 1": (draws) => 0.2 + 0.8 * draws.next(),
  "all tasks at .6": () => 0.6,
  "mostly always or never": (draws) => (draws.chance(0.5) ? 0.95 : draws.chance(0.5) ? 0.05 : 0.45)
}

const coverageOf = (population: string, tasks: number, k: number): Result => {
  const trials = 4000
  const draws = random.stream(["coverage", population, tasks, k])
  const rateOf = populations[population] ?? (() => 0.6)
  let covered = 0
  let told = 0
  for (let trial = 0; trial < trials; trial++) {
    const means = Array.from({ length: tasks }, () => {
      const rate = rateOf(draws)
      let passes = 0
      for (let i = 0; i < k; i++) if (draws.next() < rate) passes += 1
      return passes / k
    })
    const { interval } = Statistics.estimate(means, { seed: trial })
    if (interval === null) continue
    told += 1
    if (interval[0] <= 0.6 && 0.6 <= interval[1]) covered += 1
  }
  return { "task rates": population, tasks, k, coverage: covered / told, "without interval": (trials - told) / trials }
}

const evaluation = (
  rates: ReadonlyArray<number>,
  draws: Randomness.Draws,
  { k, runs }: { readonly k: number; readonly runs: number }
): ReadonlyArray<MeasuredRow> =>
  rates.flatMap((rate, task) =>
    Array.from({ length: runs }, (_, evalRun) =>
      rowsOf({ task, evalRun, rewards: Array.from({ length: k }, () => (draws.next() < rate ? 1 : 0)) })
    ).flat()
  )

const verdictsOf = (options: {
  readonly tasks: number
  readonly k: number
  readonly runs: number
  readonly effect: number
  readonly trials: number
}): Readonly<Record<string, number>> => {
  const { effect, k, runs, tasks, trials } = options
  const draws = random.stream(["verdicts", tasks, k, runs, String(effect)])
  const told: Record<string, number> = Object.fromEntries(DeltaReport.verdicts.map((verdict) => [verdict, 0]))
  for (let trial = 0; trial < trials; trial++) {
    const rates = Array.from({ length: tasks }, () => 0.3 + 0.6 * draws.next())
    const before = evaluation(rates, draws, { k, runs })
    const after = evaluation(
      rates.map((rate) => Math.min(1, rate + effect)),
      draws,
      { k, runs }
    )
    const { verdict } = DeltaReport.deltaReport(before, after, { seed: trial })
    told[verdict] = (told[verdict] ?? 0) + 1 / trials
  }
  return told
}

const sameAgent = (tasks: number, k: number, runs: number): Result => {
  const told = verdictsOf({ tasks, k, runs, effect: 0, trials: 1000 })
  return {
    tasks,
    k,
    "eval runs a side": runs,
    "improved or regressed": (told["improved"] ?? 0) + (told["regressed"] ?? 0),
    within_noise: told["within_noise"] ?? 0,
    unreplicated: (told["improved_unreplicated"] ?? 0) + (told["regressed_unreplicated"] ?? 0),
    no_change_detected: told["no_change_detected"] ?? 0
  }
}

const powerOf = (effect: number, k: number): Result => {
  const { tasks } = Sizing.holdoutSize({ effect, base: 0.6, k })
  const told = verdictsOf({ tasks: tasks ?? 2, k, runs: 1, effect, trials: 300 })
  return {
    effect,
    k,
    "tasks by holdoutSize": tasks ?? "-",
    "told as improved (one run)": told["improved_unreplicated"] ?? 0
  }
}

const bias = [0.2, 0.5, 0.8].map(biasOf)
const coverage = Object.keys(populations).flatMap((population) =>
  [10, 30, 100].map((tasks) => coverageOf(population, tasks, 4))
)
const same = [
  sameAgent(10, 4, 3),
  sameAgent(30, 4, 3),
  sameAgent(100, 4, 3),
  sameAgent(30, 1, 3),
  sameAgent(30, 4, 2),
  sameAgent(30, 4, 1)
]
const power = [powerOf(0.1, 4), powerOf(0.2, 4)]

print("Early stopping (successive, k 8, probe 2), 50,000 groups a rate", bias)
print("Coverage of the 95% interval of pass@1, true mean .6, k 4, 4,000 evaluations each (target .92 to .97)", coverage)
print(
  "The same agent twice on the same tasks, 1,000 comparisons each (target: at most .06 improved or regressed)",
  same
)
print("A true change on as many tasks as holdoutSize says (power .8)", power)
save("statistics-calibration", [...bias, ...coverage, ...same, ...power])
