import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as Argv from "../../packages/cli/src/Argv.ts"

const flags: ReadonlyArray<Argv.FlagShape> = [
  { name: "budget", takes: "value" },
  { name: "n", takes: "value" },
  { name: "grade", takes: "nothing" },
  { name: "quiet", letter: "q", takes: "nothing" },
  { name: "logprobs", takes: "optional", words: ["tokens", "true", "false"] }
]
const read = (...words: ReadonlyArray<string>) => Argv.read(words, new Map([["simulate", flags]]))
const args = (...words: ReadonlyArray<string>): ReadonlyArray<string> =>
  Either.match(read("simulate", ...words), {
    onLeft: (issues) => issues.map((issue) => `${issue.option}: ${issue.problem}. ${issue.fix}`),
    onRight: (reading) => (reading._tag === "Run" ? reading.args.slice(1) : [reading._tag])
  })

describe("read", () => {
  it("puts flags first, each with its value apart, and the rest behind --", () => {
    expect(args("a.ts", "--budget=3", "-q", "--n", "2")).toEqual([
      "--budget",
      "3",
      "--quiet",
      "true",
      "-n",
      "2",
      "--",
      "a.ts"
    ])
  })

  it("takes any text as a value: with equals signs, lines, a leading dash, or none at all", () => {
    expect(args("--budget", "a=b\nc=d")).toEqual(["--budget", "a=b\nc=d", "--"])
    expect(args("--budget=--x=1")).toEqual(["--budget", "--x=1", "--"])
    expect(args("--budget", "-1.5")).toEqual(["--budget", "-1.5", "--"])
    expect(args("--budget=")).toEqual(["--budget", "", "--"])
  })

  it("never takes the word after a switch as its value", () => {
    for (const word of ["true", "yes", "1", "on"])
      expect(args("--grade", word)).toEqual(["--grade", "true", "--", word])
    expect(args("--no-grade", "x")).toEqual(["--grade", "false", "--", "x"])
    expect(args("--grade=false")).toEqual(["--grade", "false", "--"])
  })

  it("reads an optional value only when it is one of the flag's words", () => {
    expect(args("--logprobs", "tokens")).toEqual(["--logprobs", "tokens", "--"])
    expect(args("--logprobs", "agent.ts")).toEqual(["--logprobs", "true", "--", "agent.ts"])
    expect(args("--logprobs", "token", "agent.ts")).toEqual([
      '--logprobs: takes no such word, got "token". Write --logprobs alone, --no-logprobs, or --logprobs with one of tokens, true, false.'
    ])
    expect(args("--no-logprobs")).toEqual(["--logprobs", "false", "--"])
  })

  it("keeps what follows -- as it is, apart from what came before", () => {
    expect(args("--grade", "--", "python", "a.py", "--budget", "x")).toEqual([
      "--grade",
      "true",
      "--",
      "--",
      "python",
      "a.py",
      "--budget",
      "x"
    ])
    expect(read("simulate", "--", "x", "--help")).toMatchObject({ right: { _tag: "Run" } })
  })

  it("names a flag without its value, also before another flag", () => {
    expect(args("--budget")).toEqual(["--budget: has no value. Write --budget <value>."])
    expect(args("--budget", "--grade")).toEqual(["--budget: has no value. Write --budget <value>."])
  })

  it("answers help anywhere, and version and completions alone", () => {
    expect(read("simulate", "x", "--budget", "--help")).toEqual(Either.right({ _tag: "Help", command: "simulate" }))
    expect(read("--help")).toEqual(Either.right({ _tag: "Help", command: null }))
    expect(read("--version")).toEqual(Either.right({ _tag: "Version" }))
    expect(read("--completions", "fish")).toEqual(Either.right({ _tag: "Completions", shell: "fish" }))
    expect(Either.isLeft(read("--completions", "tcsh"))).toBe(true)
  })

  it("suggests the nearest command", () => {
    expect(read("simluate")).toMatchObject({ left: [{ fix: "Did you mean sandtable simulate?" }] })
    expect(read("--budget")).toMatchObject({ left: [{ problem: "is no option of sandtable" }] })
  })

  it.prop("gives every value back as it was typed", [fc.string(), fc.string()], ([value, agent]) => {
    fc.pre(!agent.startsWith("-"))
    expect(args(agent, `--budget=${value}`)).toEqual(["--budget", value, "--", agent])
  })
})

describe("nearest", () => {
  it("suggests only what is near, counting a swap of neighbours as one slip", () => {
    expect(Argv.nearest("bugdet", ["budget", "gate"])).toBe("budget")
    expect(Argv.nearest("zzz", ["budget", "gate"])).toBeNull()
    expect(Argv.nearest("repeat", ["repeat-policy", "seed"])).toBe("repeat-policy")
  })
})
