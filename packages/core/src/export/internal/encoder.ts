/**
 * What every format is: rows go in one by one, lines come out, then the lines that needed all rows.
 */
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { ExportRefused } from "../ExportRefused.ts"
import type { Book } from "./book.ts"
import type { Settings } from "./settings.ts"

export interface Encoder {
  /** The lines of a row (none where it is left out, or waits for others), or why nothing may be exported at all. */
  readonly add: (row: TraceRow) => ReadonlyArray<string> | ExportRefused
  readonly end: () => Iterable<string>
}

export type MakeEncoder = (settings: Settings, book: Book) => Encoder
