import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RunMeta from "../../../packages/core/src/report/RunMeta.ts"
import * as SearchReport from "../../../packages/core/src/report/SearchReport.ts"
import * as Warning from "../../../packages/core/src/report/Warning.ts"

const meta: RunMeta.RunMeta = {
  schema_version: "1",
  run_id: "run_1",
  invocation_id: "inv_1",
  status: "running",
  started_at: "2024-01-01T00:00:00.000Z",
  finished_at: null,
  options: { seed: 0 },
  profile: {
    tools: [{ name: "t" }],
    tools_sha: "a",
    policy: "Be kind.\u2028",
    policy_sha: "b",
    agent: "function:agent"
  },
  counts: { rows: 0, requested: 0, completed: 0, lost: 0, resumed: 0 },
  stopped_because: null,
  degraded: ["rollouts_lost"],
  warnings: [Warning.degraded.rollouts_lost({ lost: 1, requested: 4, by: ["timeout 1"], kept: true })],
  search: { ...SearchReport.empty, seeds_dropped: ["a"] },
  report: null,
  rows_digest: null,
  group_cut: [{ task_id: "task_1", eval_run: 0, have: 1, want: 4 }]
}

layer(NodeFileSystem.layer)("the meta file", (it) => {
  const inFolder = <A, E>(
    use: (path: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FileSystem.FileSystem>
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        return yield* use(`${yield* fs.makeTempDirectoryScoped()}/run.meta.json`, fs)
      })
    )

  it.effect("is read as it was written, and replaced whole", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        yield* RunMeta.write(path, meta)
        expect(yield* RunMeta.read(path)).toEqual(meta)
        const done = { ...meta, status: "done" as const, stopped_because: "budget", rows_digest: "0" }
        yield* RunMeta.write(path, done)
        expect(yield* RunMeta.read(path)).toEqual(done)
        expect(yield* fs.readDirectory(path.slice(0, path.lastIndexOf("/")))).toEqual(["run.meta.json"])
      })
    )
  )

  it.effect("keeps the one before when it cannot be written", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        yield* RunMeta.write(path, meta)
        yield* fs.makeDirectory(`${path}.part`)
        expect(yield* Effect.flip(RunMeta.write(path, { ...meta, status: "done" }))).toMatchObject({
          reason: "not_a_file",
          path
        })
        expect(yield* RunMeta.read(path)).toEqual(meta)
      })
    )
  )

  it.effect("leaves no half file behind when the disk takes only half of it", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        yield* RunMeta.write(path, meta)
        const cause = Object.assign(new Error("ENOSPC: write"), { code: "ENOSPC" })
        const full = new SystemError({ reason: "Unknown", module: "FileSystem", method: "writeAll", cause })
        const open = (name: string, options?: FileSystem.OpenFileOptions) =>
          Effect.map(fs.open(name, options), (file) =>
            Object.assign(Object.create(file) as FileSystem.File, {
              writeAll: (bytes: Uint8Array) =>
                Effect.zipRight(file.writeAll(bytes.subarray(0, bytes.length / 2)), Effect.fail(full))
            })
          )
        const error = yield* RunMeta.write(path, { ...meta, status: "done" }).pipe(
          Effect.provideService(FileSystem.FileSystem, { ...fs, open }),
          Effect.flip
        )
        expect(error.reason).toBe("disk_full")
        expect(yield* fs.readDirectory(path.slice(0, path.lastIndexOf("/")))).toEqual(["run.meta.json"])
        expect(yield* RunMeta.read(path)).toEqual(meta)
      })
    )
  )

  it.effect("says what is wrong with a file that is none", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        expect((yield* Effect.flip(RunMeta.read(path))).reason).toBe("not_found")
        yield* fs.writeFileString(path, JSON.stringify({ ...meta, status: "fine" }))
        expect((yield* Effect.flip(RunMeta.read(path))).message).toContain('["status"]')
        yield* fs.writeFileString(path, "{")
        expect((yield* Effect.flip(RunMeta.read(path))).message).toContain("no meta file of a run")
      })
    )
  )
})
