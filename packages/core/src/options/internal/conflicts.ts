/**
 * Options that exclude each other. Refused rather than settled by a rule the caller would have to know.
 */
import type { OptionIssue } from "../InvalidOptions.ts"
import type { OptionValues } from "./optionTable.ts"
import type { Roles } from "./resolved.ts"

interface Given {
  readonly values: OptionValues
  readonly set: ReadonlySet<string>
  readonly roles: Roles
  /** Openers given by `seeds`, `advanced.seedPrompts` or the spec. */
  readonly openers: number
  /** Whether a grader holds the role, by option or by layer. */
  readonly graded: boolean
}

type Conflict = OptionIssue & { readonly when: (given: Given) => boolean }

export const samplingRefused: OptionIssue = {
  option: "sampling",
  problem: "is given for a model agent, whose backend records what it sampled with",
  fix: "Leave it out, and set `temperature` or `agentMaxTokens` instead."
}

/** Each rollout in flight holds a fiber and its thread: more of them than this is a mistake, not a wish. */
const mostAtOnce = 100_000

const conflicts: ReadonlyArray<Conflict> = [
  {
    option: "concurrency",
    problem: `is more than ${mostAtOnce}`,
    fix: "Lower it: rollouts beyond what the agent's endpoint takes at once only wait.",
    when: ({ values: { concurrency } }) => concurrency !== undefined && concurrency > mostAtOnce
  },
  {
    option: "tasks",
    problem: "and `seeds` are both given: a replay generates nothing of its own",
    fix: "Leave out `seeds` (also `advanced.seedPrompts` and the spec's situations), or `tasks`.",
    when: ({ set, openers }) => set.has("tasks") && openers > 0
  },
  {
    option: "reproducible",
    problem: "and `timeBudget` are both given: a clock stop lands wherever the run happens to be",
    fix: "Leave out `timeBudget`, or set `reproducible: false`.",
    when: ({ values, set }) => (values.reproducible ?? false) !== false && set.has("timeBudget")
  },
  {
    option: "strategy",
    problem: "aims by traces, and there are none",
    fix: 'Give `traces`, or set `strategy: "auto"`.',
    when: ({ values, set }) => (values.strategy === "trace" || values.strategy === "targeted") && !set.has("traces")
  },
  {
    option: "grade",
    problem: 'is "outcome", and `grader` is given too: a row has one reward',
    fix: "Leave out one of them; conduct alone can stand beside a grader, as a marker (`grade: true`).",
    when: ({ values, set }) => values.grade === "outcome" && set.has("grader")
  },
  {
    option: "advanced.mutateGradedFailures",
    problem: "is true, and there is no grader whose failures could be mutated",
    fix: "Give `grader`, or leave it out.",
    when: ({ values, set, graded }) => values.advanced?.mutateGradedFailures === true && !graded && !set.has("grader")
  },
  {
    option: "advanced.mutateGradedFailures",
    problem: "is true, and `advanced.mutateFailures: false` turns all mutation off",
    fix: "Leave out one of them.",
    when: ({ values: { advanced } }) => advanced?.mutateGradedFailures === true && advanced.mutateFailures === false
  },
  {
    option: "checkpoint",
    problem: "and `output` name different files: a checkpoint is its own output",
    fix: "Leave out `output`.",
    when: ({ values: { checkpoint, output } }) =>
      checkpoint !== undefined && output !== undefined && checkpoint !== output
  },
  {
    option: "checkpoint",
    problem: "and `overwrite` are both given: one resumes the file, the other replaces it",
    fix: "Leave out one of them.",
    when: ({ values }) => values.checkpoint !== undefined && values.overwrite === true
  },
  {
    option: "backend",
    problem: "and `agent` are both given, and both say who the agent is",
    fix: "Leave out one of them.",
    when: ({ set }) => set.has("backend") && set.has("agent")
  },
  {
    ...samplingRefused,
    when: ({ set, roles: { agent } }) =>
      set.has("sampling") &&
      (agent._tag === "Hosted" || agent._tag === "Spec" || (agent._tag === "Service" && agent.service.kind === "model"))
  },
  {
    option: "costBudget",
    problem: "caps US dollars, and nothing says what tokens cost",
    fix: 'Give `advanced.prices`, such as { "gpt-4.1-mini": { input: 0.4, output: 1.6 } }, or use `tokenBudget`.',
    when: ({ values }) => values.costBudget !== undefined && Object.keys(values.advanced?.prices ?? {}).length === 0
  },
  {
    option: "minUserTurns",
    problem: "is more than `maxTurns`",
    fix: "Give a `minUserTurns` of at most `maxTurns`.",
    when: ({ values: { minUserTurns, maxTurns } }) =>
      minUserTurns !== undefined && maxTurns !== undefined && minUserTurns > maxTurns
  },
  {
    option: "advanced.faultPlan",
    problem: "plans failures, and `faultRate: 0` allows none",
    fix: "Leave out one of them.",
    when: ({ values }) => values.faultRate === 0 && (values.advanced?.faultPlan?.length ?? 0) > 0
  }
]

export const conflictIssues = (given: Given): ReadonlyArray<OptionIssue> =>
  conflicts.filter(({ when }) => when(given)).map(({ option, problem, fix }) => ({ option, problem, fix }))
