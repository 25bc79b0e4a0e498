/**
 * Time for durations: the time of day is set forward and back, by people and by time servers, while this only goes on.
 */
import type * as Clock from "effect/Clock"

/** Milliseconds on a clock that is never set; only their differences say something. */
export const millis = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** Seconds, to the millisecond, since `millis` said so. */
export const secondsSince = (clock: Clock.Clock, startedAt: number): number =>
  Math.round(millis(clock) - startedAt) / 1000
