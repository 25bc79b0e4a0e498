/**
 * `sandtable grade`: a pass of one grader over the rows of a run, the first or another.
 */
import * as Conduct from "@sandtable/core/Conduct"
import * as Grader from "@sandtable/core/Grader"
import type { Criterion } from "@sandtable/core/Judge"
import * as SimulationData from "@sandtable/core/SimulationData"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as DataFile from "../DataFile.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import * as GraderModule from "../GraderModule.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Outputs from "../Outputs.ts"
import * as RunFile from "../RunFile.ts"
import * as Stoppable from "../Stoppable.ts"
import * as Summary from "../Summary.ts"
import * as Words from "../Words.ts"

const whoGrades = "Who grades"

export const page: Help.Page = {
  name: "grade",
  usage: [
    "sandtable grade <run> --conduct [options]",
    "sandtable grade <run> --outcome [options]",
    "sandtable grade <run> --judge <model> --rubric <file> [options]",
    "sandtable grade <run> --grader <module> [options]"
  ],
  arguments: [["<run>", "a file of rows"]],
  examples: [
    ["the deterministic floor, in place", "sandtable grade runs/before.jsonl --conduct"],
    ["whether the job was done, where the situation tells", "sandtable grade runs/before.jsonl --outcome"],
    ["a model, by a rubric", "sandtable grade runs/before.jsonl --judge openai:gpt-4.1-mini --rubric rubric.md"],
    [
      "a grader of your own, into another file",
      "sandtable grade runs/before.jsonl --grader grader.ts --output graded.jsonl"
    ]
  ],
  notes: [
    "Without --output the rows are graded in place: the file is replaced once all of it is written, and stays as it is when no row gets a reward. Rows keep the verdict they had in lineage.prior.",
    "Exit status: 0 done, 2 no row got a reward, 64 refused or unreadable, 69 the judge's key or quota was refused."
  ],
  flags: [
    Flags.own("conduct", "switch", "The rules of conduct: a deterministic floor, not whether the job was done.", {
      group: whoGrades
    }),
    Flags.own("outcome", "switch", "Whether the job was done: conduct, times what the situation demands.", {
      group: whoGrades
    }),
    Flags.own("grader", "path", "A module whose default export is a grader, or an agent file that has one.", {
      group: whoGrades
    }),
    Flags.own("judge", "text", "A model as the judge, such as openai:gpt-4.1-mini; with --rubric or --criteria.", {
      group: whoGrades
    }),
    Flags.own("rubric", "path", "A text file: what a good conversation is.", { group: whoGrades }),
    Flags.setting("criteria", "data", "What the judge answers one by one: texts, or { text, kind?, id?, weight? }.", {
      group: whoGrades
    }),
    Flags.setting("references", "data", "Gold answers by task id, situation id or ask, for verifiers."),
    Flags.own("grade-truncated", "switch", "Grade rows that the length cap cut, too."),
    Flags.own("concurrency", "number", "Rows graded at once (8)."),
    Flags.own("timeout", "number", "Seconds for a verdict (120)."),
    Flags.own("scoring-run-id", "text", "The id of this pass; a fresh one when left out."),
    Flags.own("output", "path", "Where the graded rows go; in place when left out."),
    Flags.own("overwrite", "switch", "Replace an output that is already there."),
    ...Flags.common
  ]
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const named = [
      ...["conduct", "outcome"].filter((name) => asked.on(name)),
      ...["judge", "grader"].filter((name) => asked.text(name) !== null)
    ]
    if (named.length !== 1) {
      asked.refuse({
        option: (named.length === 0 ? ["conduct", "outcome", "judge", "grader"] : named)
          .map((name) => `--${name}`)
          .join(", "),
        problem: named.length === 0 ? "none is given: nobody grades" : "are several: one pass has one grader",
        fix: "Give one of --conduct, --outcome, --judge <model> --rubric <file>, and --grader <module>."
      })
    }
    const ways = ["rubric", "criteria"].filter((name) => asked.text(name) !== null)
    if (named[0] === "judge" && ways.length === 0) {
      asked.refuse({
        option: "--judge",
        problem: "has nothing to judge by",
        fix: "Add --rubric <file>, or --criteria."
      })
    }
    if (named.length === 1 && named[0] !== "judge" && ways.length > 0) {
      asked.refuse({
        option: ways.map((name) => `--${name}`).join(", "),
        problem: "is for a judge alone",
        fix: "Add --judge <model>, or leave it out."
      })
    }
    const concurrency = asked.number("concurrency", { least: 1, whole: true })
    const timeout = asked.number("timeout", { above: 0 })
    if (asked.text("scoring-run-id")?.trim() === "") {
      asked.refuse({ option: "--scoring-run-id", problem: "is empty", fix: "Give an id, or leave it out." })
    }
    yield* asked.checked
    const [path] = yield* Asked.words(page, rest, ["run"])
    const { criteria, references } = yield* Asked.settings(page, given)
    const grader = yield* graderOf(asked, criteria)
    const output = asked.text("output")
    if (output !== null) yield* Outputs.makeFolder(output)
    const untouched = output === null ? `${path} is as it was` : `nothing was written to ${output}`
    const told = counted(grader)
    if (!asked.on("quiet")) yield* Effect.forkScoped(told.report)
    const pass = SimulationData.regrade(path, told.grader, {
      ...(output === null ? {} : { output, overwrite: asked.on("overwrite") }),
      ...(concurrency === null ? {} : { concurrency }),
      ...(timeout === null ? {} : { timeout }),
      ...(asked.text("scoring-run-id") === null ? {} : { runId: asked.text("scoring-run-id") ?? "" }),
      ...(isRecord(references) ? { references } : {}),
      gradeTruncated: asked.on("grade-truncated")
    }).pipe(
      Effect.catchAll((error) => (error.path === path ? RunFile.unreadable(path, error) : Outputs.unwritable(error)))
    )
    const {
      counts,
      figures,
      path: written,
      refused,
      scoringRunId
    } = yield* Stoppable.orStop(pass).pipe(
      Effect.tapError(({ status }) =>
        status === ExitStatus.interrupted ? Answer.note(`interrupted: ${untouched}`) : Effect.void
      )
    )
    if (counts.rows === 0) return yield* RunFile.empty(path)

    const { program } = yield* Invocation.Invocation
    const next =
      written === null
        ? []
        : [{ purpose: "see what it comes to", command: `${program} ${Invocation.shell(["report", written])}` }]
    yield* Answer.give(
      asked.on("json"),
      {
        command: "grade",
        run: path,
        output: written,
        grader: grader.name,
        version: grader.version,
        model: grader.model,
        scoring_run_id: scoringRunId,
        ...counts,
        passes: figures.passes,
        failures: figures.failures,
        partials: figures.partials,
        next
      },
      ({ style }) => {
        const fact = Words.factIn(style)
        const without = counts.rows - counts.scored - counts.truncated
        return [
          style.bold(`grade ${path} by ${Words.graderOf(grader.name)}`),
          fact("graded", `${Words.whole(counts.scored)} of ${Words.count(counts.rows, "row")}`),
          ...(counts.scored === 0 ? [] : [fact("rewards", rewardsOf(counts.scored, figures))]),
          ...(without === 0
            ? []
            : [
                fact(
                  "no verdict",
                  style.yellow(
                    `${Words.whole(without)}: ${Words.counts(
                      Object.entries(counts.by_status).filter(([status]) => status !== "ok")
                    )}; the first: ${counts.first_cause ?? ""}`
                  )
                )
              ]),
          ...(counts.truncated === 0
            ? []
            : [fact("cut", `${Words.count(counts.truncated, "row")} cut by the length cap, not graded`)]),
          ...(written === null || without + counts.truncated === 0
            ? []
            : [fact("before", "rows without a verdict now keep the one they had in lineage.prior")]),
          fact("scoring", scoringRunId),
          ...(written === null ? [] : ["", `${style.dim("rows".padEnd(Words.labelWidth))}${written}`]),
          ...Summary.nextLines(next, style)
        ].join("\n")
      }
    )
    if (refused !== null) {
      return yield* Answer.fail(
        ExitStatus.unavailable,
        `the judge's model refused ${refused === "auth" ? "the key" : "for its quota"}: ` +
          (written === null ? `no row got a reward, and ${untouched}` : "rows were left without a reward"),
        "Mend that, and grade again."
      )
    }
    if (counts.scored === 0) {
      return yield* Answer.fail(
        ExitStatus.undecided,
        `no row got a reward: ${untouched}`,
        "Look at the first cause above."
      )
    }
  }).pipe(Effect.scoped)

/** Passes, and of the rows that do not pass those with half credit. */
const rewardsOf = (
  scored: number,
  { failures, partials, passes }: Pick<SimulationData.Regrade["figures"], "passes" | "failures" | "partials">
): string =>
  `${Words.whole(passes)} of ${Words.count(scored, "graded row")} ${passes === 1 ? "passes" : "pass"}` +
  (scored === passes
    ? ""
    : `; of the others ${Words.whole(failures)} are under 0.5` +
      (partials === 0 ? "" : ` and ${Words.whole(partials)} from 0.5 to below 1`))

const graderOf = (asked: Asked.Asked, criteria: unknown) => {
  const [judge, module] = [asked.text("judge"), asked.text("grader")]
  if (judge !== null) return judgeOf(judge, asked.text("rubric"), criteria)
  if (module === null) return Effect.succeed(asked.on("outcome") ? Grader.outcome : Conduct.service)
  return Effect.catchAll(GraderModule.load(module), ({ fix, problem }) =>
    Answer.refuse([{ option: `--grader ${module}`, problem, fix }])
  )
}

const judgeOf = (model: string, rubricFile: string | null, criteria: unknown) =>
  Effect.gen(function* () {
    const refused = (option: string) => (problem: { readonly problem: string; readonly fix: string }) =>
      Answer.refuse([{ option, ...problem }])
    const rubric =
      rubricFile === null ? "" : yield* Effect.catchAll(DataFile.text(rubricFile), refused(`--rubric ${rubricFile}`))
    if (rubricFile !== null && rubric.trim() === "") {
      return yield* refused("--rubric")({
        problem: `${rubricFile} is empty`,
        fix: "Say in it what a good conversation is."
      })
    }
    const [{ fromSpec }, sources] = yield* Effect.promise(() =>
      Promise.all([import("@sandtable/core/Judge"), import("../Sources.ts")])
    )
    // the judge checks its criteria itself, and says what is wrong with one
    const by = Array.isArray(criteria) ? { criteria: criteria as ReadonlyArray<Criterion>, rubric } : { rubric }
    const context = yield* Layer.build(sources.layer)
    return yield* fromSpec({ model, ...by }).pipe(
      Effect.provide(context),
      Effect.catchAll(({ fix, problem }) => Answer.refuse([{ option: `--judge ${model}`, problem, fix }])),
      Effect.catchAllDefect((defect) =>
        defect instanceof TypeError || defect instanceof RangeError
          ? refused("--criteria")({ problem: defect.message, fix: "Correct the criteria." })
          : Effect.die(defect)
      )
    )
  })

/** A grader whose verdicts are counted, and a line about them now and then, for who waits for a judge. */
const counted = (grader: Grader.Service) => {
  let verdicts = 0
  return {
    grader: {
      ...grader,
      grade: (row, context) => Effect.tap(grader.grade(row, context), () => Effect.sync(() => void (verdicts += 1)))
    } satisfies Grader.Service,
    report: Effect.delay(
      Effect.repeat(
        Effect.suspend(() => Answer.note(`${Words.count(verdicts, "row")} graded`)),
        Schedule.spaced(lineEvery)
      ),
      lineEvery
    )
  }
}

const lineEvery = "10 seconds"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
