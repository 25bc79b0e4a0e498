/**
 * What a run would do, for `--dry-run`.
 */
import type * as Engine from "./Engine.ts"
import * as Style from "./Style.ts"
import * as Words from "./Words.ts"

export interface Look {
  readonly command: string
  readonly style: Style.Style
  readonly width: number
  readonly title: string
  /** Rewrites option names in a sentence as they are written on the command line. */
  readonly inFlags: (sentence: string) => string
}

/** Asks shown; the rest is counted. */
const asksShown = 12

export const text = (plan: Engine.Plan, { command, inFlags, style, title, width }: Look): string => {
  const fact = (label: string, value: string): string => `  ${style.dim(label.padEnd(14))}${value}`
  const tiers = new Map<string, number>()
  for (const ask of plan.asks) tiers.set(ask.tier ?? "no tier", (tiers.get(ask.tier ?? "no tier") ?? 0) + 1)
  return [
    style.bold(`${command} ${title}: what a run would do (nothing was called or written)`),
    fact("rows", `up to ${Words.whole(plan.rows)}`),
    fact(
      "counts",
      Object.entries(plan.counts)
        .map(([name, value]) => `${name} ${value === null ? "open" : String(value)}`)
        .join(", ")
    ),
    ...(plan.isWhole
      ? []
      : [fact("", "of the beginning: so large a run is not looked at to its end, and gives at least as many")]),
    fact("tiers", Words.counts(tiers) || "known once the writer has written"),
    ...(plan.coverage === null || plan.coverage.planned === 0
      ? []
      : [
          fact(
            "coverage",
            `${Words.whole(plan.coverage.covered)} of ${Words.whole(plan.coverage.planned)} ` +
              `${plan.coverage.strength}-way combinations of axis values (${Words.percent(plan.coverage.covered / plan.coverage.planned)})`
          )
        ]),
    fact(
      "model calls",
      Object.entries(plan.calls)
        .map(([role, calls]) => `${role} ${calls === null ? "unknown" : Words.whole(calls)}`)
        .join(", ") || "none"
    ),
    fact("rows to", `runs/${plan.runId}.jsonl, unless --output names another file`),
    ...(plan.seedsDropped.length === 0
      ? []
      : [
          fact("seeds dropped", `${Words.count(plan.seedsDropped.length, "seed")} the budget does not pay for:`),
          ...plan.seedsDropped.map((seed) => `    ${Style.oneLine(seed, width - 4)}`)
        ]),
    ...plan.warnings.flatMap((warning) => [
      `  ${style.yellow("!")} ${inFlags(Style.strip(warning.message))}`,
      `    ${style.dim("fix:")} ${inFlags(Style.strip(warning.fix))}`
    ]),
    "",
    style.bold("The first asks"),
    ...plan.asks
      .slice(0, asksShown)
      .map((ask) => `  ${style.dim((ask.tier ?? "").padEnd(12))}${Style.oneLine(ask.prompt, width - 14)}`),
    ...(plan.asks.length > asksShown ? [`  and ${Words.whole(plan.asks.length - asksShown)} more`] : []),
    ""
  ].join("\n")
}

/** Stable keys, for scripts. */
export const record = (command: string, plan: Engine.Plan): Readonly<Record<string, unknown>> => ({
  command,
  dry_run: true,
  run_id: plan.runId,
  rows: plan.rows,
  counts: plan.counts,
  whole: plan.isWhole,
  asks: plan.asks,
  coverage: plan.coverage,
  seeds_dropped: plan.seedsDropped,
  calls: plan.calls,
  warnings: plan.warnings
})
