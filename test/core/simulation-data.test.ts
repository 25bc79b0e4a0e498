import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import { expect, layer } from "@effect/vitest"
import * as Grader from "@sandtable/core/Grader"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as SimulationData from "@sandtable/core/SimulationData"
import { simulate } from "@sandtable/core/Simulation"
import * as Verifier from "@sandtable/core/Verifier"
import { Deferred, Effect, Fiber, TestClock } from "effect"

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

const refusing = (why: "auth" | "quota"): Grader.Service => ({
  ...shortReplies,
  grade: () => Effect.succeed({ reward: null, status: "error", meta: { cause: why }, refused: why })
})

const people = Grader.make({
  name: "people",
  kind: "human",
  grade: () => ({ reward: 0.25, reason: "Too short.", failure_class: "curt", markers: { warm: 0 }, by: "Ann" })
})

/** Moves the clock on until a pass is over, whatever it waits for. */
const advancing = <A, E>(pass: Fiber.RuntimeFiber<A, E>): Effect.Effect<void> =>
  Effect.gen(function* () {
    while ((yield* Fiber.poll(pass))._tag === "None") {
      yield* TestClock.adjust("60 seconds")
      // files are read and written meanwhile
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

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

  const useless: ReadonlyArray<readonly [string, Grader.Service | Grader.GradeFunction]> = [
    ["answers what is no grade", () => "splendid"],
    ["answers an object without a reward", () => ({ verdict: "fine" })],
    ["throws", () => Promise.reject(new Error("the judge is gone"))],
    ["never answers", () => new Promise(() => {})],
    ["has nothing to check by", Verifier.exactMatch()],
    ["refuses the key", refusing("auth")],
    ["is out of quota", refusing("quota")]
  ]
  for (const [does, grader] of useless) {
    it.effect(`leaves a file as it was when the grader ${does}`, () =>
      inFolder((folder) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const path = `${folder}/run.jsonl`
          yield* (yield* simulate(options)).save(path)
          const read = Effect.forEach([path, `${folder}/run.meta.json`, `${folder}/other.jsonl`], (file) =>
            fs.readFileString(file)
          )
          yield* fs.writeFileString(`${folder}/other.jsonl`, "what was there\n")
          const [before, files] = [yield* read, yield* fs.readDirectory(folder)]
          for (const more of [{}, { output: `${folder}/other.jsonl`, overwrite: true }]) {
            const pass = yield* Effect.fork(SimulationData.regrade(path, grader, { ...more, concurrency: 12 }))
            yield* advancing(pass)
            const { counts, path: written } = yield* Fiber.join(pass)
            expect([written, counts.rows, counts.scored]).toEqual([null, 12, 0])
          }
          expect(yield* read).toEqual(before)
          expect(yield* fs.readDirectory(folder)).toEqual(files)
        })
      )
    )
  }

  it.effect("keeps the verdicts of before beside those of a pass that broke off, and through the next ones", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/run.jsonl`
        const run = yield* simulate({ ...options, grade: false, grader: people })
        yield* run.save(path)
        const [first] = run.rows
        const before = {
          reward: 0.25,
          reason: "Too short.",
          label_source: "human",
          judge_name: "people",
          judge_status: "ok",
          judge_meta: { model: null, name: "people", kind: "human", version: null, by: "Ann" },
          failure_class: "curt",
          markers: { warm: 0 },
          scoring_run_id: first?.lineage?.scoring_run_id
        }
        // the judge dies after five rows
        let n = 0
        const dying = () => (++n <= 5 ? true : Promise.reject(new Error("gone")))
        const { counts, path: written } = yield* SimulationData.regrade(path, dying, { concurrency: 1 })
        expect([written, counts.scored]).toEqual([path, 5])
        const after = (yield* RowFile.readAll(path)).rows
        expect(after.map(({ reward }) => reward)).toEqual([1, 1, 1, 1, 1, ...Array.from({ length: 7 }, () => null)])
        for (const { lineage } of after) expect(lineage?.prior).toEqual(before)
        // in memory it is the same
        n = 0
        const inMemory = yield* run.grade(dying, { concurrency: 1 })
        expect(inMemory.rows.map(({ lineage }) => lineage?.prior)).toEqual(run.rows.map(() => before))
        expect(run.rows.map(({ reward }) => reward)).toEqual(run.rows.map(() => 0.25))
        // a later pass keeps what there was last: a verdict of the pass before, or the one that pass had kept
        yield* SimulationData.regrade(path, shortReplies)
        const last = (yield* RowFile.readAll(path)).rows.map(({ lineage }) => lineage?.prior)
        expect(last.slice(0, 5)).toMatchObject(Array.from({ length: 5 }, () => ({ reward: 1, judge_name: "dying" })))
        expect(last.slice(5)).toEqual(Array.from({ length: 7 }, () => before))
      })
    )
  )

  it.effect("keeps the verdict of a row that the length cap cut, and of one that names no run", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = `${folder}/log.jsonl`
        const [row] = (yield* simulate({ ...options, budget: 1 })).rows
        if (row === undefined) throw new Error("a run of one row has one")
        const { lineage: _, ...foreign } = row
        const rows = [foreign, { ...row, row_id: "cut", finish_reason: "length" }] as ReadonlyArray<Row.Row>
        yield* fs.writeFileString(path, `${rows.map((each) => Row.encode(each)).join("\n")}\n`)
        yield* SimulationData.regrade(path, shortReplies)
        const [own, cut] = (yield* RowFile.readAll(path)).rows
        expect(own).toMatchObject({ judge_name: "short", prior_verdict: { reward: 1, judge_name: "conduct" } })
        expect(cut).toMatchObject({ reward: null, lineage: { prior: { reward: 1, judge_name: "conduct" } } })
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
