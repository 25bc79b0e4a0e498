import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { simulate as flags } from "../../packages/cli/src/RunFlags.ts"
import { sandtable } from "./harness.ts"

describe("sandtable", () => {
  it.effect("tells its version and its commands", () =>
    Effect.gen(function* () {
      expect(yield* sandtable(["--version"])).toMatchObject({ status: 0, stdout: "1.2.3\n", stderr: "" })
      const help = yield* sandtable(["--help"], { columns: 80 })
      expect(help.status).toBe(0)
      expect(help.stdout).toMatchInlineSnapshot(`
        "sandtable: rehearse a tool-using agent before it meets people

        Usage
          sandtable <command> [options]

        Commands
          init            begin with a small project that can be rehearsed at once
          simulate        write situations, run the agent through them, grade, and keep
                          the rows
          tasks           list the tasks of a run, as a replay would run them again
          replay          run the tasks of an earlier run again, after a change of the
                          agent
          grade           grade the rows of a run, or grade them anew
          evaluate        run a fixed list of asks and tell how each did
          report          tell what a run comes to: pass rates with intervals, and what
                          lost reward
          explain         why rows failed: what goes with it, and the smallest task that
                          still fails
          compare         did the change help: one verdict on two runs
          power           what a set of tasks can show, and how many a change takes
          select          keep the rows worth training on, and tell what was dropped and
                          why
          decontaminate   take out rows whose asks are in another set
          export          write rows as files for trainers, or as a test report
          trust           hold a judge's verdicts against labels that people gave
          traces inspect  tell what a file of traces holds and what of it can be read
          traces import   read traces of any usual format into rows that can be measured
          patience fit    learn from threads how long people keep answering questions
          doctor          tell what is configured here, whether it answers, and what a
                          run would do

        Options
          --help, -h                     this page, or a command's: sandtable simulate
                                         --help
          --version, -V                  the version
          --completions <bash|zsh|fish>  a completion script, to be sourced by the shell

        Examples
          sandtable init my-agent
          sandtable simulate agent.ts --offline --grade --runs 3 --output before.jsonl
          sandtable replay before.jsonl agent.ts --grade --runs 3 --output after.jsonl
          sandtable compare before.jsonl after.jsonl
        "
      `)
    })
  )

  it.effect("called with nothing, shows how to call it and says so by its status", () =>
    Effect.gen(function* () {
      const bare = yield* sandtable([])
      expect(bare.status).toBe(64)
      expect(bare.stdout).toContain("Usage")
    })
  )

  it.effect("documents every flag of a command once, within the terminal's width", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sandtable(["simulate", "--help"], { columns: 90 })
      for (const flag of flags) expect(stdout).toContain(`--${flag.name}`)
      expect(stdout.split("\n").filter((line) => line.length > 90)).toEqual([])
    })
  )

  it.effect("has no two flags of one name", () =>
    Effect.sync(() => {
      const names = flags.flatMap((flag) => [flag.name, ...(flag.letter === undefined ? [] : [flag.letter])])
      expect(new Set(names).size).toBe(names.length)
    })
  )

  it.effect("writes completions for each shell", () =>
    Effect.gen(function* () {
      for (const shell of ["bash", "zsh", "fish"]) {
        const { status, stdout } = yield* sandtable(["--completions", shell])
        expect(status).toBe(0)
        expect(stdout).toContain("hard-share")
      }
    })
  )

  it.effect("refuses a command it does not know, and the wizard nobody can answer", () =>
    Effect.gen(function* () {
      expect(yield* sandtable(["simulat"])).toMatchObject({ status: 64, stdout: "" })
      expect(yield* sandtable(["simulate", "m:a", "--wizard"])).toMatchObject({ status: 64, simulated: [] })
      expect(yield* sandtable(["--wizard"])).toMatchObject({ status: 64 })
    })
  )
})
