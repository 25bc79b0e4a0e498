/**
 * What a run says of itself after its rows were graded anew.
 */
import * as Grader from "../grade/Grader.ts"
import type { Graded } from "../grade/ScoringPass.ts"
import * as Row from "../row/Row.ts"
import type { RunMeta } from "../row/RunMeta.ts"
import * as SearchReport from "../row/SearchReport.ts"
import { degraded, type DegradedCode, type Warning } from "../row/Warning.ts"

/** The meta of the graded rows: the grader's figures, digest and warnings are those of this pass. */
export const metaOf = (meta: RunMeta, { counts, rows }: Graded, grader: Grader.Service): RunMeta => {
  const search = meta.search ?? SearchReport.empty
  const judge = Grader.identityOf(grader).name
  const errors = counts.rows - counts.scored - counts.truncated
  const warnings = meta.warnings.filter(({ code }) => code !== "judge_errors")
  if (errors > 0) {
    warnings.push(degraded.judge_errors({ errors, rows: counts.rows, first: counts.first_cause ?? "" }))
  }
  const told = withSameModel(warnings, grader.kind === "model" && rows.some((row) => row.model_version === judge))
  return {
    ...meta,
    search: {
      ...search,
      grader: {
        judged_in_loop: search.grader?.judged_in_loop ?? 0,
        judged_after: counts.rows - counts.truncated,
        scored: counts.scored,
        passes: rows.filter(({ reward }) => reward === 1).length,
        failures: rows.filter(({ reward }) => Grader.isGradedFailure(reward)).length,
        partials: rows.filter(({ reward }) => typeof reward === "number" && reward >= 0.5 && reward < 1).length,
        unjudged: counts.rows - counts.scored,
        errors
      }
    },
    report: meta.report === null ? null : { ...meta.report, models: { ...meta.report.models, judge } },
    degraded: degradedOf(meta.degraded, told),
    warnings: told,
    rows_digest: Row.digest(rows)
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
