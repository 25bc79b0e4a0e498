/**
 * `sandtable traces inspect`: what a file of traces holds, before anything is made of it.
 */
import * as PassMark from "@sandtable/core/unstable/PassMark"
import * as Row from "@sandtable/core/Row"
import * as RowSource from "@sandtable/core/unstable/RowSource"
import type { TraceRow } from "@sandtable/core/unstable/TraceFormat"
import * as TraceMining from "@sandtable/core/unstable/TraceMining"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Style from "../Style.ts"
import * as Table from "../Table.ts"
import * as Traces from "../Traces.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "traces inspect",
  usage: ["sandtable traces inspect <traces> [options]"],
  arguments: [["<traces>", "a JSON or JSON Lines file: rows, chat messages (OpenAI, Anthropic), GenAI spans, ..."]],
  examples: [["what is in a log", "sandtable traces inspect production.jsonl"]],
  notes: ["Exit status: 0 done, 64 nothing in the file can be read as a trace."],
  flags: Flags.common
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [path] = yield* Asked.words(page, rest, ["traces"])
    const { passedOver, rows, unreadable } = yield* Traces.read(path)
    const passed = Traces.passedOver(passedOver)
    const mined = TraceMining.mine(rows, [])
    const { program } = yield* Invocation.Invocation
    const next = [
      {
        purpose: "make rows of them, to measure and compare",
        command: `${program} ${Invocation.shell(["traces", "import", path, "--output", "imported.jsonl"])}`
      },
      {
        purpose: "aim situations at what they show",
        command: `${program} ${Invocation.shell(["simulate", "agent.ts", "--offline", "--traces", path])}`
      }
    ]
    const seen = overviewOf(rows)
    yield* Answer.give(
      given.get("json") === "true",
      {
        command: "traces inspect",
        file: path,
        ...seen,
        unreadable: unreadable.map(({ detail, record }) => ({ record, detail })),
        passed_over: passedOver,
        tools: mined.tools,
        tool_conditions: mined.toolConditions,
        world_states: mined.worldStates,
        asks: mined.asks.length,
        failing_asks: mined.failing.length,
        ids: mined.ids,
        patience: { threads: mined.patience.threads, table: mined.patience.table },
        next
      },
      ({ style, width }) => {
        const fact = Words.factIn(style)
        const { binary, graded, passes, rate, tasks, turns } = { ...seen, ...seen.rewards }
        const ids = Object.entries(mined.ids)
        return [
          style.bold(`${Words.count(rows.length, "trace")} in ${path}`),
          fact("tasks", `${Words.whole(tasks)}${seen.named ? "" : ", by the words of the ask: no record names one"}`),
          fact("rollouts", `${seen.least === seen.most ? seen.most : `${seen.least} to ${seen.most}`} of each task`),
          fact("user lines", `${turns.least} to ${turns.most} a trace, ${turns.mean.toFixed(1)} on average`),
          fact(
            "rewards",
            graded === 0
              ? "none"
              : `${Words.whole(graded)} of ${Words.count(rows.length, "trace")}, of which ${Words.whole(passes)} pass (${Words.percent(rate ?? 0)})` +
                  (graded === binary ? "" : `; ${Words.halfCredit(graded - binary, PassMark.passMark)}`)
          ),
          ...(seen.models.length === 0 ? [] : [fact("models", Style.oneLine(seen.models.join(", "), width - 14))]),
          fact(
            "asks",
            `${Words.whole(mined.asks.length)} different, ${Words.whole(mined.failing.length)} of traces that went wrong`
          ),
          fact("seen", [...mined.toolConditions, ...mined.worldStates].join(", ")),
          ...(ids.length === 0
            ? []
            : [fact("identifiers", ids.map(([name, known]) => `${Style.strip(name)} ${known.length}`).join(", "))]),
          ...(unreadable.length === 0
            ? []
            : [
                fact("left out", style.yellow(Words.count(unreadable.length, "record"))),
                ...Traces.leftOut(unreadable).map((line) => `              ${Style.oneLine(line, width - 14)}`)
              ]),
          ...(passed === undefined ? [] : [fact("passed over", Style.oneLine(passed, width - 14))]),
          ...(mined.tools.length === 0
            ? ["", "  No trace calls a tool."]
            : ["", ...Table.lines(columns, mined.tools, style)]),
          "",
          ...next.map(
            ({ command, purpose }, i) =>
              `${i === 0 ? "next" : "    "}        ${purpose}:\n            ${style.cyan(command)}`
          )
        ].join("\n")
      }
    )
  })

const columns: ReadonlyArray<Table.Column<TraceMining.ToolSeen>> = [
  { head: "tool", cell: ({ tool }) => Style.oneLine(tool, 40) },
  { head: "calls", align: "right", cell: ({ calls }) => Words.whole(calls) },
  { head: "failed", align: "right", cell: ({ failures }) => Words.whole(failures) },
  { head: "behaviours", align: "right", cell: ({ behaviors }) => Words.whole(behaviors) }
]

/** Counts that need no mining. */
const overviewOf = (rows: ReadonlyArray<TraceRow>) => {
  const tasks = new Map<string, number>()
  const models = new Set<string>()
  let [graded, passes, binary, lines, named] = [0, 0, 0, 0, false]
  let [fewest, longest] = [Number.POSITIVE_INFINITY, 0]
  for (const row of rows) {
    const task = row.task_id ?? row.prompt
    named ||= row.task_id !== undefined
    tasks.set(task, (tasks.get(task) ?? 0) + 1)
    if (row.model_version !== undefined) models.add(row.model_version)
    const own = row.steps.filter(Row.isUserStep).length
    lines += own
    fewest = Math.min(fewest, own)
    longest = Math.max(longest, own)
    const reward = RowSource.rewardOf(row)
    if (reward === null) continue
    graded += 1
    if (PassMark.isPass(reward)) passes += 1
    if (reward === 0 || reward === 1) binary += 1
  }
  const sizes = [...tasks.values()]
  return {
    traces: rows.length,
    tasks: tasks.size,
    named,
    least: sizes.reduce((least, size) => Math.min(least, size), rows.length),
    most: sizes.reduce((most, size) => Math.max(most, size), 0),
    models: [...models],
    turns: { least: fewest, most: longest, mean: lines / rows.length },
    rewards: { graded, binary, passes, rate: graded === 0 ? null : passes / graded }
  }
}
