/**
 * `sandtable traces import`: traces of any usual format as rows, so that anyone's log can be measured.
 */
import * as RowSink from "@sandtable/core/RowSink"
import { complete } from "@sandtable/core/Traces"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Outputs from "../Outputs.ts"
import * as Traces from "../Traces.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "traces import",
  usage: ["sandtable traces import <traces> [options]"],
  arguments: [["<traces>", "a JSON or JSON Lines file: rows, chat messages (OpenAI, Anthropic), GenAI spans, ..."]],
  examples: [
    ["a log as rows", "sandtable traces import production.jsonl --output runs/production.jsonl"],
    ["then: what it comes to", "sandtable report runs/production.jsonl"]
  ],
  notes: [
    "A task or item id becomes the task, a trial or epoch number the rollout, a score of 0 or 1 the reward. What is no message (a search of the provider's, say) is passed over and counted. Records without a task belong to the task of their ask.",
    "Exit status: 0 done, 64 refused, or nothing in the file can be read as a trace."
  ],
  flags: [
    Flags.own("output", "path", "Where the rows go; runs/<name of the file>.jsonl when left out."),
    Flags.own("overwrite", "switch", "Replace an output that is already there."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const [path] = yield* Asked.words(page, rest, ["traces"])
    const named = asked.text("output")
    if (named !== null) yield* Outputs.refuseExisting(named, asked.on("overwrite"), [path])
    const { passedOver, rows: traces, unreadable } = yield* Traces.read(path)
    const rows = complete(traces)
    const output = named ?? (yield* Outputs.free(yield* Outputs.stem(path)))
    yield* Effect.gen(function* () {
      const sink = yield* RowSink.RowSink
      yield* Effect.forEach(rows, sink.append, { discard: true })
      yield* sink.flush
    }).pipe(
      Effect.provide(RowSink.layerFile(output, { existing: asked.on("overwrite") ? "replace" : "refuse" })),
      Effect.catchAll(Outputs.unwritable)
    )
    if (unreadable.length > 0) {
      const lines = [`${Words.count(unreadable.length, "record")} left out:`, ...Traces.leftOut(unreadable)]
      yield* Answer.note(lines.join("\n  "))
    }
    const passed = Traces.passedOver(passedOver)
    if (passed !== undefined) yield* Answer.note(`passed over: ${passed}`)
    const tasks = new Set(rows.map(({ task_id }) => task_id)).size
    const graded = rows.filter(({ reward }) => typeof reward === "number").length
    const { program } = yield* Invocation.Invocation
    const next = `${program} ${Invocation.shell(graded === 0 ? ["grade", output, "--conduct"] : ["report", output])}`
    const purpose = graded === 0 ? "grade them" : "see what they come to"
    yield* Answer.give(
      asked.on("json"),
      {
        command: "traces import",
        file: path,
        output,
        rows: rows.length,
        tasks,
        graded,
        unreadable: unreadable.map(({ detail, record }) => ({ record, detail })),
        passed_over: passedOver,
        next: [{ purpose, command: next }]
      },
      ({ style }) =>
        [
          style.bold(
            `${Words.count(rows.length, "row")} of ${Words.count(tasks, "task")}, ${Words.whole(graded)} with a reward`
          ),
          `rows        ${output}`,
          `next        ${purpose}:\n            ${style.cyan(next)}`
        ].join("\n")
    )
  })
