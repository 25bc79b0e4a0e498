/**
 * What is counted while a run goes on, so that its summary needs nothing of what has passed.
 */
import type { Verdict } from "../grade/Grader.ts"
import { isUndecided, lacksReference } from "../grade/internal/answer.ts"
import type * as Language from "../language/Language.ts"
import type { CompletedRollout, FailedRollout } from "../rollout/Rollout.ts"
import type { Row } from "../row/Row.ts"
import * as DistinctFailures from "../report/DistinctFailures.ts"
import * as Tally from "../report/Tally.ts"
import type { Grid } from "../situation/Axes.ts"
import type { WriterFailed } from "../situation/SituationWriter.ts"
import type { Tool } from "../task/Tool.ts"

/** How conversations went. */
export interface Threads {
  /** Rows whose thread ended on the agent's question, and those of them that the person left. */
  readonly endedOnQuestion: number
  readonly userLeft: number
  readonly followupMisses: number
}

export interface Counters {
  readonly tally: Tally.Tally
  readonly all: Threads
  /** By eval run. */
  readonly runs: ReadonlyArray<Threads>
  /** The first cause of each reason a rollout was lost for. */
  readonly firstLoss: ReadonlyMap<string, string>
  /** Verdicts without a reward because the grader failed or answered nothing usable, by eval run too. */
  readonly graderErrors: { readonly count: number; readonly first: string; readonly byRun: ReadonlyMap<number, number> }
  /** Verdicts without a reward because there was no reference to grade by. */
  readonly noReferences: number
  /** Ways in which rows failed, and whether any row has a reward. */
  readonly failures: DistinctFailures.Counter
  readonly graded: boolean
  /** Asks the template writer wrote because the caller's writer gave none. */
  readonly fallback: { readonly asks: number; readonly detail: string } | null
  /** The first time no writer wrote. */
  readonly writerFailure: WriterFailed | null
}

/** The counters of a running run: the same figures, and how they change. */
export class RunCounters implements Counters {
  readonly tally: Tally.Tally
  readonly firstLoss = new Map<string, string>()
  readonly all = noThreads()
  readonly runs: Array<ReturnType<typeof noThreads>> = []
  readonly graderErrors = { count: 0, first: "", byRun: new Map<number, number>() }
  readonly failures = new DistinctFailures.Counter()
  graded = false
  noReferences = 0
  fallback: Counters["fallback"] = null
  writerFailure: WriterFailed | null = null
  /** How often in a row the caller's writer gave nothing. */
  emptyWrites = 0

  private readonly language: Language.Service

  constructor(tools: ReadonlyArray<Tool>, { axes: { axes } }: Grid, language: Language.Service) {
    this.language = language
    this.tally = Tally.make(tools, Object.fromEntries(axes.map(({ name, values }) => [name, values])))
  }

  finished(
    { endedOnQuestion, followupMisses, row }: Pick<CompletedRollout, "endedOnQuestion" | "followupMisses" | "row">,
    evalRun: number
  ): void {
    for (const threads of [this.all, (this.runs[evalRun] ??= noThreads())]) {
      if (endedOnQuestion) threads.endedOnQuestion += 1
      if (row.ended_by === "user_left") threads.userLeft += 1
      threads.followupMisses += followupMisses
    }
  }

  lost({ detail, reason }: Pick<FailedRollout, "detail" | "reason">): void {
    if (!this.firstLoss.has(reason)) this.firstLoss.set(reason, detail)
  }

  judged(verdict: Verdict, evalRun: number): void {
    const { meta, reason, status } = verdict
    if (status === "ok") return
    if (lacksReference(verdict)) {
      this.noReferences += 1
      return
    }
    if (isUndecided(verdict)) return
    const errors = this.graderErrors
    if (errors.count === 0) errors.first = String(reason ?? meta["cause"] ?? status)
    errors.count += 1
    errors.byRun.set(evalRun, (errors.byRun.get(evalRun) ?? 0) + 1)
  }

  fellBack(asks: number, detail: string): void {
    this.fallback = { asks: (this.fallback?.asks ?? 0) + asks, detail: this.fallback?.detail ?? detail }
  }

  writerFailed(error: WriterFailed): void {
    this.writerFailure ??= error
  }

  /** `order`: the place of the row's task in the run, from 0. */
  landed(row: Row, order: number): void {
    this.tally.add(row)
    this.graded ||= typeof row.reward === "number"
    this.failures.add(row, order)
  }

  /** A row that landed in an earlier call of the run. */
  recalled(row: Row, order: number, withPerson: boolean, graded: boolean): void {
    const endedOnQuestion =
      withPerson && row.ended_by !== "agent_done" && this.language.dialogueActs.asks(row.final_text)
    this.finished({ endedOnQuestion, followupMisses: 0, row }, row.lineage?.eval_run ?? 0)
    const { judge_meta: meta = {}, judge_status: status, reason, reward = null } = row
    if (graded && status !== undefined)
      this.judged({ status, reward, meta, ...(reason === undefined ? {} : { reason }) }, row.lineage?.eval_run ?? 0)
    this.landed(row, order)
  }
}

const noThreads = () => ({ endedOnQuestion: 0, userLeft: 0, followupMisses: 0 })
