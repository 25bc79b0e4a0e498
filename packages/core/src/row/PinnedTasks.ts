/**
 * The task set of an earlier run, read from its rows: what a replay rolls again, and what it changes against its source.
 */
import * as Task from "../task/Task.ts"
import * as Hash from "../random/Hash.ts"
import * as Rows from "./Row.ts"
import type { Row } from "./Row.ts"

export interface PinnedTasks {
  /** In the order of their first rows. */
  readonly tasks: ReadonlyArray<Task.Task>
  /** The most rollouts any task has within one eval run of one run: the replay's k unless the call gives one. */
  readonly repeats: number
  /** The source's `run_id`; null when its rows name none, or several. */
  readonly source: string | null
  /** Rows without a prompt. */
  readonly skipped: number
  /** What the source played with, to tell what a replay changes. */
  readonly played: Played
}

/** What can differ between a run and its replay and is told in `lineage.changed`. */
export interface Played {
  readonly systemPromptSha: string | null
  readonly model: string | null
  /** Who played the person; null where nobody could. */
  readonly user: string | null
  /** Null where nothing tells it. */
  readonly temperature: number | null
}

/** The distinct tasks of rows; rows without a task id stand for a task per distinct prompt. No row tells gold answers. */
export const of = (rows: ReadonlyArray<Row>, goldAnswers: Task.GoldAnswers = new Map()): PinnedTasks => {
  const tasks = new Map<string, Task.Task>()
  const counts = new Map<string, number>()
  const sources = new Set<string>()
  const counted = new Set<string>()
  let skipped = 0
  for (const row of rows) {
    if (typeof row.prompt !== "string" || row.prompt.trim() === "") {
      skipped += 1
      continue
    }
    const id = row.task_id ?? Hash.id("task", "pinned", row.prompt)
    if (!tasks.has(id)) tasks.set(id, taskOf(row, id, goldAnswers.get(id)))
    if (row.lineage !== undefined) sources.add(row.lineage.run_id)
    const group = `${row.lineage?.run_id} ${row.lineage?.eval_run ?? 0} ${id}`
    const rollout = row.lineage === undefined ? undefined : row.rollout_index
    if (rollout !== undefined) {
      // the same row twice is one rollout
      const place = `${rollout} ${group}`
      if (counted.has(place)) continue
      counted.add(place)
    }
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const [source = null, ...others] = sources
  const [first] = rows
  return {
    tasks: [...tasks.values()],
    // one by one: the groups of a long log are more than a call takes arguments
    repeats: [...counts.values()].reduce((most, count) => Math.max(most, count), 1),
    source: others.length === 0 ? source : null,
    skipped,
    played: {
      systemPromptSha: first?.lineage?.system_prompt_sha ?? null,
      model: first?.model_version ?? null,
      user: first?.user_model ?? null,
      temperature: temperatureOf(first?.sampling)
    }
  }
}

/** What differs between two ways to play, by the words of `changed`. */
export const changes = (before: Played, after: Played): ReadonlyArray<string> => [
  ...(before.systemPromptSha === after.systemPromptSha ? [] : ["prompt"]),
  ...(before.model === after.model ? [] : ["model"]),
  ...(before.user === null || after.user === null || before.user === after.user ? [] : ["user"]),
  ...(before.temperature === after.temperature ? [] : ["temperature"])
]

/** The temperature of a record of sampling. */
export const temperatureOf = (sampling: Row["sampling"]): number | null => {
  const temperature = sampling?.["temperature"]
  return typeof temperature === "number" ? temperature : null
}

const taskOf = (row: Row, id: string, privileged: Task.Privileged | undefined): Task.Task =>
  Task.decode(
    {
      ...saidOf(row),
      task_id: id,
      scenario_id: row.scenario_id ?? Hash.id("sit", "pinned", id),
      prompt: row.prompt,
      shown: Rows.labelsOf(row),
      phrasing: 0,
      plan: row.plan ?? {
        // A log that stores no seed has one world per situation all the same.
        world_seed: Number.parseInt(Hash.sha256Hex(id).slice(0, 8), 16),
        need: null,
        facts: {},
        traits: {},
        entity: null
      }
    },
    privileged
  )

/** Logs of others write null for what they do not know. */
const saidOf = (row: Row): Partial<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined))
