/**
 * The summary of a run on a terminal: what a person who improves an agent wants to know, in the order they ask it.
 */
import type * as Answer from "./Answer.ts"
import type * as Digest from "./Digest.ts"
import * as Style from "./Style.ts"
import * as Words from "./Words.ts"

export interface Look {
  readonly style: Style.Style
  readonly width: number
  /** Rewrites names in a sentence of the library as they are here: options as flags, files by their paths. */
  readonly inFlags: (sentence: string) => string
  /** Commands worth running next, each with what it is for. */
  readonly next: ReadonlyArray<{ readonly purpose: string; readonly command: string }>
}

export const text = (digest: Digest.Digest, look: Look): string =>
  [facts(digest, look), failures(digest, look), tools(digest, look), warnings(digest, look), whereabouts(digest, look)]
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n")
    .concat("\n")

/** How many ways to fail were seen, when, and how many there may be beside them. */
const waysToFail = ({ count, list, remaining }: NonNullable<Digest.Digest["distinct_failures"]>): string => {
  const first = list.slice(0, firstShown).map(({ first_task }) => String(first_task))
  const seen = `${Words.count(count, "way")} to fail, first seen in task ${first.join(", ")}${list.length > firstShown ? ", ..." : ""}`
  if (remaining === null) return seen
  const [, most] = remaining.interval
  return `${seen}; about ${Words.whole(remaining.estimate)} more not seen (0 to ${Words.whole(most)})`
}
const firstShown = 8

/** Failures listed; the rest is counted. */
const failuresShown = 6

type Section = ReadonlyArray<string>

const facts = (digest: Digest.Digest, look: Look): Section => {
  const { style } = look
  const { rollouts } = digest
  const fresh = digest.rows - digest.resumed
  const speed = digest.elapsed > 0 && fresh > 0 ? ` (${(fresh / digest.elapsed).toFixed(1)} rows/s)` : ""
  const short = digest.rows < digest.requested_rows && !finished.has(digest.stopped_because)
  const fact = Words.factIn(style)
  return [
    style.bold(`${digest.command} ${digest.agent}`),
    fact(
      "rows",
      `${(short ? style.yellow : style.green)(`${Words.whole(digest.rows)} of ${Words.whole(digest.requested_rows)}`)} · ` +
        (digest.resumed > 0 ? `${Words.whole(digest.resumed)} were there already · ` : "") +
        `${Words.count(digest.situations, "situation")}, ${Words.count(digest.tasks, "task")} · ` +
        `${Words.elapsed(digest.elapsed)}${speed}`
    ),
    fact("stopped", `${Words.stopReason(digest.stopped_because)}${style.dim(` (${digest.stopped_because})`)}`),
    fact(
      "lost",
      rollouts.lost === 0
        ? "none"
        : style.yellow(
            `${Words.whole(rollouts.lost)} of ${Words.count(rollouts.requested, "rollout")}: ` +
              Words.counts(Object.entries(rollouts.lost_by))
          )
    ),
    ...(digest.rows === 0 ? [] : delivered(digest, look))
  ]
}

/** What rows tell; there is nothing to say of none. */
const delivered = (digest: Digest.Digest, { style }: Look): Section => {
  const { change, coverage, faults, pass, reward, tier_mix } = digest
  const strict = pass.lost_as_failures
  const half = Words.halfCredit(reward.fractional, pass.pass_mark)
  const fact = Words.factIn(style)
  const arms = Object.entries(digest.pass_by_arm).filter(([, arm]) => arm.pass_at_1 !== null)
  return [
    ...(reward.graded === 0
      ? [
          fact(
            "graded",
            reward.errors > 0
              ? style.red(
                  `no row: the grader gave no reward for ${Words.whole(reward.errors)} of ${Words.whole(reward.of)}`
                )
              : "no row: add --grade for the conduct grade, --grade outcome, or a grader in the agent file"
          )
        ]
      : [
          fact(
            "pass rate",
            pass.pass_at_1 === null
              ? "none"
              : `${style.bold(Words.percent(pass.pass_at_1))}${Words.within(pass.pass_at_1_interval)} over ` +
                  `${Words.over(pass)}${Words.alike(pass.pass_at_1, pass.tasks, pass.pass_at_1_interval)}` +
                  (strict.lost === 0 ? "" : ", lost rollouts left out")
          ),
          ...(strict.lost === 0 || strict.pass_at_1 === null
            ? []
            : [
                fact(
                  "",
                  `${style.bold(Words.percent(strict.pass_at_1))}${Words.within(strict.pass_at_1_interval)} over ` +
                    `${Words.of(strict.tasks, strict.tasks_of, "task")}, the ${Words.whole(strict.lost)} lost as failures`
                )
              ]),
          fact("by", Words.gradersOf(reward.by)),
          ...runs(digest).map(([label, line]) => fact(label, line)),
          ...(change === null
            ? []
            : [
                fact(
                  "before",
                  `${Words.percent(change.before)} -> after ${Words.percent(change.after)} over ` +
                    `${Words.of(change.tasks, change.tasks_of, "task")} both ran` +
                    `${change.source === null ? "" : ` (before: ${change.source})`}`
                )
              ]),
          ...(arms.length < 2
            ? []
            : [
                fact(
                  "by arm",
                  arms
                    .map(([name, arm]) => `${name} ${Words.percent(arm.pass_at_1 ?? 0)} (${Words.over(arm)})`)
                    .join(", ")
                )
              ]),
          fact(
            "reward",
            `mean ${(reward.mean ?? 0).toFixed(3)}${reward.fractional === 0 ? "" : " with half credit"}, ` +
              `graded ${Words.whole(reward.graded)} of ${Words.count(reward.of, "row")}` +
              (half === "" ? "" : `; ${half}`) +
              (reward.errors === 0 ? "" : `; the grader gave none for ${Words.whole(reward.errors)}`) +
              (reward.structural_only === 0
                ? ""
                : `; ${Words.whole(reward.structural_only)} by structural rules alone (no word table fits their words)`)
          )
        ]),
    ...(digest.distinct_failures === null || digest.distinct_failures.count === 0
      ? []
      : [fact("failures", waysToFail(digest.distinct_failures))]),
    ...(tier_mix === null || tier_mix.drawn === null
      ? []
      : [
          fact(
            "hard share",
            `${Words.percent(tier_mix.asked)} asked, ` +
              `${Words.percent(tier_mix.drawn)} drawn · situations: ` +
              (["ordinary", "ambiguous", "boundary", "adversarial"] as const)
                .map((tier) => `${tier} ${Words.whole(tier_mix.situations[tier])}`)
                .join(", ")
          )
        ]),
    fact(
      "faults",
      faults.planned === 0
        ? "none planned"
        : `planned in ${Words.count(faults.planned, "row")}, met in ${Words.whole(faults.fired)}, ` +
            `recovered in ${Words.whole(faults.recovered)}`
    ),
    ...(coverage === null || coverage.fraction === null
      ? []
      : [
          fact(
            "coverage",
            `${Words.percent(coverage.fraction)} of ${Words.whole(coverage.planned)} ` +
              `${coverage.strength === 2 ? "pairs" : `${coverage.strength}-way tuples`} of axis values` +
              (coverage.rows_to_cover === 0
                ? ""
                : `; about ${Words.count(coverage.rows_to_cover, "more row")} would cover the rest`)
          )
        ]),
    ...spending(digest).map((line) => fact("tokens", line))
  ]
}

/** A line per eval run and one for how far they lie apart. */
const runs = ({ eval_runs }: Digest.Digest): ReadonlyArray<readonly [string, string]> => {
  if (eval_runs === null) return []
  const rates = eval_runs.runs.flatMap(({ pass_at_1 }) => (pass_at_1 === null ? [] : [pass_at_1]))
  return [
    ...eval_runs.runs.map(({ eval_run, ...run }): readonly [string, string] => [
      `run ${eval_run}`,
      `${run.pass_at_1 === null ? "not graded" : Words.percent(run.pass_at_1)} over ${Words.over(run)}`
    ]),
    ...(eval_runs.run_std === null
      ? []
      : [
          [
            "spread",
            eval_runs.run_std < 1e-12
              ? "none: the runs have one pass rate"
              : `${Words.percent(Math.min(...rates))} to ${Words.percent(Math.max(...rates))}, ` +
                `standard deviation ${Words.points(eval_runs.run_std)}`
          ] as const
        ])
  ]
}

/** Stops at which fewer rows than the ceiling are all that was wanted. */
const finished: ReadonlySet<string> = new Set(["situations_exhausted", "tasks_done", "saturation"])

export const spending = (digest: Pick<Digest.Digest, "usage" | "cost">): Section => {
  const roles = Object.entries(digest.usage).flatMap(([role, usage]) =>
    usage.input === null && usage.output === null
      ? []
      : [`${role} ${Words.short(usage.input ?? 0)} in, ${Words.short(usage.output ?? 0)} out`]
  )
  if (roles.length === 0) return []
  const priced = Object.entries(digest.cost).flatMap(([role, amount]) => (amount === null ? [] : [{ role, amount }]))
  if (priced.length === 0) return [roles.join(" · ")]
  const total = Words.dollars(priced.reduce((sum, { amount }) => sum + amount, 0))
  const whose =
    priced.length < roles.length ? ` for ${priced.map(({ role }) => role).join(", ")}; the rest has no price` : ""
  return [`${roles.join(" · ")} · ${total}${whose}`]
}

/** What lost reward, the commonest kind as it went. */
export const failures = (digest: Pick<Digest.Digest, "failures">, { style, width }: Answer.Look): Section => {
  if (digest.failures.length === 0) return []
  const shown = digest.failures.slice(0, failuresShown)
  const rest = digest.failures.slice(failuresShown)
  const indent = " ".repeat(8)
  return [
    style.bold("What lost reward"),
    ...shown.flatMap(({ example, failure_class, rows }, index) => [
      `  ${Words.whole(rows).padStart(4)}  ${style.red(failure_class)}`,
      ...(example.reason === null ? [] : wrapped(Style.strip(example.reason), width, indent)),
      // The commonest one is shown as it went, so that nobody has to open the file to see what it is about.
      ...(index === 0
        ? [
            `${indent}${style.dim(`${example.row_id}:`)}`,
            ...example.thread.map(
              (line) => `${indent}  ${Style.oneLine(line, Math.max(30, width - indent.length - 2))}`
            )
          ]
        : [
            `${indent}${style.dim(Style.oneLine(`${example.row_id}: ${example.prompt}`, Math.max(30, width - indent.length)))}`
          ])
    ]),
    ...(rest.length === 0
      ? []
      : [
          `  and ${Words.count(rest.length, "rarer kind")}: ${Words.counts(rest.map((f) => [f.failure_class, f.rows]))}`
        ])
  ]
}

/** A line per tool. */
export const tools = (
  digest: Pick<Digest.Digest, "tools" | "rows" | "dead_tools" | "failing_writes">,
  { style }: Answer.Look
): Section => {
  const names = Object.keys(digest.tools)
  if (names.length === 0 || digest.rows === 0) return []
  const dead = new Set(digest.dead_tools)
  const failing = new Set(digest.failing_writes)
  const table = names.map((name) => {
    const tool = digest.tools[name] ?? { calls: 0, ok: 0, faults_planned: 0, faults_fired: 0 }
    return [name, tool.calls, tool.ok, tool.faults_planned, tool.faults_fired].map((cell) =>
      typeof cell === "number" ? Words.whole(cell) : Style.oneLine(cell, 40)
    )
  })
  const heads = ["tool", "calls", "ok", "rows with faults", "calls that met one"]
  const widths = heads.map((head, column) => Math.max(head.length, ...table.map((row) => (row[column] ?? "").length)))
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
  return [
    `  ${style.dim(line(heads))}`,
    ...table.map((row, index) => {
      const written = `  ${line(row)}`
      const name = names[index] ?? ""
      if (dead.has(name)) return `${style.red(written)}  almost never answers`
      return failing.has(name) ? `${style.yellow(written)}  mostly failed, though most rows passed` : written
    })
  ]
}

export const warnings = (
  digest: Pick<Digest.Digest, "warnings">,
  { inFlags, style, width }: Pick<Look, "inFlags" | "style" | "width">
): Section =>
  digest.warnings.flatMap((warning) => [
    ...wrapped(`${style.yellow("!")} ${inFlags(Style.strip(warning.message))}`, width, "  "),
    ...wrapped(`${style.dim("fix:")} ${inFlags(Style.strip(warning.fix))}`, width, "    ")
  ])

const whereabouts = (digest: Digest.Digest, { next, style }: Look): Section => [
  ...(digest.output === null || digest.rows === 0
    ? []
    : [`${style.dim("rows".padEnd(Words.labelWidth))}${digest.output}`]),
  ...(digest.lost_rollouts === null ? [] : [`${style.dim("lost".padEnd(Words.labelWidth))}${digest.lost_rollouts}`]),
  ...nextLines(next, style)
]

/** What to do next, a command below each purpose. */
export const nextLines = (next: Look["next"], style: Style.Style): Section =>
  next.map(
    ({ command, purpose }, index) =>
      `${style.dim((index === 0 ? "next" : "").padEnd(Words.labelWidth))}${purpose}:\n${" ".repeat(Words.labelWidth)}${style.cyan(command)}`
  )

/** Words on as many lines as they need, each indented; a first line may hang out to the left by its mark. */
export const wrapped = (sentence: string, width: number, indent: string): Section => {
  const lines: Array<string> = []
  let line = ""
  for (const word of sentence.split(/\s+/)) {
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line)
      line = `  ${word}`
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, indent + line]
}
