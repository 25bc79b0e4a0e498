import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as Argv from "../../packages/cli/src/Argv.ts"
import * as Flags from "../../packages/cli/src/Flags.ts"
import * as Next from "../../packages/cli/src/Next.ts"
import * as RunFlags from "../../packages/cli/src/RunFlags.ts"
import { page } from "../../packages/cli/src/commands/explain.ts"

/** A flag of a run as it may be written. */
const written = ({ kind, name, words }: Flags.Flag): ReadonlyArray<string> => {
  if (kind === "switch") return [`--no-${name}`]
  return kind === "words" ? [`--${name}`] : [`--${name}`, words?.[0] ?? "5"]
}

describe("explaining", () => {
  it("asks for nothing that explain refuses, whatever flags a run was called with", () => {
    const shapes = new Map([["explain", page.flags.map(Flags.shape)]])
    const others = RunFlags.simulate.filter(({ name }) => name !== "agent")
    fc.assert(
      fc.property(fc.subarray([...others]), fc.boolean(), (flags, program) => {
        const words = flags.flatMap(written)
        const called = program ? ["simulate", ...words, "--", "run"] : ["simulate", "agent.ts", ...words]
        const line = Next.explaining(called, "run.jsonl").split(" ")
        expect(Either.getOrElse(Argv.read(line, shapes), (issues) => issues)).toMatchObject({ _tag: "Run" })
        expect(line.slice(0, 2)).toEqual(["explain", "run.jsonl"])
        expect(line.slice(program ? -2 : 2, program ? undefined : 3)).toEqual(program ? ["--", "run"] : ["agent.ts"])
      })
    )
  })

  it("keeps what plays: the agent, its tools and world, the grader", () => {
    const same = ["--offline", "--no-conduct", "--patience", "low"]
    const how = ["--budget", "9", "--strength", "3", "--traces", "log.jsonl", "--no-mutate-failures"]
    expect(Next.explaining(["simulate", "agent.ts", "--grade", ...how, ...same], "run.jsonl")).toMatch(
      /^explain run\.jsonl agent\.ts (?=.*--grade)(?=.*--offline)(?=.*--patience low)(?!.*--(budget|strength|traces|no-mutate))/
    )
    for (const command of ["replay", "evaluate"]) {
      expect(Next.explaining([command, "tasks.jsonl", "agent.ts", "--grade"], "run.jsonl")).toBe(
        "explain run.jsonl agent.ts --grade"
      )
    }
  })
})
