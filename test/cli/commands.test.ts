/**
 * What all commands share, and what each says as JSON.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { entries } from "../../packages/cli/src/Commands.ts"
import * as Folder from "./folder.ts"
import { sandtable } from "./harness.ts"

const at = Folder.make()
afterAll(at.remove)
const run = at.path("run.jsonl")
const agent = at.path("agent.mjs")
const out = ["--output", at.path("out.jsonl"), "--overwrite"]

beforeAll(async () => {
  at.write(
    "agent.mjs",
    `export default {
      agent: (message, { rollout }) => rollout.rolloutSeed % 3 === 0 ? "I do not know." : "Which order do you mean, please?",
      tools: [{ name: "get_order", description: "Look up an order", parameters: { type: "object", properties: { order_id: { type: "string" } } } }],
      ids: { order_id: ["A1", "A2"] },
      grader: (row) => ({ reward: row.final_text.endsWith("?") ? 1 : 0, failure_class: "gave_up", reason: "It gave up." })
    }`
  )
  at.write("grader.mjs", "export default (row) => row.final_text.length > 20")
  at.write("labels.jsonl", `{"row_id":"row_none","label":true}\n`)
  at.write("asks.txt", "Where is A1?\nCancel A2.\n")
  const words = ["--offline", "--repeats", "4", "--repeat-policy", "fixed", "--budget", "80", "--runs", "2", "-q"]
  const { status, stderr } = await Effect.runPromise(Folder.sandtable(["simulate", agent, ...words, "--output", run]))
  if (status !== 0) throw new Error(stderr)
}, 60_000)

describe.each(entries)("$name", ({ load, name, summary }) => {
  it.effect("has a page with a usage, an example of it, and what its status says, within the width", () =>
    Effect.gen(function* () {
      const { status, stdout } = yield* sandtable([...name.split(" "), "--help"], { columns: 90 })
      expect(status).toBe(0)
      expect(stdout.split("\n").filter((line) => line.length > 90)).toEqual([])
      for (const said of [summary.slice(0, 30), "Usage", "Examples", "Exit status", "--json"]) {
        expect(stdout.replace(/\s+/g, " ")).toContain(said)
      }
      const { page } = yield* Effect.promise(load)
      expect(page.name).toBe(name)
      expect(page.examples.some(([, how]) => how.startsWith(`sandtable ${name} `) || how === `sandtable ${name}`)).toBe(
        true
      )
      for (const flag of page.flags) expect(stdout).toContain(`--${flag.name}`)
      const names = page.flags.flatMap((flag) => [flag.name, ...(flag.letter === undefined ? [] : [flag.letter])])
      expect(new Set(names).size).toBe(names.length)
    })
  )

  it.effect("refuses a flag it does not have", () =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* sandtable([...name.split(" "), "--jsn"])
      expect([status, stdout, stderr.includes("Did you mean --json?")]).toEqual([64, "", true])
    })
  )
})

describe("--json", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, object]> = [
    [["init", at.path("made")], 0, { command: "init", written: expect.arrayContaining(["agent.ts"]) as unknown }],
    [["tasks", run], 0, { command: "tasks", repeats: 4, without_prompt: 0 }],
    [["replay", run, agent, "-q", ...out], 0, { command: "replay", stopped_because: "tasks_done" }],
    [
      ["grade", run, "--conduct", ...out],
      0,
      { command: "grade", grader: "conduct", rows: 160, scored: 160, broken: 0 }
    ],
    [["grade", run, "--outcome", ...out], 0, { command: "grade", grader: "outcome", rows: 160 }],
    [["grade", run, "--grader", at.path("grader.mjs"), ...out], 0, { scored: 160 }],
    [
      ["evaluate", at.path("asks.txt"), agent, "--repeats", "2", "-q", ...out],
      0,
      { command: "evaluate", totals: { asks: 2, asks_ran: 2 }, asks: [{ n: 1, ask: "Where is A1?", of: 2 }, { n: 2 }] }
    ],
    [
      ["report", run, "--k", "4"],
      0,
      {
        command: "report",
        rows: 160,
        pass: { k: 4, pass_hat_k: expect.any(Number) as number },
        variance: { runs: [{}, {}] },
        failures: [{ failure_class: "gave_up" }]
      }
    ],
    [["compare", run, run], 0, { command: "compare", verdict: "no_change_detected" }],
    [["power", run], 0, { command: "power", status: expect.any(String) as string }],
    [["power", "--effect", "0.05", "--base", "0.6", "--k", "4"], 0, { command: "power", tasks: 367 }],
    [["power", "--tasks", "367", "--k", "4"], 0, { command: "power", effect: expect.closeTo(0.05, 3) as number }],
    [["select", run, "--mode", "sft", ...out], 0, { command: "select", mode: "sft", rows: 160 }],
    [["decontaminate", run, at.path("asks.txt"), ...out], 0, { command: "decontaminate", rows: 160, kept: 160 }],
    [["export", run, "--format", "jsonl", ...out], 0, { command: "export", format: "jsonl", used: 160 }],
    [["trust", run, "--labels", at.path("labels.jsonl")], 2, { command: "trust", verdict: "not_measured" }],
    [["traces", "inspect", run], 0, { command: "traces inspect", traces: 160, unreadable: [] }],
    [["traces", "import", run, ...out], 0, { command: "traces import", rows: 160, graded: 160 }],
    [["doctor", "--no-ask"], 0, { command: "doctor", run: null, next: [{}, {}] }],
    [["doctor", agent, "--offline", "--no-ask", "--budget", "9"], 0, { run: { rows: 9, calls: { writer: 0 } } }]
  ]

  it.each(cases)("of %j is one object on one line", async (words, status, shape) => {
    const ended = await Effect.runPromise(Folder.sandtable([...words, "--json"]))
    expect(Folder.parsed(ended)).toMatchObject(shape)
    if (words[0] !== "power") expect([ended.status, ended.stdout.includes("\u001b")]).toEqual([status, false])
  })
})

describe("outputs", () => {
  const writers: ReadonlyArray<readonly [string, (output: string) => ReadonlyArray<string>]> = [
    ["grade", (output) => ["grade", run, "--conduct", "--output", output]],
    ["select", (output) => ["select", run, "--mode", "sft", "--output", output]],
    ["decontaminate", (output) => ["decontaminate", run, at.path("asks.txt"), "--output", output]],
    ["export", (output) => ["export", run, "--format", "jsonl", "--output", output]],
    ["traces import", (output) => ["traces", "import", run, "--output", output]],
    ["evaluate", (output) => ["evaluate", at.path("asks.txt"), agent, "-q", "--output", output]],
    ["replay", (output) => ["replay", run, agent, "-q", "--output", output]]
  ]

  it.each(writers)("of %s get the folders that are missing, and replace nothing unasked", async (name, words) => {
    const output = at.path(`new/${name}/rows.jsonl`)
    const first = await Effect.runPromise(Folder.sandtable(words(output)))
    expect([first.status, existsSync(output)], first.stderr).toEqual([0, true])
    const before = readFileSync(output, "utf8")
    const second = await Effect.runPromise(Folder.sandtable(words(output)))
    expect([second.status, second.stdout, readFileSync(output, "utf8") === before]).toEqual([64, "", true])
    expect(second.stderr).toContain("--overwrite")
  })
})

describe("colours", () => {
  it.effect("are for terminals alone", () =>
    Effect.gen(function* () {
      for (const words of [
        ["report", run],
        ["compare", run, run],
        ["tasks", run],
        ["traces", "inspect", run]
      ]) {
        expect((yield* Folder.sandtable(words, { terminal: true })).stdout).toContain("\u001b[")
        expect((yield* Folder.sandtable(words)).stdout).not.toContain("\u001b")
      }
    })
  )
})

describe("completions", () => {
  it.effect("know every command and its flags", () =>
    Effect.gen(function* () {
      for (const shell of ["bash", "zsh", "fish"]) {
        const { status, stdout } = yield* sandtable(["--completions", shell])
        expect(status).toBe(0)
        for (const word of entries.flatMap(({ name }) => name.split(" "))) expect(stdout).toContain(word)
        for (const flag of ["must-not-regress", "hard-share", "rubric", "per-task"]) expect(stdout).toContain(flag)
      }
    })
  )
})

describe("words", () => {
  it.effect("of a command of two are asked for, and help of the first lists the second", () =>
    Effect.gen(function* () {
      const bare = yield* sandtable(["traces"])
      expect([bare.status, bare.stdout]).toEqual([64, ""])
      expect(bare.stderr).toContain("sandtable traces inspect or sandtable traces import")
      expect((yield* sandtable(["traces", "inpsect"])).stderr).toContain('has no "inpsect"')
      const help = yield* sandtable(["traces", "--help"])
      expect([help.status, help.stdout.includes("traces import")]).toEqual([0, true])
      expect((yield* sandtable(["help", "patience", "fit"])).stdout).toContain("patience.json")
    })
  )

  it.effect("too few and too many are refused with the usage", () =>
    Effect.gen(function* () {
      const few = yield* sandtable(["compare", "a.jsonl"])
      expect([few.status, few.stderr.includes("<after>  is not given")]).toEqual([64, true])
      const many = yield* sandtable(["tasks", "a.jsonl", "b.jsonl"])
      expect([many.status, many.stderr.includes("b.jsonl  is one word too many")]).toEqual([64, true])
      expect((yield* sandtable(["replay"])).stderr).toContain("<run>  is not given")
    })
  )
})

describe("replay", () => {
  it.effect("runs the tasks of a run with the agent that is named, and leaves out what would choose others", () =>
    Effect.gen(function* () {
      const files = {
        "c.json":
          '{"seeds": ["x"], "situations": 3, "hardShare": 1, "budget": 9, "advanced": {"probe": 3, "strength": 3}}'
      }
      const { simulated, status } = yield* sandtable(
        ["replay", "old.jsonl", "m:a", "--config", "c.json", "--runs", "3"],
        {
          files
        }
      )
      expect(status).toBe(0)
      expect(simulated).toEqual([
        { agent: "m:a", tasks: "old.jsonl", runs: 3, budget: 9, advanced: { probe: 3 }, output: "runs/run_1.jsonl" }
      ])
      const command = yield* sandtable(["replay", "old.jsonl", "-q", "--", "python", "agent.py"])
      expect(command.simulated[0]).toMatchObject({ agent: { command: ["python", "agent.py"] }, tasks: "old.jsonl" })
      const choosing = yield* sandtable(["replay", "old.jsonl", "m:a", "--hard-share", "1"])
      expect([choosing.status, choosing.simulated]).toEqual([64, []])
    })
  )

  it.effect("of a run that cannot be read names it, not an option", () =>
    Effect.gen(function* () {
      const gone = at.path("gone.jsonl")
      const { status, stderr } = yield* Folder.sandtable(["replay", gone, agent])
      expect([status, stderr.includes(`${gone}  is `), stderr.includes("--tasks")]).toEqual([64, true, false])
    })
  )
})

describe("evaluate", () => {
  it.effect("holds asks that were lost against the gate as failures", () =>
    Effect.gen(function* () {
      const throwing = at.write(
        "throwing.mjs",
        `export default { agent: (ask) => { if (ask.includes("A2")) throw new Error("no"); return "Done." }, grader: () => 1 }`
      )
      const words = ["evaluate", at.path("asks.txt"), throwing, "-q", "--gate", "0.9", "--json", ...out]
      const ended = yield* Folder.sandtable(words)
      expect([ended.status, ended.stderr.includes("lost rollouts as failures, is below --gate 0.9")]).toEqual([1, true])
      expect(Folder.parsed(ended)).toMatchObject({
        pass: { pass_at_1: 1, tasks: 1, lost_as_failures: { pass_at_1: 0.5, tasks: 2, lost: 1 } },
        asks: [{ missing: false }, { missing: true, lost: 1 }]
      })
    })
  )

  it.effect("tells what is wrong with a list by its place in it", () =>
    Effect.gen(function* () {
      const list = at.write("bad.json", '["x", {"prompt": ""}]')
      const { status, stderr } = yield* Folder.sandtable(["evaluate", list, agent, "-q"])
      expect([status, stderr.includes(`${list} [1].prompt`)]).toEqual([64, true])
    })
  )
})

describe("report", () => {
  it.effect("holds the pass rate against a gate, and says what there is to do", () =>
    Effect.gen(function* () {
      const low = yield* Folder.sandtable(["report", run, "--gate", "0.1"])
      expect([low.status, low.stderr]).toEqual([0, ""])
      expect(low.stdout).toMatch(/sandtable simulate \S.* --tasks /)
      const high = yield* Folder.sandtable(["report", run, "--gate", "0.99"])
      expect([high.status, high.stderr.includes("is below --gate 0.99")]).toEqual([1, true])
      const ungraded = at.write("ungraded.jsonl", '{"task_id":"t","prompt":"x","final_text":"y"}\n')
      const nothing = yield* Folder.sandtable(["report", ungraded, "--gate", "0.5"])
      expect([nothing.status, nothing.stdout.includes("--conduct")]).toEqual([2, true])
    })
  )

  it.effect("writes options in its notes as flags, and no points that are none", () =>
    Effect.gen(function* () {
      const runs = [
        ["110", "110", "110", "110", "100"],
        ["111", "111", "111", "000", "000"]
      ]
      const rows = runs.flatMap((tasks, eval_run) =>
        tasks.flatMap((rewards, task) =>
          [...rewards].map((reward, rollout_index) => ({
            task_id: `t${task}`,
            prompt: `ask ${task}`,
            final_text: "x",
            reward: Number(reward),
            rollout_index,
            arm: task === 0 ? "failure_mutation" : "grid",
            lineage: { eval_run }
          }))
        )
      )
      const path = at.write("two.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"))
      const said = (yield* Folder.sandtable(["report", path])).stdout.replace(/\s+/g, " ")
      expect(said).toContain("or leave them out (`--exclude failure_mutation`)")
      expect(said).toContain("give `--k` to get the k numbers")
      expect(said).toContain("60.0%, 60.0%; alike by chance, as tasks differ between them")
      yield* Folder.sandtable(["report", path, "--html", at.path("two.html")])
      const page = readFileSync(at.path("two.html"), "utf8").replace(/\s+/g, " ")
      expect(page).toContain("--exclude failure_mutation")
      expect(page).not.toContain("0.0 points")
    })
  )

  it.effect("refuses a k that is none", () =>
    Effect.gen(function* () {
      const { status, stderr } = yield* Folder.sandtable(["report", run, "--k", "1"])
      expect([status, stderr.includes("--k  is a whole number of at least 2")]).toEqual([64, true])
    })
  )
})

describe("who graded", () => {
  const ungraded = at.path("doer.mjs")
  beforeAll(() => {
    at.write(
      "doer.mjs",
      `export default {
        agent: () => "Which order do you mean, please?",
        tools: [{ name: "cancel_order", description: "Cancel an order", parameters: { type: "object", properties: { order_id: { type: "string" } } } }],
        ids: { order_id: ["A1", "A2"] },
        dimensions: { stance: ["ordinary"], world_state: ["exists"] }
      }`
    )
  })

  it.effect("is chosen from the shell alone, and told by the summary, the report and its page", () =>
    Effect.gen(function* () {
      const by = (...words: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const file = at.path(`by-${words.join("-")}.jsonl`)
          const grade = words.map((word) => (word === "grade" ? "--grade" : word))
          const ran = yield* Folder.sandtable([
            "simulate",
            ungraded,
            "--offline",
            "--budget",
            "6",
            "-q",
            "--output",
            file,
            ...grade
          ])
          expect(ran.stderr).toBe("")
          const page = `${file}.html`
          const report = yield* Folder.sandtable(["report", file, "--html", page])
          return [ran.stdout, report.stdout, readFileSync(page, "utf8").replace(/\s+/g, " ")]
        })
      for (const told of yield* by("grade")) expect(told).toContain("conduct, a floor: not whether the job was done")
      for (const told of yield* by("grade", "outcome")) {
        expect(told).toMatch(/\bby +outcome\b/)
        expect(told).not.toContain("floor")
      }
      const listed = yield* Folder.sandtable([
        "evaluate",
        at.path("asks.txt"),
        ungraded,
        "--offline",
        "--grade",
        "conduct",
        "-q",
        "--output",
        at.path("by-list.jsonl")
      ])
      expect(listed.stdout).toContain("by          conduct, a floor: not whether the job was done")
      const beside = yield* Folder.sandtable(["simulate", agent, "--offline", "--grade", "outcome"])
      expect([beside.status, beside.stderr]).toEqual([64, expect.stringContaining("a row has one reward")])
    })
  )

  it.effect("is read of each row where a file has several, and of rows that were left out of none", () =>
    Effect.gen(function* () {
      const line = (id: string, more: object) =>
        JSON.stringify({
          schema_version: "1",
          row_id: id,
          task_id: id,
          prompt: "Hello",
          steps: [
            {
              tool: "look",
              arguments: {},
              result: { judge_name: "nobody" },
              call_id: "c",
              status: "ok",
              answered_by: "mock"
            }
          ],
          final_text: "Hello.",
          arm: id,
          ...more
        })
      const judged = { reward: 1, judge_status: "ok" }
      const file = at.write(
        "several.jsonl",
        [
          line("grid", { ...judged, judge_name: "conduct" }),
          line("seed", { ...judged, judge_name: "rubric" }),
          line("open_ended", { reward: null, judge_status: "error", judge_name: "rubric" }),
          line("failure_mutation", { reward: 1 })
        ].join("\n")
      )
      const graders = (...words: ReadonlyArray<string>) =>
        Effect.map(Folder.sandtable(["report", file, "--json", ...words]), (ran) => Folder.parsed(ran)["graders"])
      expect(yield* graders()).toEqual({ conduct: 1, rubric: 1, "": 1 })
      expect(yield* graders("--exclude", "grid,failure_mutation")).toEqual({ rubric: 1 })
    })
  )
})

describe("grade", () => {
  it.effect("replaces the verdicts in place, and keeps which pass there was before", () =>
    Effect.gen(function* () {
      const file = at.write("place.jsonl", readFileSync(run, "utf8"))
      const first = Folder.parsed(yield* Folder.sandtable(["grade", file, "--conduct", "--json"]))
      const again = yield* Folder.sandtable([
        "grade",
        file,
        "--grader",
        at.path("grader.mjs"),
        "--scoring-run-id",
        "mine"
      ])
      expect(again.status).toBe(0)
      const [line = ""] = readFileSync(file, "utf8").split("\n")
      const { lineage } = JSON.parse(line) as { lineage: Record<string, unknown> }
      expect(lineage).toMatchObject({ scoring_run_id: "mine", prior_scoring_run_id: first["scoring_run_id"] })
    })
  )

  it.effect("tells verdicts of an edited grader module from those before the edit", () =>
    Effect.gen(function* () {
      const graded = (name: string, text: string) =>
        Effect.gen(function* () {
          const file = at.path(`edited-${name}.jsonl`)
          yield* Folder.sandtable(["grade", run, "--grader", at.write("edited.mjs", text), "--output", file])
          return file
        })
      const before = yield* graded("before", "export default () => true")
      const same = yield* graded("same", "export default () => true")
      const after = yield* graded("after", "export default () => 1")
      const verdict = (a: string, b: string) => Effect.map(Folder.sandtable(["compare", a, b, "--json"]), Folder.parsed)
      expect(yield* verdict(before, same)).toMatchObject({ verdict: "no_change_detected" })
      const edited = yield* verdict(before, after)
      expect(edited).toMatchObject({ verdict: "not_comparable" })
      expect(JSON.stringify(edited)).toMatch(/The grader's version differs \([0-9a-f]{12}, then [0-9a-f]{12}\)/)
    })
  )

  it.effect("leaves the file as it was on Ctrl-C", () =>
    Effect.gen(function* () {
      const file = at.write("stopped.jsonl", readFileSync(run, "utf8"))
      const grader = at.write("endless.mjs", "export default () => new Promise(() => {})")
      const { status, stderr, stdout } = yield* Folder.sandtable(["grade", file, "--grader", grader], {
        interrupt: true
      })
      expect(stderr).toMatch(/interrupted: .*stopped\.jsonl is as it was/)
      expect([status, stdout, readFileSync(file, "utf8") === readFileSync(run, "utf8")]).toEqual([130, "", true])
      expect(existsSync(`${file}.part`)).toBe(false)
    })
  )

  it.effect("wants exactly one grader, and something for a judge to judge by", () =>
    Effect.gen(function* () {
      const told = (...words: ReadonlyArray<string>) =>
        Effect.map(Folder.sandtable(["grade", run, ...words]), ({ status, stderr }) => `${status} ${stderr}`)
      expect(yield* told()).toMatch(/^64 .*\n.*none is given/)
      expect(yield* told("--conduct", "--grader", "x.mjs")).toContain("are several")
      expect(yield* told("--judge", "openai:x")).toContain("has nothing to judge by")
      expect(yield* told("--conduct", "--rubric", "r.md")).toContain("is for a judge alone")
      expect(yield* told("--grader", at.path("asks.txt"))).toMatch(/^64 /)
      expect(yield* told("--grader", at.write("none.mjs", "export default 3"))).toContain("exports no grader")
    })
  )
})

describe("patience fit", () => {
  it.effect("writes a table that --patience takes", () =>
    Effect.gen(function* () {
      const thread = (left: boolean) => ({
        prompt: "Where is my order?",
        steps: [
          { user: "Where is my order?" },
          { text: "Which order do you mean?" },
          ...(left ? [] : [{ user: "A1." }, { text: "It is on its way." }])
        ],
        final_text: left ? "Which order do you mean?" : "It is on its way."
      })
      const traces = [true, false, false, false].map((left) => JSON.stringify(thread(left))).join("\n")
      const file = at.path("patience.json")
      const fit = yield* Folder.sandtable([
        "patience",
        "fit",
        at.write("threads.jsonl", traces),
        "--output",
        file,
        "--json"
      ])
      expect(Folder.parsed(fit)).toMatchObject({
        command: "patience fit",
        threads: 4,
        with_questions: 4,
        table: [0.25]
      })
      const again = yield* Folder.sandtable(["patience", "fit", at.path("threads.jsonl"), "--output", file])
      expect([again.status, again.stderr.includes("already there")]).toEqual([64, true])
      const used = yield* Folder.sandtable(["doctor", agent, "--offline", "--no-ask", "--patience", file])
      expect([used.status, used.stderr]).toEqual([0, ""])
    })
  )
})
