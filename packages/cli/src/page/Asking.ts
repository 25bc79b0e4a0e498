/**
 * How a page is asked for: its flags, where it goes, and opening it. What makes one is loaded when one is wanted.
 */
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import type * as Asked from "../Asked.ts"
import * as Flags from "../Flags.ts"
import * as Words from "../Words.ts"
import type * as Findings from "./Findings.ts"
import * as Opener from "./Opener.ts"
import type { Settings, Written } from "./Page.ts"

export const flags: ReadonlyArray<Flags.Flag> = [
  Flags.own("html", "path", "Write the report as one page that needs no network: plots, rows, threads.", {
    group: "As a page"
  }),
  Flags.own("open", "switch", "Open the page; without --html it goes beside the run.", { group: "As a page" }),
  Flags.own("threads", "text", "Threads in the page: a number, or all. Usually those that fit in a few MB.", {
    group: "As a page"
  })
]

export interface Wanted {
  /** Null for the place beside the run. */
  readonly html: string | null
  readonly open: boolean
  readonly limit: Settings["limit"]
}

/** Null when no page was asked for. */
export const read = (asked: Asked.Asked): Wanted | null => {
  const html = asked.text("html")
  const open = asked.on("open")
  const threads = asked.text("threads")
  if (html === null && !open) {
    if (threads !== null) {
      asked.refuse({
        option: "--threads",
        problem: "is about a page, and none was asked for",
        fix: "Add --html report.html."
      })
    }
    return null
  }
  if (threads === null) return { html, open, limit: { _tag: "Usual" } }
  if (threads === "all") return { html, open, limit: { _tag: "Threads", most: Number.MAX_SAFE_INTEGER } }
  const most = asked.number("threads", { least: 0, whole: true })
  return { html, open, limit: { _tag: "Threads", most: most ?? 0 } }
}

/** Where the page goes; a place it must not have is refused before anything is read. */
export const file = ({ html }: Wanted, run: string) =>
  Effect.gen(function* () {
    const { refuseForeign } = yield* load
    const file = html ?? `${run.replace(/\.(jsonl|ndjson|json)$/i, "")}.html`
    yield* refuseForeign(file)
    return file
  })

/** Writes the page and opens it, where that was asked for; a page that cannot be opened is there all the same. */
export const write = (findings: Findings.Findings, { open, ...settings }: Settings & Pick<Wanted, "open">) =>
  Effect.gen(function* () {
    const written = yield* (yield* load).write(findings, settings)
    if (open) {
      const problem = yield* (yield* Opener.Opener)(written.file)
      if (problem !== null) {
        yield* Answer.note(`The page could not be opened (${problem}). Open ${written.file} in a browser.`)
      }
    }
    return written
  })

const load = Effect.promise(() => import("./Page.ts"))

/** `page        before.html (1.2 MB, 200 rows with their threads)`. */
export const text = ({ bytes, file, rows, threads }: Written): string =>
  `${"page".padEnd(Words.labelWidth)}${file} (${size(bytes)}, ${Words.count(rows, "row")}, ` +
  `${threads === rows ? "with their threads" : `${Words.count(threads, "thread")}; --threads all keeps every one`})`

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Words.whole(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
