/**
 * `sandtable trust`: whether a judge's verdicts can be believed, held against labels that people gave.
 */
import * as JudgeTrust from "@sandtable/core/JudgeTrust"
import type { Row } from "@sandtable/core/Row"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as RunFile from "../RunFile.ts"

export const page: Help.Page = {
  name: "trust",
  usage: ["sandtable trust <run> --labels <file> [options]"],
  arguments: [["<run>", "a file of rows the judge has graded"]],
  examples: [
    ["the judge against people's labels", "sandtable trust graded.jsonl --labels labels.jsonl"],
    [
      "and against itself, judged a second time",
      "sandtable trust graded.jsonl --labels labels.jsonl --repeat again.jsonl"
    ]
  ],
  notes: [
    'A label is a line such as { "row_id": "row_1", "label": true }, or { "task_id": "t", "rollout_index": 0, "label": false }.',
    "Exit status: 0 trusted, 1 not trusted, 2 not measured (no labels that count, or all of one kind), 64 refused or unreadable."
  ],
  flags: [
    Flags.own("labels", "path", "Labels, one a line: what people who read the rows say of them."),
    Flags.own("repeat", "path", "The same rows, judged a second time by the same judge."),
    Flags.own("filler", "path", "The same rows with words that say nothing added, judged by the same judge."),
    Flags.own("allow-model-labels", "switch", "Count labels that a model made."),
    Flags.own("pass-at", "number", "The least reward the judge means as a pass (1)."),
    Flags.own("seed", "number", "Seed of the shuffles (0)."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const passAt = asked.number("pass-at", { above: 0, most: 1 })
    const seed = asked.number("seed", { whole: true })
    yield* asked.checked
    const [path] = yield* Asked.words(page, rest, ["run"])
    const judged = (file: string) => RunFile.collect(file, slim)
    const labels = asked.text("labels")
    const known =
      labels === null
        ? []
        : yield* Effect.catchAll(JudgeTrust.readLabels(labels), (error) => RunFile.unreadable(labels, error))
    const rows = yield* judged(path)
    const [repeat, filler] = [asked.text("repeat"), asked.text("filler")]
    const trust = JudgeTrust.judgeTrust(rows, known, {
      allowModelLabels: asked.on("allow-model-labels"),
      ...(repeat === null ? {} : { repeat: yield* judged(repeat) }),
      ...(filler === null ? {} : { filler: yield* judged(filler) }),
      ...(passAt === null ? {} : { passAt }),
      ...(seed === null ? {} : { seed })
    })
    yield* Answer.give(asked.on("json"), { command: "trust", run: path, labels_file: labels, ...trust }, ({ style }) =>
      [
        style.bold(`trust ${path}`),
        ...JudgeTrust.render(trust)
          .split("\n")
          .map((line) => `  ${line}`)
      ].join("\n")
    )
    switch (trust.verdict) {
      case "trusted":
        return
      case "not_trusted":
        return yield* new ExitStatus.Exit({ status: ExitStatus.failed })
      default:
        return yield* new ExitStatus.Exit({ status: ExitStatus.undecided })
    }
  })

/** What a judge is held by; steps are not. */
const slim = ({ final_text, judge_status, prompt, reward, rollout_index, row_id, scenario_id, task_id }: Row) => ({
  row_id,
  task_id,
  scenario_id,
  prompt,
  final_text,
  reward,
  rollout_index,
  judge_status
})
