/**
 * `sandtable explain`: why a run's rows failed. Without an agent it reads the rows; with one it plays.
 */
import { Blame, type Explanation, type Wanted } from "@sandtable/core/Explain"
import * as Explain from "@sandtable/core/Explain"
import type * as Row from "@sandtable/core/Row"
import * as RunMeta from "@sandtable/core/unstable/RunMeta"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { AgentCode } from "../AgentCode.ts"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as BlameText from "../BlameText.ts"
import * as Choosing from "../Choosing.ts"
import * as Engine from "../Engine.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Next from "../Next.ts"
import { codeOptions } from "../OptionFlags.ts"
import * as Outputs from "../Outputs.ts"
import * as Rehearsal from "../Rehearsal.ts"
import * as RunFile from "../RunFile.ts"
import * as RunFlags from "../RunFlags.ts"
import * as Settings from "../Settings.ts"
import { Stdio } from "../Stdio.ts"
import * as Stoppable from "../Stoppable.ts"
import * as Style from "../Style.ts"
import * as Summary from "../Summary.ts"
import * as ToolServer from "../ToolServer.ts"
import * as Words from "../Words.ts"

const flags: ReadonlyArray<Flags.Flag> = [
  Flags.own("row", "text", "The row_id to explain (the shortest row of the class)."),
  Flags.own("class", "text", "The failure class to explain (the commonest)."),
  Flags.own("budget", "number", "Rollouts that may be played, at most (200)."),
  Flags.own("output", "path", "Where a row of the minimal task goes; <run>.<row_id>.minimal.jsonl when left out."),
  Flags.own("overwrite", "switch", "Replace an output that is already there."),
  ...RunFlags.explain.flags
]

export const page: Help.Page = {
  name: "explain",
  usage: ["sandtable explain <run> [<agent>] [options]"],
  arguments: [
    ["<run>", "a file of graded rows"],
    ["<agent>", "the agent of the run, as for simulate; left out, nothing is played and only the rows are read"]
  ],
  examples: [
    ["which values of the situations go with the failures", "sandtable explain runs/before.jsonl"],
    ["and the smallest task that still fails, by playing", "sandtable explain runs/before.jsonl agent.ts --grade"],
    [
      "one class, with more rollouts",
      "sandtable explain runs/before.jsonl agent.ts --grade --class success_after_failure --budget 400"
    ]
  ],
  notes: [
    "With an agent, the task of one failed row is made smaller for as long as it fails the same way: planned failures, the state of the record, sentences of the ask, how it is typed, the traits and patience of the person. Give the grader and the options the run was made with.",
    "Exit status: 0 done, 2 nothing failed, or the failure did not come again, 64 refused or unreadable, 70 the agent failed, 130 interrupted."
  ],
  flags,
  codeOptions
}

export const check = (given: Flags.Given, [, ...agent]: ReadonlyArray<string>) =>
  agent.length === 0
    ? Effect.succeed([])
    : Effect.map(Settings.read(agentFlags, withoutOwn(given), agent), ({ issues }) => issues)

const ownFlags = ["row", "class", "budget", "output", "overwrite"]
/** Which row is explained and how far, as it was said. */
const ownGiven = (given: Flags.Given): ReadonlyArray<string> =>
  ["row", "class", "budget"].flatMap((name) => {
    const value = given.get(name)
    return value === undefined ? [] : [`--${name}`, value]
  })
const agentFlags = flags.filter(({ name }) => !ownFlags.includes(name))
const withoutOwn = (given: Flags.Given): Flags.Given => new Map([...given].filter(([name]) => !ownFlags.includes(name)))

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const budget = asked.number("budget", { least: 20, whole: true }) ?? undefined
    yield* asked.checked
    const [path, ...agent] = rest
    if (path === undefined || path === "--") {
      return yield* Answer.refuse([
        { option: "<run>", problem: "is not given", fix: `Usage: ${page.usage.join(" or ")}.` }
      ])
    }
    const settings = yield* Settings.read(agentFlags, withoutOwn(given), agent, {
      tasks: { value: path, spelled: path }
    })
    if (settings.issues.length > 0) return yield* Answer.refuse(settings.issues)
    const wanted: Wanted = {
      row: asked.text("row") ?? undefined,
      class: asked.text("class") ?? undefined,
      passAt: settings.passAt
    }
    const named = asked.text("output")
    if (named !== null) yield* Outputs.refuseExisting(named, asked.on("overwrite"), [path])
    const { blame, row } = yield* read(path, wanted)
    // each row has a file of its own: what another explanation found stays
    const output = named ?? path.replace(/(?:\.jsonl)?$/, `.${Outputs.inName(row.row_id)}.minimal.jsonl`)
    const meta = yield* Effect.option(RunMeta.readBeside(path))
    const shown =
      wanted.class === undefined
        ? blame
        : { ...blame, classes: blame.classes.filter(({ failure_class }) => failure_class === wanted.class) }
    const look = { blame: shown, rules: BlameText.rulesOf(meta._tag === "Some" ? meta.value.profile.policy : "") }
    const { program } = yield* Invocation.Invocation
    if (agent.length === 0 && given.get("agent") === undefined) {
      const called = Next.calledAndGraded(Option.getOrNull(meta), row.judge_name == null ? [] : [row.judge_name])
      const next =
        called === null
          ? []
          : [
              {
                purpose: "find the smallest task that still fails, by playing",
                command: `${program} ${Next.explaining(called, path, ownGiven(given))}`
              }
            ]
      return yield* Answer.give(
        settings.json,
        { command: "explain", run: path, blame: shown, next },
        ({ style, width }) =>
          [
            style.bold(`explain ${path}`),
            "",
            ...BlameText.lines(look, { style, width }),
            "",
            ...Summary.nextLines(next, style)
          ].join("\n")
      )
    }
    if (Rehearsal.nobodyGrades(settings)) {
      const problem =
        "is not given, and the agent file has no grader: nobody could tell whether the failure comes again"
      return yield* Answer.refuse([{ option: "--grade", problem, fix: Rehearsal.addGrader }])
    }
    yield* Outputs.makeFolder(output)
    yield* Rehearsal.worldly(
      ToolServer.within(settings, (within) => play(path, row, within, { ...look, budget, output }))
    )
  })

/** The rows' blame, and the one that is explained: the rest of each row is let go as it is read. */
const read = (path: string, wanted: Wanted) =>
  Effect.gen(function* () {
    const rows: Array<Blame.BlameRow> = []
    const candidates = Explain.candidates(wanted)
    yield* RunFile.forEach(path, (row) => {
      candidates.add(row)
      rows.push(BlameText.read(row))
    })
    const row = yield* Effect.catchTag(candidates.choose, "NothingToExplain", ({ fix, problem }) =>
      Answer.fail(ExitStatus.undecided, problem, fix)
    )
    return { row, blame: Blame.ofRows(rows, wanted.passAt === undefined ? {} : { passAt: wanted.passAt }) }
  })

interface Plan extends BlameText.Told {
  readonly budget: number | undefined
  readonly output: string
}

const play = (path: string, row: Row.Row, settings: Settings.Settings, plan: Plan) =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const { program, words } = yield* Invocation.Invocation
    const { tasks: _, ...options } = Choosing.dropped(settings.options, RunFlags.explain.leftOut)
    const { output } = plan
    const stdio = yield* Stdio
    // what the agent prints is none of the data
    const played = Effect.zipRight(
      stdio.capture(stdio.err.write),
      Effect.either(engine.explain(row, options, { budget: plan.budget, passAt: settings.passAt }))
    )
    const explained = yield* Stoppable.orStop(Effect.scoped(played)).pipe(
      Effect.tapError(({ status }) =>
        status === ExitStatus.interrupted
          ? Answer.note(`interrupted: ${output} was not written, and ${path} is as it was`)
          : Effect.void
      )
    )
    if (Either.isLeft(explained)) return yield* Rehearsal.failed(explained.left, settings)
    const found = explained.right
    const [before, now] = [row.judge_name, found.minimised.judge_name]
    if (before != null && now != null && before !== now) {
      yield* Answer.note(`the run was graded by ${before}, and the rollouts here by ${now}: give the run's own grader`)
    }
    const minimal = withTurn(found)
    if (minimal !== null) yield* Outputs.rows(path, output, [minimal])
    const next =
      minimal === null
        ? []
        : [
            {
              purpose: "after a change of the agent, play the minimal task again",
              command: `${program} ${Next.replaying(words, output)}`
            }
          ]
    const record = {
      command: "explain",
      run: path,
      ...found,
      minimised: { ...found.minimised, row: minimal?.row_id ?? null },
      minimal: minimal === null ? null : output,
      blame: plan.blame,
      next
    }
    yield* Answer.give(settings.json, record, ({ style, width }) =>
      [
        style.bold(`explain ${path}`),
        ...explanation(found, row, { style, width }),
        "",
        ...BlameText.lines(plan, { style, width }),
        ...(minimal === null ? [] : ["", `${style.dim("minimal".padEnd(Words.labelWidth))}${output}`]),
        ...Summary.nextLines(next, style)
      ].join("\n")
    )
    if (found.minimised.whole.of === 0) {
      return yield* Answer.fail(
        ExitStatus.software,
        "no rollout gave a row with a reward",
        "Mend what the first one was lost by, and give the grader the run was made with."
      )
    }
    if (minimal === null || found.minimised.outcome === "not_reproduced") {
      return yield* Answer.fail(
        ExitStatus.undecided,
        "the failure did not come again, so there is no minimal task",
        "Explain another row (--row), or give the options and the grader the run was made with."
      )
    }
  }).pipe(Effect.provideService(AgentCode, settings.code))

/** The minimal task's row, which says where it was lost. */
const withTurn = ({ minimised: { row }, values }: Explanation): Row.Row | null => {
  const turning = values?.turning_point ?? null
  if (row === null || turning === null) return row
  const { at, from, to } = turning
  return { ...row, turning_point: { at, from, to } }
}

const explanation = (found: Explanation, row: Row.Row, { style, width }: Answer.Look): ReadonlyArray<string> => {
  const { minimised, rollouts, sentence, values } = found
  const fact = Words.factIn(style)
  const facts = (label: string, texts: ReadonlyArray<string>): ReadonlyArray<string> =>
    texts.flatMap((text, i) =>
      Summary.wrapped(Style.strip(text), width - Words.labelWidth - 2, "").map((line, j) =>
        fact(i === 0 && j === 0 ? label : "", line.trim())
      )
    )
  const minimal = minimised.row
  const lost = values?.turning_point ?? null
  const step = lost === null ? undefined : minimal?.steps[lost.at]
  return [
    ...facts("why", [sentence]),
    fact("row", row.row_id),
    fact("rollouts", `${Words.whole(rollouts)}${minimised.outcome === "minimal" ? ", the task is minimal" : ""}`),
    ...(minimal === null
      ? []
      : [
          ...facts("ask", [`"${minimal.prompt}"`]),
          ...facts("plan", [BlameText.planOf(minimal)]),
          ...(minimised.unneeded.length === 0
            ? []
            : facts(
                "not needed",
                minimised.unneeded.map(({ text }) => text)
              ))
        ]),
    ...(lost === null || step === undefined
      ? []
      : facts("lost at", [
          `step ${lost.at}, ${"tool" in step ? `the call of ${step.tool}` : `"${"text" in step ? step.text : ""}"`}: ` +
            `${Words.percent(lost.from)} of continuations pass from before it, ${Words.percent(lost.to)} after it`
        ]))
  ]
}
