/**
 * `sandtable evaluate`: a fixed list of asks, whether all of them ran and how each scored.
 */
import type { Evaluated } from "@sandtable/core/Evaluation"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { AgentCode } from "../AgentCode.ts"
import * as Answer from "../Answer.ts"
import * as Choosing from "../Choosing.ts"
import * as DataFile from "../DataFile.ts"
import * as Digest from "../Digest.ts"
import * as Engine from "../Engine.ts"
import * as ExitStatus from "../ExitStatus.ts"
import type * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import { codeOptions } from "../OptionFlags.ts"
import * as Outputs from "../Outputs.ts"
import * as PlanText from "../PlanText.ts"
import * as Rehearsal from "../Rehearsal.ts"
import * as RunFlags from "../RunFlags.ts"
import * as Settings from "../Settings.ts"
import * as ToolServer from "../ToolServer.ts"
import * as Style from "../Style.ts"
import * as Watched from "../Watched.ts"
import * as Words from "../Words.ts"

const { flags, leftOut } = RunFlags.evaluate

export const page: Help.Page = {
  name: "evaluate",
  usage: ["sandtable evaluate <asks> <agent> [options]"],
  arguments: [
    [
      "<asks>",
      "a .json, .jsonl or .yaml file of texts, { prompt, id?, reference? } or tasks of tau-bench or tau2, or a .txt file with one a line"
    ],
    [
      "<agent>",
      "as for simulate; its grader grades, or the rules of conduct with --grade, or the outcome with --grade outcome"
    ]
  ],
  examples: [
    [
      "four runs of each ask, by the rules of conduct",
      "sandtable evaluate asks.jsonl agent.ts --offline --grade --repeats 4"
    ],
    ["in CI", "sandtable evaluate asks.jsonl agent.ts --offline --grade --gate 0.9 --json"]
  ],
  notes: [
    "Exit status: 0 done, 1 under --gate, 2 nothing graded to hold against --gate, 64 refused, 69 key or quota, 70 agent failed or every rollout was lost, 130 interrupted."
  ],
  flags,
  codeOptions
}

export const check = (given: Flags.Given, [, ...agent]: ReadonlyArray<string>) =>
  Effect.flatMap(Settings.read(flags, given, agent), Rehearsal.problems)

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [source, ...agent] = rest
    if (source === undefined || source === "--") {
      return yield* Answer.refuse([
        { option: "<asks>", problem: "is not given", fix: `Usage: ${page.usage.join(" or ")}.` }
      ])
    }
    const asks = yield* Effect.either(DataFile.asks(source))
    const read = yield* Settings.read(flags, given, agent, { evalSet: { value: null, spelled: source } })
    const settings = {
      ...read,
      issues: [...(Either.isLeft(asks) ? [{ option: source, ...asks.left }] : []), ...read.issues]
    }
    if (settings.issues.length > 0) return yield* Answer.refuse(settings.issues)
    const named = settings.options["output"]
    if (typeof named === "string") yield* Outputs.refuseSource(named, [source])
    const list = Either.getOrElse(asks, (): unknown => null)
    return yield* Rehearsal.worldly(ToolServer.within(settings, (within) => evaluating(within, list)))
  })

const evaluating = (settings: Settings.Settings, list: unknown) =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const options = {
      ...Choosing.dropped(settings.options, leftOut),
      evalSet: list,
      passAt: settings.passAt
    }
    const preview = Effect.catchAll(engine.previewEvaluation(options), (error) =>
      Answer.refuse(Rehearsal.issuesOf(error, settings))
    )
    if (settings.dryRun) {
      const plan = yield* preview
      const { inFlags, title } = settings
      return yield* Answer.give(settings.json, PlanText.record("evaluate", plan), (look) =>
        PlanText.text(plan, { ...look, command: "evaluate", title, inFlags })
      )
    }
    const named = settings.options["checkpoint"] ?? settings.options["output"]
    const output = named ?? (yield* Outputs.free((yield* preview).runId))
    const { exit } = yield* Watched.watch(
      (hooks) =>
        Effect.provideService(
          engine.evaluate(named === undefined ? { ...options, output } : options, hooks),
          AgentCode,
          settings.code
        ),
      settings
    )
    if (Either.isLeft(exit)) return yield* Rehearsal.failed(exit.left, settings)
    const evaluated = exit.right
    const pass = passOf(evaluated, settings.passAt)
    const gate =
      settings.gate === null
        ? null
        : Digest.gateOf(settings.gate, { pass_at_1: pass.pass_at_1, lost: pass.lost_as_failures })
    yield* Answer.give(
      settings.json,
      {
        command: "evaluate",
        agent: settings.title,
        output,
        stopped_because: evaluated.stopped_because,
        grader: evaluated.grader,
        pass,
        totals: evaluated.totals,
        asks: evaluated.asks,
        gate
      },
      (look) => text(evaluated, pass, String(output), settings.title, look)
    )
    const { lost, ran } = evaluated.totals
    const status = ExitStatus.ofRun({ stoppedBecause: evaluated.stopped_because ?? "", rows: ran, lost })
    if (status !== ExitStatus.done) return yield* new ExitStatus.Exit({ status })
    if (gate !== null) yield* Rehearsal.gate(gate, lost > 0)
  })

/** Means over the asks of the list. */
const passOf = ({ asks, totals }: Evaluated, passMark: number) => {
  const of = { tasks_of: totals.asks, rows: totals.graded, rows_of: totals.ran }
  return {
    ...Digest.passOf(
      asks.flatMap(({ pass_share }) => (pass_share === null ? [] : [pass_share])),
      of
    ),
    pass_mark: passMark,
    lost_as_failures: {
      ...Digest.passOf(
        asks.flatMap(({ graded, lost, passes }) => (graded + lost === 0 ? [] : [passes / (graded + lost)])),
        of
      ),
      lost: totals.lost
    }
  }
}

const text = (
  evaluated: Evaluated,
  pass: ReturnType<typeof passOf>,
  output: string,
  title: string,
  { style }: Answer.Look
): string => {
  const { lost_as_failures: strict } = pass
  // the table says how many have half credit
  const half = Words.halfCredit(0, pass.pass_mark)
  const rate = ({ pass_at_1, pass_at_1_interval, tasks }: Digest.Pass, over: string): string =>
    pass_at_1 === null
      ? "none: no row has a reward"
      : `${style.bold(Words.percent(pass_at_1))}${Words.within(pass_at_1_interval)} over ${over}` +
        Words.alike(pass_at_1, tasks, pass_at_1_interval)
  const fact = Words.factIn(style)
  return [
    style.bold(`evaluate ${title}`),
    "",
    ...evaluated.table().split("\n").map(Style.strip),
    "",
    fact(
      "pass rate",
      `${rate(pass, Words.over(pass, "ask"))}${strict.lost === 0 ? "" : ", lost rollouts left out"}${half === "" ? "" : `; ${half}`}`
    ),
    ...(strict.lost === 0
      ? []
      : [
          fact(
            "",
            `${rate(strict, Words.of(strict.tasks, strict.tasks_of, "ask"))}, the ${Words.whole(strict.lost)} lost as failures`
          )
        ]),
    fact("by", Words.graderOf(evaluated.grader.name)),
    ...(evaluated.stopped_because === null ? [] : [fact("stopped", Words.stopReason(evaluated.stopped_because))]),
    fact("rows", output)
  ].join("\n")
}
