/**
 * `sandtable compare`: did the change help? One verdict on two runs, told by the exit status too.
 */
import * as DeltaReport from "@sandtable/core/DeltaReport"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as RunFile from "../RunFile.ts"
import * as Style from "../Style.ts"

export const page: Help.Page = {
  name: "compare",
  usage: ["sandtable compare <before> <after> [options]"],
  arguments: [
    ["<before>", "the rows before the change"],
    ["<after>", "the rows after it, of the same tasks: best a replay of <before>"]
  ],
  examples: [
    ["did the change help", "sandtable compare runs/before.jsonl runs/after.jsonl"],
    [
      "in CI, with tokens held too",
      "sandtable compare before.jsonl after.jsonl --must-not-regress usage.agent.output --lower-is-better usage.agent.output --json"
    ]
  ],
  notes: [
    "Two runs that were made with --runs 3 tell a change from re-run noise; with one run a side the verdict stays unreplicated.",
    "Exit status: 0 improved, within_noise or no_change_detected; 1 regressed; 2 unreplicated, not comparable, insufficient or not measured; 64 refused or unreadable."
  ],
  flags: [
    Flags.own(
      "changed",
      "text",
      "What was changed on purpose (prompt, model, ...), over what the replay recorded; several with commas."
    ),
    Flags.own(
      "target",
      "text",
      "What is held against each other (pass_at_1): reward, a marker, or a path such as n_tokens."
    ),
    Flags.own("must-not-regress", "text", "Figures that must stay as good as they were; several with commas."),
    Flags.own("lower-is-better", "text", "Figures of which less is better; several with commas."),
    Flags.own("spread", "number", "Standard deviation of the target between runs, where it is known."),
    Flags.own("exclude", "text", "Arms left out, such as failure_mutation; several with commas."),
    Flags.own("seed", "number", "Seed of the draws (0)."),
    Flags.own("pass-at", "number", "The least reward of a pass (1): what is graded below it is none."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const spread = asked.number("spread", { least: 0 })
    const seed = asked.number("seed", { whole: true })
    const passAt = asked.number("pass-at", { above: 0, most: 1 })
    yield* asked.checked
    const [before, after] = yield* Asked.words(page, rest, ["before", "after"])
    yield* RunFile.filled(before)
    yield* RunFile.filled(after)
    const listed = (flag: string): ReadonlyArray<string> => Asked.list(asked.text(flag))
    const target = asked.text("target")
    const [changed, guards, lower, exclude] = [
      listed("changed"),
      listed("must-not-regress"),
      listed("lower-is-better"),
      listed("exclude")
    ]
    const report = yield* RunFile.measured(
      DeltaReport.deltaReport(before, after, {
        ...(changed.length === 0 ? {} : { changed }),
        ...(target === null ? {} : { target }),
        ...(guards.length === 0 ? {} : { mustNotRegress: guards }),
        ...(lower.length === 0 ? {} : { lowerIsBetter: lower }),
        ...(exclude.length === 0 ? {} : { exclude }),
        ...(spread === null ? {} : { spread }),
        ...(passAt === null ? {} : { passAt }),
        ...(seed === null ? {} : { seed })
      })
    )
    yield* Answer.give(asked.on("json"), { command: "compare", before, after, ...report }, ({ style }) => {
      const [verdict = "", ...lines] = Asked.inFlags(DeltaReport.render(report)).split("\n").map(Style.strip)
      const head = `compare ${before} with ${after}`
      return [
        style.bold(head),
        `  ${colour(report.verdict, style)(verdict)}`,
        ...lines.map((line) => `  ${line}`)
      ].join("\n")
    })
    const status = statusOf(report.verdict)
    if (status !== ExitStatus.done) return yield* new ExitStatus.Exit({ status })
  })

const statusOf = (verdict: DeltaReport.Verdict): number => {
  switch (verdict) {
    case "improved":
    case "within_noise":
    case "no_change_detected":
      return ExitStatus.done
    case "regressed":
      return ExitStatus.failed
    default:
      return ExitStatus.undecided
  }
}

const colour = (verdict: DeltaReport.Verdict, style: Style.Style): ((text: string) => string) => {
  const status = statusOf(verdict)
  if (status === ExitStatus.failed) return style.red
  return verdict === "improved" ? style.green : status === ExitStatus.undecided ? style.yellow : style.bold
}
