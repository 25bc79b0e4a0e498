/**
 * Rows as a table: each row is read once and kept as a few numbers, so that a million of them, or a file of them, can be
 * measured. Rows stand in groups (the rollouts of one ask in one eval run) and groups in tasks.
 */
import * as NearCopies from "../../language/NearCopies.ts"
import { isFork } from "../../row/internal/forks.ts"
import { passMark } from "../../row/PassMark.ts"
import type { LostRollout, MeasuredRow, Metric } from "../Measured.ts"
import { Column, Names } from "./columns.ts"
import { isAnswered, isObject, nameOf, readerOf, rewardOf, ungradedReason, wholeOf } from "./figures.ts"
import { makeOrigins } from "./origin.ts"

/** One wording of a situation, by whatever ids its rows have. */
export interface Ask {
  /** Its place in the table's `asks`. */
  readonly number: number
  readonly scenario: string | undefined
  readonly task: string | undefined
  readonly prompt: string | undefined
  readonly arm: number
  /** Its groups, each leading to the next. */
  first: Group | undefined
}

/** The rollouts of one ask in one eval run. Its rows are `order[start..end)`; those up to `total` are in no figure. */
export interface Group {
  /** Its place in the table's `groups`. */
  readonly number: number
  readonly ask: Ask
  readonly next: Group | undefined
  /** The `run_id`, numbered. */
  readonly run: number
  readonly evalRun: number
  readonly policy: Policy
  /** All of its rows, and those of them that are there again, later in the log. */
  rows: number
  copies: number
  start: number
  end: number
  total: number
  /** Lost rollouts that count as failures. */
  lost: number
}

/** How long a group may get: `fixed` groups all get k; of the others only the first rollouts are free of selection. */
export interface Policy {
  readonly name: string
  /** Rollouts that every group gets; null for all of them. */
  readonly probe: number | null
}

export interface Settings {
  /** Figures to read beside the reward. */
  readonly metrics?: ReadonlyArray<Metric>
  readonly exclude?: ReadonlyArray<string>
  readonly include?: ReadonlyArray<"fork"> | undefined
  /** The least reward of a pass. */
  readonly passAt?: number | undefined
}

const everyRollout: Policy = { name: "fixed", probe: null }
/** The policy of rows that do not say how often asks were rolled. */
export const unsaid = "unsaid"
const noArm = "unknown"
/** What continuations of forks are counted under when they are left out. */
const leftOut = "fork (continuations)"

export class Table {
  readonly asks: Array<Ask> = []
  readonly groups: Array<Group> = []
  readonly arms = new Names()
  readonly runs = new Names()
  readonly scorings = new Names()
  readonly passAt: number
  /** Rewards in [0, 1]; NaN for none. */
  readonly reward = new Column("float")
  readonly metrics: ReadonlyArray<Column>
  /** Which of `origins` a row comes from, and of `scorings`. */
  readonly origin = new Column("whole")
  readonly scoring = new Column("whole")
  readonly origins = makeOrigins()
  readonly answered = new Column("whole")
  readonly evalRuns = new Set<number>()
  readonly policies = new Map<string, Policy>()
  /** Of rows that count, once sealed. */
  readonly ungradedBy = new Map<string, number>()
  readonly excluded = new Map<string, number>()
  readonly lostBy = new Map<string, number>()
  rows = 0
  /** Records that are no rows or name neither task nor ask. */
  unusable = 0
  /** Rows that say whether tools were called, and whether any was. */
  toldOfTools = 0
  anyTool = false
  /** Whether any reward lies between 0 and 1. */
  anyFraction = false
  /** Rows that were there before, and of them those with another reward. */
  duplicates = 0
  regraded = 0
  beyondProbe = 0
  /** Rollouts whose numbers are missing between those of their group. */
  gaps = 0
  order = new Int32Array(0)

  readonly #readers: ReadonlyArray<(row: MeasuredRow) => number>
  readonly #exclude: ReadonlySet<string>
  readonly #forks: boolean
  readonly #byTask = new Map<string, Ask>()
  readonly #byPrompt = new Map<string, Ask>()
  readonly #prompts = new Map<string, string>()
  readonly #group = new Column("whole")
  readonly #index = new Column("whole")
  readonly #reasons = new Names()
  /** Why a row has no reward; -1 where it has one. */
  readonly #reason = new Column("whole")
  readonly #ids: Array<string | undefined> = []

  constructor({ exclude = [], include = [], metrics = [], passAt = passMark }: Settings) {
    this.passAt = passAt
    this.#readers = metrics.map((metric) => readerOf(metric, passAt))
    this.metrics = metrics.map(() => new Column("float"))
    this.#exclude = new Set(exclude)
    this.#forks = include.includes("fork")
  }

  add(row: MeasuredRow): void {
    if (!isObject(row)) return void (this.unusable += 1)
    const arm = isFork(row) && !this.#forks ? leftOut : (nameOf(row.arm) ?? noArm)
    if (arm === leftOut || this.#exclude.has(arm)) return void this.excluded.set(arm, (this.excluded.get(arm) ?? 0) + 1)
    const ask = this.#askOf(row, arm)
    if (ask === undefined) return void (this.unusable += 1)
    const lineage = isObject(row.lineage) ? row.lineage : {}
    const group = this.#groupOf(ask, lineage)
    group.rows += 1
    this.rows += 1
    this.#group.push(group.number)
    this.#index.push(wholeOf(row.rollout_index) ?? -1)
    this.#ids.push(nameOf(row.row_id))
    const reward = rewardOf(row)
    this.reward.push(reward)
    if (reward > 0 && reward < 1) this.anyFraction = true
    this.#reason.push(Number.isNaN(reward) ? this.#reasons.numberOf(ungradedReason(row)) : -1)
    for (let i = 0; i < this.#readers.length; i++) this.metrics[i]?.push(this.#readers[i]?.(row) ?? Number.NaN)
    this.answered.push(isAnswered(row) ? 1 : 0)
    this.scoring.push(this.scorings.numberOf(nameOf(lineage["scoring_run_id"]) ?? ""))
    this.origin.push(this.origins.numberOf(row, lineage))
    const { tools_used } = row
    if (Array.isArray(tools_used)) {
      this.toldOfTools += 1
      if (tools_used.length > 0) this.anyTool = true
    }
  }

  /** Counts a lost rollout; call it after the rows, whose policy says whether it is in the probe. */
  addLost(lost: LostRollout): void {
    const reason = nameOf(lost.reason) ?? "unknown"
    this.lostBy.set(reason, (this.lostBy.get(reason) ?? 0) + 1)
    // The end of the run cut it: nobody failed there.
    if (reason === "interrupted") return
    const ask = this.#askOf(lost, null)
    if (ask === undefined || this.#exclude.has(this.arms.names[ask.arm] ?? noArm)) return
    const evalRun = wholeOf(lost.eval_run) ?? 0
    let known = ask.first
    while (known !== undefined && known.evalRun !== evalRun) known = known.next
    const group = known ?? this.#addGroup(ask, 0, evalRun, this.policies.values().next().value ?? everyRollout)
    const { probe } = group.policy
    if (probe === null || (wholeOf(lost.rollout_index) ?? 0) < probe) group.lost += 1
  }

  /** Puts rows in their groups, in the order of their index, and finds those that are in no figure. */
  seal(options: { readonly apart?: boolean } = {}): this {
    let start = 0
    for (const group of this.groups) {
      group.start = group.end = start
      start += group.rows
      group.total = start
    }
    this.order = new Int32Array(this.rows)
    for (let row = 0; row < this.rows; row++) {
      const group = this.groups[this.#group.at(row)] as Group
      this.order[group.end++] = row
    }
    for (const group of this.groups) if (group.rows > 0) this.#sift(group, options.apart === true)
    return this
  }

  /** Rows that are there, each once. */
  get distinct(): number {
    return this.rows - this.duplicates
  }

  #countUngraded(row: number): void {
    const reason = this.#reasons.names[this.#reason.at(row)]
    if (reason !== undefined) this.ungradedBy.set(reason, (this.ungradedBy.get(reason) ?? 0) + 1)
  }

  /** Duplicates and what lies beyond the probe go to the end of the group's rows. */
  #sift(group: Group, apart: boolean): void {
    const rows = this.order.subarray(group.start, group.total)
    const byIndex = (a: number, b: number): number => this.#index.at(a) - this.#index.at(b) || a - b
    for (let i = 1; i < rows.length; i++) {
      if (byIndex(rows[i - 1] as number, rows[i] as number) > 0) {
        rows.sort(byIndex)
        break
      }
    }
    this.#countGaps(rows)
    const left: Array<number> = []
    let kept = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      if (this.#comesAgain(rows, i, apart)) {
        this.duplicates += 1
        group.copies += 1
        left.push(row)
        continue
      }
      this.#countUngraded(row)
      if (this.#isBeyond(group.policy, row, kept)) {
        if (!Number.isNaN(this.reward.at(row))) this.beyondProbe += 1
        left.push(row)
      } else rows[kept++] = row
    }
    rows.set(left, kept)
    group.end = group.start + kept
  }

  /** Of rows in the order of their index. */
  #countGaps(rows: Int32Array): void {
    for (let i = 1; i < rows.length; i++) {
      const before = this.#index.at(rows[i - 1] as number)
      if (before >= 0) this.gaps += Math.max(0, this.#index.at(rows[i] as number) - before - 1)
    }
  }

  /** Rollouts that have no row and that nothing tells of; none where numbers are too sparse to count rollouts. */
  get missing(): number {
    if (this.gaps > this.rows) return 0
    return Math.max(0, this.gaps - [...this.lostBy.values()].reduce((sum, n) => sum + n, 0))
  }

  /** Arms that were to be left out and that no row has. */
  get unknownArms(): ReadonlyArray<string> {
    return this.rows === 0 ? [] : [...this.#exclude].filter((arm) => !this.excluded.has(arm))
  }

  /** Whether the same row, by its id, stands later among the rows of its index: the last one counts. */
  #comesAgain(rows: Int32Array, place: number, apart: boolean): boolean {
    const row = rows[place] as number
    const id = this.#ids[row]
    if (id === undefined) return false
    for (let i = place + 1; i < rows.length; i++) {
      const other = rows[i] as number
      if (this.#index.at(other) !== this.#index.at(row)) return false
      if (this.#ids[other] !== id || (apart && this.scoring.at(other) !== this.scoring.at(row))) continue
      if (!Object.is(this.reward.at(other), this.reward.at(row))) this.regraded += 1
      return true
    }
    return false
  }

  #isBeyond({ probe }: Policy, row: number, before: number): boolean {
    if (probe === null) return false
    const index = this.#index.at(row)
    return (index < 0 ? before : index) >= probe
  }

  #askOf(row: MeasuredRow | LostRollout, arm: string | null): Ask | undefined {
    const task = nameOf(row.task_id)
    if (task !== undefined) {
      const known = this.#byTask.get(task)
      if (known !== undefined) return known
    }
    const scenario = nameOf(row.scenario_id)
    const prompt = typeof row.prompt === "string" && row.prompt.trim() !== "" ? row.prompt : undefined
    if (task !== undefined) return this.#keep(this.#byTask, task, scenario, task, prompt, arm)
    if (scenario === undefined && prompt === undefined) return undefined
    const key = JSON.stringify([scenario ?? null, prompt === undefined ? null : this.normal(prompt)])
    return this.#byPrompt.get(key) ?? this.#keep(this.#byPrompt, key, scenario, task, prompt, arm)
  }

  #keep(
    into: Map<string, Ask>,
    key: string,
    scenario: string | undefined,
    task: string | undefined,
    prompt: string | undefined,
    armName: string | null
  ): Ask {
    const { length: number } = this.asks
    const arm = this.arms.numberOf(armName ?? noArm)
    const ask: Ask = { number, scenario, task, prompt, arm, first: undefined }
    into.set(key, ask)
    this.asks.push(ask)
    return ask
  }

  /** The normal form of a prompt; a log repeats its prompts. */
  normal(prompt: string): string {
    let normal = this.#prompts.get(prompt)
    if (normal === undefined) this.#prompts.set(prompt, (normal = NearCopies.normalise(prompt)))
    return normal
  }

  #groupOf(ask: Ask, lineage: Readonly<Record<string, unknown>>): Group {
    const evalRun = wholeOf(lineage["eval_run"]) ?? 0
    const run = this.runs.numberOf(nameOf(lineage["run_id"]) ?? "")
    for (let group = ask.first; group !== undefined; group = group.next) {
      if (group.evalRun === evalRun && group.run === run) return group
    }
    return this.#addGroup(ask, run, evalRun, this.#policyOf(lineage))
  }

  #addGroup(ask: Ask, run: number, evalRun: number, policy: Policy): Group {
    const { length: number } = this.groups
    const next = ask.first
    const empty = { rows: 0, copies: 0, start: 0, end: 0, total: 0, lost: 0 }
    const group: Group = { number, ask, next, run, evalRun, policy, ...empty }
    ask.first = group
    this.groups.push(group)
    this.evalRuns.add(evalRun)
    return group
  }

  #policyOf({ probe, repeat_policy: name }: Readonly<Record<string, unknown>>): Policy {
    const key = typeof name === "string" ? `${name} ${String(probe)}` : ""
    let policy = this.policies.get(key)
    if (policy === undefined) {
      const free = name === "successive" ? (wholeOf(probe) ?? 2) : name === "adaptive" ? 1 : null
      policy = { name: typeof name === "string" ? name : unsaid, probe: free }
      this.policies.set(key, policy)
    }
    return policy
  }
}
