/**
 * A moment of a run as one line, for pipes and for programs.
 */
import * as DateTime from "effect/DateTime"
import * as Words from "../Words.ts"
import * as Gauge from "./Gauge.ts"

export const sentence = (reading: Gauge.Reading): string =>
  [
    `${Words.whole(reading.rows)} of ${Words.count(reading.requested, "row")}`,
    ...(reading.reason === null ? [] : [`stopping: ${Words.stopReason(reading.reason)}`]),
    ...(reading.rate === null ? [] : [`${reading.rate.toFixed(1)} rollouts/s`]),
    `${Words.whole(reading.inFlight)} in flight`,
    ...Gauge.verdict(reading),
    ...Gauge.losses(reading),
    ...reading.waiting.map(
      ([who, until]) => `waiting for ${who} until ${DateTime.formatIso(DateTime.unsafeMake(until)).slice(11, 19)} UTC`
    ),
    ...Gauge.spent(reading),
    ...(reading.left === null ? [] : [`${Words.clock(reading.left)} left`])
  ].join(", ")

/** Stable keys, for programs. */
export const record = (reading: Gauge.Reading): Readonly<Record<string, unknown>> => ({
  phase: reading.phase,
  stopping_because: reading.reason,
  rows: reading.rows,
  requested: reading.requested,
  elapsed: reading.elapsed,
  rollouts_per_second: reading.rate,
  in_flight: reading.inFlight,
  pass_rate: reading.score.passRate,
  pass_interval: reading.score.interval,
  tasks: reading.score.gradedTasks,
  graded: reading.score.graded,
  lost: reading.lost,
  lost_by: Object.fromEntries(reading.lostBy),
  waiting: reading.waiting.map(([who, until]) => ({ who, until: DateTime.formatIso(DateTime.unsafeMake(until)) })),
  tokens: reading.tokens,
  cost: reading.cost,
  seconds_left: reading.left
})
