/**
 * What a run delivered, counted row by row as rows land, so that a report never needs them again.
 */
import * as Lexical from "../language/Lexical.ts"
import * as Usage from "../model/Usage.ts"
import { axisNames } from "../task/Cell.ts"
import type { Tool } from "../task/Tool.ts"
import type { Diversity, ToolReport, Uniques } from "./Report.ts"
import * as NearCopies from "../language/NearCopies.ts"
import type { Row } from "../row/Row.ts"
import * as Rows from "../row/Row.ts"

/** A tool whose share of successful calls is under this with 95% confidence does not answer. */
const deadShare = 0.3
/** Asks compared with each other for the report: all pairs of them, so the cost of a report stays bounded. */
const likenessAsks = 200
/** 0.975 quantile of the standard normal distribution. */
const z = 1.959963984540054

export interface Tally {
  readonly add: (row: Row) => void
  readonly rows: () => number
  readonly uniques: () => Uniques
  readonly tools: () => Readonly<Record<string, ToolReport>>
  /** Tools that almost never answered, planned faults left out, and the calls they had. */
  readonly deadTools: () => ReadonlyArray<{ readonly tool: string; readonly calls: number }>
  readonly usage: () => Readonly<Record<string, Usage.Usage>>
  readonly axes: () => Diversity["axes"]
  readonly faults: () => FaultCounts
  /** Mean number of lines of the person per row; null without rows. */
  readonly meanUserTurns: () => number | null
  readonly calls: () => number
  /** Calls that a world answered, a planned fault included: not those an agent only tells of. */
  readonly worldCalls: () => number
  /** How alike the asks are, over the first `likenessAsks` different ones. */
  readonly likeness: () => Pick<Diversity, "mean_nearest_similarity" | "near_duplicate_rate">
}

export interface FaultCounts {
  /**
   * Rows with a planned fault; rows in which one fired; and of these, rows in which a fault failed or garbled a call and
   * the agent called that tool again later, met no fault and got an answer.
   */
  readonly planned: number
  readonly fired: number
  readonly recovered: number
}

interface ToolCount {
  calls: number
  ok: number
  faultsPlanned: number
  faultsFired: number
  /** Calls no planned fault answered, and answers among them. */
  plain: number
  plainOk: number
}

/** `axes`: the values each axis could have, to tell which none drew. */
export const make = (tools: ReadonlyArray<Tool>, axes: Readonly<Record<string, ReadonlyArray<string>>>): Tally => {
  const byTool = new Map<string, ToolCount>(tools.map(({ name }) => [name, noCalls()]))
  const prompts = new Set<string>()
  const situations = new Set<string>()
  const cells = new Set<string>()
  const signatures = new Set<string>()
  const usage = new Map<string, Usage.Usage>()
  const values = new Map<string, Map<string, number>>(axisNames.map((axis) => [axis, new Map()]))
  const faults = { planned: 0, fired: 0, recovered: 0 }
  let rows = 0
  let userTurns = 0
  let calls = 0
  let worldCalls = 0

  const countOf = (tool: string): ToolCount => {
    let count = byTool.get(tool)
    if (count === undefined) byTool.set(tool, (count = noCalls()))
    return count
  }

  const addCell = (dimensions: NonNullable<Row["scenario_dimensions"]>): void => {
    let cell = ""
    for (const axis of Object.keys(dimensions)) {
      const value = dimensions[axis] as string
      cell += `${value}\u0000`
      const counts = values.get(axis)
      if (counts !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    if (cell !== "") cells.add(cell)
  }

  const addCalls = (row: Row): void => {
    let fired = false
    let spoiled: Set<string> | undefined
    let recovered = false
    for (const step of row.steps) {
      if (Rows.isUserStep(step)) userTurns += 1
      if (!Rows.isAgentCall(step)) continue
      const count = countOf(step.tool)
      const ok = step.status === "ok"
      calls += 1
      const refused = step.answered_by === "harness"
      if (step.answered_by !== "agent" && !refused) worldCalls += 1
      count.calls += 1
      if (ok) count.ok += 1
      if (step.fault !== undefined) {
        count.faultsFired += 1
        fired = true
        if (spoils(step.fault)) (spoiled ??= new Set()).add(step.tool)
        continue
      }
      // A call that never reached the world says nothing of the tool: it is unknown, or its arguments could not be read.
      if (refused && step.status === "error") continue
      count.plain += 1
      // That something is done already is an answer, and a true one: such a tool is alive.
      if (ok || step.status === "already_done") count.plainOk += 1
      if (ok && spoiled?.has(step.tool)) recovered = true
    }
    if (fired) faults.fired += 1
    if (recovered) faults.recovered += 1
  }

  return {
    add: (row) => {
      rows += 1
      prompts.add(row.prompt)
      if (row.scenario_id !== undefined) situations.add(row.scenario_id)
      if (row.behavior_signature !== undefined) signatures.add(row.behavior_signature)
      if (row.scenario_dimensions !== undefined) addCell(row.scenario_dimensions)
      if (row.faults !== undefined && row.faults !== null && row.faults.length > 0) {
        faults.planned += 1
        for (const { tool } of row.faults) countOf(tool).faultsPlanned += 1
      }
      if (row.usage !== undefined) {
        for (const [role, used] of Object.entries(row.usage)) {
          usage.set(role, Usage.add(usage.get(role) ?? Usage.unknown, used))
        }
      }
      addCalls(row)
    },
    rows: () => rows,
    uniques: () => ({
      prompts: prompts.size,
      situations: situations.size,
      cells: cells.size,
      signatures: signatures.size
    }),
    tools: () =>
      Object.fromEntries(
        [...byTool].map(([tool, count]) => [
          tool,
          {
            calls: count.calls,
            ok: count.ok,
            faults_planned: count.faultsPlanned,
            faults_fired: count.faultsFired
          }
        ])
      ),
    deadTools: () =>
      [...byTool].flatMap(([tool, { plain, plainOk }]) =>
        plain > 0 && wilsonUpper(plainOk, plain) < deadShare ? [{ tool, calls: plain }] : []
      ),
    usage: () => Object.fromEntries(usage),
    axes: () =>
      Object.fromEntries(
        [...values].map(([axis, counts]) => [
          axis,
          {
            counts: Object.fromEntries(counts),
            gaps: (axes[axis] ?? []).filter((value) => !counts.has(value))
          }
        ])
      ),
    faults: () => faults,
    meanUserTurns: () => (rows === 0 ? null : userTurns / rows),
    calls: () => calls,
    worldCalls: () => worldCalls,
    likeness: () => likenessOf([...prompts].slice(0, likenessAsks))
  }
}

/** Each ask against all others: an ask is near a duplicate when another is at least `nearCopyThreshold` like it. */
const likenessOf = (asks: ReadonlyArray<string>): ReturnType<Tally["likeness"]> => {
  if (asks.length < 2) return { mean_nearest_similarity: null, near_duplicate_rate: null }
  const vectors = asks.map((ask) => Lexical.vectorOf(NearCopies.normalise(ask)))
  const nearest = vectors.map(() => 0)
  for (let i = 0; i < vectors.length; i++) {
    for (let j = i + 1; j < vectors.length; j++) {
      const likeness = Lexical.cosine(vectors[i] as Lexical.SparseVector, vectors[j] as Lexical.SparseVector)
      if (likeness > (nearest[i] as number)) nearest[i] = likeness
      if (likeness > (nearest[j] as number)) nearest[j] = likeness
    }
  }
  const near = nearest.filter((similarity) => similarity >= NearCopies.nearCopyThreshold).length
  return {
    mean_nearest_similarity: nearest.reduce((sum, similarity) => sum + similarity, 0) / asks.length,
    near_duplicate_rate: near / asks.length
  }
}

/** An old answer looks like any other: there is nothing an agent could have recovered from. */
const spoils = (mode: NonNullable<Rows.CallStep["fault"]>): boolean => mode !== "stale"

const noCalls = (): ToolCount => ({ calls: 0, ok: 0, faultsPlanned: 0, faultsFired: 0, plain: 0, plainOk: 0 })

/** Upper end of the 95% Wilson score interval (Wilson 1927) of `ok` successes in `n`. */
const wilsonUpper = (ok: number, n: number): number => {
  const share = ok / n
  const z2 = z * z
  const spread = z * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n))
  return (share + z2 / (2 * n) + spread) / (1 + z2 / n)
}
