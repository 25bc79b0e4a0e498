/**
 * The commands there are, in the order of a person's loop.
 */
import type { Entry } from "./Command.ts"

export const entries: ReadonlyArray<Entry> = [
  {
    name: "init",
    summary: "begin with a small project that can be rehearsed at once",
    load: () => import("./commands/init.ts")
  },
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
    name: "report",
    summary: "tell what a run comes to: pass rates with intervals, and what lost reward",
    load: () => import("./commands/report.ts")
  },
  {
    name: "explain",
    summary: "why rows failed: what goes with it, and the smallest task that still fails",
    load: () => import("./commands/explain.ts")
  },
  {
    name: "compare",
    summary: "did the change help: one verdict on two runs",
    load: () => import("./commands/compare.ts")
  },
  {
    name: "power",
    summary: "what a set of tasks can show, and how many a change takes",
    load: () => import("./commands/power.ts")
  },
  {
    name: "select",
    summary: "keep the rows worth training on, and tell what was dropped and why",
    load: () => import("./commands/select.ts")
  },
  {
    name: "decontaminate",
    summary: "take out rows whose asks are in another set",
    load: () => import("./commands/decontaminate.ts")
  },
  {
    name: "export",
    summary: "write rows as files for trainers, or as a test report",
    load: () => import("./commands/export.ts")
  },
  {
    name: "trust",
    summary: "hold a judge's verdicts against labels that people gave",
    load: () => import("./commands/trust.ts")
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
  },
  {
    name: "doctor",
    summary: "tell what is configured here, whether it answers, and what a run would do",
    load: () => import("./commands/doctor.ts")
  }
]
