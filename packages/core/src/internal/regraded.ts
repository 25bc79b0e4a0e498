/**
 * What a run says of itself after its rows were graded anew.
 */
import * as Grader from "../grade/Grader.ts"
import { failuresIn, type Counts } from "../grade/ScoringPass.ts"
import * as Row from "../row/Row.ts"
import type { RunMeta } from "../row/RunMeta.ts"
import * as SearchReport from "../row/SearchReport.ts"
import { degraded, noReferences, type DegradedCode, type Warning } from "../row/Warning.ts"

/** What the graded rows come to. */
export interface Figures {
  /** Rewards of 1, under 0.5, and between. */
  readonly passes: number
  readonly failures: number
  readonly partials: number
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
  return {
    add: (rows: ReadonlyArray<Row.Row>): void => {
      Row.addToDigest(digest, rows)
      for (const { model_version, reward } of rows) {
        if (reward === 1) sums.passes += 1
        else if (Grader.isGradedFailure(reward)) sums.failures += 1
        else if (typeof reward === "number") sums.partials += 1
        sums.ownModel ||= model_version === judge
      }
    },
    figures: (): Figures => ({ ...sums, digest: digest.hex() })
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
    report: meta.report === null ? null : { ...meta.report, models: { ...meta.report.models, judge } },
    degraded: degradedOf(meta.degraded, told),
    warnings: told,
    rows_digest: figures.digest
  }
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
