/**
 * `sandtable report`: what a run comes to, read from its file.
 */
import type * as PassAt from "@sandtable/core/PassAt"
import * as PassMark from "@sandtable/core/unstable/PassMark"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as BlameText from "../BlameText.ts"
import * as Digest from "../Digest.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Asking from "../page/Asking.ts"
import * as Findings from "../page/Findings.ts"
import * as Next from "../Next.ts"
import * as Rehearsal from "../Rehearsal.ts"
import * as Style from "../Style.ts"
import * as Summary from "../Summary.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "report",
  usage: ["sandtable report <run> [options]"],
  arguments: [["<run>", "a file of rows, or a log in any format that traces import reads"]],
  examples: [
    ["pass rates with their intervals, and what lost reward", "sandtable report runs/before.jsonl"],
    ["pass^4 and pass@4", "sandtable report runs/before.jsonl --k 4"],
    ["a page with plots, rows and threads", "sandtable report runs/before.jsonl --html before.html --open"],
    ["in CI", "sandtable report runs/before.jsonl --gate 0.9 --json"]
  ],
  notes: [
    "Rates are means over tasks. Where the run stopped groups early, pass@1 reads only the rollouts every group got, and the k numbers are bounds.",
    "Exit status: 0 done, 1 under --gate, 2 nothing graded to hold against --gate, 64 refused or unreadable."
  ],
  flags: [
    Flags.own("k", "number", "Rollouts per ask of pass^k and pass@k (those of the run)."),
    Flags.own("exclude", "text", "Arms left out of every figure, such as failure_mutation; several with commas."),
    Flags.own("gate", "number", "Exit with 1 when pass@1, lost rollouts as failures, is below this (0 to 1)."),
    Flags.own("pass-at", "number", "The least reward of a pass (1): what is graded below it is none."),
    ...Asking.flags,
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const k = asked.number("k", { least: 2, whole: true })
    const threshold = asked.number("gate", { least: 0, most: 1 })
    const exclude = Asked.list(asked.text("exclude"))
    const passAt = asked.number("pass-at", { above: 0, most: 1 }) ?? PassMark.passMark
    const wanted = Asking.read(asked)
    yield* asked.checked
    const [path] = yield* Asked.words(page, rest, ["run"])
    const file = wanted === null ? null : yield* Asking.file(wanted, path)
    const findings = yield* Findings.read(path, { ...(k === null ? {} : { k }), exclude, passAt })
    const { pass } = findings
    const gate = threshold === null ? null : Digest.gateOf(threshold, pass)
    const next = nextOf(findings, yield* Invocation.Invocation)
    const written =
      wanted === null || file === null ? null : yield* Asking.write(findings, { ...wanted, file, exclude })
    yield* Answer.give(asked.on("json"), { ...recordOf(findings), gate, page: written, next }, (look) =>
      [text(findings, next, look), ...(written === null ? [] : ["", Asking.text(written)])].join("\n")
    )
    if (gate !== null) yield* Rehearsal.gate(gate, pass.lost.rollouts > 0)
  })

const recordOf = ({ blame, failures, graders, meta, pass, path, structuralOnly, variance }: Findings.Findings) => ({
  command: "report",
  run: path,
  run_id: meta?.run_id ?? null,
  status: meta?.status ?? null,
  stopped_because: meta?.stopped_because ?? null,
  rows: pass.graded.of,
  pass,
  variance,
  structural_only: structuralOnly,
  graders,
  failures,
  blame,
  tools: meta?.report?.tools ?? null,
  dead_tools: meta?.report?.dead_tools ?? null,
  models: meta?.report?.models ?? null,
  usage: meta?.report?.usage ?? null,
  cost: meta?.report?.cost ?? null,
  coverage: meta?.report?.coverage?.fraction ?? null,
  degraded: meta?.degraded ?? [],
  warnings: meta?.warnings ?? []
})

const text = (findings: Findings.Findings, next: Summary.Look["next"], look: Answer.Look): string => {
  const { blame, failures, meta, pass, path } = findings
  const { style } = look
  const report = meta?.report ?? null
  return [
    [style.bold(`report ${path}`), ...facts(findings, look)],
    Summary.failures({ failures }, look),
    blame === null || blame.classes.every(({ findings: found }) => found.length === 0)
      ? []
      : BlameText.lines({ blame, rules: BlameText.rulesOf(meta?.profile.policy ?? "") }, look),
    report === null
      ? []
      : Summary.tools(
          {
            tools: report.tools,
            rows: pass.graded.of,
            dead_tools: report.dead_tools,
            failing_writes: Digest.failingWrites(report, pass.pass_at_1)
          },
          look
        ),
    Summary.warnings(
      { warnings: meta?.warnings ?? [] },
      {
        ...look,
        inFlags: (sentence) =>
          Asked.inFlags(sentence.replaceAll("run.lost.jsonl", path.replace(/\.jsonl$/, ".lost.jsonl")))
      }
    ),
    Summary.nextLines(next, style)
  ]
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n")
}

const facts = ({ graders, meta, pass, structuralOnly, variance }: Findings.Findings, { style, width }: Answer.Look) => {
  const fact = Words.factIn(style)
  const { arms, fractional, graded, lost, notes } = pass
  const half = Words.halfCredit(fractional.rows, pass.pass_mark)
  const asked = Object.entries(arms).filter(([, arm]) => arm.pass_at_1 !== null)
  const means = variance?.runs.flatMap(({ mean }) => (mean === null ? [] : [mean])) ?? []
  return [
    fact(
      "rows",
      `${Words.whole(graded.of)}${meta === null ? "" : ` of run ${meta.run_id}`}` +
        (meta?.status === "running" ? style.yellow(", which was cut off, or still goes on") : "")
    ),
    ...(meta?.stopped_because == null ? [] : [fact("stopped", Words.stopReason(meta.stopped_because))]),
    fact(
      "lost",
      lost.rollouts === 0
        ? "none"
        : style.yellow(`${Words.count(lost.rollouts, "rollout")}: ${Words.counts(Object.entries(lost.lost_by))}`)
    ),
    fact(
      "graded",
      `${Words.whole(graded.graded)} of ${Words.count(graded.of, "row")}` +
        (Object.keys(graded.ungraded_by).length === 0
          ? ""
          : `; not graded: ${Words.counts(Object.entries(graded.ungraded_by))}`) +
        (structuralOnly === 0
          ? ""
          : `; ${Words.whole(structuralOnly)} by structural rules alone (no word table fits their words)`)
    ),
    ...(graded.graded === 0 ? [] : [fact("by", Words.gradersOf(graders))]),
    ...rates(pass, style).map(([label, value]) => fact(label, value)),
    ...(pass.mean_reward === null
      ? []
      : [
          fact(
            "reward",
            `mean ${pass.mean_reward.toFixed(3)}${fractional.rows === 0 ? "" : " with half credit"} ` +
              `over ${Words.of(pass.tasks, pass.tasks_of, "task")}${half === "" ? "" : `; ${half}`}`
          )
        ]),
    ...(asked.length < 2
      ? []
      : [
          fact(
            "by arm",
            asked
              .map(
                ([name, arm]) =>
                  `${name} ${Words.percent(arm.pass_at_1 ?? 0)} (${Words.over({ ...arm, rows: arm.graded, rows_of: arm.rows })})`
              )
              .join(", ")
          )
        ]),
    ...(means.length < 2 || variance === null
      ? []
      : [
          fact(
            "eval runs",
            `${means.slice(0, runsShown).map(Words.percent).join(", ")}` +
              (means.length > runsShown ? ` and ${Words.whole(means.length - runsShown)} more` : "") +
              Words.spread(variance) +
              `; over ${Words.of(variance.tasks, variance.tasks_of, "task")} in every run`
          )
        ]),
    ...Summary.spending({ usage: meta?.report?.usage ?? {}, cost: meta?.report?.cost ?? {} }).map((line) =>
      fact("tokens", line)
    ),
    // what rewards between 0 and 1 are stands above, beside the mean
    ...notes.flatMap(({ code, message }) =>
      code === "fractional" ? [] : Summary.wrapped(`- ${Asked.inFlags(Style.strip(message))}`, width, "  ")
    )
  ]
}

/** Eval runs whose rates are shown; all of them count in what is said of their spread. */
const runsShown = 8

/** The rates there are, each with its interval. */
const rates = (pass: PassAt.PassAt, style: Style.Style): ReadonlyArray<readonly [string, string]> => {
  const { k, k_groups, k_reading, lost } = pass
  const figure = (value: number, interval: PassAt.PassAt["pass_at_1_interval"], bound = ""): string =>
    `${bound}${style.bold(Words.percent(value))}${Words.within(interval)}`
  const once =
    pass.pass_at_1 === null
      ? "none: no row has a reward"
      : `${figure(pass.pass_at_1, pass.pass_at_1_interval)} over ` +
        `${Words.over({ ...pass, rows_of: pass.graded.of })}, ${Words.count(pass.groups, "group")}${lost.rollouts === 0 ? "" : ", lost rollouts left out"}`
  // Those that the end of the run cut failed nobody.
  const failed = `the ${Words.whole(lost.rollouts - (lost.lost_by["interrupted"] ?? 0))} lost as failures`
  const strict: ReadonlyArray<readonly [string, string]> =
    lost.rollouts === 0 || lost.pass_at_1 === null
      ? []
      : [
          [
            "",
            `${figure(lost.pass_at_1, lost.pass_at_1_interval)} over ${Words.of(lost.tasks, pass.tasks_of, "task")}, ${failed}`
          ]
        ]
  if (k === null || pass.pass_hat_k === null || pass.pass_at_k === null || pass.headroom === null) {
    return [["pass@1", once], ...strict]
  }
  const [most, least] = k_reading === "bound" ? ["at most ", "at least "] : ["", ""]
  return [
    ["pass@1", once],
    ...strict,
    [
      `pass^${k}`,
      `${figure(pass.pass_hat_k, pass.pass_hat_k_interval, most)} (all of ${k} pass) over ${Words.count(k_groups, "group")}`
    ],
    ...(lost.pass_hat_k === null || lost.pass_hat_k === pass.pass_hat_k
      ? []
      : [["", `${figure(lost.pass_hat_k, lost.pass_hat_k_interval)}, ${failed}`] as const]),
    [`pass@${k}`, `${figure(pass.pass_at_k, pass.pass_at_k_interval, least)} (any of ${k})`],
    ["headroom", figure(pass.headroom, pass.headroom_interval, least)]
  ]
}

const nextOf = (
  { failures, graders, meta, pass, path }: Findings.Findings,
  { program }: Invocation.Call
): Summary.Look["next"] => {
  const command = (...words: ReadonlyArray<string>): string => `${program} ${Invocation.shell(words)}`
  if (pass.graded.graded === 0) return [{ purpose: "grade the rows", command: command("grade", path, "--conduct") }]
  const [worst] = failures
  const called = Next.calledAndGraded(meta, Object.keys(graders))
  return [
    ...(worst === undefined
      ? []
      : [
          {
            purpose: "read all there is of the row shown above",
            command: `${Invocation.shell(["grep", worst.example.row_id, path])} | ${Invocation.asText}`
          }
        ]),
    ...(called === null || worst === undefined
      ? []
      : [
          {
            purpose: "find the smallest task that still fails, and why",
            command: `${program} ${Next.explaining(called, path)}`
          }
        ]),
    // Only who ran it knows what a program's run or somebody else's log was made by.
    ...(called === null
      ? []
      : [
          {
            purpose: "after a change of the agent, ask the same again",
            command: `${program} ${Next.sameAsks(called, path)}`
          }
        ])
  ]
}
