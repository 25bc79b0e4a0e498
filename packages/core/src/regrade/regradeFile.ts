/**
 * A pass of a grader over a run on disk, row by row: a run may be larger than memory. Written beside and put in place
 * whole, so that a pass that breaks off, or gives no reward at all, leaves what was there.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Platform from "../row/internal/platform.ts"
import * as Grader from "../grade/Grader.ts"
import * as ScoringPass from "../grade/ScoringPass.ts"
import * as Row from "../row/Row.ts"
import * as Place from "../row/Place.ts"
import * as RowFile from "../row/RowFile.ts"
import { fromPlatform, of as fileError, RowFileError } from "../row/RowFileError.ts"
import * as RunMeta from "../report/RunMeta.ts"
import * as WholeFile from "../row/WholeFile.ts"
import * as Regraded from "./regraded.ts"

export interface Options extends ScoringPass.Options {
  /** Where the graded rows go; into the place of the rows that are read when left out. */
  readonly output?: string
  /** Replaces an `output` that is already there; false when left out. */
  readonly overwrite?: boolean
}

export interface Outcome {
  /** Where the graded rows are; null for a pass that gave no row a reward: nothing was written then. */
  readonly path: string | null
  readonly counts: ScoringPass.Counts
  readonly figures: Regraded.Figures
  readonly scoringRunId: string
  /** The grader's model refused for good, so that rows were left without a reward. */
  readonly refused: "auth" | "quota" | null
}

/** Rows that are held at once, and graded in one go. */
const chunkSize = 256

export const regradeFile = Effect.fn("SimulationData.regrade")(function* (
  path: string,
  given: Grader.Service | Grader.GradeFunction,
  { output, overwrite = false, ...options }: Options
) {
  const fs = yield* Platform.FileSystem
  const target = output ?? path
  const place = yield* Place.of(target)
  const inPlace = place.path === (yield* Place.real(path))
  if (place._tag === "Stream" && inPlace) return yield* fileError(target, "not_a_file")
  if (!inPlace && !overwrite && place._tag === "File") return yield* fileError(target, "exists")
  if (inPlace) yield* noneLost(path)
  const meta = yield* Effect.option(RunMeta.readBeside(path))
  const known = meta._tag === "Some" ? ScoringPass.surroundingsOf(meta.value) : {}
  const grader = askedOnce(typeof given === "function" ? Grader.make(given) : given)
  const scoringRunId = options.runId ?? (yield* Grader.newScoringRunId)
  const counting = new Counting()
  const figures = Regraded.counting(grader.service)

  const encoder = new TextEncoder()
  const fill = (write: WholeFile.Write) =>
    Effect.gen(function* () {
      const grade = (rows: ReadonlyArray<Row.Row>) =>
        Effect.gen(function* () {
          const graded = yield* ScoringPass.grade(rows, grader.service, {
            ...known,
            ...options,
            runId: scoringRunId
          })
          counting.add(graded.counts)
          figures.add(graded.rows)
          const lines = graded.rows.map((row) => `${Row.encode(row)}\n`).join("")
          yield* write(encoder.encode(lines))
        })
      let waiting: ReadonlyArray<Row.Row> = []
      yield* RowFile.readRows(path, (rows, broken) =>
        Effect.gen(function* () {
          counting.broken += broken.length
          waiting = [...waiting, ...rows]
          while (waiting.length >= chunkSize) {
            yield* grade(waiting.slice(0, chunkSize))
            waiting = waiting.slice(chunkSize)
          }
        })
      )
      if (waiting.length > 0) yield* grade(waiting)
    })
  const isStream = place._tag === "Stream"
  const isKept = (): boolean => isStream || counting.counts().scored > 0
  const placeBeside = Effect.gen(function* () {
    // nothing stands beside a pipe
    if (isStream) return
    if (!inPlace) yield* copyBeside(fs, path, target)
    if (meta._tag === "Some") {
      const told = Regraded.metaOf(
        meta.value,
        { counts: counting.counts(), figures: figures.figures() },
        grader.service
      )
      yield* RunMeta.write((yield* RowFile.around(target)).meta, told)
    }
  })
  yield* WholeFile.write(target, fill, (put) =>
    // Rows and what the meta file says of them change together.
    Effect.suspend(() => (isKept() ? Effect.uninterruptible(Effect.zipRight(put, placeBeside)) : Effect.void))
  )
  const counts = counting.counts()
  return {
    path: isKept() ? target : null,
    counts,
    figures: figures.figures(),
    scoringRunId,
    refused: grader.refused()
  } satisfies Outcome
})

/** Refuses a file with lines that are no rows: put in its own place, it would lose them. */
const noneLost = (path: string) =>
  RowFile.readRows(path, (_, [broken]) => {
    if (broken === undefined) return Effect.void
    const detail = `line ${broken.number} is no row and would be lost; name another \`output\`, or mend it.`
    return new RowFileError({ path, reason: "failed", detail })
  })

/** A grader that is asked no more once its model refused for good, however many passes share it. */
const askedOnce = (service: Grader.Service) => {
  let refused: Grader.Verdict | null = null
  return {
    refused: () => refused?.refused ?? null,
    service: {
      ...service,
      grade: (row: Row.Row, context: Grader.GraderContext) =>
        Effect.suspend(() =>
          refused === null
            ? Effect.tap(service.grade(row, context), (verdict) =>
                Effect.sync(() => {
                  if (verdict.refused !== undefined) refused ??= verdict
                })
              )
            : Effect.succeed(Grader.unasked(refused))
        )
    } satisfies Grader.Service
  }
}

/** What stands beside the rows and is not about verdicts goes along with them. */
const copyBeside = (fs: FileSystem.FileSystem, from: string, to: string) =>
  Effect.gen(function* () {
    const source = yield* RowFile.around(from)
    const target = yield* RowFile.around(to)
    for (const part of ["lost", "asks"] as const) {
      const [old, copy] = [source[part], target[part]]
      yield* Effect.flatMap(fs.exists(old), (there) =>
        there ? fs.copyFile(old, copy) : Effect.ignore(fs.remove(copy))
      ).pipe(Effect.mapError(fromPlatform(copy, "write")))
    }
  })

/** The counts of several passes as those of one. */
class Counting {
  broken = 0
  #rows = 0
  #scored = 0
  #truncated = 0
  #noReference = 0
  #undecided = 0
  #firstFailure: string | null = null
  #firstCause: string | null = null
  readonly #byStatus = { ok: 0, invalid_result: 0, missing_reward: 0, error: 0, timeout: 0 }

  add(counts: ScoringPass.Counts): void {
    this.#rows += counts.rows
    this.#scored += counts.scored
    this.#truncated += counts.truncated
    this.#noReference += counts.no_reference
    this.#undecided += counts.undecided
    this.#firstCause ??= counts.first_cause
    if (ScoringPass.failuresIn(counts) > 0) this.#firstFailure ??= counts.first_cause
    for (const status of Row.JudgeStatus.literals) this.#byStatus[status] += counts.by_status[status]
  }

  counts(): ScoringPass.Counts {
    return {
      rows: this.#rows,
      scored: this.#scored,
      by_status: { ...this.#byStatus },
      no_reference: this.#noReference,
      undecided: this.#undecided,
      truncated: this.#truncated,
      broken: this.broken,
      first_cause: this.#firstFailure ?? this.#firstCause
    }
  }
}
