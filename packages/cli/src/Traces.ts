/**
 * Files of traces as commands read them: any usual format, with what could not be read told by number and cause.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as TraceFormat from "@sandtable/core/unstable/TraceFormat"
import * as Effect from "effect/Effect"
import * as Answer from "./Answer.ts"
import type * as ExitStatus from "./ExitStatus.ts"
import * as RunFile from "./RunFile.ts"
import type { Stdio } from "./Stdio.ts"
import * as Style from "./Style.ts"

/** The traces of a file; one without any is refused. */
export const read = (
  path: string
): Effect.Effect<TraceFormat.Imported, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  Effect.gen(function* () {
    const traces = yield* Effect.catchAll(TraceFormat.read(path), (error) => RunFile.unreadable(path, error))
    if (traces.rows.length > 0) return traces
    const [first] = traces.unreadable
    return yield* Answer.refuse([
      {
        option: path,
        problem:
          first === undefined
            ? "is empty"
            : `holds no trace (record ${first.record}: ${first.detail.replace(/\.$/, "")})`,
        fix: "Give rows, { prompt, steps, final_text } records, chat messages (OpenAI, Anthropic), requests with their responses or OpenTelemetry GenAI spans, as JSON or JSON Lines."
      }
    ])
  })

/** Records that were left out, as lines: the first few, and how many more. */
export const leftOut = (unreadable: TraceFormat.Imported["unreadable"]): ReadonlyArray<string> => [
  ...unreadable.slice(0, shown).map(({ message }) => message),
  ...(unreadable.length > shown ? [`... and ${unreadable.length - shown} more`] : [])
]

const shown = 3

/** Parts of records that were passed over, in one line; undefined when there are none. */
export const passedOver = (items: TraceFormat.Imported["passedOver"]): string | undefined =>
  items.length === 0
    ? undefined
    : items.map(({ count, item, record }) => `${count} ${Style.strip(item)} (first in record ${record})`).join(", ")
