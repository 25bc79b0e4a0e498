/**
 * Counts what each gate drops. A row is dropped once, so the counts and what is kept add up to the input.
 */
import { counted } from "../../language/counted.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Gate, GateReport, Mode } from "../Select.ts"
import type { Candidate, Group } from "./candidates.ts"
import type { Settings } from "./selectOptions.ts"

const gatesOf: Readonly<Record<Mode, ReadonlyArray<Gate>>> = {
  rl: ["leak", "truncated", "junk", "ungraded", "duplicate", "lone", "unanimous", "band", "target"],
  sft: ["leak", "truncated", "junk", "ungraded", "failed", "duplicate", "best", "target"]
}

interface Counts {
  rows: number
  readonly causes: Map<string, number>
}

export class Tally {
  readonly #mode: Mode
  readonly #counts = new Map<Gate, Counts>()
  /** The gate that each group (or ask) lost its latest row to, as far along as any of its rows came. */
  readonly #lastGate = new Map<string, number>()

  constructor(mode: Mode) {
    this.#mode = mode
    for (const gate of gatesOf[mode]) this.#counts.set(gate, { rows: 0, causes: new Map() })
  }

  drop(gate: Gate, row: TraceRow, cause?: string): void {
    const counts = this.#counts.get(gate) as Counts
    counts.rows += 1
    if (cause !== undefined) counts.causes.set(cause, (counts.causes.get(cause) ?? 0) + 1)
    const unit = this.#unitOf(row)
    this.#lastGate.set(unit, Math.max(this.#lastGate.get(unit) ?? 0, gatesOf[this.#mode].indexOf(gate)))
  }

  /** Drops what is left of a group; false, for filters. */
  dropGroup(gate: Gate, group: Group, cause?: string): false {
    for (const { row } of group.members) this.drop(gate, row, cause)
    return false
  }

  gates(kept: ReadonlyArray<Candidate>): ReadonlyArray<GateReport> {
    const alive = new Set(kept.map(({ row }) => this.#unitOf(row)))
    const gone = gatesOf[this.#mode].map(() => 0)
    for (const [unit, gate] of this.#lastGate) if (!alive.has(unit)) gone[gate] = (gone[gate] ?? 0) + 1
    return gatesOf[this.#mode].map((gate, i) => {
      const { causes, rows } = this.#counts.get(gate) as Counts
      const sorted = [...causes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      return { gate, rows, groups: gone[i] ?? 0, causes: Object.fromEntries(sorted) }
    })
  }

  /** What to do about an empty selection. */
  advice(rows: number, settings: Settings): string {
    if (rows === 0) return "There are no rows to select from: check the path, or run a simulation first."
    const took = [...this.#counts].sort((a, b) => b[1].rows - a[1].rows)
    const [gate, counts] = took[0] as [Gate, Counts]
    return `Nothing is left: ${gate} took ${counts.rows} of ${counted(rows, "row")}. ${adviceOf(gate, settings)}`
  }

  #unitOf(row: TraceRow): string {
    return this.#mode === "rl" ? RowSource.groupOf(row) : RowSource.askOf(row)
  }
}

const adviceOf = (gate: Gate, { band, passAt, target }: Settings): string => {
  switch (gate) {
    case "leak":
      return "Look at one of them: hidden material or harness text in the thread must be kept out where rows are made."
    case "truncated":
      return 'Raise `agentMaxTokens` where rows are made, or keep cut rows with `truncated: "keep"`.'
    case "junk":
      return "Look at one of them: the agent or its server gave no usable reply."
    case "ungraded":
      return "Grade the rows first: `data.grade(...)`, or `grade: true` or a `grader` where rows are made."
    case "failed":
      return passAt < 1
        ? `No row reached ${passAt}: lower \`passAt\`, or train on harder-won passes of a better agent.`
        : "No row passed: for rewards between 0 and 1 lower `passAt`; else take rows of an agent that passes."
    case "duplicate":
      return "The rollouts repeat each other: raise `temperature`, or ask for more situations."
    case "lone":
      return "One rollout has nothing to be compared with: make rows with `repeats: 4` or more."
    case "unanimous":
      return "Every group has one reward for all its rollouts: change `hardShare` so that asks are harder or easier, or raise `repeats`."
    case "band":
      return `No group is between ${band[0]} and ${band[1]}: widen \`band\`.`
    case "best":
      return "Raise `perTask`."
    case "target":
      return `The smallest group has more rows than \`target\` (${target}): raise it.`
  }
}
