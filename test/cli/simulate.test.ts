import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import * as Engine from "../../packages/cli/src/Engine.ts"
import { outcome, plan, report, row, sandtable } from "./harness.ts"

describe("options", () => {
  it.effect("hands every flag to the run under its option's name", () =>
    Effect.gen(function* () {
      const { simulated, status } = yield* sandtable([
        "simulate",
        "openai:gpt-4.1-mini",
        "--budget",
        "64",
        "--repeats=4",
        "--repeat-policy",
        "fixed",
        "--offline",
        "--grade",
        "--fault-rate",
        "0",
        "--timeout",
        "10 seconds",
        "--time-budget=90",
        "--ids",
        '{"order_id":["A1001"]}',
        "--user-model",
        "false",
        "--logprobs",
        "tokens",
        "--batch",
        "8",
        "--output",
        "a.jsonl",
        "--no-overwrite"
      ])
      expect(status).toBe(0)
      expect(simulated).toEqual([
        {
          agent: "openai:gpt-4.1-mini",
          budget: 64,
          repeats: 4,
          repeatPolicy: "fixed",
          simulator: false,
          grade: true,
          faultRate: 0,
          timeout: Duration.seconds(10),
          timeBudget: 90,
          ids: { order_id: ["A1001"] },
          userModel: false,
          logprobs: "tokens",
          reproducible: { batch: 8 },
          output: "a.jsonl",
          overwrite: false
        }
      ])
    })
  )

  it.effect("reads settings of `advanced` from flags of their own, over those of the files", () =>
    Effect.gen(function* () {
      const { simulated } = yield* sandtable(
        ["simulate", "--config", "c.json", "--grace", "2", "--no-real-delays", "--advanced", '{"probe": 3}'],
        { files: { "c.json": '{"advanced": {"grace": 9, "strength": 3}}' } }
      )
      expect(simulated[0]).toMatchObject({ advanced: { grace: 2, strength: 3, probe: 3, realDelays: false } })
    })
  )

  it.effect("takes flags before and after the agent, and a word such as `on` after a switch as the agent", () =>
    Effect.gen(function* () {
      const { simulated } = yield* sandtable(["simulate", "--grade", "on", "--seed", "-3"])
      expect(simulated[0]).toMatchObject({ agent: "on", grade: true, seed: -3 })
    })
  )

  it.effect("reads lists and objects from files, and texts by @", () =>
    Effect.gen(function* () {
      const { simulated, status } = yield* sandtable(
        [
          "simulate",
          "--seeds",
          "asks.jsonl",
          "--dimensions",
          "d.yaml",
          "--policy",
          "@policy.md",
          "--tasks",
          "old.jsonl"
        ],
        {
          files: {
            "asks.jsonl": '{"prompt":"Where is A1?"}\n\n"Cancel A2"\n',
            "d.yaml": "stance:\n  - hurried\n",
            "policy.md": "Be kind.\n"
          }
        }
      )
      expect(status).toBe(0)
      expect(simulated[0]).toMatchObject({
        seeds: [{ prompt: "Where is A1?" }, "Cancel A2"],
        dimensions: { stance: ["hurried"] },
        policy: "Be kind.\n",
        tasks: "old.jsonl"
      })
    })
  )

  it.effect("lets flags win over the config file and that over the agent file, under any of an option's names", () =>
    Effect.gen(function* () {
      const { simulated } = yield* sandtable(["simulate", "--config", "c.json", "--rollouts-per-request", "8"], {
        files: { "c.json": '{"repeats": 4, "phrasings": 2, "budget": 10}' }
      })
      expect(simulated[0]).toMatchObject({ rolloutsPerRequest: 8, phrasings: 2, budget: 10 })
      expect(simulated[0]).not.toHaveProperty("repeats")
    })
  )

  it.effect("hands over a command after --", () =>
    Effect.gen(function* () {
      const { simulated } = yield* sandtable(["simulate", "--grade", "--", "python", "agent.py", "--grade"])
      expect(simulated[0]).toMatchObject({ agent: { command: ["python", "agent.py", "--grade"] }, grade: true })
    })
  )
})

describe("refusals", () => {
  it.effect("tells all that is wrong at once, in the flags' spelling, and runs nothing", () =>
    Effect.gen(function* () {
      const { simulated, status, stderr, stdout } = yield* sandtable(
        ["simulate", "m:x", "--budget", "abc", "--seeds", "[1,", "--gate", "2", "--hard-share", "3"],
        {
          preview: (options) =>
            Effect.fail(
              new Engine.Refused({
                issues: [
                  { option: "budget", problem: `is ${JSON.stringify(options["budget"])}`, fix: "Give a whole number." },
                  { option: "hardShare", problem: "is 3", fix: "Give `hardShare: 0.4`, or leave it." }
                ]
              })
            )
        }
      )
      expect(status).toBe(64)
      expect(simulated).toEqual([])
      expect(stdout).toBe("")
      expect(stderr).toMatchInlineSnapshot(`
        "error: the call was refused for 4 reasons; nothing was run
          --seeds       is not valid JSON: Unexpected end of JSON input
                        fix: Check its quotes and commas.
          --gate        is a share from 0 to 1, got "2"
                        fix: Write --gate 0.9, for example.
          --budget      is "abc"
                        fix: Give a whole number.
          --hard-share  is 3
                        fix: Give \`--hard-share 0.4\`, or leave it.
        "
      `)
    })
  )

  it.effect("suggests the nearest flag for each unknown one", () =>
    Effect.gen(function* () {
      const { status, stderr } = yield* sandtable(["simulate", "a.ts", "--bugdet", "3", "--ofline", "--zzz=1"])
      expect(status).toBe(64)
      expect(stderr).toMatchInlineSnapshot(`
        "error: the call was refused for 3 reasons; nothing was run
          --bugdet  is no option of this command
                    fix: Did you mean --budget?
          --ofline  is no option of this command
                    fix: Did you mean --offline?
          --zzz     is no option of this command
                    fix: See --help for all options.
        "
      `)
    })
  )

  it.effect("tells what only the agent file can give, and that a switch takes no value", () =>
    Effect.gen(function* () {
      const { stderr } = yield* sandtable(["simulate", "a.ts", "--execute", "x", "--embedder=y", "--grade", "yes"])
      expect(stderr).toMatchInlineSnapshot(`
        "error: the call was refused for 3 reasons; nothing was run
          --execute   is code and can only be given in the agent file
                      fix: Write it there: export default { agent, execute: ... }.
          --embedder  is code and can only be given in the agent file
                      fix: Write it there: export default { agent, advanced: { embedder: ... } }.
          --grade     takes no such word, got "yes"
                      fix: Write --grade alone, --no-grade, or --grade with one of conduct, outcome, true, false.
        "
      `)
    })
  )

  it.effect("says where an option was said when it was not a flag", () =>
    Effect.gen(function* () {
      const { stderr } = yield* sandtable(["simulate", "--config", "c.json"], {
        files: { "c.json": '{"budget": 0}' },
        preview: () =>
          Effect.fail(new Engine.Refused({ issues: [{ option: "budget", problem: "is 0", fix: "Give at least 1." }] }))
      })
      expect(stderr).toContain("budget (c.json)  is 0")
    })
  )

  it.effect("refuses a file that is not there, two agents, and a flag given twice", () =>
    Effect.gen(function* () {
      const missing = yield* sandtable(["simulate", "agnet.ts"], { files: { "agent.ts": "" } })
      expect(missing.status).toBe(64)
      expect(missing.stderr).toContain("In . there is agent.ts.")
      const two = yield* sandtable(["simulate", "m:a", "m:b"])
      expect(two.status).toBe(64)
      expect(two.stderr).toContain("m:b  is one agent too many")
      const twice = yield* sandtable(["simulate", "m:a", "--budget", "1", "--budget", "2"])
      expect(twice.status).toBe(64)
      expect(twice.stderr).toContain("--budget  is given twice")
    })
  )
})

describe("output", () => {
  it.effect("goes to runs/<run id>.jsonl, then to -2 and -3 where that exists", () =>
    Effect.gen(function* () {
      const first = yield* sandtable(["simulate", "m:a"])
      expect(first.simulated[0]).toHaveProperty("output", "runs/run_1.jsonl")
      expect(first.folders).toEqual(["runs"])
      const third = yield* sandtable(["simulate", "m:a"], {
        files: { "runs/run_1.jsonl": "", "runs/run_1-2.jsonl": "" }
      })
      expect(third.simulated[0]).toHaveProperty("output", "runs/run_1-3.jsonl")
    })
  )

  it.effect("says so when its folder is new", () =>
    Effect.gen(function* () {
      const made = yield* sandtable(["simulate", "m:a", "-q", "--output", "out/deep/a.jsonl"])
      expect(made.stderr).toBe("The folder out/deep was made for the rows.\n")
      const there = yield* sandtable(["simulate", "m:a", "-q", "--output", "out/a.jsonl"], { files: { out: "" } })
      expect(there.stderr).toBe("")
    })
  )

  it.effect("of a replay holds the verdicts against those of its source, by ask", () =>
    Effect.gen(function* () {
      const before = [row(1, { reward: 1 }), row(2, { reward: 1 }), row(3, { reward: 0 })]
      const { stdout } = yield* sandtable(["simulate", "m:a", "--json", "--tasks", JSON.stringify(before)], {
        simulate: () => Effect.succeed(outcome([row(1, { reward: 1 }), row(2, { reward: 0 }), row(4, { reward: 1 })]))
      })
      expect(JSON.parse(stdout)).toMatchObject({ change: { source: null, tasks: 2, before: 1, after: 0.5 } })
    })
  )

  it.effect("is left alone when named, and is the checkpoint when there is one", () =>
    Effect.gen(function* () {
      const { folders, simulated } = yield* sandtable(["simulate", "m:a", "--checkpoint", "c.jsonl"])
      expect(simulated[0]).not.toHaveProperty("output")
      expect(folders).toEqual([])
    })
  )

  it.effect("with --json is one JSON object on stdout and nothing else there", () =>
    Effect.gen(function* () {
      const rows = [row(1, { reward: 1 }), row(2, { reward: 0 }), row(3, { reward: 0.5 })]
      const { stdout } = yield* sandtable(["simulate", "m:a", "--json"], {
        simulate: () => Effect.succeed(outcome(rows))
      })
      expect(stdout.trim().split("\n")).toHaveLength(1)
      expect(JSON.parse(stdout)).toMatchObject({
        command: "simulate",
        run_id: "run_1",
        output: "runs/run_1.jsonl",
        stopped_because: "budget",
        rows: 3,
        rollouts: { requested: 3, completed: 3, lost: 0, lost_by: {} },
        pass: { tasks: 3, tasks_of: 3, rows: 3, rows_of: 3, pass_at_1: 1 / 3, pass_mark: 1 },
        reward: { mean: 0.5, graded: 3, of: 3, fractional: 1 },
        faults: { planned: 0, fired: 0, recovered: 0 },
        gate: null
      })
    })
  )

  it.effect("of a dry run is the plan, and nothing is run", () =>
    Effect.gen(function* () {
      const { simulated, stdout, folders } = yield* sandtable(["simulate", "m:a", "--dry-run"], {
        preview: () => Effect.succeed(plan({ seedsDropped: ["Cancel A2"] }))
      })
      expect(simulated).toEqual([])
      expect(folders).toEqual([])
      expect(stdout).toMatchInlineSnapshot(`
        "simulate m:a: what a run would do (nothing was called or written)
          rows          up to 2
          counts        situations open, phrasings 1, repeats 1
          tiers         ordinary 1
          coverage      40 of 100 2-way combinations of axis values (40.0%)
          model calls   agent 2, writer 0
          rows to       runs/run_1.jsonl, unless --output names another file
          seeds dropped 1 seed the budget does not pay for:
            Cancel A2

        The first asks
          ordinary    Where is order A1001?
        "
      `)
    })
  )
})

describe("exit status", () => {
  const ended = (stoppedBecause: string, rows = [row(1)], lost = 0) =>
    sandtable(["simulate", "m:a"], {
      simulate: () => Effect.succeed(outcome(rows, { stoppedBecause, report: report(rows, { lost }) }))
    }).pipe(Effect.map(({ status }) => status))

  it.effect("tells how the run ended", () =>
    Effect.gen(function* () {
      expect(yield* ended("budget")).toBe(0)
      expect(yield* ended("auth_failed")).toBe(69)
      expect(yield* ended("quota_exceeded")).toBe(69)
      expect(yield* ended("agent_failed", [])).toBe(70)
      expect(yield* ended("writer_failed", [])).toBe(70)
      expect(yield* ended("interrupted")).toBe(130)
      expect(yield* ended("budget", [], 3)).toBe(70)
    })
  )

  it.effect("is 1 under the gate, 0 at it, and 2 when nothing can be held against it", () =>
    Effect.gen(function* () {
      const gated = (gate: string, rewards: ReadonlyArray<number | null>) =>
        sandtable(["simulate", "m:a", "--grade", "--gate", gate], {
          simulate: () => Effect.succeed(outcome(rewards.map((reward, n) => row(n, { reward }))))
        }).pipe(Effect.map(({ status }) => status))
      expect(yield* gated("0.6", [1, 0])).toBe(1)
      expect(yield* gated("0.5", [1, 0])).toBe(0)
      expect(yield* gated("0.5", [null, null])).toBe(2)
      const ungraded = yield* sandtable(["simulate", "m:a", "--gate", "0.5"])
      expect([ungraded.status, ungraded.stderr]).toEqual([64, expect.stringContaining("nobody grades")])
    })
  )

  it.effect("holds lost rollouts against the gate as failures", () =>
    Effect.gen(function* () {
      const crashing = (reason: string) =>
        sandtable(
          ["simulate", "a/agent.ts:x", "--offline", "--grade", "--gate", "0.9", "--json", "-q", "--budget", "9"],
          {
            simulate: (_, { onEvent }) =>
              Effect.sync(() => {
                const task = { id: "task_2", scenarioId: "sit_2", prompt: "Where's A2?" }
                onEvent({ _tag: "TaskChosen", task })
                onEvent({ _tag: "RolloutLost", taskId: "task_2", index: 0, evalRun: 0, reason })
                const warnings = [{ code: "agent_errors", message: "It threw.", fix: "x", figures: {} }]
                const rows = [row(1, { reward: 1 })]
                return outcome(rows, { warnings, report: report(rows, { lost: 1 }) })
              })
          }
        )
      const thrown = yield* crashing("agent_error")
      expect(thrown.status).toBe(1)
      expect(thrown.stderr).toContain("the pass rate 0.500, lost rollouts as failures, is below --gate 0.9")
      expect(JSON.parse(thrown.stdout)).toMatchObject({
        pass: { pass_at_1: 1, lost_as_failures: { pass_at_1: 0.5, lost: 1 } },
        warnings: [{ fix: expect.stringContaining("what it threw on") }],
        next: [
          {
            command: "sandtable simulate a/agent.ts:x --offline --grade --json -q --tasks runs/run_1.lost.jsonl"
          },
          {}
        ]
      })
      expect((yield* crashing("interrupted")).status).toBe(0)
    })
  )

  it.effect("of a failed run is told after what there is to sum up", () =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* sandtable(["simulate", "m:a"], {
        simulate: () =>
          Effect.fail(
            new Engine.Failed({
              reason: "auth_failed",
              detail: "The agent's endpoint refused the key.",
              outcome: outcome([], {
                stoppedBecause: "auth_failed",
                report: report([], { rollouts_requested: 4, lost: 4, lost_by: { auth: 4 } })
              })
            })
          )
      })
      expect(status).toBe(69)
      expect(stdout).toContain("4 of 4 rollouts: auth 4")
      expect(stderr).toContain("error: the run ended without a row: an endpoint refused the key")
    })
  )

  it.effect("of our own fault is 70, with a stack under --debug alone", () =>
    Effect.gen(function* () {
      const broken = { simulate: () => Effect.die(new Error("boom")) }
      const quiet = yield* sandtable(["simulate", "m:a", "-q"], broken)
      expect(quiet.status).toBe(70)
      expect(quiet.stderr).toMatchInlineSnapshot(`
        "error: sandtable itself failed: boom
          fix: Run it again with --debug for the stack, and report it with the command that was run.
        "
      `)
      const debug = yield* sandtable(["simulate", "m:a", "-q", "--debug"], broken)
      expect(debug.stderr).toContain("simulate.test.ts")
    })
  )
})

describe("Ctrl-C", () => {
  it.effect("asks the run to stop, says so, and sums up what landed", () =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* sandtable(["simulate", "m:a", "--budget", "2"], {
        interrupt: true,
        simulate: (_, { onEvent, signal }) =>
          Effect.sync(() => {
            onEvent({ _tag: "Started", budget: 2, expected: 2, warnings: [] })
            expect(signal.aborted).toBe(true)
            return outcome([row(1)], { stoppedBecause: "interrupted" })
          })
      })
      expect(status).toBe(130)
      expect(stderr).toContain("Stopping: what lands within the grace is kept. Ctrl-C again leaves at once.")
      expect(stdout).toContain("1 of 2")
      expect(stdout).toContain("it was interrupted")
    })
  )
})

describe("notes on a run", () => {
  const warning = (code: string, message: string) => ({ code, message, fix: "Raise `budget`.", figures: {} })
  const run = (seconds: number) =>
    sandtable(["simulate", "m:a", "--quiet"], {
      simulate: (_, { onEvent }) =>
        Effect.sync(() => {
          const warnings = [warning("seeds_dropped", "`budget` drops 2 seeds."), warning("ids_invented", "No ids.")]
          onEvent({ _tag: "Started", budget: 2, expected: 2, warnings })
        }).pipe(Effect.zipRight(TestClock.adjust(`${seconds} seconds`)), Effect.as(outcome([row(1), row(2)])))
    })

  it.effect("say dropped seeds before the first rollout, and the rest once it takes long", () =>
    Effect.gen(function* () {
      expect((yield* run(1)).stderr).toBe("`--budget` drops 2 seeds.\n")
      expect((yield* run(3)).stderr).toBe("`--budget` drops 2 seeds.\nNo ids.\n")
    })
  )
})

describe("progress", () => {
  it.effect("is lines in a pipe, nothing with --quiet, and JSON on request; data stays on stdout", () =>
    Effect.gen(function* () {
      const landing = {
        simulate: (_: Engine.Options, hooks: { readonly onEvent: (event: Engine.Event) => void }) =>
          Effect.sync(() => {
            hooks.onEvent({ _tag: "Started", budget: 1000, expected: 2, warnings: [] })
            for (const n of [1, 2]) {
              hooks.onEvent({ _tag: "RolloutStarted" })
              hooks.onEvent({ _tag: "RowLanded", row: row(n, { reward: 1 }) })
            }
            return outcome([row(1, { reward: 1 }), row(2, { reward: 1 })])
          })
      }
      const lines = yield* sandtable(["simulate", "m:a"], landing)
      expect(lines.stderr).toMatchInlineSnapshot(`
        "1 of 2 rows, 0 in flight, pass 100.0% [20.7%, 100.0%] over 1 task, 1 row
        2 of 2 rows, 0 in flight, pass 100.0% [34.2%, 100.0%] over 2 tasks, 2 rows
        "
      `)
      const quiet = yield* sandtable(["simulate", "m:a", "--quiet"], landing)
      expect(quiet.stderr).toBe("")
      expect(quiet.stdout.replace(" --quiet", "")).toBe(lines.stdout)
      const json = yield* sandtable(["simulate", "m:a", "--progress", "json"], landing)
      expect(
        json.stderr
          .trim()
          .split("\n")
          .map((line) => (JSON.parse(line) as { rows: number }).rows)
      ).toEqual([1, 2])
    })
  )

  it.effect("writes no control code to a pipe", () =>
    Effect.gen(function* () {
      const rows = [row(1, { reward: 0, failure_class: "leaked", prompt: "\u001b[2Jgone \u0007" })]
      const { stderr, stdout } = yield* sandtable(["simulate", "m:a"], {
        simulate: () =>
          Effect.succeed(outcome(rows, { warnings: [{ code: "x", message: "a\u001b[31mb", fix: "c", figures: {} }] }))
      })
      const refused = yield* sandtable(["simulate", "m:a", "--bud\u001b[31mget", "x"])
      // oxlint-disable-next-line no-control-regex -- control codes are what is looked for
      expect(stdout + stderr + refused.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    })
  )
})
