/**
 * `sandtable power`: what a set of tasks can show, and how many it takes to show a change.
 */
import * as Sizing from "@sandtable/core/Sizing"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as RunFile from "../RunFile.ts"
import * as Words from "../Words.ts"

/** What is asked without a run, which says these things itself. */
const forPlans = ["tasks", "base", "k"] as const

export const page: Help.Page = {
  name: "power",
  usage: ["sandtable power <run> [options]", "sandtable power (--effect <n> | --tasks <n>) [options]"],
  arguments: [["<run>", "a file of graded rows: the base of a comparison"]],
  examples: [
    ["what a run can show", "sandtable power runs/before.jsonl --effect 0.1"],
    ["tasks it takes to see 5 points from 60%, four rollouts each", "sandtable power --effect 0.05 --base 0.6 --k 4"],
    ["what 140 tasks can show", "sandtable power --tasks 140 --base 0.6 --k 4"]
  ],
  notes: [
    "Exit status: 0 done, and a run is usable; 2 a run is underpowered, saturated, floored or empty, or no number of tasks would do; 64 refused or unreadable."
  ],
  flags: [
    Flags.own("effect", "number", "The difference of pass rates to see, such as 0.05 (0.1 with a run)."),
    Flags.own("tasks", "number", "How many tasks there are: tells the smallest effect they show."),
    Flags.own("base", "number", "Pass rate before the change (0.6)."),
    Flags.own("k", "number", "Rollouts of each task on each side (1)."),
    Flags.own("power", "number", "Chance to see an effect that is there (0.8)."),
    Flags.own("alpha", "number", "Chance to see one that is not, two-sided (0.05)."),
    Flags.own("sd", "number", "Standard deviation of the tasks' differences, where a comparison told it."),
    Flags.own("exclude", "text", "Arms left out, such as failure_mutation; several with commas."),
    Flags.own("pass-at", "number", "The least reward of a pass (1): what is graded below it is none."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const share = { above: 0, most: 1 }
    const effect = asked.number("effect", share)
    const tasks = asked.number("tasks", { least: 2, whole: true })
    const options = {
      ...present("base", asked.number("base", { least: 0, most: 1 })),
      ...present("k", asked.number("k", { least: 1, whole: true })),
      ...present("power", asked.number("power", share)),
      ...present("alpha", asked.number("alpha", share)),
      ...present("sd", asked.number("sd", { above: 0 }))
    }
    const named = rest.length > 0
    for (const flag of named ? forPlans : []) {
      if (asked.text(flag) === null) continue
      asked.refuse({ option: `--${flag}`, problem: "is told by the run", fix: "Leave it out, or leave the run out." })
    }
    if (!named && (effect === null) === (tasks === null)) {
      asked.refuse({
        option: "--effect, --tasks",
        problem: effect === null ? "neither is given" : "exclude each other",
        fix: "Name a run; or give --effect for the tasks it takes, or --tasks for the effect they show."
      })
    }
    const passAt = asked.number("pass-at", share)
    if (!named && passAt !== null) {
      asked.refuse({ option: "--pass-at", problem: "reads the rewards of a run", fix: "Name a run, or leave it out." })
    }
    yield* asked.checked
    const json = asked.on("json")
    if (!named) return yield* tasks === null ? sized(json, effect ?? 0, options) : shown(json, tasks, options)

    const [path] = yield* Asked.words(page, rest, ["run"])
    yield* RunFile.filled(path)
    const exclude = Asked.list(asked.text("exclude"))
    const { alpha, power, sd } = options
    const found = yield* RunFile.measured(
      Sizing.evalPower(path, {
        ...present("effect", effect),
        ...present("passAt", passAt),
        ...(alpha === undefined ? {} : { alpha }),
        ...(power === undefined ? {} : { power }),
        ...(sd === undefined ? {} : { sd }),
        ...(exclude.length === 0 ? {} : { exclude })
      })
    )
    yield* Answer.give(json, { command: "power", run: path, ...found }, ({ style }) =>
      [style.bold(`power of ${path}`), ...indented(Sizing.render(found))].join("\n")
    )
    if (found.status !== "usable") return yield* new ExitStatus.Exit({ status: ExitStatus.undecided })
  })

/** The tasks an effect takes. */
const sized = (json: boolean, effect: number, options: Sizing.Options) =>
  Effect.gen(function* () {
    const size = yield* RunFile.measured(Effect.sync(() => Sizing.holdoutSize({ ...options, effect })))
    yield* Answer.give(json, { command: "power", ...size }, () =>
      [
        size.tasks === null
          ? "No number of tasks would show it."
          : `${Words.count(size.tasks, "task")} on each side show a difference of ${points(effect)} or more.`,
        ...size.notes.map(({ message }) => `- ${message}`)
      ].join("\n")
    )
    if (size.tasks === null) return yield* new ExitStatus.Exit({ status: ExitStatus.undecided })
  })

/** The effect that tasks show. */
const shown = (json: boolean, tasks: number, options: Sizing.Options) =>
  Effect.gen(function* () {
    const effect = yield* RunFile.measured(Effect.sync(() => Sizing.detectableEffect(tasks, options)))
    yield* Answer.give(json, { command: "power", tasks, effect }, () =>
      effect === null
        ? `${Words.count(tasks, "task")} show no effect that the base leaves room for.`
        : `${Words.count(tasks, "task")} show a difference of ${points(effect)} or more.`
    )
    if (effect === null) return yield* new ExitStatus.Exit({ status: ExitStatus.undecided })
  })

const points = (effect: number): string => `${(effect * 100).toFixed(1)} points`

const indented = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => `  ${line}`)

const present = <K extends string>(key: K, value: number | null): { readonly [P in K]?: number } =>
  // one key, of the literal type it came with
  (value === null ? {} : { [key]: value }) as { readonly [P in K]?: number }
