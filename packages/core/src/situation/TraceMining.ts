/**
 * What production traces tell of an agent's world: which tools are called and fail, how the world answers, what people
 * ask and where they give up. Mining is pure; `aimOf` turns what was seen into an aim for the grid.
 */
import * as Patience from "../rollout/Patience.ts"
import { normalise } from "../language/NearCopies.ts"
import type { TraceMining as Report } from "../report/SearchReport.ts"
import { isAgentCall, isUserStep, type CallStep } from "../row/Row.ts"
import * as Signature from "../row/Signature.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"
import * as Cell from "../task/Cell.ts"
import type { Tool } from "../task/Tool.ts"
import type { Aim } from "./Axes.ts"
import * as TracedCalls from "./internal/tracedCalls.ts"
import * as TracedIds from "./internal/tracedIds.ts"

export interface ToolSeen {
  readonly tool: string
  readonly calls: number
  /** Calls that did not end well, planned faults of a rehearsal among them. */
  readonly failures: number
  /** Different behaviour signatures of the threads that call it. */
  readonly behaviors: number
}

/** The ask of a thread that went wrong: worth variants, never to be run itself. */
export interface FailingAsk {
  readonly text: string
  /** What the thread shows of the situation: `tool`, `tool_condition`, `world_state`. */
  readonly dimensions: Cell.Dimensions
  /** Identifiers the person gave in the thread, by argument name. */
  readonly facts: Readonly<Record<string, string>>
}

export interface Mined {
  readonly threads: number
  /** Most failures first, then most calls. */
  readonly tools: ReadonlyArray<ToolSeen>
  /** Values of `tool_condition` and `world_state` that were seen, in the order of the axes; `success` and `exists` always. */
  readonly toolConditions: ReadonlyArray<string>
  readonly worldStates: ReadonlyArray<string>
  /** Whether threads called no tool, and whether any called several. */
  readonly withoutTool: boolean
  readonly withSeveral: boolean
  /** Results of calls that went well, by tool. */
  readonly payloads: ReadonlyMap<string, ReadonlyArray<unknown>>
  /** First words of people, each once. */
  readonly asks: ReadonlyArray<string>
  /** Those of threads in which nothing was missing: the identifiers they name exist. */
  readonly named: ReadonlyArray<string>
  /** Asks of threads with a reward under 0.5, or without a reward and with a failed call; each once. */
  readonly failing: ReadonlyArray<FailingAsk>
  /** Identifiers that exist, by argument name. */
  readonly ids: Readonly<Record<string, ReadonlyArray<string>>>
  /** Lines of the person, by thread. */
  readonly userTurns: ReadonlyArray<number>
  /** At which question people left. */
  readonly patience: Patience.Fit
}

export const mine = (traces: ReadonlyArray<TraceRow>, tools: ReadonlyArray<Tool>): Mined => {
  const idArguments = TracedIds.idArguments(tools)
  const seen = new Map<string, { calls: number; failures: number; behaviors: Set<string> }>()
  const conditions = new Set<string>(["success"])
  const states = new Set<string>(["exists"])
  const asks = new Map<string, string>()
  const named = new Set<string>()
  const failing = new Map<string, FailingAsk>()
  let withoutTool = false
  let withSeveral = false
  for (const trace of traces) {
    const calls = trace.steps.filter(isAgentCall)
    const used = new Set(calls.map(({ tool }) => tool))
    withoutTool ||= used.size === 0
    withSeveral ||= used.size > 1
    let missing = false
    const behavior = Signature.of(trace.steps, trace.final_text)
    for (const call of calls) {
      let own = seen.get(call.tool)
      if (own === undefined) seen.set(call.tool, (own = { calls: 0, failures: 0, behaviors: new Set() }))
      own.calls += 1
      own.behaviors.add(behavior)
      const { condition, failed, state } = TracedCalls.read(call)
      if (failed) own.failures += 1
      if (condition !== undefined) conditions.add(condition)
      if (state !== undefined) states.add(state)
      missing ||= state === "missing"
    }
    if (typeof trace["world_state"] === "string") states.add(trace["world_state"])
    const key = normalise(trace.prompt)
    if (key === "") continue
    if (!asks.has(key)) asks.set(key, trace.prompt)
    if (!missing) named.add(trace.prompt)
    if (!failing.has(key) && hasFailed(trace, calls)) failing.set(key, failingAsk(trace, calls, tools, idArguments))
  }
  return {
    threads: traces.length,
    tools: ranked(seen, tools),
    toolConditions: [...Cell.toolConditions, ...Cell.furtherConditions].filter((value) => conditions.has(value)),
    worldStates: Cell.worldStates.filter((value) => states.has(value)),
    withoutTool,
    withSeveral,
    payloads: TracedCalls.payloadsOf(traces),
    asks: [...asks.values()],
    named: [...named],
    failing: [...failing.values()],
    ids: TracedIds.read(traces, idArguments),
    userTurns: traces.map(({ steps }) => steps.filter(isUserStep).length),
    patience: Patience.fit(traces)
  }
}

/** What a run does with traces. */
export type Strategy = "auto" | "trace" | "targeted" | "broad"

/**
 * The aim for the grid: tools in the order of their failures, conditions and world states that were seen. `targeted`
 * leaves out tools (and asks for none, or for several) that no trace shows; `broad` does not aim.
 */
export const aimOf = (mined: Mined, tools: ReadonlyArray<Tool>, strategy: Strategy): Aim | null => {
  if (strategy === "broad") return null
  const declared = new Set(tools.map(({ name }) => name))
  const called = mined.tools.flatMap(({ tool }) => (declared.has(tool) ? [tool] : []))
  const rest = tools.flatMap(({ name }) => (called.includes(name) ? [] : [name]))
  const targeted = strategy === "targeted"
  return {
    tools: targeted ? called : [...called, ...rest],
    unrelated: !targeted || mined.withoutTool,
    several: !targeted || mined.withSeveral,
    toolConditions: mined.toolConditions,
    worldStates: mined.worldStates
  }
}

/** `search.trace_mining`. */
export const reportOf = (mined: Mined, unreadable: number): Report => {
  const { userTurns } = mined
  const count = (lists: Iterable<ReadonlyArray<unknown>>): number =>
    [...lists].reduce((sum, { length }) => sum + length, 0)
  return {
    threads: mined.threads,
    unreadable,
    tools: mined.tools,
    tool_conditions: mined.toolConditions,
    world_states: mined.worldStates,
    payloads: count(mined.payloads.values()),
    asks: mined.asks.length,
    failing_asks: mined.failing.length,
    identifiers: count(Object.values(mined.ids)),
    mean_user_turns: userTurns.length === 0 ? null : userTurns.reduce((sum, n) => sum + n, 0) / userTurns.length,
    left: mined.patience.estimates.reduce((sum, { left }) => sum + left, 0)
  }
}

const ranked = (
  seen: ReadonlyMap<string, { readonly calls: number; readonly failures: number; readonly behaviors: Set<string> }>,
  tools: ReadonlyArray<Tool>
): ReadonlyArray<ToolSeen> => {
  const order = new Map(tools.map(({ name }, at) => [name, at]))
  const place = (tool: string): number => order.get(tool) ?? tools.length
  return [...seen]
    .map(([tool, { behaviors, calls, failures }]) => ({ tool, calls, failures, behaviors: behaviors.size }))
    .sort((a, b) => b.failures - a.failures || b.calls - a.calls || place(a.tool) - place(b.tool))
}

/** A verdict decides; without one a failed call does. */
const hasFailed = ({ reward }: TraceRow, calls: ReadonlyArray<CallStep>): boolean =>
  typeof reward === "number" ? reward < 0.5 : calls.some((call) => TracedCalls.read(call).failed)

const failingAsk = (
  trace: TraceRow,
  calls: ReadonlyArray<CallStep>,
  tools: ReadonlyArray<Tool>,
  idArguments: TracedIds.IdArguments
): FailingAsk => {
  const declared = new Map(tools.map((tool) => [tool.name, tool]))
  const known = calls.filter(({ tool }) => declared.has(tool))
  const failed = known.find((call) => TracedCalls.read(call).failed)
  const about = failed ?? known.findLast(({ tool }) => declared.get(tool)?.kind !== "read") ?? known.at(-1)
  const { condition, state } = failed === undefined ? {} : TracedCalls.read(failed)
  return {
    text: trace.prompt,
    dimensions: {
      ...(about === undefined ? {} : { tool: about.tool }),
      ...(state === undefined ? {} : { world_state: state }),
      ...(condition === undefined ? {} : { tool_condition: condition })
    },
    facts: TracedIds.factsOf(trace, idArguments)
  }
}
