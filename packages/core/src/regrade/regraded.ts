/**
 * What a run says of itself after its rows were graded anew.
 */
import * as Schema from "effect/Schema"
import * as Grader from "../grade/Grader.ts"
import { failuresIn, type Counts } from "../grade/ScoringPass.ts"
import * as Usage from "../model/Usage.ts"
import { isPass } from "../row/PassMark.ts"
import type { Report, RoleUsage } from "../report/Report.ts"
import * as Row from "../row/Row.ts"
import type { RunMeta } from "../report/RunMeta.ts"
import * as SearchReport from "../report/SearchReport.ts"
import { degraded, noReferences, type DegradedCode, type Warning } from "../report/Warning.ts"

/** What the graded rows come to. */
export interface Figures {
  /** Rewards of 1, under 0.5, and between. */
  readonly passes: number
  readonly failures: number
  readonly partials: number
  /** What the judge of this pass used, as its verdicts tell; null when none does. */
  readonly spent: RoleUsage | null
  /** Whether the agent of any row is the model that judged. */
  readonly ownModel: boolean
  /** `Row.digest` of them. */
  readonly digest: string
}

/** Figures of rows that come bit by bit. */
export const counting = (grader: Grader.Service) => {
  const judge = Grader.identityOf(grader).name
  const digest = Row.makeDigest()
  const sums = { passes: 0, failures: 0, partials: 0, ownModel: false }
  let spent: RoleUsage | null = null
  return {
    add: (rows: ReadonlyArray<Row.Row>): void => {
      Row.addToDigest(digest, rows)
      for (const { judge_meta, model_version, reward } of rows) {
        if (typeof reward === "number" && isPass(reward)) sums.passes += 1
        else if (Grader.isGradedFailure(reward)) sums.failures += 1
        else if (typeof reward === "number") sums.partials += 1
        sums.ownModel ||= model_version === judge
        spent = together(spent, spentFor(judge_meta))
      }
    },
    figures: (): Figures => ({ ...sums, spent, digest: digest.hex() })
  }
}

/** The meta of the graded rows: the grader's figures, digest and warnings are those of this pass. */
export const metaOf = (
  meta: RunMeta,
  { counts, figures }: { readonly counts: Counts; readonly figures: Figures },
  grader: Grader.Service
): RunMeta => {
  const search = meta.search ?? SearchReport.empty
  const judge = Grader.identityOf(grader).name
  const errors = failuresIn(counts)
  const warnings = meta.warnings.filter(({ code }) => code !== "judge_errors" && code !== "no_references")
  if (errors > 0) {
    warnings.push(degraded.judge_errors({ errors, rows: counts.rows, first: counts.first_cause ?? "" }))
  }
  if (counts.no_reference > 0) warnings.push(noReferences({ without: counts.no_reference, rows: counts.rows }))
  const told = withSameModel(warnings, grader.kind === "model" && figures.ownModel)
  return {
    ...meta,
    search: {
      ...search,
      grader: {
        judged_in_loop: search.grader?.judged_in_loop ?? 0,
        judged_after: counts.rows - counts.truncated,
        scored: counts.scored,
        passes: figures.passes,
        failures: figures.failures,
        partials: figures.partials,
        unjudged: counts.rows - counts.scored,
        errors
      }
    },
    report: meta.report === null ? null : reportOf(meta.report, judge, figures.spent),
    degraded: degradedOf(meta.degraded, told),
    warnings: told,
    rows_digest: figures.digest
  }
}

/** With the tokens of this pass's judge added to what was spent on judging before. What they cost is not known here. */
const reportOf = (report: Report, judge: string, spent: RoleUsage | null): Report => ({
  ...report,
  models: { ...report.models, judge },
  ...(spent !== null && {
    usage: { ...report.usage, judge: together(report.usage["judge"] ?? null, spent) ?? spent },
    cost: { ...report.cost, judge: null }
  })
})

/** What a judge says in `judge_meta` that a verdict took. */
const spentFor = (meta: Row.Row["judge_meta"]): RoleUsage | null => {
  const { requests, usage } = meta ?? {}
  if (!Schema.is(Usage.Usage)(usage)) return null
  const calls = typeof requests === "number" ? requests : 1
  return { ...usage, calls, uncounted: usage.input === null && usage.output === null ? calls : 0 }
}

const together = (a: RoleUsage | null, b: RoleUsage | null): RoleUsage | null =>
  a === null || b === null
    ? (a ?? b)
    : {
        ...Usage.add(a, b),
        calls: a.calls === null || b.calls === null ? null : a.calls + b.calls,
        uncounted: a.uncounted + b.uncounted
      }

/** The warning about one model in several roles, the judge's among them or no longer. */
const withSameModel = (warnings: ReadonlyArray<Warning>, judges: boolean): ReadonlyArray<Warning> => {
  const known = warnings.find(({ code }) => code === "same_model")
  const listed = (key: "roles" | "options"): ReadonlyArray<string> => {
    const figure = known?.figures[key]
    return Array.isArray(figure) ? figure.filter((word: string) => word !== "judge" && word !== judgeOption) : []
  }
  const roles = [...listed("roles"), ...(judges ? ["judge"] : [])]
  const options = [...listed("options"), ...(judges ? [judgeOption] : [])]
  const others = warnings.filter((warning) => warning !== known)
  return roles.length === 0 ? others : [degraded.same_model({ roles, options }), ...others]
}

const judgeOption = "the judge's `model`"

/** The codes that were there and still have a warning, and those that are new. */
const degradedOf = (
  before: ReadonlyArray<DegradedCode>,
  warnings: ReadonlyArray<Warning>
): ReadonlyArray<DegradedCode> => {
  const codes = new Set(warnings.map(({ code }) => code))
  const kept = before.filter((code) => codes.has(code))
  return [...kept, ...regradable.filter((code) => codes.has(code) && !kept.includes(code))]
}

const regradable: ReadonlyArray<DegradedCode> = ["same_model", "judge_errors"]
