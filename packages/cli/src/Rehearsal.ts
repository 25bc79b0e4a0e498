/**
 * A run from the shell, first or again: from its settings to its summary and its status.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { AgentCode } from "./AgentCode.ts"
import * as Answer from "./Answer.ts"
import * as Before from "./Before.ts"
import * as Digest from "./Digest.ts"
import * as Engine from "./Engine.ts"
import * as ExitStatus from "./ExitStatus.ts"
import * as Invocation from "./Invocation.ts"
import * as Next from "./Next.ts"
import * as Outputs from "./Outputs.ts"
import * as PlanText from "./PlanText.ts"
import type * as Settings from "./Settings.ts"
import * as Summary from "./Summary.ts"
import * as ToolServer from "./ToolServer.ts"
import type * as Trouble from "./Trouble.ts"
import * as Watched from "./Watched.ts"
import * as Words from "./Words.ts"

/** Runs what the settings say, in the world they name. */
export const start = (command: Digest.Digest["command"], settings: Settings.Settings) =>
  worldly(ToolServer.within(settings, (within) => run(command, within)))

/** A world that cannot be had is a call that is refused. */
export const worldly = <A, E, R>(use: Effect.Effect<A, E | ToolServer.WorldRefused, R>) =>
  Effect.catchIf(
    use,
    (error) => error instanceof ToolServer.WorldRefused,
    ({ issues }) => Answer.refuse(issues)
  )

/** What is wrong with the flags, and with the options they and the files set. */
export const problems = (settings: Settings.Settings) =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const more = yield* Effect.flip(engine.preview(settings.options)).pipe(Effect.orElseSucceed(() => null))
    return [...settings.issues, ...(more === null ? [] : issuesOf(more, settings))]
  })

/** Whether neither the flags nor the agent's file name a grader. */
export const nobodyGrades = ({ options }: Settings.Settings): boolean =>
  (options["grade"] ?? false) === false && options["grader"] === undefined
export const addGrader = "Add --grade, --grade outcome, or a grader to the agent file."

const run = (command: Digest.Digest["command"], settings: Settings.Settings) =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const invocation = yield* Invocation.Invocation
    const { options } = settings
    if (settings.issues.length > 0) return yield* Answer.refuse(yield* problems(settings))
    if (settings.gate !== null && nobodyGrades(settings)) {
      return yield* Answer.refuse([
        { option: "--gate", problem: "has nothing to hold against: nobody grades", fix: addGrader }
      ])
    }
    const preview = Effect.catchTag(engine.preview(options), "Refused", (error) =>
      Answer.refuse(issuesOf(error, settings))
    )
    if (settings.dryRun) {
      const plan = yield* preview
      const { inFlags, title } = settings
      return yield* Answer.give(settings.json, PlanText.record(command, plan), (look) =>
        PlanText.text(plan, { ...look, command, title, inFlags })
      )
    }

    const named = options["checkpoint"] ?? options["output"]
    const output = named ?? (yield* Outputs.free((yield* preview).runId))
    const newFolder = named === undefined ? null : yield* Outputs.missingFolder(named)
    const { exit, losses, requested } = yield* Watched.watch(
      (hooks) => engine.simulate(named === undefined ? { ...options, output } : options, hooks),
      settings
    )

    const outcome = Either.isRight(exit) ? exit.right : exit.left._tag === "Failed" ? exit.left.outcome : null
    if (newFolder !== null && outcome !== null && (outcome.rows.length > 0 || outcome.report.lost > 0)) {
      yield* Answer.note(`The folder ${newFolder} was made for the rows.`)
    }
    if (outcome !== null) {
      const digest = Digest.make(outcome, {
        command,
        agent: settings.title,
        output: String(output),
        requestedRows: requested ?? outcome.report.budget_per_run,
        gate: settings.gate,
        passAt: settings.passAt,
        lost: losses.lost(),
        change:
          options["tasks"] === undefined ? null : yield* Before.change(options["tasks"], outcome.rows, settings.passAt)
      })
      const next = Next.commands(digest, losses, invocation)
      const told = losses.threw() ? withFix(digest) : digest
      yield* Answer.give(settings.json, { ...told, next }, (look) =>
        Summary.text(told, {
          ...look,
          next,
          inFlags: (sentence) =>
            settings.inFlags(sentence).replaceAll("run.lost.jsonl", digest.lost_rollouts ?? "run.lost.jsonl")
        })
      )
      if (Either.isRight(exit)) return yield* conclude(digest)
    }
    if (Either.isLeft(exit)) return yield* failed(exit.left, settings)
  }).pipe(Effect.provideService(AgentCode, settings.code))

/** A run that ended without a result: why, and what to do. */
export const failed = (error: Engine.Refused | Engine.Failed, settings: Settings.Settings) => {
  if (error._tag === "Refused") return Answer.refuse(issuesOf(error, settings))
  const detail =
    error.outcome === null || error.reason === "output_failed"
      ? settings.inFlags(error.detail)
      : endedWithoutRow(error.reason, error.outcome)
  return Answer.fail(statusOf(error), detail, failureFix(error.reason), error.cause)
}

/** What the library refused, in the spelling of whoever said it. */
export const issuesOf = (error: Engine.Refused, settings: Settings.Settings): ReadonlyArray<Trouble.Issue> =>
  error.issues
    // what an unreadable agent file leaves unsaid is no further fault
    .filter(({ option }) => settings.agentKnown || (option !== "agent" && option !== "simulator"))
    .map(({ fix, option, problem }) => {
      const { inFile, spelled } = settings.whereabouts(option)
      const said = inFile ? (sentence: string) => sentence : settings.inFlags
      return { option: spelled, problem: said(problem), fix: said(fix) }
    })

const conclude = (digest: Digest.Digest) =>
  Effect.gen(function* () {
    const status = ExitStatus.ofRun({
      stoppedBecause: digest.stopped_because,
      rows: digest.rows,
      lost: digest.rollouts.lost
    })
    if (status !== ExitStatus.done) return yield* new ExitStatus.Exit({ status })
    if (digest.gate !== null) yield* gate(digest.gate, digest.pass.lost_as_failures.lost > 0)
  })

/** What a gate says of a run, by status. */
export const gate = ({ held, passed, threshold }: NonNullable<Digest.Digest["gate"]>, lost: boolean) => {
  if (passed === null) {
    const message = "--gate has nothing to hold against: no row has a reward"
    return Answer.fail(ExitStatus.undecided, message, "Add --grade.")
  }
  if (passed) return Effect.void
  return Answer.fail(
    ExitStatus.failed,
    `the pass rate ${(held ?? 0).toFixed(3)}${lost ? ", lost rollouts as failures," : ""} is below --gate ${threshold}`,
    null
  )
}

const statusOf = (error: Engine.Failed): number =>
  error.reason === "file" ? ExitStatus.usage : ExitStatus.ofRun({ stoppedBecause: error.reason, rows: 0, lost: 1 })

/** Whoever sees nothing but the error has to learn from it what was tried, how often, and what came of it. */
const endedWithoutRow = (reason: string, { warnings }: Engine.Outcome): string => {
  const tried = reason === "agent_failed" ? warnings.find(({ code }) => code === "agent_errors") : undefined
  const why = tried === undefined ? Words.stopReason(reason) : tried.message.replace(/^T/, "t")
  return `the run ended without a row: ${why}`
}

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
      return "Run the agent on the lost asks alone; the summary says where they are and how the first one ended."
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
          fix: "Run the agent again on what it threw on (the command is under next), and mend what it throws."
        }
      : warning
  )
})
