/**
 * A report for continuous integration: one test case an ask, which passes when enough of its rollouts do. An ask without
 * a verdict is skipped, never passed.
 */
import * as PassMark from "../../row/PassMark.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { MakeEncoder } from "./encoder.ts"
import type { Settings } from "./settings.ts"
import { refusalOf } from "./training.ts"

interface Ask {
  readonly prompt: string
  readonly id: string
  readonly tier: string
  seconds: number
  /** By its id, so that a row that is there twice counts once; the last one holds. */
  readonly rows: Map<string, Verdict>
}

/** What a row got; null for no reward. */
interface Verdict {
  readonly reward: number | null
  readonly reason: string
}

export const make: MakeEncoder = (settings, book) => {
  const asks = new Map<string, Ask>()
  return {
    add: (row) => {
      const refusal = refusalOf(row, { ...settings, tools: [] })
      if (refusal !== null) return refusal
      const key = RowSource.askOf(row)
      const ask = asks.get(key) ?? askOf(row)
      asks.set(key, ask)
      const id = RowSource.identityOf(row) ?? String(ask.rows.size)
      if (!ask.rows.has(id)) ask.seconds += secondsOf(row)
      ask.rows.set(id, { reward: RowSource.rewardOf(row), reason: reasonOf(row) })
      book.use(row)
      return []
    },
    end: function* () {
      const all = [...asks.values()].map((ask) => outcomeOf(ask, settings.passAt))
      const fails = all.filter((ask) => isFailure(ask, settings.passShare)).length
      const counts = `tests="${all.length}" failures="${fails}" errors="0" skipped="${all.filter((ask) => ask.graded === 0).length}"`
      const time = `time="${seconds(all.reduce((sum, ask) => sum + ask.seconds, 0))}"`
      yield '<?xml version="1.0" encoding="UTF-8"?>'
      yield `<testsuites name="sandtable" ${counts} ${time}>`
      yield `  <testsuite name="sandtable" ${counts} ${time}>`
      for (const ask of all) yield* testCase(ask, settings)
      yield "  </testsuite>"
      yield "</testsuites>"
    }
  }
}

const askOf = (row: TraceRow): Ask => ({
  prompt: row.prompt,
  id: RowSource.askOf(row),
  tier: typeof row["tier"] === "string" ? row["tier"] : "asks",
  seconds: 0,
  rows: new Map()
})

interface Outcome extends Ask {
  readonly rollouts: number
  readonly graded: number
  readonly passed: number
  /** The graded row with the lowest reward, the first of several. */
  readonly worst: Verdict | null
}

const outcomeOf = (ask: Ask, passAt: number): Outcome => {
  let graded = 0
  let passed = 0
  let least = Number.POSITIVE_INFINITY
  let worst: Verdict | null = null
  for (const verdict of ask.rows.values()) {
    const { reward } = verdict
    if (reward === null) continue
    graded += 1
    if (PassMark.isPass(reward, passAt)) passed += 1
    if (reward < least) [least, worst] = [reward, verdict]
  }
  return { ...ask, rollouts: ask.rows.size, graded, passed, worst }
}

/** Shares are fractions: 2 of 3 is at least 0.6667 of all only up to rounding. */
const rounding = 1e-9

const isFailure = ({ graded, passed }: Outcome, share: number): boolean =>
  graded > 0 && passed < share * graded - rounding

/** Characters of an ask that a test's name shows. */
const nameLength = 100

const testCase = function* (ask: Outcome, { passAt, passShare: share }: Settings): Generator<string> {
  const words = ask.prompt.replace(/\s+/g, " ").trim()
  const name = `${words.length > nameLength ? `${words.slice(0, nameLength)}…` : words} [${ask.id}]`
  const open = `    <testcase classname="sandtable.${attribute(ask.tier)}" name="${attribute(name)}" time="${seconds(ask.seconds)}"`
  if (ask.graded === 0) {
    yield `${open}>`
    yield `      <skipped message="none of ${ask.rollouts} rollouts has a verdict"/>`
    yield "    </testcase>"
  } else if (isFailure(ask, share)) {
    const without = ask.rollouts - ask.graded
    const message =
      `${ask.passed} of ${ask.graded} graded rollouts passed` +
      (without === 0 ? "" : `, ${without} without a verdict`) +
      (ask.worst === null || ask.worst.reward === 0
        ? ""
        : `; the lowest reward is ${ask.worst.reward}, below ${passAt}`)
    yield `${open}>`
    yield `      <failure type="rollouts" message="${attribute(message)}">${content(ask.worst?.reason ?? "")}</failure>`
    yield "    </testcase>"
  } else yield `${open}/>`
}

const reasonOf = (row: TraceRow): string =>
  [row["failure_class"], row["reason"], row["row_id"]].filter((part) => typeof part === "string").join("\n")

const secondsOf = (row: TraceRow): number => {
  const timings = row["timings"]
  const elapsed = typeof timings === "object" && timings !== null && "elapsed" in timings ? timings.elapsed : 0
  return typeof elapsed === "number" && elapsed > 0 && Number.isFinite(elapsed) ? elapsed : 0
}

const seconds = (value: number): string => value.toFixed(3)

/** What XML 1.0 cannot hold, not even escaped: controls, halves of surrogate pairs, and two non-characters. */
// oxlint-disable-next-line no-control-regex
const impossible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

const content = (text: string): string =>
  text.replace(impossible, "\ufffd").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")

const attribute = (text: string): string =>
  content(text)
    .replace(/"/g, "&quot;")
    .replace(/[\t\n\r]/g, " ")
