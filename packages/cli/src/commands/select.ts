/**
 * `sandtable select`: the rows worth training on, and what every gate dropped.
 */
import * as Select from "@sandtable/core/Select"
import * as Traces from "@sandtable/core/Traces"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Outputs from "../Outputs.ts"
import * as RunFile from "../RunFile.ts"
import * as Summary from "../Summary.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "select",
  usage: ["sandtable select <run> --mode <rl|sft> [options]"],
  arguments: [["<run>", "a file of graded rows"]],
  examples: [
    ["the best passing row of each ask, as examples", "sandtable select runs/before.jsonl --mode sft"],
    ["groups that teach something, at most 400 rows", "sandtable select runs/before.jsonl --mode rl --target 400"]
  ],
  notes: ["Exit status: 0 done, 2 no row is worth it, 64 refused or unreadable."],
  flags: [
    Flags.setting("mode", "choice", "What the rows are to train: rl keeps whole groups, sft the best of each ask.", {
      words: ["rl", "sft"]
    }),
    Flags.setting("target", "number", "Most rows to keep (all that pass)."),
    Flags.setting("band", "data", "rl: least and greatest mean reward of a group ([0.2,0.8])."),
    Flags.setting("truncated", "choice", "Rows the length cap cut (drop); penalise is for rl.", {
      words: ["drop", "keep", "penalise"]
    }),
    Flags.setting("per-task", "number", "sft: most rows of one ask, each of another behaviour (1)."),
    Flags.setting("pass-at", "number", "sft: the least reward of an example (1)."),
    Flags.setting("references", "data", "Gold answers by task id, situation id or ask: rows that say them are leaks."),
    Flags.own("output", "path", "Where the rows go; runs/<name of the run>-<mode>.jsonl when left out."),
    Flags.own("overwrite", "switch", "Replace an output that is already there."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const mode = asked.text("mode")
    if (mode === null) asked.refuse({ option: "--mode", problem: "is not given", fix: "Give --mode rl or --mode sft." })
    yield* asked.checked
    const [path] = yield* Asked.words(page, rest, ["run"])
    const options = yield* Asked.settings(page, given)
    const named = asked.text("output")
    if (named !== null) yield* Outputs.refuseExisting(named, asked.on("overwrite"), [path])
    // held against the library's own checks, which tell what is wrong by name
    const { report, rows } = yield* RunFile.measured(Select.selectFile(path, options as unknown as Select.Options))
    if (report.rows === 0) return yield* RunFile.empty(path)
    const output =
      rows.length === 0 ? null : (named ?? (yield* Outputs.free(`${yield* Outputs.stem(path)}-${report.mode}`)))
    if (output !== null) yield* Outputs.rows(path, output, Traces.complete(rows))

    const { program } = yield* Invocation.Invocation
    const format = report.mode === "rl" ? "trl-grpo" : "openai"
    const next =
      output === null
        ? []
        : [
            {
              purpose: "make a file for a trainer of them",
              command: `${program} ${Invocation.shell(["export", output, "--format", format])}`
            }
          ]
    yield* Answer.give(asked.on("json"), { command: "select", run: path, output, ...report, next }, ({ style }) =>
      [
        style.bold(`select ${path}`),
        ...Select.render(report)
          .split("\n")
          .map((line) => `  ${line}`),
        ...(output === null ? [] : ["", `${style.dim("rows".padEnd(Words.labelWidth))}${output}`]),
        ...Summary.nextLines(next, style)
      ].join("\n")
    )
    if (output === null) {
      return yield* Answer.fail(
        ExitStatus.undecided,
        "no row is left, so nothing was written",
        report.advice === null ? null : Asked.inFlags(report.advice)
      )
    }
  })
