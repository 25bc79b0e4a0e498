import { NodeFileSystem } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as ChatModel from "@sandtable/core/ChatModel"
import * as Export from "@sandtable/core/Export"
import * as Row from "@sandtable/core/Row"
import * as RowSource from "../../../packages/core/src/traces/RowSource.ts"
import * as Select from "@sandtable/core/Select"
import * as Simulation from "@sandtable/core/Simulation"
import type { TraceRow } from "../../../packages/core/src/traces/TraceFormat.ts"
import { ScriptedChatModel } from "@sandtable/core/testing"
import * as TraceFormat from "../../../packages/core/src/traces/TraceFormat.ts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { airlineTools } from "../airline.ts"
import { anyText, row } from "../row/sample.ts"
import { anyRows, group, rollout } from "../select/rollouts.ts"

const tools = [{ name: "get_order", description: "Look up an order", parameters: { order_id: { type: "string" } } }]
const base = { tools, systemPrompt: "You help with orders." }

// oxlint-disable-next-line no-explicit-any -- what a reader of another language would see: untyped JSON
type Json = { readonly [key: string]: any }

const linesOf = (rows: Iterable<TraceRow>, options: Export.Options): ReadonlyArray<Json> =>
  Effect.runSync(Export.lines(rows, options)).lines.map((line) => JSON.parse(line) as Json)

const reportOf = (rows: Iterable<TraceRow>, options: Export.Options): Export.Report =>
  Effect.runSync(Export.lines(rows, options)).report

const refusal = (rows: Iterable<TraceRow>, options: Export.Options): Export.ExportRefused =>
  Effect.runSync(Effect.flip(Export.lines(rows, options)))

const call = (fields: Partial<Row.CallStep> = {}): Row.CallStep => ({
  tool: "get_order",
  arguments: { order_id: "A1" },
  result: { id: "A1" },
  call_id: "call_0",
  status: "ok",
  answered_by: "mock",
  turn: 0,
  ...fields
})

const thread = (steps: ReadonlyArray<Row.Step>, fields: Partial<Row.Row> = {}): Row.Row =>
  row({ reward: 1, steps, final_text: "Done.", ...fields })

describe("openai", () => {
  it("writes the instructions, the thread and the tools into each line, arguments as JSON text, and what is learnt", () => {
    const [line] = linesOf([rollout("ask", 0, { reward: 1 })], { format: "openai", ...base })
    expect(line).toEqual({
      messages: [
        { role: "system", content: "You help with orders." },
        { role: "user", content: "Please help me with ask." },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_0", type: "function", function: { name: "get_order", arguments: '{"order_id":"A0"}' } }
          ]
        },
        { role: "tool", tool_call_id: "call_0", content: '{"id":"A0"}' },
        { role: "assistant", content: "This is reply number 0 about ask." }
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "get_order",
            description: "Look up an order",
            parameters: { type: "object", properties: { order_id: { type: "string" } } }
          }
        }
      ],
      loss_mask: [0, 0, 1, 0, 1]
    })
  })

  it("leaves `loss_mask` out where an endpoint takes none", () => {
    const [line] = linesOf([rollout("ask", 0, { reward: 1 })], { format: "openai", lossMask: false, ...base })
    expect(Object.keys(line ?? {})).toEqual(["messages", "tools"])
  })

  it("does not teach calls that could not be run, tools that do not exist, or a fixed opening line", () => {
    const bad = thread(
      [
        { user: "Hello" },
        call({ arguments: "{broken", status: "error", answered_by: "harness" }),
        call({ call_id: "call_1", tool: "drop_tables", turn: 1, status: "error", answered_by: "harness" }),
        call({ call_id: "call_2", arguments: { order_id: 5 }, turn: 2, status: "error", answered_by: "harness" }),
        call({ call_id: "call_3", turn: 3 }),
        { text: "Done.", turn: 4 }
      ],
      { opener: "Welcome!" }
    )
    const [line] = linesOf([bad], { format: "openai", ...base })
    const roles = line?.["messages"].map((message: Json) => message["role"])
    const learnt = roles.flatMap((role: string, i: number) => (line?.["loss_mask"][i] === 1 ? [`${role} ${i}`] : []))
    // system, opener, user, then three calls that were refused with their answers, then the sound ones
    expect(learnt).toEqual(["assistant 9", "assistant 11"])
    expect(line?.["messages"].filter((message: Json) => message["weight"] === 0)).toHaveLength(4)
    const { context, notes, targets } = reportOf([bad], { format: "openai", ...base })
    expect(targets.messages).toBe(2)
    expect(targets.characters).toBe("get_order".length + '{"order_id":"A1"}'.length + "Done.".length)
    expect(context.messages).toBe(10)
    expect(notes.find(({ code }) => code === "bad_turns")?.message).toContain("drop_tables")
  })

  it("ends on the agent's last turn, since what comes after it answers nothing", () => {
    const left = thread([{ user: "Hello" }, { text: "Which order?" }, { user: "###STOP###" }])
    const [line] = linesOf([left], { format: "openai", ...base })
    expect(line?.["messages"].at(-1)).toEqual({ role: "assistant", content: "Which order?" })
  })
})

describe("what stays out of every export", () => {
  const thinking = thread([{ user: "Hello" }, { text: "Done.", reasoning: "SECRET THOUGHT", turn: 0 }])

  it("leaves out what the agent thought, in its own field and in the text of a log", () => {
    const logged = thread([{ user: "Hello" }, { text: "<think>SECRET THOUGHT</think>\nDone." }])
    const headless = thread([{ user: "Hello" }, { text: "SECRET THOUGHT</think>Done." }])
    for (const format of ["openai", "trl-sft"] as const) {
      for (const one of [thinking, logged, headless]) {
        const text = JSON.stringify(linesOf([one], { format, ...base }))
        expect(text).not.toContain("SECRET")
        expect(text).toContain("Done.")
      }
    }
    expect(JSON.stringify(linesOf([thinking], { format: "jsonl" }))).not.toContain("SECRET")
    expect(JSON.stringify(linesOf([thinking], { format: "jsonl", reasoning: true }))).toContain("SECRET")
  })

  it("leaves out the plan, and keeps a result's own field of that name", () => {
    const planned = rollout("ask", 0, {
      reward: 1,
      plan: { world_seed: 1, need: "HIDDEN NEED", facts: {}, traits: {}, entity: null },
      steps: [{ user: "Hi" }, call({ result: { plan: "gold", reference: "R-1" } }), { text: "Done." }]
    })
    for (const format of ["jsonl", "openai", "trl-sft", "trl-grpo"] as const) {
      const text = JSON.stringify(linesOf([planned], { format, ...(format === "jsonl" ? {} : base) }))
      expect(text).not.toContain("HIDDEN NEED")
      if (format !== "trl-grpo") expect(text).toContain("R-1")
    }
  })

  it("refuses rows that carry privileged material, in every format", () => {
    const rows = [rollout("ask", 0, { reward: 1 }), rollout("ask", 1, { reward: 1, privileged: { reference: "42" } })]
    for (const format of Export.formats) {
      const error = refusal(rows, { format, ...(format === "jsonl" || format === "junit" ? {} : base) })
      expect(error.reason).toBe("privileged")
      expect(error.message).toContain("row_ask_1")
    }
  })

  it.effect("a run's scaffold: the agent read it, and the lines have the plain policy", () =>
    Effect.gen(function* () {
      const scaffold = "Think of the refund window first."
      const model = ScriptedChatModel.make(["Which order is it, please?"])
      const data = yield* Simulation.simulate({
        agent: Layer.provide(AgentBackend.layerModel, Layer.succeed(ChatModel.ChatModel, model)),
        tools,
        systemPrompt: "Plain policy.",
        scaffold,
        simulator: false,
        grader: () => 1,
        budget: 4
      })
      expect(JSON.stringify(model.requests()[0]?.messages[0])).toContain(scaffold)
      for (const format of Export.formats) {
        const { lines, report } = yield* Effect.either(Export.lines(data, { format })).pipe(
          Effect.map(Either.getOrElse(() => ({ lines: [], report: null })))
        )
        expect(lines.join("\n")).not.toContain(scaffold)
        if (format !== "openai") continue
        for (const line of lines) expect(line).toContain('{"role":"system","content":"Plain policy."}')
        expect(report?.notes.map(({ code }) => code)).toContain("scaffold_left_out")
      }
      const other = yield* Export.lines(data, { format: "openai", systemPrompt: "Other words." })
      expect(other.report.notes.map(({ code }) => code)).toContain("other_system_prompt")
    })
  )
})

describe("what is no target of supervised training", () => {
  const rows = [...group("ask", [1, 0, null, 0.4]), rollout("cut", 0, { reward: 1, finish_reason: "length" })]

  it("leaves out failures, ungraded rows and cut ones, and counts them", () => {
    for (const format of ["openai", "trl-sft"] as const) {
      expect(reportOf(rows, { format, ...base })).toMatchObject({
        rows: 5,
        used: 1,
        lines: 1,
        skipped: { failed: 2, ungraded: 1, "cut by the length cap": 1 }
      })
      expect(reportOf(rows, { format, ...base, failures: true })).toMatchObject({ used: 4 })
      expect(reportOf(rows, { format, ...base, passAt: 0.4 })).toMatchObject({ used: 2 })
    }
  })

  it("refuses to export nothing, and says what to do", () => {
    expect(refusal([], { format: "openai", ...base }).message).toContain("there are no rows")
    expect(refusal(group("ask", [null]), { format: "trl-sft", ...base }).message).toMatch(/ungraded 1.*Grade/)
    expect(refusal(group("ask", [0, 0]), { format: "openai", ...base })).toMatchObject({ reason: "empty" })
    expect(refusal(group("ask", [1, 1]), { format: "trl-dpo", ...base }).message).toMatch(/in no pair 2.*repeats/)
    expect(refusal([], { format: "jsonl" })).toMatchObject({ reason: "empty" })
    expect(refusal([], { format: "junit" })).toMatchObject({ reason: "empty" })
  })

  it("refuses rows that call tools where nobody knows the tools", () => {
    const error = refusal(group("ask", [1]), { format: "openai" })
    expect(error).toMatchObject({ reason: "tools_unknown" })
    expect(error.message).toContain("`tools`")
    expect(reportOf([thread([{ user: "Hi" }, { text: "Done." }])], { format: "openai" }).notes).toContainEqual(
      expect.objectContaining({ code: "no_system_prompt" })
    )
  })
})

describe("trl", () => {
  it("sft: arguments are objects, results name their tool, and `tools` is the JSON text of the list", () => {
    const [line] = linesOf([rollout("ask", 0, { reward: 1 })], { format: "trl-sft", ...base })
    expect(line?.["messages"].slice(2, 4)).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [{ type: "function", function: { name: "get_order", arguments: { order_id: "A0" } } }]
      },
      { role: "tool", name: "get_order", content: '{"id":"A0"}' }
    ])
    expect(JSON.parse(line?.["tools"])).toMatchObject([{ type: "function", function: { name: "get_order" } }])
  })

  it("sft: has no mask for a turn, so rows with a call that could not be run stay out", () => {
    const bad = thread([{ user: "Hi" }, call({ tool: "drop_tables" }), { text: "Done.", turn: 1 }])
    const report = reportOf([bad, rollout("ask", 0, { reward: 1 })], { format: "trl-sft", ...base })
    expect(report).toMatchObject({ used: 1, skipped: { "a call that could not be run": 1 } })
  })

  it("dpo: what both threads share is the prompt, then each side has its own turns", () => {
    const [line] = linesOf(
      [
        thread([{ user: "Hi" }, call(), { text: "Good.", turn: 1 }], { row_id: "good" }),
        thread([{ user: "Hi" }, call(), { text: "Bad.", turn: 1 }], { row_id: "bad", reward: 0, rollout_index: 1 })
      ].map((one) => ({ ...one, prompt: "Hi" })),
      { format: "trl-dpo", ...base }
    )
    expect(line?.["prompt"].map((message: Json) => message["role"])).toEqual(["system", "user", "assistant", "tool"])
    expect(line?.["chosen"]).toEqual([{ role: "assistant", content: "Good." }])
    expect(line?.["rejected"]).toEqual([{ role: "assistant", content: "Bad." }])
  })

  it("dpo: a call that two threads share and the world answered differently is each thread's own", () => {
    const answered = (index: number, reward: number, result: unknown) =>
      rollout("ask", index, { reward, steps: [{ user: "Hi" }, call({ result }), { text: `${index}`, turn: 1 }] })
    const [line] = linesOf([answered(0, 1, "shipped"), answered(1, 0, "lost")], { format: "trl-dpo", ...base })
    expect(line?.["prompt"].map((message: Json) => message["role"])).toEqual(["system", "user"])
    expect(line?.["rejected"].map((message: Json) => message["role"])).toEqual(["assistant", "tool", "assistant"])
  })

  it("dpo: counts every row as used or left out, and names nothing that did not happen", () => {
    expect(reportOf(group("ask", [1, 0]), { format: "trl-dpo", ...base })).toMatchObject({ used: 2, skipped: {} })
    const more = reportOf(group("ask", [1, 0, 0, null]), { format: "trl-dpo", ...base })
    expect(more).toMatchObject({ rows: 4, used: 2, lines: 1, skipped: { ungraded: 1, "in no pair": 1 } })
  })

  it("dpo: says how much of the completions is not the agent's", () => {
    const pair = group("ask", [1, 0])
    const { notes } = reportOf(pair, { format: "trl-dpo", ...base })
    const characters = 2 * '{"id":"A0"}'.length
    expect(notes.find(({ code }) => code === "completions_hold_results")?.message).toContain(`${characters} characters`)
  })

  it("dpo: never chooses a row whose calls could not be run, however well it was graded", () => {
    const spoken = [{ user: "Hi" }, { text: "Done." }]
    const good = rollout("ask", 0, { reward: 1, steps: spoken })
    const bad = rollout("ask", 0, { reward: 1, steps: [{ user: "Hi" }, call({ tool: "nope" }), { text: "Done." }] })
    const worse = rollout("ask", 1, { reward: 0, steps: [{ user: "Hi" }, { text: "No." }] })
    const options = { format: "trl-dpo", ...base } as const
    expect(refusal([bad, worse], options).message).toContain("in no pair 2")
    expect(linesOf([good, worse], options)).toHaveLength(1)
    expect(linesOf([good, { ...bad, rollout_index: 1, reward: 0 }], options)).toHaveLength(1)
  })

  it("grpo: one line a prompt, with what is known of how hard it is, and nothing the agent said", () => {
    const lines = linesOf([...group("a", [1, 0, 0, null]), ...group("b", [1])], { format: "trl-grpo", ...base })
    expect(
      lines.map(({ mean_reward, prompt, rollouts, task_id }) => [task_id, rollouts, mean_reward, prompt.length])
    ).toEqual([
      ["a", 4, 1 / 3, 2],
      ["b", 1, 1, 2]
    ])
    expect(JSON.stringify(lines)).not.toContain("reply number")
  })
})

describe("calls come out as they went in", () => {
  const anyCalls = FastCheck.array(
    FastCheck.record({
      args: FastCheck.dictionary(anyText, FastCheck.jsonValue()),
      turn: FastCheck.nat(2),
      result: FastCheck.jsonValue()
    }),
    { minLength: 1, maxLength: 6 }
  )

  it.prop(
    "an export read by the reader of traces has the tools and arguments of the row",
    [anyCalls, anyText],
    ([calls, text]) => {
      const steps: ReadonlyArray<Row.Step> = [
        { user: "Hi" },
        ...calls.map(({ args, result }, i) => call({ arguments: args, result, call_id: `call_${i}`, turn: i })),
        { text: `Done. ${text}`, turn: calls.length }
      ]
      const source = thread(steps)
      // What a file of rows would hold: halves of surrogate pairs are replaced there too.
      const stored = Either.getOrThrow(Row.parse(Row.encode(source)))
      const wanted = stored.steps.flatMap((step) => (Row.isCallStep(step) ? [step.arguments] : []))
      for (const format of ["openai", "trl-sft"] as const) {
        const [line] = Effect.runSync(Export.lines([source], { format, ...base })).lines
        const { rows } = TraceFormat.fromRecords([JSON.parse(line ?? "")])
        const back = rows[0]?.steps.flatMap((step) => ("tool" in step ? [step] : [])) ?? []
        expect(back.map(({ tool }) => tool)).toEqual(calls.map(() => "get_order"))
        expect(back.map((one) => one.arguments)).toEqual(wanted)
        expect(line).not.toMatch(/[\n\u2028\u2029\u0085]/)
      }
    }
  )

  it.prop("every line of every format is one line, and the report's counts add up", [anyRows], ([rows]) => {
    const clean = rows.filter((one) => !Object.hasOwn(one, "privileged"))
    for (const format of Export.formats) {
      const options = { format, ...(format === "jsonl" || format === "junit" ? {} : base) }
      const result = Effect.runSync(Effect.either(Export.lines(clean, options)))
      if (result._tag === "Left") {
        expect(result.left.reason).toBe("empty")
        continue
      }
      const { lines, report } = result.right
      const skipped = Object.values(report.skipped).reduce((sum, n) => sum + n, 0)
      expect(report.used + skipped).toBe(report.rows)
      expect(report.lines).toBe(lines.length)
      for (const line of lines) {
        expect(line).not.toContain("\n")
        if (format !== "junit") JSON.parse(line)
      }
      if (format === "openai") {
        for (const line of lines) {
          const { loss_mask, messages } = JSON.parse(line) as Json
          expect(loss_mask).toHaveLength(messages.length)
          messages.forEach((message: Json, i: number) => {
            if (message["role"] !== "assistant") expect(loss_mask[i]).toBe(0)
          })
        }
      }
    }
  })
})

const data = process.env["SANDTABLE_TEST_DATA"]
const think = { name: "think", description: "Note a thought.", parameters: { thought: { type: "string" } } }
const known = [...airlineTools, think]
const airline = join(data ?? "", "traces/airline-openai-chat.jsonl")

describe.skipIf(data === undefined)("recorded conversations (set SANDTABLE_TEST_DATA to try them)", () => {
  it.effect("are selected and exported, and read back with the calls they have", () =>
    Effect.gen(function* () {
      const { meta, rows } = yield* RowSource.load(airline)
      expect(rows).toHaveLength(32)
      const rl = Select.select(rows, { mode: "rl" })
      expect(rl.report).toMatchObject({ kept: 16, groups: { before: 8, after: 4 } })
      expect(rl.report.gates.find(({ gate }) => gate === "unanimous")).toMatchObject({ rows: 16, groups: 4 })
      const sft = Select.select({ rows, meta }, { mode: "sft" })
      expect(sft.report).toMatchObject({ kept: 6, asks: { before: 8, after: 6 } })
      for (const format of ["openai", "trl-sft"] as const) {
        const { lines, report } = yield* Export.lines(sft, { format, tools: known, systemPrompt: "Be kind." })
        expect(report.used).toBe(6)
        const back = TraceFormat.fromRecords(lines.map((line) => JSON.parse(line) as unknown)).rows
        const callsOf = (all: ReadonlyArray<TraceRow>) =>
          all.map((one) => one.steps.flatMap((step) => ("tool" in step ? [[step.tool, step.arguments]] : [])))
        expect(callsOf(back)).toEqual(callsOf(sft.rows))
        expect(lines.join()).not.toContain("###STOP###")
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("junit", () => {
  const xml = (rows: Iterable<TraceRow>, options: Partial<Export.Options> = {}): string =>
    Effect.runSync(Export.lines(rows, { format: "junit", ...options })).lines.join("\n")

  it("is one test case an ask: it fails when a rollout failed, and is skipped, never passed, without a verdict", () => {
    const rows = [
      ...group("good", [1, 1]),
      ...group("mixed", [1, 0], { reason: 'It said "done" & left <early>.', failure_class: "ignored_failure" }),
      ...group("unjudged", [null])
    ]
    const text = xml(rows)
    expect(text).toContain('<testsuite name="sandtable" tests="3" failures="1" errors="0" skipped="1"')
    expect(text).toContain('<failure type="rollouts" message="1 of 2 graded rollouts passed">ignored_failure')
    expect(text).toContain("It said &quot;done&quot;".replaceAll("&quot;", '"'))
    expect(text).toContain("&amp; left &lt;early&gt;.")
    expect(text).toContain('<skipped message="none of 1 rollouts has a verdict"/>')
    expect(xml(rows, { passShare: 0.5 })).toContain('failures="0"')
    expect(xml(group("partial", [0.5]), { passAt: 0.5 })).toContain('failures="0"')
    expect(xml(group("partial", [0.5]))).toContain('failures="1"')
  })

  it.prop("is XML whatever an ask says", [anyText], ([text]) => {
    const told = xml([rollout("ask", 0, { prompt: `ask ${text}`, reward: 0, reason: text })])
    // oxlint-disable-next-line no-control-regex
    expect(told).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Surrogate}/u)
    for (const [, name] of told.matchAll(/name="([^"]*)"/g)) expect(name).not.toMatch(/[<>]/)
  })
})

describe("options", () => {
  it("refuses those that make no sense, or that the format does not read", () => {
    const wrong: ReadonlyArray<readonly [string, object]> = [
      ["format", { format: "csv" }],
      ["passAt", { format: "openai", passAt: 0 }],
      ["margin", { format: "trl-dpo", margin: 3 }],
      ["perTask", { format: "trl-dpo", perTask: 0 }],
      ["failures", { format: "jsonl", failures: true }],
      ["lossMask", { format: "trl-sft", lossMask: false }],
      ["reasoning", { format: "openai", reasoning: true }],
      ["passShare", { format: "jsonl", passShare: 0.5 }],
      ["tools", { format: "openai", tools: 7 }]
    ]
    for (const [option, options] of wrong) {
      const error = refusal(group("ask", [1]), options as Export.Options)
      expect(error.reason, option).toBe("invalid_option")
      expect(error.message).toContain(`\`${option}`)
    }
  })
})

describe("files", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandtable-export-"))
  const write = (...args: Parameters<typeof Export.write>) =>
    Effect.runPromise(Effect.either(Effect.provide(Export.write(...args), NodeFileSystem.layer)))

  it("writes the lines, and refuses a file that is there unless told to replace it", async () => {
    const path = join(folder, "new", "openai.jsonl")
    const rows = group("ask", [1, 1])
    const options = { format: "openai", ...base } as const
    expect((await write(rows, path, options))._tag).toBe("Right")
    const lines = readFileSync(path, "utf8").split("\n")
    expect(lines).toEqual([...Effect.runSync(Export.lines(rows, options)).lines, ""])
    const again = await write(rows, path, options)
    expect(again).toMatchObject({ _tag: "Left", left: { _tag: "RowFileError", reason: "exists" } })
    expect((await write(rows, path, { ...options, overwrite: true }))._tag).toBe("Right")
  })

  it("leaves what was there, and no part of a file, when it refuses halfway", async () => {
    const path = join(folder, "kept.jsonl")
    writeFileSync(path, "before\n")
    const rows = [...group("ask", [1, 1]), rollout("ask", 9, { reward: 1, privileged: 1 })]
    const refused = await write(rows, path, { format: "openai", ...base, overwrite: true })
    expect(refused).toMatchObject({ _tag: "Left", left: { reason: "privileged" } })
    expect(readFileSync(path, "utf8")).toBe("before\n")
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([])
    const empty = join(folder, "empty.jsonl")
    expect(await write([], empty, { format: "jsonl" })).toMatchObject({ left: { reason: "empty" } })
    expect(existsSync(empty)).toBe(false)
  })

  it("reads a file of rows or of traces, and tells of lines that are none", async () => {
    const rows = join(folder, "rows.jsonl")
    writeFileSync(rows, [...group("ask", [1, 0]).map((one) => JSON.stringify(one)), "{ broken", ""].join("\n"))
    const read = await write(rows, join(folder, "from-rows.jsonl"), { format: "openai", ...base })
    expect(read).toMatchObject({ right: { rows: 2, used: 1, notes: [{ code: "unreadable" }] } })
    const traces = join(folder, "traces.jsonl")
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." }
    ]
    writeFileSync(traces, `${JSON.stringify({ task_id: "t", trial: 0, reward: 1, messages })}\n`)
    const traced = await write(traces, join(folder, "from-traces.jsonl"), { format: "openai", ...base })
    expect(traced).toMatchObject({ right: { used: 1 } })
  })
})
