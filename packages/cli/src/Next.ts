/**
 * What a person would do next: commands to type, each with its purpose.
 */
import type * as Digest from "./Digest.ts"
import * as Invocation from "./Invocation.ts"
import type * as Losses from "./Losses.ts"
import type * as Summary from "./Summary.ts"

/** After a run. */
export const commands = (
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
            command: `${Invocation.shell(["grep", worst.example.row_id, digest.output])} | ${Invocation.asText}`
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
      ? { purpose: "grade what the agent does", command: again([], "--grade") }
      : {
          purpose: "after a change of the agent, ask the same again",
          command:
            digest.output === null || digest.command === "replay"
              ? again([])
              : again(["--tasks"], "--tasks", digest.output)
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
