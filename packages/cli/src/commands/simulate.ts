/**
 * `sandtable simulate`: the main job.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Before from "../Before.ts"
import * as Digest from "../Digest.ts"
import * as Engine from "../Engine.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import { Interrupts } from "../Interrupts.ts"
import * as Invocation from "../Invocation.ts"
import * as Losses from "../Losses.ts"
import { optionFlags } from "../OptionFlags.ts"
import * as PlanText from "../PlanText.ts"
import * as Progress from "../Progress.ts"
import * as Settings from "../Settings.ts"
import { Stdio } from "../Stdio.ts"
import * as Summary from "../Summary.ts"
import * as Trouble from "../Trouble.ts"
import * as Words from "../Words.ts"

const own = (
  name: string,
  kind: Flags.Kind,
  description: string,
  more: { readonly letter?: string; readonly words?: ReadonlyArray<string> } = {}
): Flags.Flag => ({ name, kind, description, option: null, group: "This command", ...more })

export const flags: ReadonlyArray<Flags.Flag> = [
  ...optionFlags,
  own("offline", "switch", "No writer model: situations from templates, no key, no network."),
  own("batch", "number", "Reproducible, in batches of that many rollouts."),
  own("lookahead", "number", "Reproducible, each choice made that many rollouts behind."),
  own("config", "path", "A file of options (.json, .yaml, .ts, .js); flags win over it, it wins over the agent file."),
  own("dry-run", "switch", "Show what a run would do, and call nothing."),
  own("gate", "number", "Exit with 1 when the pass rate, lost rollouts as failures, is below this (0 to 1)."),
  own("json", "switch", "Print the summary as one JSON object."),
  own("progress", "choice", "How progress is shown (a window on a terminal, lines elsewhere).", {
    words: ["window", "lines", "json", "none"]
  }),
  own("quiet", "switch", "No progress.", { letter: "q" }),
  own("debug", "switch", "Show where errors come from.")
]

export const summary = "write situations, run the agent through them, grade, and keep the rows"

export const page: Help.Page = {
  name: "simulate",
  summary,
  usage: ["sandtable simulate <agent> [options]"],
  arguments: [
    ["<agent>", "a .ts, .js or .mjs module whose default export holds the options, or a folder with an agent.ts"]
  ],
  examples: [
    [
      "no key and no network: template situations, mock world, conduct grade",
      "sandtable simulate agent.ts --offline --grade"
    ],
    [
      "eight runs of each ask, in the same order every time",
      "sandtable simulate agent.ts --offline --mode rl --reproducible"
    ],
    ["what a run would do", "sandtable simulate agent.ts --offline --budget 200 --dry-run"],
    [
      "after a change: the same tasks again, three times",
      "sandtable simulate agent.ts --tasks runs/before.jsonl --runs 3"
    ],
    ["in CI: fail under 90% passes", "sandtable simulate agent.ts --offline --grade --gate 0.9 --json"]
  ],
  notes: [
    "Every switch has a --no- form. Lists and objects are JSON, or the path of a .json, .jsonl or .yaml file. Texts can be read from a file: --system-prompt @policy.md. Durations are seconds, or words such as 10 seconds or 2m.",
    "Exit status: 0 done, 1 under --gate, 2 nothing graded to hold against --gate, 64 refused, 69 key or quota, 70 agent or writer failed or every rollout was lost, 130 interrupted."
  ],
  flags
}

export const command = Command.make(
  "simulate",
  {
    given: Flags.parser(flags),
    rest: Args.repeated(Args.text({ name: "agent" }))
  },
  ({ given, rest }) => run(given, rest)
).pipe(Command.withDescription(summary))

/** Runs the command; anything but success is an `Exit` whose story has been told. */
export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const stdio = yield* Stdio
    const engine = yield* Engine.Engine
    const invocation = yield* Invocation.Invocation
    const { debug } = invocation

    const settings = yield* Settings.read(flags, given, rest)
    const { options } = settings
    if (settings.issues.length > 0) {
      const more = yield* Effect.flip(engine.preview(options)).pipe(Effect.orElseSucceed(() => null))
      const further = more === null ? [] : issuesOf(more, settings)
      return yield* refuse([...settings.issues, ...further])
    }
    const preview = Effect.catchTag(engine.preview(options), "Refused", (error) => refuse(issuesOf(error, settings)))

    if (settings.dryRun) {
      const plan = yield* preview
      stdio.out.write(
        settings.json
          ? `${JSON.stringify(PlanText.record(plan))}\n`
          : PlanText.text(plan, {
              style: stdio.out.style,
              width: stdio.out.columns(),
              title: settings.title,
              inFlags: Settings.inFlags(flags)
            })
      )
      return
    }

    const named = options["checkpoint"] ?? options["output"]
    const output = named ?? (yield* freeOutput((yield* preview).runId))
    const newFolder = named === undefined ? null : yield* missingFolder(named)
    const { exit, losses, requested } = yield* watched(
      engine,
      named === undefined ? { ...options, output } : options,
      settings
    )

    const outcome = Either.isRight(exit) ? exit.right : exit.left._tag === "Failed" ? exit.left.outcome : null
    if (newFolder !== null && outcome !== null && (outcome.rows.length > 0 || outcome.report.lost > 0)) {
      stdio.err.write(`The folder ${newFolder} was made for the rows.\n`)
    }
    if (outcome !== null) {
      const digest = Digest.make(outcome, {
        agent: settings.title,
        output: String(output),
        requestedRows: requested ?? outcome.report.budget_per_run,
        gate: settings.gate,
        lost: losses.lost(),
        change: options["tasks"] === undefined ? null : yield* Before.change(options["tasks"], outcome.rows)
      })
      const next = nextCommands(digest, losses, invocation)
      const told = losses.threwOn() === null ? digest : withFix(digest)
      stdio.out.write(
        settings.json
          ? `${JSON.stringify({ ...told, next })}\n`
          : Summary.text(told, {
              style: stdio.out.style,
              width: stdio.out.columns(),
              inFlags: (sentence) => {
                const lost = digest.lost_rollouts ?? "run.lost.jsonl"
                return Settings.inFlags(flags)(sentence).replaceAll("run.lost.jsonl", lost)
              },
              next
            })
      )
      if (Either.isRight(exit)) return yield* conclude(digest)
    }
    if (Either.isLeft(exit)) {
      const error = exit.left
      if (error._tag === "Refused") return yield* refuse(issuesOf(error, settings))
      const detail =
        error.outcome === null || error.reason === "output"
          ? Settings.inFlags(flags)(error.detail)
          : endedWithoutRow(error.reason)
      stdio.err.write(Trouble.sentence(detail, failureFix(error.reason), stdio.err))
      if (debug && error.cause !== undefined) stdio.err.write(`${Trouble.trace(error.cause)}\n`)
      return yield* new ExitStatus.Exit({ status: statusOf(error) })
    }
  })

/** The run itself, with its progress, its Ctrl-C and the agent's own output kept out of the data. */
const watched = (engine: Engine.Service, options: Engine.Options, settings: Settings.Settings) =>
  Effect.gen(function* () {
    const stdio = yield* Stdio
    const progress = yield* Progress.Progress
    const interrupts = yield* Interrupts
    const { debug } = yield* Invocation.Invocation
    const stop = new AbortController()
    yield* interrupts.onFirst(() => {
      progress.note("Stopping: what lands within the grace is kept. Ctrl-C again leaves at once.")
      stop.abort()
    })
    yield* stdio.capture(progress.note)
    progress.begin(settings.title)

    const inFlags = Settings.inFlags(flags)
    const losses = Losses.make()
    let requested: number | null = null
    let notes: ReadonlyArray<string> = []
    yield* Effect.forkScoped(
      Effect.delay(
        Effect.sync(() => notes.forEach(progress.note)),
        longRun
      )
    )
    const exit = yield* Effect.either(
      engine.simulate(options, {
        signal: stop.signal,
        onEvent: (event) => {
          if (event._tag === "Started") {
            requested = event.expected ?? event.budget
            const [dropped, other] = Arr.partition(event.warnings, (warning) => warning.code !== "seeds_dropped")
            dropped.forEach((warning) => progress.note(inFlags(warning.message)))
            notes = other.map((warning) => inFlags(warning.message))
          }
          losses.event(event)
          progress.event(event)
        }
      })
    ).pipe(
      Effect.provide(
        Layer.mergeAll(
          Logger.replace(Logger.defaultLogger, Logger.map(Logger.logfmtLogger, progress.note)),
          Logger.minimumLogLevel(debug ? LogLevel.Debug : LogLevel.Warning)
        )
      )
    )
    return { exit, losses, requested }
  }).pipe(Effect.scoped, (effect) =>
    Effect.flatMap(Stdio, (stdio) => Effect.provide(effect, Progress.layer(styleOf(settings, stdio.err.isTerminal))))
  )

/** A run that goes on for longer says its notes while there is time to stop it; the summary says them in any case. */
const longRun = "2 seconds"

const styleOf = (settings: Settings.Settings, terminal: boolean): Progress.Style =>
  settings.quiet ? "none" : (settings.progress ?? (terminal ? "window" : "lines"))

const refuse = (issues: ReadonlyArray<Trouble.Issue>) =>
  Effect.flatMap(Stdio, (stdio) => {
    stdio.err.write(Trouble.issues(issues, stdio.err))
    return new ExitStatus.Exit({ status: ExitStatus.usage })
  })

const issuesOf = (error: Engine.Refused, settings: Settings.Settings): ReadonlyArray<Trouble.Issue> =>
  error.issues
    // what an unreadable agent file leaves unsaid is no further fault
    .filter(({ option }) => settings.agentKnown || (option !== "agent" && option !== "simulator"))
    .map(({ fix, option, problem }) => {
      const { inFile, spelled } = settings.whereabouts(option)
      const said = inFile ? (sentence: string) => sentence : Settings.inFlags(flags)
      return { option: spelled, problem: said(problem), fix: said(fix) }
    })

/** `runs/<run id>.jsonl`, then `-2`, `-3` where that exists. */
const freeOutput = (runId: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* fs.makeDirectory(runsFolder, { recursive: true })
    let candidate = path.join(runsFolder, `${runId}.jsonl`)
    for (let n = 2; yield* fs.exists(candidate); n++) candidate = path.join(runsFolder, `${runId}-${n}.jsonl`)
    return candidate
  }).pipe(
    Effect.catchTags({
      SystemError: (error) => cannotWrite(error.message),
      BadArgument: (error) => cannotWrite(error.message)
    })
  )

/** The folder of a file, when it is not there yet: the run makes it. */
const missingFolder = (file: unknown) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = typeof file === "string" ? path.dirname(file) : "."
    const there = folder === "." || (yield* Effect.orElseSucceed(fs.exists(folder), () => true))
    return there ? null : folder
  })

const runsFolder = "runs"

const cannotWrite = (detail: string) =>
  refuse([
    {
      option: "--output",
      problem: `${runsFolder}/ cannot be written: ${detail}`,
      fix: "Name another file with --output."
    }
  ])

const conclude = (digest: Digest.Digest) =>
  Effect.gen(function* () {
    const stdio = yield* Stdio
    const status = ExitStatus.ofRun({
      stoppedBecause: digest.stopped_because,
      rows: digest.rows,
      lost: digest.rollouts.lost
    })
    if (status !== ExitStatus.done) return yield* new ExitStatus.Exit({ status })
    if (digest.gate === null) return
    if (digest.gate.passed === null) {
      stdio.err.write(
        Trouble.sentence("--gate has nothing to hold against: no row has a reward of 0 or 1", "Add --grade.", stdio.err)
      )
      return yield* new ExitStatus.Exit({ status: ExitStatus.undecided })
    }
    if (!digest.gate.passed) {
      stdio.err.write(
        Trouble.sentence(
          `the pass rate ${(digest.gate.held ?? 0).toFixed(3)}` +
            `${digest.pass.lost_as_failures.lost === 0 ? "" : ", lost rollouts as failures,"}` +
            ` is below --gate ${digest.gate.threshold}`,
          null,
          stdio.err
        )
      )
      return yield* new ExitStatus.Exit({ status: ExitStatus.failed })
    }
  })

const statusOf = (error: Engine.Failed): number =>
  error.reason === "file" ? ExitStatus.usage : ExitStatus.ofRun({ stoppedBecause: error.reason, rows: 0, lost: 1 })

const endedWithoutRow = (reason: string): string => `the run ended without a row: ${Words.stopReason(reason)}`

const failureFix = (reason: string): string | null => {
  switch (reason) {
    case "auth_failed":
      return "Set the key of the endpoint that is named, and run again."
    case "quota_exceeded":
      return "Raise the quota or name another model, and run again; what landed stands."
    case "writer_failed":
      return "Name another --simulator, or run --offline."
    case "agent_failed":
    case "empty_replies":
      return "Run the agent on one lost ask alone; the summary says where they are and how the first one ended."
    default:
      return null
  }
}

/** The library cannot know what was typed; here there is a command to type. */
const withFix = (digest: Digest.Digest): Digest.Digest => ({
  ...digest,
  warnings: digest.warnings.map((warning) =>
    warning.code === "agent_errors"
      ? {
          ...warning,
          fix: "Run the agent alone on an ask it threw on (the command is under next), and mend what it throws."
        }
      : warning
  )
})

/** What a person would do next. */
const nextCommands = (
  digest: Digest.Digest,
  losses: Losses.Losses,
  { program, words }: Invocation.Call
): Summary.Look["next"] => {
  const again = (leftOut: ReadonlyArray<string>, ...more: ReadonlyArray<string>): string =>
    `${program} ${Invocation.shell(
      Invocation.adding(
        Invocation.without(words, ["--output", "--seeds", ...leftOut]).filter((word) => word !== "--overwrite"),
        more
      )
    )}`
  const [worst] = digest.failures
  const threwOn = losses.threwOn()
  const alone =
    threwOn === null
      ? []
      : [
          {
            purpose: "run the agent alone on an ask it threw on",
            command: again(onlyForMany, "--seeds", JSON.stringify([threwOn]), "--budget", "1")
          }
        ]
  if (digest.rows === 0) return alone
  return [
    ...alone,
    ...(worst === undefined || digest.output === null
      ? []
      : [
          {
            purpose: "read all there is of the row shown above",
            command: `${Invocation.shell(["grep", worst.example.row_id, digest.output])} | ${asText}`
          }
        ]),
    digest.reward.graded + digest.reward.errors === 0
      ? { purpose: "grade what the agent does", command: again([], "--grade") }
      : {
          purpose: "after a change of the agent, ask the same again",
          command: digest.output === null ? again([]) : again(["--tasks"], "--tasks", digest.output)
        }
  ]
}

/** Flags that say how much is run, which one ask alone does not need. */
const onlyForMany = [
  "--budget",
  "--tasks",
  "--runs",
  "--gate",
  "--situations",
  "--repeats",
  "--repeat-policy",
  "--mode"
]

/** One line of JSON, spread over many. */
const asText = `node -p 'JSON.stringify(JSON.parse(require("fs").readFileSync(0)), null, 2)'`
