/**
 * Writes the page of a run: two passes over its file, neither of which holds it.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Place from "@sandtable/core/unstable/Place"
import * as RowFile from "@sandtable/core/RowFile"
import type { Row } from "@sandtable/core/Row"
import * as RowSource from "@sandtable/core/unstable/RowSource"
import { complete } from "@sandtable/core/Traces"
import * as WholeFile from "@sandtable/core/unstable/WholeFile"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as RunFile from "../RunFile.ts"
import * as Traces from "../Traces.ts"
import * as Cautions from "./Cautions.ts"
import * as Document from "./Document.ts"
import * as Facts from "./Facts.ts"
import type * as Findings from "./Findings.ts"
import type * as Markup from "./Markup.ts"
import * as Model from "./Model.ts"
import * as Packing from "./Packing.ts"
import * as Plots from "./Plots.ts"
import * as ThreadView from "./ThreadView.ts"

export interface Settings {
  /** Where the page goes. */
  readonly file: string
  readonly limit: Packing.Limit
  /** Arms that are in no figure. */
  readonly exclude: ReadonlyArray<string>
}

/** What was written. */
export interface Written {
  readonly file: string
  readonly bytes: number
  readonly rows: number
  /** Rows whose threads are in the page. */
  readonly threads: number
}

export const write = (findings: Findings.Findings, { exclude, file, limit }: Settings) =>
  Effect.gen(function* () {
    const { pass_mark: passAt } = findings.pass
    const read = yield* source(findings.path)
    const each = findings.pass.graded.duplicates === 0 ? read : yield* onceEach(read)
    const rows: Array<Facts.Facts> = []
    yield* each((row) => void rows.push(Facts.of(row, passAt)))
    const model = Model.make({ findings, rows, exclude, causes: yield* causes(findings.path) })
    const kept = Packing.kept(rows, limit)
    const wanted = new Set(model.failures.slice(0, Cautions.mostFailures).map(({ example }) => example.id))
    const examples = new Map<string, Markup.Markup>()
    const places = new Map<string, Packing.Place>()
    const blocks = Packing.blocks()
    let at = 0
    yield* each((row) => {
      const thread = kept.has(at) || wanted.has(row.row_id) ? ThreadView.of(row, passAt) : null
      if (thread !== null && kept.has(at)) places.set(row.row_id, blocks.add(thread.text))
      if (thread !== null && wanted.has(row.row_id)) examples.set(row.row_id, thread)
      at += 1
    })
    const plots = yield* Effect.promise(Plots.load)
    const text = Document.render(model, { examples, plots, threads: { places, blocks: blocks.end() } })
    const bytes = yield* save(file, text)
    return { file, bytes, rows: rows.length, threads: places.size } satisfies Written
  })

/** Reads the rows of a file as often as asked: of our own, one by one; of a log in another format, from memory. */
const source = (path: string) =>
  Effect.gen(function* () {
    const own = (take: (rows: ReadonlyArray<Row>) => boolean | void) =>
      Effect.catchAll(
        RowFile.readRows(path, (rows) => Effect.sync(() => take(rows))),
        (error) => RunFile.unreadable(path, error)
      )
    let some = false
    yield* own(({ length }) => !(some = length > 0))
    if (some) return (take: (row: Row) => void) => own((rows) => rows.forEach((row) => take(row)))
    const rows = complete((yield* Traces.read(path)).rows)
    return (take: (row: Row) => void) => Effect.sync(() => rows.forEach((row) => take(row)))
  })

/** As the source, without the earlier copies of rows that are there twice. */
const onceEach = <E, R>(each: (take: (row: Row) => void) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const found = RowSource.copies()
    yield* each(found.add)
    return (take: (row: Row) => void) =>
      Effect.suspend(() => {
        let place = 0
        return each((row) => {
          if (!found.isEarlier(place)) take(row)
          place += 1
        })
      })
  })

/** What was said of the first lost rollouts of each reason. */
const causes = (path: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { lost } = yield* RowFile.around(path)
    const found = new Map<string, Array<string>>()
    if (!(yield* Effect.orElseSucceed(fs.exists(lost), () => false))) return found
    yield* RunFile.lines(lost, (text) => {
      const said = lostOf(text)
      if (said === null) return
      const held = found.get(said.reason) ?? []
      found.set(said.reason, held)
      if (held.length < mostCauses && said.detail !== "" && !held.includes(said.detail)) held.push(said.detail)
    })
    return found
  })

/** Different causes told of one reason. */
const mostCauses = 3

const lostOf = (line: string): { readonly reason: string; readonly detail: string } | null => {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record !== "object" || record === null) return null
    const { detail, reason } = record as { readonly detail?: unknown; readonly reason?: unknown }
    return typeof reason === "string" ? { reason, detail: typeof detail === "string" ? detail : "" } : null
  } catch {
    return null
  }
}

/** Refuses a file that a page must not replace: before anything is read. */
export const refuseForeign = (file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    if (!/\.html?$/i.test(file)) {
      return yield* Answer.refuse([
        { option: "--html", problem: `names ${file}, which is no page`, fix: "Give a name that ends in .html." }
      ])
    }
    const place = yield* Effect.catchAll(Place.of(file), (error) => unwritable(file, error))
    if (place._tag === "Nothing" || place._tag === "Stream") return
    const there = yield* Effect.option(fs.readFileString(file))
    if (there._tag === "None" || !there.value.slice(0, 2000).includes(Document.generator)) {
      return yield* Answer.refuse([
        { option: "--html", problem: `${file} is already there, and no report of ours`, fix: "Name another file." }
      ])
    }
  })

/** The file is whole, or as it was. */
const save = (file: string, text: string) => {
  const bytes = new TextEncoder().encode(text)
  return Effect.as(
    Effect.catchAll(
      WholeFile.write(file, (write) => write(bytes)),
      (error) => unwritable(file, error)
    ),
    bytes.length
  )
}

const unwritable = (file: string, { detail }: RowFile.RowFileError) =>
  Answer.refuse([
    {
      option: "--html",
      problem: `${file} cannot be written: ${detail.replace(/(?:;.*)?\.$/, "")}`,
      fix: "Name another file."
    }
  ])
