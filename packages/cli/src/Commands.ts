/**
 * The commands there are, in the order of a person's loop.
 */
import type { Entry } from "./Command.ts"

export const entries: ReadonlyArray<Entry> = [
  {
    name: "simulate",
    summary: "write situations, run the agent through them, grade, and keep the rows",
    load: () => import("./commands/simulate.ts")
  },
  {
    name: "tasks",
    summary: "list the tasks of a run, as a replay would run them again",
    load: () => import("./commands/tasks.ts")
  },
  {
    name: "replay",
    summary: "run the tasks of an earlier run again, after a change of the agent",
    load: () => import("./commands/replay.ts")
  },
  {
    name: "grade",
    summary: "grade the rows of a run, or grade them anew",
    load: () => import("./commands/grade.ts")
  },
  {
    name: "evaluate",
    summary: "run a fixed list of asks and tell how each did",
    load: () => import("./commands/evaluate.ts")
  },
  {
    name: "traces inspect",
    summary: "tell what a file of traces holds and what of it can be read",
    load: () => import("./commands/tracesInspect.ts")
  },
  {
    name: "traces import",
    summary: "read traces of any usual format into rows that can be measured",
    load: () => import("./commands/tracesImport.ts")
  },
  {
    name: "patience fit",
    summary: "learn from threads how long people keep answering questions",
    load: () => import("./commands/patienceFit.ts")
  }
]
