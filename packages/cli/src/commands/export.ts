/**
 * `sandtable export`: rows as files for trainers and for continuous integration.
 */
import * as Export from "@sandtable/core/Export"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Outputs from "../Outputs.ts"
import * as RunFile from "../RunFile.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "export",
  usage: ["sandtable export <run> --format <format> [options]"],
  arguments: [["<run>", "a file of rows"]],
  examples: [
    ["chat examples for fine-tuning", "sandtable export runs/selected.jsonl --format openai --output train.jsonl"],
    ["a test report for CI", "sandtable export runs/before.jsonl --format junit --output report.xml"]
  ],
  notes: [
    "Failures are no examples unless --failures says so; what a trainer would really learn from the file is told.",
    "Exit status: 0 done, 2 nothing to export, 64 refused or unreadable."
  ],
  flags: [
    Flags.setting("format", "choice", "What to write.", { words: Export.formats }),
    Flags.setting("system-prompt", "prose", "The agent's instructions; those of the run when left out."),
    Flags.setting("tools", "data", "The agent's tools in any dialect; those of the run when left out."),
    Flags.setting("failures", "switch", "openai, trl-sft: rows that did not pass are examples too."),
    Flags.setting("pass-at", "number", "openai, trl-sft, junit: the least reward of a pass (1)."),
    Flags.setting("margin", "number", "trl-dpo: least difference of the rewards of a pair (0.5)."),
    Flags.setting("per-task", "number", "trl-dpo: most pairs of one ask (1)."),
    Flags.setting("loss-mask", "switch", "openai: write loss_mask (on unless --no-loss-mask)."),
    Flags.setting("reasoning", "switch", "jsonl: keep what the agent thought."),
    Flags.setting("pass-share", "number", "junit: the share of an ask's rollouts that must pass (1)."),
    Flags.own("output", "path", "Where it goes; <name of the run>.<format>.jsonl (.xml for junit) when left out."),
    Flags.own("overwrite", "switch", "Replace an output that is already there."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const format = asked.text("format")
    if (format === null) {
      asked.refuse({ option: "--format", problem: "is not given", fix: `Give one of ${Export.formats.join(", ")}.` })
    }
    yield* asked.checked
    const [path] = yield* Asked.words(page, rest, ["run"])
    const options = yield* Asked.settings(page, given)
    const ending = format === "junit" ? "xml" : "jsonl"
    const output = asked.text("output") ?? `${yield* Outputs.stem(path)}.${format ?? ""}.${ending}`
    const overwrite = asked.on("overwrite")
    yield* RunFile.filled(path)
    yield* Outputs.refuseExisting(output, overwrite, [path])
    yield* Outputs.makeFolder(output)
    // held against the library's own checks, which tell what is wrong by name
    const settings = { ...options, overwrite } as unknown as Export.WriteOptions
    const report = yield* Effect.catchAll(Export.write(path, output, settings), (error) => {
      if (error._tag === "RowFileError") {
        return error.path === path ? RunFile.unreadable(path, error) : Outputs.unwritable(error)
      }
      const status = error.reason === "empty" ? ExitStatus.undecided : ExitStatus.usage
      return Answer.fail(status, `nothing was exported: ${Asked.inFlags(error.detail)}`, Asked.inFlags(error.fix))
    })
    yield* Answer.give(asked.on("json"), { command: "export", run: path, ...report }, ({ style }) =>
      [
        style.bold(`export ${path}`),
        ...Export.render(report)
          .split("\n")
          .map((line) => `  ${line}`),
        "",
        `${style.dim("written".padEnd(Words.labelWidth))}${output}`
      ].join("\n")
    )
  })
