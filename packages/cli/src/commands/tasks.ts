/**
 * `sandtable tasks`: the pinned tasks of a run, as `replay` would run them again.
 */
import type { Row } from "@sandtable/core/Row"
import * as PinnedTasks from "@sandtable/core/PinnedTasks"
import type { Task } from "@sandtable/core/Task"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as RunFile from "../RunFile.ts"
import * as Style from "../Style.ts"
import * as Table from "../Table.ts"
import * as Words from "../Words.ts"

export const page: Help.Page = {
  name: "tasks",
  usage: ["sandtable tasks <run> [options]"],
  arguments: [["<run>", "a file of rows"]],
  examples: [
    ["the tasks of a run", "sandtable tasks runs/before.jsonl"],
    ["their asks, for another program", "sandtable tasks runs/before.jsonl --json"]
  ],
  notes: ["Exit status: 0 done, 64 the file cannot be read."],
  flags: Flags.common
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [path] = yield* Asked.words(page, rest, ["run"])
    const seen = new Set<string>()
    const counts = new Map<string, number>()
    const kept: Array<Row> = []
    yield* RunFile.forEach(path, (row) => {
      const key = row.task_id ?? row.prompt
      counts.set(key, (counts.get(key) ?? 0) + 1)
      // the first row of a task says what it is; of the others only that they were there
      kept.push(seen.has(key) ? shadowOf(row) : { ...row, steps: [], final_text: "" })
      seen.add(key)
    })
    const pinned = PinnedTasks.of(kept)
    const listed = pinned.tasks.map((task) => ({ task, rows: counts.get(task.id) ?? counts.get(task.prompt) ?? 0 }))
    yield* Answer.give(
      given.get("json") === "true",
      {
        command: "tasks",
        run: path,
        run_id: pinned.source,
        repeats: pinned.repeats,
        without_prompt: pinned.skipped,
        tasks: listed.map(({ rows, task }) => ({
          task_id: task.id,
          scenario_id: task.scenarioId,
          prompt: task.prompt,
          tier: task.tier,
          arm: task.arm,
          world_state: task.worldState,
          dimensions: task.dimensions,
          faults: task.faults,
          rows
        }))
      },
      ({ style, width }) => {
        const head = [
          style.bold(`${Words.count(listed.length, "task")} of ${path}`),
          `  ${Words.count(pinned.repeats, "rollout")} of each, at most, within one eval run; a replay runs as many`,
          ...(pinned.skipped === 0 ? [] : [`  ${Words.count(pinned.skipped, "row")} without a prompt left out`])
        ]
        return [...head, "", ...Table.lines(columns(width), listed, style)].join("\n")
      }
    )
  })

interface Listed {
  readonly task: Task
  readonly rows: number
}

const columns = (width: number): ReadonlyArray<Table.Column<Listed>> => [
  { head: "task", cell: ({ task }) => Style.oneLine(task.id, 24) },
  { head: "rows", align: "right", cell: ({ rows }) => Words.whole(rows) },
  { head: "tier", cell: ({ task }) => task.tier ?? "-" },
  { head: "arm", cell: ({ task }) => task.arm },
  { head: "faults", cell: ({ task }) => [...new Set(task.faults.map(({ tool }) => tool))].join(", ") || "-" },
  { head: "ask", cell: ({ task }) => Style.oneLine(task.prompt, Math.max(30, width - 74)) }
]

const shadowOf = ({ lineage, prompt, schema_version, row_id, task_id }: Row): Row => ({
  schema_version,
  row_id,
  task_id,
  prompt,
  steps: [],
  final_text: "",
  ...(lineage === undefined ? {} : { lineage })
})
