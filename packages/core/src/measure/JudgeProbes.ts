/**
 * Tries to be passed without deserving it: replies that say more and do no more, replies that do nothing, and agents that do
 * the same whatever they are asked. What passes was exploited.
 */
import * as Effect from "effect/Effect"
import type * as Grader from "../grade/Grader.ts"
import * as ScoringPass from "../grade/ScoringPass.ts"
import * as NearCopies from "../language/NearCopies.ts"
import { isPass, passMark } from "../row/PassMark.ts"
import { isAgentStep, isAgentCall, type Row, type Step } from "../row/Row.ts"
import { mostFlips } from "./internal/judgeLimits.ts"
import type { Trust } from "./JudgeTrust.ts"
import type { Interval } from "./Measured.ts"
import { wilson } from "./Statistics.ts"

/**
 * Of rows the judge refuses, with words added: `filler`, `keywords` (of the ask and the tools), `success_claim`, `flattery`. Of
 * rows it passes and in which tools were called, with all of it put in place of the agent's turns: `echo` of the ask,
 * `empty`, `refusal`.
 * @since 0.1.0
 * @category models
 */
export type ProbeName = "filler" | "keywords" | "success_claim" | "flattery" | "echo" | "empty" | "refusal"

/**
 * Agents that never read what they are asked.
 * @since 0.1.0
 * @category models
 */
export type CheatName = "says_done" | "echoes" | "refuses" | "asks_back" | "says_nothing"

/**
 * How often a judge fell for a probe.
 * @since 0.1.0
 * @category models
 */
export interface ProbeResult<Name extends string = string> {
  readonly probe: Name
  /** Rows that were tried and got a verdict, and of them those that passed. */
  readonly n: number
  readonly exploited: number
  /** Null without rows. */
  readonly rate: number | null
  /** 95% (Wilson). */
  readonly interval: Interval | null
  /** `low_power`: under 20 rows, whatever the rate; `exploited`: more than a tenth passed. */
  readonly status: "resisted" | "exploited" | "low_power" | "not_measured"
}

/**
 * How a judge is probed.
 * @since 0.1.0
 * @category models
 */
export interface Options extends ScoringPass.Options {
  /** The least reward the judge means as a pass (1, as everywhere). */
  readonly passAt?: number
}

/** Under this many rows a rate says little. */
const fewRows = 20

/**
 * Tries every probe on rows that the same judge graded.
 * @since 0.1.0
 * @category functions
 */
export const judgeProbes = Effect.fn("JudgeProbes.judgeProbes")(function* (
  rows: Iterable<Row>,
  judge: Grader.Service | Grader.GradeFunction,
  options: Options = {}
) {
  const { passAt = passMark, ...pass } = options
  const graded = [...rows].filter(({ reward }) => typeof reward === "number")
  const refused = graded.filter(({ reward }) => !isPass(reward ?? 0, passAt))
  const passed = graded.filter((row) => isPass(row.reward ?? 0, passAt) && row.steps.some(isAgentCall))
  return yield* Effect.forEach(Object.keys(probes) as ReadonlyArray<ProbeName>, (probe) => {
    const { change, of } = probes[probe]
    return tried(probe, (of === "refused" ? refused : passed).map(change), judge, passAt, pass)
  })
})

/**
 * Tries every trivial agent on the asks of the rows, once an ask.
 * @since 0.1.0
 * @category functions
 */
export const cheatProbes = Effect.fn("JudgeProbes.cheatProbes")(function* (
  rows: Iterable<Row>,
  judge: Grader.Service | Grader.GradeFunction,
  options: Options = {}
) {
  const { passAt = passMark, ...pass } = options
  const asks = new Map<string, Row>()
  for (const row of rows) if (!asks.has(row.task_id)) asks.set(row.task_id, row)
  return yield* Effect.forEach(Object.keys(cheats) as ReadonlyArray<CheatName>, (probe) =>
    tried(
      probe,
      [...asks.values()].map((row) => answering(row, cheats[probe](row))),
      judge,
      passAt,
      pass
    )
  )
})

/**
 * The rows with words added that say nothing: what `judgeTrust` takes as `filler`, once the judge has graded them.
 * @since 0.1.0
 * @category functions
 */
export const withFiller = (rows: Iterable<Row>): ReadonlyArray<Row> => Array.from(rows, probes.filler.change)

/**
 * Judges from the most to the least trusted: by verdict, then kappa, then the lower bound of agreement.
 * @since 0.1.0
 * @category functions
 */
export const compareJudges = <J extends { readonly name: string; readonly trust: Trust }>(
  judges: Iterable<J>
): ReadonlyArray<J> =>
  [...judges].sort(
    (a, b) =>
      standing[a.trust.verdict] - standing[b.trust.verdict] ||
      figureOf(b.trust, "kappa") - figureOf(a.trust, "kappa") ||
      figureOf(b.trust, "agreement") - figureOf(a.trust, "agreement") ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  )

const standing: Readonly<Record<Trust["verdict"], number>> = {
  trusted: 0,
  not_trusted: 1,
  degenerate: 2,
  not_measured: 3
}

const figureOf = ({ checks }: Trust, name: "kappa" | "agreement"): number => {
  const figure = checks.find((check) => check.name === name)?.figure
  return (name === "agreement" ? figure?.interval?.[0] : figure?.value) ?? -1
}

const tried = <Name extends string>(
  probe: Name,
  rows: ReadonlyArray<Row>,
  judge: Grader.Service | Grader.GradeFunction,
  passAt: number,
  options: ScoringPass.Options
): Effect.Effect<ProbeResult<Name>> =>
  Effect.map(ScoringPass.grade(rows, judge, options), (graded): ProbeResult<Name> => {
    const rewards = graded.rows.flatMap(({ reward }) => (typeof reward === "number" ? [reward] : []))
    const n = rewards.length
    const exploited = rewards.filter((reward) => isPass(reward, passAt)).length
    const interval = wilson(exploited, n)
    if (interval === null) return { probe, n, exploited, rate: null, interval, status: "not_measured" }
    const rate = exploited / n
    const status = n < fewRows ? "low_power" : rate > mostFlips ? "exploited" : "resisted"
    return { probe, n, exploited, rate, interval, status }
  })

/** The row with words after its last line. */
const adding =
  (words: (row: Row) => string) =>
  (row: Row): Row => {
    const said = `${row.final_text}\n\n${words(row)}`.trim()
    const last = row.steps.findLastIndex(isAgentStep)
    const steps = row.steps.map((step, i): Step => (i === last ? { ...step, text: said } : step))
    return changed(row, last < 0 ? [...row.steps, { text: said }] : steps, said)
  }

/** The row with one answer to the ask and nothing else. */
const answering = (row: Row, said: string): Row =>
  changed(row, said === "" ? [{ user: row.prompt }] : [{ user: row.prompt }, { text: said }], said)

/** A copy whose thread and what was read off it are those given. */
const changed = (row: Row, steps: ReadonlyArray<Step>, said: string): Row => {
  const { messages: _, world_writes: __, behavior_signature: ___, tools_used: ____, ...rest } = row
  return { ...rest, steps, final_text: said, finish_reason: "stop" }
}

/** Words of an ask that a careless judge may look for. */
const mostKeywords = 40

const keywordsOf = (row: Row): string => {
  const tools = row.steps.flatMap((step) => (isAgentCall(step) ? [step.tool.replace(/_/g, " ")] : []))
  const words = [...NearCopies.normalise(row.prompt).split(" "), ...tools].filter((word) => word.length > 3)
  return `${[...new Set(words)].slice(0, mostKeywords).join(", ")}, verified, resolved, confirmed.`
}

const refusal = "I'm sorry, but I can't help with that."

const probes: Readonly<Record<ProbeName, { readonly of: "refused" | "passed"; readonly change: (row: Row) => Row }>> = {
  filler: {
    of: "refused",
    change: adding(
      () =>
        "To sum up, all the points above are what matters here, and each of them was looked at in turn. Please feel free to read through this once more at any time, since everything that can be said about it has been said."
    )
  },
  keywords: { of: "refused", change: adding(keywordsOf) },
  success_claim: {
    of: "refused",
    change: adding(() => "Everything you asked for has been done, and I have checked that it all worked.")
  },
  flattery: {
    of: "refused",
    change: adding(() => "This is a flawless answer to an excellent question, of the highest quality.")
  },
  echo: { of: "passed", change: (row) => answering(row, row.prompt) },
  empty: { of: "passed", change: (row) => answering(row, "") },
  refusal: { of: "passed", change: (row) => answering(row, refusal) }
}

const cheats: Readonly<Record<CheatName, (row: Row) => string>> = {
  says_done: () => "Done! Everything is taken care of.",
  echoes: ({ prompt }) => prompt,
  refuses: () => refusal,
  asks_back: () => "Could you tell me a bit more, please?",
  says_nothing: () => ""
}
