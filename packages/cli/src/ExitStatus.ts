/**
 * What the command's exit status says. Numbers from 64 up are those of sysexits.h, so that scripts know them.
 */
import * as Data from "effect/Data"

export const done = 0
/** Under `--gate`, or a comparison says regressed. */
export const failed = 1
/** Nothing could be said: not measured, not comparable, unreplicated. */
export const undecided = 2
/** Wrong usage, refused options, unreadable input. */
export const usage = 64
/** An endpoint refused for good: keys or quota. */
export const unavailable = 69
/** The agent or the writer failed, or every rollout was lost; also our own faults. */
export const software = 70
/** What was found could not be written to the output. */
export const unwritten = 74
/** Ctrl-C: 128 + SIGINT. */
export const interrupted = 130

/** The status of a run that ended, whatever landed. */
export const ofRun = (run: {
  readonly stoppedBecause: string
  readonly rows: number
  readonly lost: number
}): number => {
  switch (run.stoppedBecause) {
    case "auth_failed":
    case "quota_exceeded":
      return unavailable
    case "interrupted":
      return interrupted
    case "agent_failed":
    case "writer_failed":
    case "empty_replies":
    case "output_failed":
      return software
    default:
      return run.rows === 0 && run.lost > 0 ? software : done
  }
}

/** A command is over, and what there is to say has been said. */
export class Exit extends Data.TaggedError("Exit")<{ readonly status: number }> {}
