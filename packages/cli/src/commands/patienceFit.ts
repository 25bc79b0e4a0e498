/**
 * `sandtable patience fit`: how long people keep answering an agent's questions, learned from threads.
 */
import * as Patience from "@sandtable/core/Patience"
import * as WholeFile from "@sandtable/core/unstable/WholeFile"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Outputs from "../Outputs.ts"
import * as Table from "../Table.ts"
import * as Traces from "../Traces.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "patience fit",
  usage: ["sandtable patience fit <traces...> [options]"],
  arguments: [["<traces...>", "files of traces or rows, as many as there are"]],
  examples: [
    ["learn from a log", "sandtable patience fit production.jsonl --output patience.json"],
    ["and use it", "sandtable simulate agent.ts --offline --patience patience.json"]
  ],
  notes: [
    "A person left when a thread ends on the agent's question and nothing says that it ended for another reason. The odds are Kaplan-Meier hazards with Greenwood intervals.",
    "Exit status: 0 done, 2 no thread has a question to learn from, 64 refused or unreadable."
  ],
  flags: [
    Flags.own("output", "path", "Where the table goes (patience.json)."),
    Flags.own("overwrite", "switch", "Replace an output that is already there."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    if (rest.length === 0) yield* Asked.words(page, rest, ["traces..."])
    const output = asked.text("output") ?? "patience.json"
    yield* Outputs.refuseExisting(output, asked.on("overwrite"), rest)
    const threads = (yield* Effect.forEach(rest, Traces.read)).flatMap(({ rows }) => rows)
    const fit = Patience.fit(threads)
    if (fit.threads === 0) {
      return yield* Answer.fail(
        2,
        `none of ${Words.count(threads.length, "thread")} tells of a person who answered a question or left at one`,
        "Give threads with several turns, in which the agent asks something."
      )
    }
    yield* Effect.catchAll(WholeFile.text(output, `${JSON.stringify(fit, null, 2)}\n`), Outputs.unwritable)
    const { program } = yield* Invocation.Invocation
    const next = `${program} ${Invocation.shell(["simulate", "agent.ts", "--offline", "--patience", output])}`
    yield* Answer.give(
      asked.on("json"),
      {
        command: "patience fit",
        files: rest,
        output,
        threads: threads.length,
        with_questions: fit.threads,
        table: fit.table,
        estimates: fit.estimates,
        next: [{ purpose: "use it", command: next }]
      },
      ({ style }) =>
        [
          style.bold(
            `${Words.whole(fit.threads)} of ${Words.count(threads.length, "thread")} with questions the person answered or left at`
          ),
          ...(fit.estimates.length === 0
            ? ["  Nobody left at a question: the odds are all 0."]
            : ["", ...Table.lines(columns, fit.estimates, style)]),
          ...(fit.threads < fewThreads
            ? ["", `  ${style.yellow("!")} ${Words.count(fit.threads, "thread")} say little: look at the intervals.`]
            : []),
          "",
          `table       ${output}`,
          `next        use it:\n            ${style.cyan(next)}`
        ].join("\n")
    )
  })

/** Under it an interval covers most of what is possible. */
const fewThreads = 30

const columns: ReadonlyArray<Table.Column<Patience.Estimate>> = [
  { head: "question", align: "right", cell: ({ time }) => String(time) },
  { head: "still there", align: "right", cell: ({ atRisk }) => Words.whole(atRisk) },
  { head: "left", align: "right", cell: ({ left }) => Words.whole(left) },
  { head: "odds of leaving", align: "right", cell: ({ hazard }) => Words.percent(hazard) },
  { head: "stay beyond", align: "right", cell: ({ stays }) => Words.percent(stays) },
  { head: "95% interval", cell: ({ interval }) => Words.range(interval) }
]
