/**
 * Runs the command in memory: streams, files and the engine are the test's.
 */
import * as Cli from "../../packages/cli/src/Cli.ts"
import * as Engine from "../../packages/cli/src/Engine.ts"
import { Interrupts } from "../../packages/cli/src/Interrupts.ts"
import * as Stdio from "../../packages/cli/src/Stdio.ts"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import type { Report } from "@sandtable/core/Report"
import type { Row } from "@sandtable/core/Row"
import * as SearchReport from "../../packages/core/src/report/SearchReport.ts"
import { Effect, Layer, Option } from "effect"

export const row = (n: number, more: Partial<Row> = {}): Row => ({
  schema_version: "1",
  row_id: `row_${n}`,
  task_id: `task_${n}`,
  scenario_id: `sit_${n}`,
  prompt: `Where is order A100${n}?`,
  steps: [],
  final_text: "It is on its way.",
  lineage: { run_id: "run_1", system_prompt_sha: null, eval_run: 0, repeat_policy: "fixed", probe: 2 },
  ...more
})

export const report = (rows: ReadonlyArray<Row>, more: Partial<Report> = {}): Report => ({
  rows: rows.length,
  uniques: { prompts: rows.length, situations: rows.length, cells: rows.length, signatures: 1 },
  coverage: null,
  knobs: {},
  requested: {},
  delivered: {},
  budget_per_run: rows.length,
  rollouts_requested: rows.length,
  completed: rows.length,
  lost: 0,
  lost_by: {},
  tools: {},
  dead_tools: [],
  usage: {},
  cost: {},
  timings: { started_at: "2026-01-01T00:00:00.000Z", finished_at: null, elapsed: 2 },
  models: { agent: "function:agent", writer: "template", user: null, judge: null },
  diversity: null,
  ...more
})

export const outcome = (rows: ReadonlyArray<Row>, more: Partial<Engine.Outcome> = {}): Engine.Outcome => ({
  rows,
  stoppedBecause: "budget",
  degraded: [],
  warnings: [],
  search: SearchReport.empty,
  report: report(rows),
  ...more
})

export const plan = (more: Partial<Engine.Plan> = {}): Engine.Plan => ({
  runId: "run_1",
  rows: 2,
  counts: { situations: null, phrasings: 1, repeats: 1 },
  isWhole: true,
  asks: [{ prompt: "Where is order A1001?", tier: "ordinary" }],
  coverage: { strength: 2, planned: 100, covered: 40 },
  seedsDropped: [],
  calls: { agent: 2, writer: 0 },
  warnings: [],
  ...more
})

export interface Calls {
  /** Options of each call of `simulate`, in order. */
  readonly simulated: Array<Engine.Options>
  readonly previewed: Array<Engine.Options>
}

export interface Scene {
  readonly files?: Readonly<Record<string, string>>
  readonly terminal?: boolean
  readonly columns?: number
  readonly preview?: Engine.Service["preview"]
  readonly simulate?: Engine.Service["simulate"]
  /** Presses Ctrl-C as soon as the run listens. */
  readonly interrupt?: boolean
}

export interface Outcome extends Calls {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** Folders that were made. */
  readonly folders: ReadonlyArray<string>
}

/** Runs `sandtable <words>` and gives what came of it. */
export const sandtable = (words: ReadonlyArray<string>, scene: Scene = {}): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const stdio = Stdio.memory({
      ...(scene.terminal === undefined ? {} : { terminal: scene.terminal }),
      columns: scene.columns ?? 100
    })
    const calls: Calls = { simulated: [], previewed: [] }
    const folders: Array<string> = []
    const engine = Engine.Engine.of({
      preview: (options) => {
        calls.previewed.push(options)
        return scene.preview === undefined ? Effect.succeed(plan()) : scene.preview(options)
      },
      simulate: (options, hooks) => {
        calls.simulated.push(options)
        return scene.simulate === undefined ? Effect.succeed(outcome([row(1), row(2)])) : scene.simulate(options, hooks)
      },
      previewEvaluation: () => Effect.succeed(plan()),
      evaluate: () => Effect.dieMessage("This scene has no list of asks to run."),
      explain: () => Effect.dieMessage("This scene has no failure to explain.")
    })
    const status = yield* Effect.provide(
      Cli.main(words, "1.2.3"),
      Layer.mergeAll(
        Layer.succeed(Stdio.Stdio, stdio.service),
        Layer.succeed(Engine.Engine, engine),
        Layer.succeed(Interrupts, {
          onFirst: (handler) => (scene.interrupt === true ? Effect.sync(handler) : Effect.void)
        }),
        files(scene.files ?? {}, folders),
        NodePath.layer,
        NodeTerminal.layer
      )
    )
    return { status, stdout: stdio.stdout(), stderr: stdio.stderr(), folders, ...calls }
  })

const files = (held: Readonly<Record<string, string>>, folders: Array<string>) => {
  const has = (path: string): boolean => Object.hasOwn(held, path)
  const notFound = (path: string) =>
    new SystemError({ reason: "NotFound", module: "FileSystem", method: "open", pathOrDescriptor: path })
  return FileSystem.layerNoop({
    exists: (path) => Effect.succeed(has(path)),
    readFile: (path) =>
      has(path) ? Effect.succeed(new TextEncoder().encode(held[path])) : Effect.fail(notFound(path)),
    readFileString: (path) => (has(path) ? Effect.succeed(held[path] ?? "") : Effect.fail(notFound(path))),
    readDirectory: () => Effect.succeed(Object.keys(held)),
    makeDirectory: (path) => Effect.sync(() => void folders.push(path)),
    stat: (path) =>
      has(path) || path === "."
        ? Effect.succeed({
            type: path === "." ? "Directory" : "File",
            mtime: Option.none(),
            atime: Option.none(),
            birthtime: Option.none(),
            dev: 0,
            ino: Option.none(),
            mode: 0,
            nlink: Option.none(),
            uid: Option.none(),
            gid: Option.none(),
            rdev: Option.none(),
            size: FileSystem.Size(0),
            blksize: Option.none(),
            blocks: Option.none()
          })
        : Effect.fail(notFound(path))
  })
}
