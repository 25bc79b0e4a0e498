/**
 * Planned failures of tools: what a cell plans, and which call meets which failure.
 *
 * Firing depends on the plan and on the order in which calls are issued, never on timing. Each tool counts its own
 * calls, under a plan for `*` too: its `nth: [1]` is the first call of every tool.
 */
import type * as Randomness from "../random/Randomness.ts"
import type { Fault, FaultMode } from "../task/Plan.ts"

/**
 * Calls issued so far, by tool.
 * @since 0.1.0
 * @category models
 */
export type Counts = ReadonlyMap<string, number>

/**
 * No calls yet.
 * @since 0.1.0
 * @category constants
 */
export const none: Counts = new Map()

/** What a value of the axis `tool_condition` does to a tool; undefined for what plans no failure. */
const modes: ReadonlyMap<string, FaultMode> = new Map([
  ["timeout", "timeout"],
  ["malformed_result", "malformed"],
  ["stale_result", "stale"],
  ["permission_denied", "permission_denied"],
  ["rate_limited", "rate_limited"],
  ["partial_result", "partial"],
  ["server_error", "server_error"]
])

/**
 * The plan of a cell: the first one or two calls of the tool fail, then it recovers, so that trying again can be right.
 * A missing permission stays missing.
 * @since 0.1.0
 * @category functions
 */
export const plan = (
  toolCondition: string | undefined,
  tool: string,
  draws: Randomness.Draws
): ReadonlyArray<Fault> => {
  const mode = modes.get(toolCondition ?? "")
  if (mode === undefined) return []
  return [mode === "permission_denied" ? { tool, mode, always: true } : { tool, mode, count: 1 + draws.int(2) }]
}

/**
 * Counts a call of a tool and says which failure it meets; the first fault of the plan that applies wins.
 * @since 0.1.0
 * @category functions
 */
export const next = (
  faults: ReadonlyArray<Fault>,
  counts: Counts,
  tool: string
): readonly [Counts, FaultMode | null] => {
  if (faults.length === 0) return [counts, null]
  const n = (counts.get(tool) ?? 0) + 1
  const met = faults.find((fault) => (fault.tool === tool || fault.tool === "*") && applies(fault, n))
  return [new Map(counts).set(tool, n), met?.mode ?? null]
}

const applies = (fault: Fault, n: number): boolean =>
  fault.always === true || (fault.count !== undefined && n <= fault.count) || (fault.nth?.includes(n) ?? false)

/**
 * A plan in which one call of a tool meets another failure, or none: the others meet what they met. `tools` are all there are.
 * @since 0.1.0
 * @category functions
 */
export const changed = (
  faults: ReadonlyArray<Fault>,
  tool: string,
  nth: number,
  mode: FaultMode | null,
  tools: Iterable<string>
): ReadonlyArray<Fault> => [
  ...(mode === null ? [] : [{ tool, mode, nth: [nth] }]),
  ...faults.flatMap((fault): ReadonlyArray<Fault> => {
    if ((fault.tool !== tool && fault.tool !== "*") || !applies(fault, nth)) return [fault]
    const others = Array.from({ length: longestPlan }, (_, i) => i + 1).filter((n) => n !== nth && applies(fault, n))
    const own: ReadonlyArray<Fault> = others.length === 0 ? [] : [{ tool, mode: fault.mode, nth: others }]
    return fault.tool === "*"
      ? [...own, ...[...tools].filter((name) => name !== tool).map((name) => ({ ...fault, tool: name }))]
      : own
  })
]

/** Calls of a tool that a plan is spelled out for. */
const longestPlan = 200
