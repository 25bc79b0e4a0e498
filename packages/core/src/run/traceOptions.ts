/**
 * The traces of a call: read from where the option says, and what a run takes from them.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Platform from "../row/internal/platform.ts"
import type { OptionIssue } from "../options/InvalidOptions.ts"
import type { TraceMining } from "../report/SearchReport.ts"
import * as TraceFormat from "../traces/TraceFormat.ts"
import * as Warning from "../report/Warning.ts"
import type { Aim } from "../situation/Axes.ts"
import * as Leakage from "../situation/Leakage.ts"
import * as Mining from "../situation/TraceMining.ts"
import type { Tool } from "../task/Tool.ts"
import { noFileSystem } from "./outputFile.ts"

export interface Reading {
  /** Null when the call gives none. */
  readonly traces: TraceFormat.Imported | null
  readonly issues: ReadonlyArray<OptionIssue>
}

/** Reads `traces`; options of another shape are somebody else's to refuse. */
export const read = (options: unknown): Effect.Effect<Reading> =>
  Effect.gen(function* () {
    const source = typeof options === "object" && options !== null && "traces" in options ? options.traces : undefined
    if (typeof source === "object" && source !== null) return usable(TraceFormat.fromDocument(source))
    if (typeof source !== "string" || source.trim() === "") return none
    const fs = yield* Effect.serviceOption(Platform.FileSystem)
    if (Option.isNone(fs)) return refused(noFileSystem("traces"))
    return yield* TraceFormat.read(source).pipe(
      Effect.provideService(Platform.FileSystem, fs.value),
      Effect.match({
        onFailure: ({ detail }) =>
          refused({
            option: "traces",
            problem: `is ${source}, which cannot be read: ${detail.replace(/\.$/, "")}`,
            fix: "Name a JSONL or JSON file of traces, or give the traces as a list."
          }),
        onSuccess: usable
      })
    )
  })

const none: Reading = { traces: null, issues: [] }
const refused = (issue: OptionIssue): Reading => ({ traces: null, issues: [issue] })

const usable = (traces: TraceFormat.Imported): Reading => {
  if (traces.rows.length > 0) return { traces, issues: [] }
  const [first] = traces.unreadable
  return refused({
    option: "traces",
    problem: `holds no record that is a trace${first === undefined ? "" : ` (${first.message.replace(/\.$/, "")})`}`,
    fix: "Give rows, `{ prompt, steps, final_text }` records, chat `messages` or OpenTelemetry GenAI spans."
  })
}

/** What a run takes from its traces. */
export interface Traced {
  readonly strategy: Mining.Strategy
  readonly aim: Aim | null
  readonly leakage: Leakage.Leakage
  readonly failing: ReadonlyArray<Mining.FailingAsk>
  readonly ids: Mining.Mined["ids"]
  /** Texts that name identifiers which exist. */
  readonly texts: ReadonlyArray<string>
  readonly payloads: Mining.Mined["payloads"]
  readonly report: TraceMining
  readonly notes: ReadonlyArray<Warning.Warning>
  /** Everything of it that changes results, as plain data. */
  readonly identity: unknown
  readonly issues: ReadonlyArray<OptionIssue>
}

export const make = (
  { rows, unreadable }: TraceFormat.Imported,
  tools: ReadonlyArray<Tool>,
  strategy: Mining.Strategy
): Traced => {
  const mined = Mining.mine(rows, tools)
  const aiming = strategy !== "broad"
  const aim = Mining.aimOf(mined, tools, strategy)
  const failing = aiming ? mined.failing : []
  const ids = aiming ? mined.ids : {}
  const texts = aiming ? mined.named : []
  const declared = new Set(tools.map(({ name }) => name))
  const strangers = tools.length > 0 && mined.tools.length > 0 && !mined.tools.some(({ tool }) => declared.has(tool))
  const empty = aim !== null && tools.length > 0 && aim.tools.length === 0 && strategy === "targeted"
  return {
    strategy,
    aim,
    leakage: Leakage.make(mined.asks),
    failing,
    ids,
    texts,
    payloads: mined.payloads,
    report: Mining.reportOf(mined, unreadable.length),
    notes: [...unreadableNotes(unreadable), ...(strangers ? [strangersNote(mined, tools)] : [])],
    identity: [strategy, aim, failing, ids, texts, mined.asks, [...mined.payloads]],
    issues: empty ? [nothingToTarget] : []
  }
}

const nothingToTarget: OptionIssue = {
  option: "traces",
  problem: 'show no call of any of the tools, so `strategy: "targeted"` leaves no situation',
  fix: 'Give traces of this agent, or set `strategy: "auto"`.'
}

const unreadableNotes = (unreadable: ReadonlyArray<TraceFormat.TraceProblem>): ReadonlyArray<Warning.Warning> => {
  const [first] = unreadable
  return first === undefined
    ? []
    : [
        Warning.make(
          "traces_unreadable",
          `${unreadable.length === 1 ? "One record" : `${unreadable.length} records`} of \`traces\` could not be read; the first: ${first.message}`,
          "Mend or leave out these records of `traces`.",
          { unreadable: unreadable.length, first: first.record }
        )
      ]
}

const strangersNote = (mined: Mining.Mined, tools: ReadonlyArray<Tool>): Warning.Warning =>
  Warning.make(
    "traces_of_other_tools",
    `The traces call ${mined.tools
      .slice(0, 5)
      .map(({ tool }) => tool)
      .join(", ")}, and none of these is a tool of the agent: they cannot rank its tools.`,
    "Give `traces` of this agent, or its `tools` under the names the traces use.",
    { traced: mined.tools.length, tools: tools.length }
  )
