/**
 * What a person would do next: commands to type, each with its purpose.
 */
import type { RunMeta } from "@sandtable/core/unstable/RunMeta"
import * as Argv from "./Argv.ts"
import type * as Digest from "./Digest.ts"
import * as Flags from "./Flags.ts"
import * as Invocation from "./Invocation.ts"
import type * as Losses from "./Losses.ts"
import * as RunFlags from "./RunFlags.ts"
import type * as Summary from "./Summary.ts"

/** After a run. */
export const commands = (
  digest: Digest.Digest,
  losses: Losses.Losses,
  { program, words }: Invocation.Call
): Summary.Look["next"] => {
  const again = (leftOut: ReadonlyArray<string>, ...more: ReadonlyArray<string>): string =>
    `${program} ${elsewhere(words, leftOut, more)}`
  const goOn =
    digest.output === null || !cutShort.has(digest.stopped_because)
      ? []
      : [
          {
            purpose: "go on where it stopped",
            command: `${program} ${Invocation.shell(
              Invocation.adding(
                Invocation.without(words, ["--output", "--checkpoint"]).filter((word) => word !== "--overwrite"),
                ["--checkpoint", digest.output]
              )
            )}`
          }
        ]
  const [worst] = digest.failures
  const alone =
    digest.lost_rollouts === null || !losses.threw()
      ? []
      : [
          {
            purpose: "run the agent again on what it threw on, in the same world",
            command: `${program} ${onLost(words, digest.lost_rollouts)}`
          }
        ]
  if (digest.rows === 0) return alone
  return [
    ...goOn,
    ...alone,
    ...(worst === undefined || digest.output === null
      ? []
      : [
          {
            purpose: "read all there is of the row shown above",
            command: `${Invocation.shell(["grep", worst.example.row_id, digest.output])} | ${Invocation.asText}`
          }
        ]),
    ...(worst === undefined || digest.output === null
      ? []
      : [
          {
            purpose: "find the smallest task that still fails, and why",
            command: `${program} ${explaining(words, digest.output)}`
          }
        ]),
    ...(digest.change?.source == null || digest.output === null
      ? []
      : [
          {
            purpose: "whether the difference is more than chance",
            command: `${program} ${Invocation.shell(["compare", digest.change.source, digest.output])}`
          }
        ]),
    digest.reward.graded + digest.reward.errors === 0
      ? {
          purpose: "grade what the agent does",
          command:
            digest.output === null
              ? again([], "--grade")
              : `${program} ${Invocation.shell(["grade", digest.output, "--conduct"])}`
        }
      : {
          purpose: "after a change of the agent, ask the same again",
          command: digest.output === null ? again([]) : `${program} ${sameAsks(words, digest.output)}`
        }
  ]
}

/** The words of a call that writes to another file, with more flags. */
const elsewhere = (words: ReadonlyArray<string>, leftOut: ReadonlyArray<string>, more: ReadonlyArray<string>): string =>
  Invocation.shell(
    Invocation.adding(
      Invocation.without(words, ["--output", "--checkpoint", "--seeds", ...leftOut]).filter(
        (word) => word !== "--overwrite"
      ),
      more
    )
  )

/** What asks again what a run asked, by the words it was called with: whoever its agent was, it is the same one. */
export const sameAsks = (called: ReadonlyArray<string>, output: string): string =>
  called[0] === "simulate" ? elsewhere(called, ["--tasks"], ["--tasks", output]) : elsewhere(called, [], [])

/** The words a run was called with, and the grader of this package that graded its rows since; null where they are not known. */
export const calledAndGraded = (meta: RunMeta | null, graders: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  if (meta?.called === undefined) return null
  const [grader] = graders
  const since = meta.options["grade"] === false && graders.length === 1
  if (!since || (grader !== "conduct" && grader !== "outcome")) return meta.called
  const words = meta.called.filter((word) => word !== "--no-grade")
  return Invocation.adding(words, grader === "conduct" ? ["--grade"] : ["--grade", grader])
}

/** What plays the tasks of lost rollouts once more. */
const onLost = (called: ReadonlyArray<string>, lost: string): string =>
  called[0] === "simulate"
    ? elsewhere(called, onlyForMany, ["--tasks", lost])
    : elsewhere(["replay", lost, ...called.slice(2)], onlyForMany, [])

/** What explains a run by playing, by the words it was called with: those of its flags that say nothing there stay behind. */
export const explaining = (called: ReadonlyArray<string>, output: string, more: ReadonlyArray<string> = []): string => {
  const { given, rest } = Argv.salvaged(called[0] ?? "", called, RunFlags.simulate.map(Flags.shape))
  const flags = [...given].flatMap(([name, value]) => {
    const flag = RunFlags.explain.flags.find((known) => known.name === name)
    if (flag === undefined || name === "json") return []
    if (value === "false" && flag.kind !== "value") return [`--no-${name}`]
    return value === "true" ? [`--${name}`] : [`--${name}`, value]
  })
  const agent = called[0] === "simulate" ? rest : rest.slice(1)
  return Invocation.shell(Invocation.adding(["explain", output, ...agent], [...flags, ...more]))
}

/** What plays the minimal task, by the words of the call that found it: `explain <run> <agent> ...`. */
export const replaying = (words: ReadonlyArray<string>, output: string): string =>
  Invocation.shell([
    "replay",
    output,
    ...Invocation.without(words.slice(2), ["--row", "--class", "--budget", "--output"])
  ])

/** Stops that leave a run to be gone on with. */
const cutShort: ReadonlySet<string> = new Set([
  "interrupted",
  "time_budget",
  "agent_failed",
  "empty_replies",
  "auth_failed",
  "quota_exceeded",
  "token_budget",
  "cost_budget",
  "output_failed"
])

/** Flags that say how much is run, which lost tasks alone do not need. */
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
