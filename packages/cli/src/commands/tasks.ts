/**
 * `sandtable tasks`: the pinned tasks of a run, as `replay` would run them again.
 */
import type { Row } from "@sandtable/core/Row"
import * as PinnedTasks from "@sandtable/core/unstable/PinnedTasks"
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
    const rows = new Map<string, number>()
    const groups = new Map<string, number>()
    const first: Array<Row> = []
    let repeats = 1
    let withoutPrompt = 0
    yield* RunFile.forEach(path, (row) => {
      if (row.prompt.trim() === "") {
        withoutPrompt += 1
        return
      }
      const { task_id: id } = row
      const group = `${row.lineage?.eval_run ?? 0} ${id}`
      const size = (groups.get(group) ?? 0) + 1
      groups.set(group, size)
      repeats = Math.max(repeats, size)
      // the first row of a task says what it is
      if (!rows.has(id)) first.push({ ...row, steps: [], final_text: "" })
      rows.set(id, (rows.get(id) ?? 0) + 1)
    })
    const pinned = PinnedTasks.of(first)
    const listed = pinned.tasks.map((task) => ({ task, rows: rows.get(task.id) ?? 0 }))
    yield* Answer.give(
      given.get("json") === "true",
      {
        command: "tasks",
        run: path,
        run_id: pinned.source,
        repeats,
        without_prompt: withoutPrompt,
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
          `  ${Words.count(repeats, "rollout")} of each, at most, within one eval run; a replay runs as many`,
          ...(withoutPrompt === 0 ? [] : [`  ${Words.count(withoutPrompt, "row")} without a prompt left out`])
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
