/**
 * `sandtable decontaminate`: rows without those whose asks are in another set, such as what one measures on.
 */
import * as Decontaminate from "@sandtable/core/unstable/Decontaminate"
import * as RowSource from "@sandtable/core/unstable/RowSource"
import * as Traces from "@sandtable/core/Traces"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as DataFile from "../DataFile.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Outputs from "../Outputs.ts"
import * as RunFile from "../RunFile.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "decontaminate",
  usage: ["sandtable decontaminate <rows> <against...> [options]"],
  arguments: [
    ["<rows>", "the file of rows to clean"],
    ["<against...>", "what they may not hold: files of rows, traces or asks (.txt: one a line)"]
  ],
  examples: [
    [
      "training rows without the asks one evaluates by",
      "sandtable decontaminate runs/selected.jsonl asks.txt holdout.jsonl"
    ]
  ],
  notes: ["Exit status: 0 done, 2 no row is left, 64 refused or unreadable."],
  flags: [
    Flags.setting(
      "coverage",
      "number",
      "Least share of an ask's runs of eight words that are in one text of the other set (0.8)."
    ),
    Flags.own("output", "path", "Where the rows go; runs/<name of the rows>-clean.jsonl when left out."),
    Flags.own("overwrite", "switch", "Replace an output that is already there."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    yield* asked.checked
    const [path, first, ...others] = rest
    if (path === undefined || first === undefined) return yield* Asked.words(page, rest, ["rows", "against..."])
    const options = yield* Asked.settings(page, given)
    const named = asked.text("output")
    if (named !== null) yield* Outputs.refuseExisting(named, asked.on("overwrite"), rest)
    const source = yield* RunFile.measured(RowSource.load(path))
    if (source.rows.length === 0) return yield* RunFile.empty(path)
    const against = yield* Effect.forEach([first, ...others], asksOf)
    const { report, rows } = yield* RunFile.measured(
      Decontaminate.decontaminate(source, against.flat(), options as Decontaminate.Options)
    )
    const output = rows.length === 0 ? null : (named ?? (yield* Outputs.free(`${yield* Outputs.stem(path)}-clean`)))
    if (output !== null) yield* Outputs.rows(path, output, Traces.complete(rows))
    yield* Answer.give(asked.on("json"), { command: "decontaminate", file: path, output, ...report }, ({ style }) =>
      [
        style.bold(`decontaminate ${path}`),
        ...Decontaminate.render(report)
          .split("\n")
          .map((line) => `  ${line}`),
        ...(output === null ? [] : ["", `${style.dim("rows".padEnd(Words.labelWidth))}${output}`])
      ].join("\n")
    )
    if (output === null) {
      return yield* Answer.fail(ExitStatus.undecided, "no row is left, so nothing was written", null)
    }
  })

/** Rows or traces, or the lines of a text. */
const asksOf = (path: string) =>
  Effect.gen(function* () {
    if (/\.txt$/i.test(path)) {
      const lines = yield* Effect.catchAll(DataFile.asks(path), (problem) =>
        Answer.refuse([{ option: path, ...problem }])
      )
      return (lines as ReadonlyArray<string>).map((prompt): RowSource.Placed | string => prompt)
    }
    const { rows } = yield* RunFile.measured(RowSource.load(path))
    return rows.length > 0 ? rows : yield* RunFile.empty(path)
  })
