import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import { expect, layer } from "@effect/vitest"
import * as Grader from "@sandtable/core/Grader"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as SimulationData from "@sandtable/core/SimulationData"
import { simulate } from "@sandtable/core/Simulation"
import { Deferred, Effect, Fiber } from "effect"

const options = {
  agent: () => "Your order is on its way.",
  tools: [{ name: "get_order", description: "Look up an order", parameters: { type: "object", properties: {} } }],
  simulator: false as const,
  reproducible: true,
  grade: true,
  budget: 12
}

const inFolder = <A, E>(use: (folder: string) => Effect.Effect<A, E, FileSystem.FileSystem>) =>
  Effect.scoped(
    Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.flatMap(fs.makeTempDirectoryScoped({ prefix: "a b " }), use))
  )

const shortReplies = Grader.make({ name: "short", grade: ({ final_text }) => final_text.length < 100 })

layer(NodeFileSystem.layer)("regrade", (it) => {
  it.effect("replaces the verdicts of a file in place, and what its meta file says of them", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/run.jsonl`
        const run = yield* simulate(options)
        yield* run.save(path)
        const first = yield* SimulationData.regrade(path, shortReplies)
        const { counts, figures, path: written, scoringRunId } = yield* SimulationData.regrade(path, shortReplies)
        expect([written, counts.rows, counts.scored, figures.passes]).toEqual([path, 12, 12, 12])
        const graded = yield* SimulationData.load(path)
        expect(graded.rows.map(({ row_id }) => row_id)).toEqual(run.rows.map(({ row_id }) => row_id))
        for (const row of graded.rows) {
          expect(row).toMatchObject({ reward: 1, judge_name: "short", label_source: "grader" })
          expect(row.lineage).toMatchObject({ scoring_run_id: scoringRunId, prior_scoring_run_id: first.scoringRunId })
        }
        expect(graded.meta.rows_digest).toBe(Row.digest(graded.rows))
        expect(graded.search.grader).toMatchObject({ judged_after: 12, passes: 12, failures: 0 })
        // the same as grading the run in memory
        const inMemory = yield* (yield* run.grade(shortReplies, { runId: first.scoringRunId })).grade(shortReplies)
        expect(graded.meta).toEqual(inMemory.meta)
        const fs = yield* FileSystem.FileSystem
        expect((yield* fs.readDirectory(folder)).filter((name) => name.endsWith(".part"))).toEqual([])
      })
    )
  )

  it.effect("leaves the file as it was when another output is named, or when it breaks off", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = `${folder}/run.jsonl`
        yield* (yield* simulate(options)).save(path)
        yield* fs.writeFileString(`${folder}/run.lost.jsonl`, '{"task_id":"t"}\n')
        const before = yield* fs.readFileString(path)
        yield* SimulationData.regrade(path, shortReplies, { output: `${folder}/graded.jsonl` })
        expect((yield* fs.readFileString(path)) === before).toBe(true)
        expect(yield* fs.readFileString(`${folder}/graded.lost.jsonl`)).toBe('{"task_id":"t"}\n')
        const again = yield* Effect.flip(
          SimulationData.regrade(path, shortReplies, { output: `${folder}/graded.jsonl` })
        )
        expect(again.reason).toBe("exists")
        const asked = yield* Deferred.make<void>()
        const endless = {
          ...shortReplies,
          grade: () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
        }
        const pass = yield* Effect.fork(SimulationData.regrade(path, endless))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(pass)
        expect((yield* fs.readFileString(path)) === before).toBe(true)
        expect(yield* fs.exists(`${path}.part`)).toBe(false)
      })
    )
  )

  it.effect("loses no line that is no row: in place it refuses, elsewhere it counts", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = `${folder}/run.jsonl`
        yield* (yield* simulate(options)).save(path)
        yield* fs.writeFileString(path, '{"half', { flag: "a" })
        const before = yield* fs.readFileString(path)
        const refused = yield* Effect.flip(SimulationData.regrade(path, shortReplies))
        expect(refused.detail).toContain("line 13")
        expect((yield* fs.readFileString(path)) === before).toBe(true)
        const { counts } = yield* SimulationData.regrade(path, shortReplies, { output: `${folder}/graded.jsonl` })
        expect([counts.rows, counts.broken]).toEqual([12, 1])
      })
    )
  )

  it.effect("asks a model that refused for good no more, over all of a long file", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = `${folder}/run.jsonl`
        const [row] = (yield* simulate({ ...options, budget: 1 })).rows
        if (row === undefined) throw new Error("a run of one row has one")
        const rows = Array.from({ length: 600 }, (_, i) => Row.encode({ ...row, row_id: `row_${i}` }))
        yield* fs.writeFileString(path, `${rows.join("\n")}\n`)
        let asked = 0
        const judge: Grader.Service = {
          ...shortReplies,
          grade: () =>
            Effect.sync(() => {
              asked += 1
              return { reward: null, status: "error", meta: { cause: "no such key" }, refused: "auth" }
            })
        }
        const { counts, refused } = yield* SimulationData.regrade(path, judge, { concurrency: 1 })
        expect([asked, refused, counts.by_status.error, counts.rows]).toEqual([1, "auth", 600, 600])
        expect((yield* RowFile.readAll(path)).rows).toHaveLength(600)
      })
    )
  )
})
