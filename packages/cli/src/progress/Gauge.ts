/**
 * What is counted while a run goes on, and what can be read off it at a moment.
 */
import * as DateTime from "effect/DateTime"
import type * as Engine from "../Engine.ts"
import * as Score from "../Score.ts"
import type { Sink } from "../Stdio.ts"
import * as Style from "../Style.ts"
import * as Words from "../Words.ts"

export interface Reading {
  readonly title: string
  readonly phase: "starting" | "running" | "stopping"
  /** Why it stops, once it does. */
  readonly reason: string | null
  readonly rows: number
  readonly requested: number
  /** Seconds since the start. */
  readonly elapsed: number
  /** Rollouts that ended, per second, over the last moments. */
  readonly rate: number | null
  readonly inFlight: number
  readonly score: Score.Score
  readonly lostBy: ReadonlyMap<string, number>
  readonly lost: number
  /** Who waits, and until when (milliseconds since 1970). */
  readonly waiting: ReadonlyArray<readonly [string, number]>
  readonly tokens: { readonly input: number; readonly output: number } | null
  /** US dollars; null where nothing is priced. */
  readonly cost: number | null
  /** Seconds to the last row; null before five rows. */
  readonly left: number | null
}

export interface Gauge {
  readonly begin: (title: string) => void
  readonly event: (event: Engine.Event, now: number) => void
  readonly read: (now: number) => Reading
  /** Tenths of the rows that landed. */
  readonly tenth: () => number
}

/** Rows before a time left is worth saying. */
const enoughRows = 5
/** Moments the rate looks back over, and how far apart they are. */
const moments = 20
const apart = 500

export const make = (startedAt: number, passAt: number): Gauge => {
  const score = Score.tally(passAt)
  const lostBy = new Map<string, number>()
  const waiting = new Map<string, readonly [string, number]>()
  let title = ""
  let requested = 0
  let started = 0
  let rows = 0
  let resumed = 0
  let lost = 0
  let reason: string | null = null
  let tokens: { input: number; output: number } | null = null
  let evalRun = 0
  let cost: number | null = null
  /** Whether what models spend is told call by call: rows tell a part of the same. */
  let metered = false
  let marks: Array<{ readonly at: number; readonly ended: number }> = [{ at: startedAt, ended: 0 }]

  const ended = (now: number): void => {
    const last = marks[marks.length - 1]
    if (last !== undefined && now - last.at < apart) return
    marks.push({ at: now, ended: rows + lost })
    if (marks.length > moments) marks = marks.slice(1)
  }

  return {
    begin: (name) => {
      title = name
    },
    event: (event, now) => {
      switch (event._tag) {
        case "Started":
          requested = event.expected ?? event.budget
          return
        case "RolloutStarted":
          started += 1
          // One eval run has stopped, and the next begins.
          if (event.evalRun !== undefined && event.evalRun > evalRun) {
            evalRun = event.evalRun
            reason = null
          }
          return
        case "RowResumed":
          started += 1
          rows += 1
          resumed += 1
          score.add(event.row)
          // they took no time of this call
          marks = [{ at: now, ended: rows + lost }]
          return
        case "RowLanded":
          rows += 1
          score.add(event.row)
          for (const usage of metered ? [] : Object.values(event.row.usage ?? {})) {
            if (usage.input === null && usage.output === null) continue
            tokens ??= { input: 0, output: 0 }
            tokens.input += usage.input ?? 0
            tokens.output += usage.output ?? 0
          }
          return ended(now)
        case "LossResumed":
          started += 1
          lost += 1
          lostBy.set(event.reason, (lostBy.get(event.reason) ?? 0) + 1)
          marks = [{ at: now, ended: rows + lost }]
          return
        case "RolloutLost":
          lost += 1
          lostBy.set(event.reason, (lostBy.get(event.reason) ?? 0) + 1)
          return ended(now)
        case "Waiting":
          if (event.until === null) waiting.delete(event.role)
          else waiting.set(event.role, [`${event.who} (${event.role})`, event.until])
          return
        case "Spent":
          metered = true
          cost = event.cost
          if (event.input !== null || event.output !== null) {
            tokens = { input: event.input ?? 0, output: event.output ?? 0 }
          }
          return
        case "Stopping":
          reason = event.reason
      }
    },
    read: (now) => {
      const first = marks[0]
      const span = first === undefined ? 0 : (now - first.at) / 1000
      const since = rows + lost - (first?.ended ?? 0)
      const seconds = (now - startedAt) / 1000
      const rate = span >= apart / 1000 && since > 0 ? since / span : null
      return {
        title,
        phase: reason !== null ? "stopping" : started + rows + lost === 0 ? "starting" : "running",
        reason,
        rows,
        requested,
        elapsed: seconds,
        rate,
        inFlight: Math.max(0, started - rows - lost),
        score: score.score(),
        lostBy,
        lost,
        waiting: [...waiting.values()].filter(([, until]) => until > now),
        tokens,
        cost,
        left:
          rows - resumed >= enoughRows && seconds > 0 && requested > rows && reason === null
            ? ((requested - rows) * seconds) / (rows - resumed)
            : null
      }
    },
    tenth: () => (requested === 0 ? 0 : Math.floor((rows * 10) / requested))
  }
}

/** The window's lines, no wider than the terminal. */
export const lines = (reading: Reading, sink: Sink): ReadonlyArray<string> => {
  const { style } = sink
  const width = Math.max(20, sink.columns() - 1)
  const phase = reading.reason === null ? reading.phase : `stopping: ${Words.stopReason(reading.reason)}`
  const head = `${reading.title} · ${phase} · ${Words.clock(reading.elapsed)}`
  if (reading.requested === 0) return [style.bold(Style.oneLine(head, width))]
  const bar = meter(reading.rows / reading.requested, Math.min(24, Math.floor(width / 4)))
  const pace = [
    `${Words.whole(reading.rows)} of ${Words.count(reading.requested, "row")}`,
    ...(reading.rate === null ? [] : [`${reading.rate.toFixed(1)} rollouts/s`]),
    `${Words.whole(reading.inFlight)} in flight`,
    ...(reading.left === null ? [] : [`${Words.clock(reading.left)} left`])
  ].join(" · ")
  const detail = [...verdict(reading), ...losses(reading), ...spent(reading)].join(" · ")
  return [
    style.bold(Style.oneLine(head, width)),
    `${style.cyan(bar)} ${Style.oneLine(pace, width - bar.length - 1)}`,
    ...(detail === "" ? [] : [Style.oneLine(detail, width)]),
    ...reading.waiting.map(([who, until]) =>
      style.yellow(
        Style.oneLine(
          `waiting for ${who} until ${DateTime.formatIso(DateTime.unsafeMake(until)).slice(11, 19)} UTC`,
          width
        )
      )
    )
  ]
}

export const verdict = ({ score }: Reading): ReadonlyArray<string> =>
  score.passRate === null || score.interval === null
    ? []
    : [`pass ${Words.percent(score.passRate)} ${Words.range(score.interval)} over ${overOf(score)}`]

const overOf = ({ graded, gradedTasks, rows, tasks }: Score.Score): string =>
  Words.over({ tasks: gradedTasks, tasks_of: tasks, rows: graded, rows_of: rows })

export const losses = ({ lost, lostBy }: Reading): ReadonlyArray<string> =>
  lost === 0 ? [] : [`lost ${Words.whole(lost)} (${Words.counts(lostBy)})`]

export const spent = ({ cost, tokens }: Reading): ReadonlyArray<string> => [
  ...(tokens === null ? [] : [`tokens ${Words.short(tokens.input)} in, ${Words.short(tokens.output)} out`]),
  ...(cost === null ? [] : [Words.dollars(cost)])
]

const meter = (share: number, width: number): string => {
  const full = Math.min(width, Math.max(0, Math.round(share * width)))
  return "█".repeat(full) + "░".repeat(width - full)
}
