import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as NodeFs from "node:fs"
import * as ExactJson from "@sandtable/core/ExactJson"
import type * as Row from "@sandtable/core/Row"
import * as TraceFormat from "../../../packages/core/src/traces/TraceFormat.ts"
import { row } from "./sample.ts"

const callsOf = (trace: TraceFormat.TraceRow | undefined): ReadonlyArray<Row.CallStep> =>
  (trace?.steps ?? []).filter((step): step is Row.CallStep => "tool" in step)
const only = (record: unknown): TraceFormat.TraceRow => {
  const { rows, unreadable } = TraceFormat.fromRecords([record])
  expect(unreadable).toEqual([])
  expect(rows).toHaveLength(1)
  return rows[0]!
}
const brief = (trace: TraceFormat.TraceRow): ReadonlyArray<string> =>
  trace.steps.map((step) =>
    "user" in step
      ? `user ${step.user}`
      : "text" in step
        ? `agent ${step.text}`
        : `call ${step.tool} ${JSON.stringify(step.arguments)} -> ${JSON.stringify(step.result)} ${step.status}`
  )

describe("numbers that JavaScript would round", () => {
  it.scoped("keep their digits from any file to rows, and a reward is a plain number", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped({ suffix: ".jsonl" })
      const call = `{"id":"a","type":"function","function":{"name":"get_order","arguments":"{\\"id\\":1152921504606846977}"}}`
      const answer = `{"role":"tool","tool_call_id":"a","content":"{\\"next\\":9007199254740993}"}`
      const ask = '{"role":"user","content":"Where is it?"}'
      const steps = `[{"tool":"get_order","arguments":{"id":1152921504606846977},"result":{"next":9007199254740993}}]`
      yield* fs.writeFileString(
        path,
        [
          `{"messages":[${ask},{"role":"assistant","content":null,"tool_calls":[${call}]},${answer},{"role":"assistant","content":"There."}],"reward":0.50000000000000000001}`,
          `{"prompt":"Where is it?","steps":${steps},"final_text":"There.","score":1.0}`
        ].join("\n")
      )
      const { rows, unreadable } = yield* TraceFormat.read(path)
      expect(unreadable).toEqual([])
      expect(rows.map(({ reward }) => reward)).toEqual([0.5, 1])
      for (const row of rows) {
        const [step] = callsOf(row)
        expect(ExactJson.stringify([step?.arguments, step?.result])).toBe(
          '[{"id":1152921504606846977},{"next":9007199254740993}]'
        )
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("our own rows and plain records", () => {
  it("are rows as they are", () => {
    expect(only({ ...row(), extra: 1 })).toEqual({ ...row(), extra: 1 })
  })

  it("may be no more than a prompt, a final text and a score", () => {
    expect(only({ question: "2+2?", answer: "4", correct: true, item_id: 7, epoch: 2 })).toEqual({
      prompt: "2+2?",
      steps: [{ user: "2+2?" }, { text: "4", turn: 0 }],
      final_text: "4",
      task_id: "7",
      rollout_index: 2,
      reward: 1
    })
  })

  it("may have steps in our words", () => {
    const steps = [{ user: "Hi" }, { tool: "find", args: { q: "x" }, output: '{"n":1}' }, { text: "One." }]
    const trace = only({ prompt: "Hi", steps, final: "One." })
    expect(brief(trace)).toEqual(["user Hi", 'call find {"q":"x"} -> {"n":1} ok', "agent One."])
    expect(only({ prompt: "Hi", steps: steps.slice(1, 2), final: "One." }).final_text).toBe("One.")
  })

  it("give a reward only when the score is one", () => {
    const reward = (fields: object) => only({ prompt: "?", final: "!", ...fields }).reward
    expect(reward({ reward: 0 })).toBe(0)
    expect(reward({ score: 0.25 })).toBe(0.25)
    expect(reward({ success: false })).toBe(0)
    expect(reward({ reward_info: { reward: 1 } })).toBe(1)
    expect(reward({ score: 87 })).toBeUndefined()
    expect(reward({})).toBeUndefined()
  })

  it("have a bare id as their task only when they are repeated", () => {
    expect(only({ prompt: "?", id: "q1" }).task_id).toBeUndefined()
    expect(only({ prompt: "?", id: "q1", epoch: 1 }).task_id).toBe("q1")
    expect(only({ prompt: "?", task_id: "constructor" }).task_id).toBe("constructor")
  })
})

describe("chat messages", () => {
  it("of OpenAI bind parallel results to their own call, in the order of the calls", () => {
    const call = (id: string, name: string, args: object) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) }
    })
    const trace = only({
      messages: [
        { role: "system", content: "Be kind." },
        {
          role: "user",
          content: [
            { type: "text", text: "A and B?" },
            { type: "image_url", image_url: {} }
          ]
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [call("1", "get", { id: "A" }), call("2", "get", { id: "B" })]
        },
        { role: "tool", tool_call_id: "2", content: '{"id":"B"}' },
        { role: "tool", tool_call_id: "1", content: "Error: order not found" },
        { role: "assistant", content: "B is there." },
        { role: "user", content: "Thanks" }
      ]
    })
    expect(brief(trace)).toEqual([
      "user A and B?\n[image_url]",
      'call get {"id":"A"} -> "Error: order not found" not_found',
      'call get {"id":"B"} -> {"id":"B"} ok',
      "agent B is there.",
      "user Thanks"
    ])
    expect(callsOf(trace).map((c) => c.turn)).toEqual([0, 0])
    expect(trace).toMatchObject({ prompt: "A and B?\n[image_url]", final_text: "B is there." })
  })

  it("without ids bind by name, then by position", () => {
    const trace = only([
      { role: "user", content: "?" },
      {
        role: "assistant",
        tool_calls: [{ function: { name: "a" } }, { function: { name: "b" } }, { function: { name: "c" } }]
      },
      { role: "function", name: "b", content: "of b" },
      { role: "tool", content: "first left" },
      { role: "tool", content: "last left" }
    ])
    expect(callsOf(trace).map((c) => [c.tool, c.result])).toEqual([
      ["a", "first left"],
      ["b", "of b"],
      ["c", "last left"]
    ])
  })

  it("of Anthropic are read block by block, thinking apart from speech", () => {
    const trace = only({
      messages: [
        { role: "user", content: "Where is A1?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Look it up." },
            { type: "text", text: "One moment." },
            { type: "tool_use", id: "t1", name: "get", input: { id: "A1" } },
            { type: "tool_use", id: "t2", name: "get", input: { id: "A2" } }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t2", is_error: true, content: "timed out" },
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: '{"status":"paid"}' }] },
            { type: "text", text: "Hurry" }
          ]
        },
        { role: "assistant", content: [{ type: "text", text: "Paid." }] }
      ]
    })
    expect(brief(trace)).toEqual([
      "user Where is A1?",
      "agent One moment.",
      'call get {"id":"A1"} -> {"status":"paid"} ok',
      'call get {"id":"A2"} -> "timed out" timeout',
      "user Hurry",
      "agent Paid."
    ])
    expect(trace.steps[1]).toMatchObject({ reasoning: "Look it up.", turn: 0 })
  })

  it("keep broken arguments as they came, and the words of an agent that speaks first apart", () => {
    const trace = only({
      traj: [
        { role: "assistant", content: "Hello!" },
        { role: "user", content: "?" },
        { role: "assistant", content: "", tool_calls: [{ id: "1", function: { name: "get", arguments: '{"id": ' } }] }
      ]
    })
    expect(trace).toMatchObject({ opener: "Hello!", prompt: "?", final_text: "" })
    expect(callsOf(trace)).toMatchObject([{ arguments: '{"id": ', result: null, status: "ok" }])
  })
})

describe("how a call ended", () => {
  const status = (content: unknown) =>
    callsOf(
      only([
        { role: "user", content: "?" },
        { role: "assistant", tool_calls: [{ id: "1", function: { name: "f" } }] },
        { role: "tool", tool_call_id: "1", content }
      ])
    )[0]?.status

  it("is read off its result", () => {
    expect(status('{"error":"Order not found"}')).toBe("not_found")
    expect(status('{"status":"error","error":{"message":"permission denied"}}')).toBe("permission_denied")
    expect(status('{"status":"timeout"}')).toBe("timeout")
    expect(status('{"status":429}')).toBe("rate_limited")
    expect(status('{"statusCode":503,"body":""}')).toBe("server_error")
    expect(status('{"success":false,"reason":"already cancelled"}')).toBe("already_done")
    expect(status("Error: no payment method")).toBe("error")
  })

  it("is ok for records whose state only sounds like failure", () => {
    for (const record of [
      { status: "paid" },
      { status: "open", errors: [] },
      { error: null },
      { error: "" },
      { code: 200 },
      { note: "error-free" }
    ]) {
      expect(status(JSON.stringify(record))).toBe("ok")
    }
    expect(status("No errors found.")).toBe("ok")
  })
})

describe("records that are no trace", () => {
  it("are named by number and reason, and the rest is kept", () => {
    const { passedOver, rows, unreadable } = TraceFormat.fromRecords([
      { prompt: "a" },
      7,
      { foo: 1 },
      {
        messages: [
          { role: "user", content: "b" },
          { role: "narrator", content: "..." }
        ]
      },
      { messages: [{ role: "assistant", content: "to nobody" }] },
      { ...row(), steps: [{ user: 1 }] },
      { prompt: "c" }
    ])
    expect(rows.map((r) => r.prompt)).toEqual(["a", "b", "c"])
    // One odd message costs no record, and an ask that nobody answered is an ask.
    expect(passedOver).toEqual([
      { item: "record without a reply", count: 3, record: 1 },
      { item: 'message of role "narrator"', count: 1, record: 4 }
    ])
    expect(unreadable.map((u) => u.message)).toEqual([
      "Record 2 was left out: it is neither an object nor a list of messages.",
      "Record 3 was left out: it has no messages, no spans, no steps and no prompt.",
      "Record 5 was left out: nobody asks anything in it, and no task is named.",
      expect.stringContaining("steps.0")
    ])
  })
})

describe("spans", () => {
  const span = (id: string, start: number, attributes: unknown, more: object = {}) => ({
    trace_id: "t1",
    span_id: id,
    start_time: start,
    end_time: start + 1,
    attributes,
    ...more
  })
  const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] })
  const asked = { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "get", arguments: { id: "A" } }] }
  const told = { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "ok" }] }
  const expected = ["user Where is A?", 'call get {"id":"A"} -> "ok" ok', "agent There."]

  it("tell one thread however often each call tells it again, in any order", () => {
    const spans = [
      span("2", 10, {
        gen_ai: {
          operation: { name: "chat" },
          input: { messages: [text("user", "Where is A?"), asked, told] },
          output: { messages: [text("assistant", "There.")] }
        }
      }),
      span("1", 1, {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": JSON.stringify([text("user", "Where is A?")]),
        "gen_ai.output.messages": JSON.stringify([asked])
      })
    ]
    const { rows } = TraceFormat.fromRecords(spans)
    expect(rows.map(brief)).toEqual([expected])
  })

  it("of recorders around each other say everything once, and in full", () => {
    const chat = (id: string, start: number, input: ReadonlyArray<unknown>, output: unknown, more: object) =>
      span(
        id,
        start,
        { "gen_ai.operation.name": "chat", "gen_ai.input.messages": input, "gen_ai.output.messages": [output] },
        more
      )
    const first = [text("user", "Where is A?")]
    const last = [...first, asked, told]
    const agent = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.input.messages": first,
      "gen_ai.output.messages": [text("assistant", "There.")]
    }
    const spans = [
      span("agent", 0, agent, { end_time: 100 }),
      chat("outer1", 1, first, asked, { parent_span_id: "agent" }),
      chat("inner1", 1, first, asked, { parent_span_id: "outer1" }),
      chat("outer2", 10, last, text("assistant", "There."), { parent_span_id: "agent" }),
      chat("inner2", 10, last, text("assistant", "There."), { parent_span_id: "outer2" })
    ]
    expect(TraceFormat.fromRecords(spans).rows.map(brief)).toEqual([expected])
  })

  it("stand among other records in the order they came", () => {
    const chat = { "gen_ai.operation.name": "chat", "gen_ai.input.messages": [text("user", "first")] }
    const { rows } = TraceFormat.fromRecords([span("1", 1, chat), { prompt: "second" }])
    expect(rows.map((r) => r.prompt)).toEqual(["first", "second"])
  })

  it("come in OTLP's envelope too", () => {
    const pairs = (attributes: Record<string, string>) =>
      Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))
    const otlp = (id: string, start: number, attributes: Record<string, string>) => ({
      traceId: "t",
      spanId: id,
      startTimeUnixNano: `${start}`,
      endTimeUnixNano: `${start + 1}`,
      attributes: pairs(attributes)
    })
    const spans = [
      otlp("1", 1, {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": JSON.stringify([text("user", "Where is A?")]),
        "gen_ai.output.messages": JSON.stringify([asked])
      }),
      otlp("2", 3, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": "ok"
      }),
      otlp("3", 5, {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": JSON.stringify([text("user", "Where is A?"), asked, told]),
        "gen_ai.output.messages": JSON.stringify([text("assistant", "There.")])
      })
    ]
    const { rows } = TraceFormat.fromRecords([{ resourceSpans: [{ scopeSpans: [{ spans }] }] }])
    expect(rows.map(brief)).toEqual([expected])
  })

  it("of turns that share a conversation are one thread, others are their own", () => {
    const turn = (trace: string, conversation: string, start: number, user: string, agent: string) =>
      span(
        trace,
        start,
        {
          "gen_ai.operation.name": "chat",
          "gen_ai.conversation.id": conversation,
          "gen_ai.input.messages": [text("user", user)],
          "gen_ai.output.messages": [text("assistant", agent)]
        },
        { trace_id: trace }
      )
    const { rows } = TraceFormat.fromRecords([
      turn("a", "x", 1, "Hi", "Yes?"),
      turn("b", "y", 2, "Other", "Hm"),
      turn("c", "x", 3, "Bye", "Bye!")
    ])
    expect(rows.map(brief)).toEqual([
      ["user Hi", "agent Yes?", "user Bye", "agent Bye!"],
      ["user Other", "agent Hm"]
    ])
  })

  const openInference = (kind: string, more: object) => ({ "openinference.span.kind": kind, ...more })

  it("of an agent that say what went in and out are its ask and its reply", () => {
    const agent = (input: string, output: string) =>
      span("a", 1, openInference("AGENT", { "input.value": input, "output.value": output }), { end_time: 9 })
    const tool = openInference("TOOL", { "tool.name": "get", "input.value": '{"id":"A"}', "output.value": "ok" })
    const child = span("t", 3, tool, { parent_id: "a" })
    const inputs = [
      "Where is A?",
      '{"messages":[{"role":"user","content":"Where is A?"}]}',
      '{"question":"Where is A?"}',
      '{"input":{"task":"Where is A?"}}'
    ]
    for (const input of inputs) {
      for (const output of ["There.", '{"output":"There."}', '{"messages":[{"role":"assistant","content":"There."}]}'])
        expect(TraceFormat.fromRecords([child, agent(input, output)]).rows.map(brief)).toEqual([expected])
    }
  })

  it("decide by their tree who asked whom", () => {
    // The chain around the agent has the person's words; the model below it tells nothing.
    const chain = openInference("CHAIN", { "input.value": '{"question":"Where is A?"}', "output.value": "There." })
    const silent = span("l", 2, openInference("LLM", { "llm.model_name": "m" }), { parent_id: "c" })
    expect(TraceFormat.fromRecords([silent, span("c", 1, chain, { end_time: 9 })]).rows.map(brief)).toEqual([
      ["user Where is A?", "agent There."]
    ])
    // A harness writes the person's ask into a prompt of its own; the model's last word is not what the person got.
    const agent = openInference("AGENT", { "input.value": "Where is A?", "output.value": "In Rome." })
    const model = openInference("LLM", {
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "Answer in one word. Question: Where is A?",
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.content": "Thought: done."
    })
    const spans = [span("a", 1, agent, { end_time: 9 }), span("l", 2, model, { parent_id: "a" })]
    expect(TraceFormat.fromRecords(spans).rows.map(brief)).toEqual([
      ["user Where is A?", "agent Thought: done.", "agent In Rome."]
    ])
  })

  it("may tell their messages in the body of an event, or of a log record beside them", () => {
    const body = {
      input: { messages: [{ role: "user", content: { content: '[{"text":"Where is A?"}]' } }] },
      output: { messages: [{ role: "assistant", content: { message: "There.", finish_reason: "end_turn" } }] }
    }
    const both = ["user Where is A?", "agent There."]
    const event = span("s", 1, { "gen_ai.operation.name": "chat" }, { span_events: [{ event_name: "e", body }] })
    expect(TraceFormat.fromRecords([event]).rows.map(brief)).toEqual([both])
    const log = { traceId: "t1", spanId: "s", timeUnixNano: "1", body, attributes: { "event.name": "e" } }
    const bare = span("s", 1, { "gen_ai.operation.name": "chat" })
    expect(TraceFormat.fromRecords([log, bare]).rows.map(brief)).toEqual([both])
    const pairs = [
      { key: "gen_ai.input.messages", value: { stringValue: '[{"role":"user","content":"Where is A?"}]' } },
      { key: "gen_ai.output.messages", value: { stringValue: '[{"role":"assistant","content":"There."}]' } }
    ]
    const logRecords = [{ traceId: "t1", spanId: "s", body: { kvlistValue: { values: pairs } } }]
    const envelope = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }
    expect(TraceFormat.fromRecords([envelope]).rows.map(brief)).toEqual([both])
  })

  for (const ids of [true, false]) {
    it(`of a handoff count each call once (${ids ? "with" : "without"} ids on the tool runs)`, () => {
      const calls = (...made: ReadonlyArray<readonly [string, string, object]>) => ({
        role: "assistant",
        parts: made.map(([id, name, args]) => ({ type: "tool_call", id, name, arguments: args }))
      })
      const answer = (id: string, response: string) => ({
        role: "tool",
        parts: [{ type: "tool_call_response", id, response }]
      })
      const under = (parent: string, end_time: number) => ({ parent_span_id: parent, end_time })
      const chat = (id: string, start: number, input: ReadonlyArray<unknown>, output: unknown, parent: string) =>
        span(
          id,
          start,
          {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": JSON.stringify(input),
            "gen_ai.output.messages": JSON.stringify([output])
          },
          under(parent, start + 2)
        )
      const run = (id: string, start: number, call: readonly [string, string, object?], more: object, parent: string) =>
        span(
          id,
          start,
          {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call[1],
            ...(ids ? { "gen_ai.tool.call.id": call[0] } : {}),
            ...(call[2] === undefined ? {} : { "gen_ai.tool.call.arguments": JSON.stringify(call[2]) }),
            ...more
          },
          under(parent, start + 4)
        )
      const asked = text("user", "Refund A and B")
      const handoff = [asked, calls(["c1", "transfer_to_refunds", {}]), answer("c1", "done")]
      const spans = [
        span("flow", 0, { "traceloop.span.kind": "workflow" }, { end_time: 99 }),
        span("triage", 1, { "gen_ai.operation.name": "invoke_agent" }, under("flow", 20)),
        chat("m1", 2, [asked], calls(["c1", "transfer_to_refunds", {}]), "triage"),
        run("h", 6, ["c1", "transfer_to_refunds"], { "gen_ai.tool.call.result": "done" }, "triage"),
        span("refunds", 21, { "gen_ai.operation.name": "invoke_agent" }, under("flow", 90)),
        chat("m2", 22, handoff, calls(["c2", "get", { id: "A" }], ["c3", "get", { id: "B" }]), "refunds"),
        // The client's span, and that of the tool it calls.
        run("t2", 26, ["c2", "get", { id: "A" }], { "gen_ai.tool.call.result": "a" }, "refunds"),
        run("t2b", 27, ["c2", "get", { id: "A" }], { "gen_ai.tool.call.result": "a" }, "t2"),
        run("t3", 26, ["c3", "get", { id: "B" }], { "gen_ai.tool.call.result": "b" }, "refunds"),
        // Told again call by call, though it was made as one message.
        chat(
          "m3",
          40,
          [
            ...handoff,
            calls(["c2", "get", { id: "A" }]),
            calls(["c3", "get", { id: "B" }]),
            answer("c2", "a"),
            answer("c3", "b")
          ],
          text("assistant", "Both are refunded."),
          "refunds"
        )
      ]
      expect(TraceFormat.fromRecords(spans).rows.map(brief)).toEqual([
        [
          "user Refund A and B",
          'call transfer_to_refunds {} -> "done" ok',
          'call get {"id":"A"} -> "a" ok',
          'call get {"id":"B"} -> "b" ok',
          "agent Both are refunded."
        ]
      ])
      // Without any model's words: what ran under a run of the same call is that call, what ran later is another.
      const alone = [
        span(
          "a",
          0,
          {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.input.messages": [asked],
            "gen_ai.output.messages": [text("assistant", "Both.")]
          },
          { end_time: 99 }
        ),
        run("p", 1, ["x", "get", { id: "A" }], {}, "a"),
        run("k", 2, ["x", "get", { id: "A" }], { "gen_ai.tool.call.result": "a" }, "p"),
        run("later", 30, ["y", "get", { id: "A" }], { "gen_ai.tool.call.result": "b" }, "a")
      ]
      expect(callsOf(TraceFormat.fromRecords(alone).rows[0]).map(({ result }) => result)).toEqual(["a", "b"])
    })
  }

  it("that come twice are read once", () => {
    const chat = {
      "gen_ai.operation.name": "chat",
      "gen_ai.input.messages": [text("user", "Where is A?")],
      "gen_ai.output.messages": [text("assistant", "There.")]
    }
    const spans = [span("1", 1, chat), span("1", 1, chat)]
    expect(TraceFormat.fromRecords(spans).rows.map(brief)).toEqual([["user Where is A?", "agent There."]])
  })

  it("of agents that write code have each thought once, and the answer last", () => {
    const thought = "Thought: multiply.\n```py\nprint(6 * 7)\n```"
    const message = (side: string, i: number, role: string, content: string) => ({
      [`llm.${side}_messages.${i}.message.role`]: role,
      [`llm.${side}_messages.${i}.message.content`]: content
    })
    const call = "[{'id': 'c1', 'type': 'function', 'function': {'name': 'python', 'arguments': 'print(6 * 7)'}}]"
    const model = (more: object) =>
      openInference("LLM", { ...message("input", 0, "user", "New task: 6 times 7?"), ...more })
    const spans = [
      span("a", 0, openInference("AGENT", { "input.value": '{"task":"6 times 7?"}', "output.value": "42" }), {
        end_time: 99
      }),
      span("l1", 2, model(message("output", 0, "assistant", thought)), { parent_id: "a" }),
      span(
        "l2",
        10,
        model({
          ...message("input", 1, "assistant", `${thought}<end_code>`),
          ...message("input", 2, "tool-call", `Calling tools:\n${call}`),
          ...message("input", 3, "tool-response", "42"),
          ...message("output", 0, "assistant", "Thought: that is it.\n```py\nfinal_answer(42)\n```")
        }),
        { parent_id: "a" }
      )
    ]
    const trace = TraceFormat.fromRecords(spans).rows[0]!
    expect(brief(trace)).toEqual([
      "user 6 times 7?",
      `agent ${thought}`,
      `call python "'print(6 * 7)'" -> "42" ok`,
      "agent Thought: that is it.\n```py\nfinal_answer(42)\n```",
      "agent 42"
    ])
    expect(trace.final_text).toBe("42")
  })

  it("of one event a message are read as well", () => {
    const event = (name: string, attributes: object) => ({ name, attributes })
    const events = [
      event("gen_ai.user.message", { content: "Where is A?" }),
      event("gen_ai.assistant.message", {
        tool_calls: JSON.stringify([{ id: "c1", function: { name: "get", arguments: '{"id":"A"}' } }])
      }),
      event("gen_ai.tool.message", { id: "c1", content: "ok" }),
      event("gen_ai.choice", { message: JSON.stringify({ content: "There." }) })
    ]
    expect(
      TraceFormat.fromRecords([span("1", 1, { "gen_ai.operation.name": "chat" }, { events })]).rows.map(brief)
    ).toEqual([expected])
  })
})

const data = process.env["SANDTABLE_TEST_DATA"]
const traces = `${data}/traces`

layer(NodeFileSystem.layer)("recorded traces", (it) => {
  const here = data !== undefined && NodeFs.existsSync(traces)
  const when = here ? it.effect : it.effect.skip
  const label = here ? "" : " (skipped: SANDTABLE_TEST_DATA names no folder with traces)"

  when(`of 32 airline conversations keep every call, result, task, trial and reward${label}`, () =>
    Effect.gen(function* () {
      const path = `${traces}/airline-openai-chat.jsonl`
      const raw = NodeFs.readFileSync(path, "utf8")
        .trim()
        .split("\n")
        .map(
          (line) =>
            JSON.parse(line) as {
              task_id: string
              trial: number
              reward: number
              messages: Array<{ role: string; tool_calls?: Array<{ id: string }> }>
            }
        )
      const { rows, unreadable } = yield* TraceFormat.read(path)
      expect(unreadable).toEqual([])
      expect(rows.map((r) => [r.task_id, r.rollout_index, r.reward])).toEqual(
        raw.map((r) => [r.task_id, r.trial, r.reward])
      )
      const ids = raw.map((r) => r.messages.flatMap((m) => (m.tool_calls ?? []).map((c) => c.id)))
      expect(rows.map((r) => callsOf(r).map((c) => c.call_id))).toEqual(ids)
      expect(ids.flat()).toHaveLength(201)
      const answers = raw.map((r) => r.messages.filter((m) => m.role === "tool").length)
      expect(rows.map((r) => callsOf(r).filter((c) => c.result !== null).length)).toEqual(answers)
      const users = raw.map((r) => r.messages.filter((m) => m.role === "user").length)
      expect(rows.map((r) => r.steps.filter((s) => "user" in s).length)).toEqual(users)
    })
  )

  // Counted in the files: tool runs are spans of their own, except for the first call of the OpenInference file, which
  // only its model call tells of.
  const spans = [
    ["adk_live_spans.json", 1, 1, ["calculator"]],
    [
      "openai_agents_genai_live_spans.json",
      1,
      5,
      ["ask_research_specialist", "lookup_stock_price", "ask_math_specialist", "multiply_numbers", "multiply_numbers"]
    ],
    ["openinference_live_spans.json", 2, 1, ["get_weather", "finish"]],
    ["otel_genai_convention_spans.json", 1, 2, ["get_weather", "get_weather"]],
    ["pydantic_ai_live_spans.json", 1, 1, ["get_weather"]]
  ] as const
  for (const [file, users, toolSpans, tools] of spans) {
    when(`of ${file} are one thread with each call once${label}`, () =>
      Effect.gen(function* () {
        const raw = JSON.parse(NodeFs.readFileSync(`${traces}/spans/${file}`, "utf8")) as Array<{
          attributes: Record<string, unknown>
        }>
        const runs = raw.filter(
          ({ attributes }) =>
            attributes["gen_ai.operation.name"] === "execute_tool" || attributes["openinference.span.kind"] === "TOOL"
        )
        expect(runs).toHaveLength(toolSpans)
        const { rows, unreadable } = yield* TraceFormat.read(`${traces}/spans/${file}`)
        expect(unreadable).toEqual([])
        expect(rows).toHaveLength(1)
        expect(callsOf(rows[0]).map((c) => c.tool)).toEqual(tools)
        // What an agent says to an agent it calls as a tool is nobody's ask.
        expect(rows[0]?.steps.filter((step) => "user" in step)).toHaveLength(users)
        expect(rows[0]?.prompt).toMatch(/\?|AMZN/)
        expect(rows[0]?.final_text).toMatch(/555|240,980|warmer|Paris|Seattle/)
      })
    )
  }

  it("reads a conversation that an API hands out as a page of its messages or items", () => {
    const items = [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Where is A1?" }] },
      { type: "function_call", call_id: "c1", name: "get_order", arguments: '{"order_id":"A1"}' },
      { type: "function_call_output", call_id: "c1", output: '{"status":"shipped"}' },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "It has shipped." }] }
    ]
    for (const page of [{ object: "list", data: items, has_more: false }, { items }, [{ items }]]) {
      const { rows, unreadable } = TraceFormat.fromDocument(page)
      expect(unreadable).toEqual([])
      expect(rows).toHaveLength(1)
      expect(rows[0]).toMatchObject({ prompt: "Where is A1?", final_text: "It has shipped." })
      expect(callsOf(rows[0]).map(({ tool }) => tool)).toEqual(["get_order"])
    }
    const several = { object: "list", data: [{ messages: items }, { messages: items }] }
    expect(TraceFormat.fromDocument(several).rows).toHaveLength(2)
  })

  it.effect("reads JSONL with broken lines, and documents over several lines", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(`${folder}/a.jsonl`, `\ufeff{"prompt":"a"}\r\n{"prompt":\n\n{"prompt":"b"}`)
        const lines = yield* TraceFormat.read(`${folder}/a.jsonl`)
        expect(lines.rows.map((r) => r.prompt)).toEqual(["a", "b"])
        expect(lines.unreadable.map((u) => u.record)).toEqual([2])
        yield* fs.writeFileString(
          `${folder}/b.json`,
          JSON.stringify({ simulations: [{ prompt: "a" }, 1, { prompt: "b" }] }, null, 2)
        )
        expect((yield* TraceFormat.read(`${folder}/b.json`)).rows).toHaveLength(2)
        yield* fs.writeFileString(`${folder}/c.json`, JSON.stringify([{ prompt: "a" }, { foo: 1 }]))
        const compact = yield* TraceFormat.read(`${folder}/c.json`)
        expect(compact.rows).toHaveLength(1)
        expect(compact.unreadable[0]?.message).toMatch(/^Record 1 was left out: item 2: it has no messages/)
        expect((yield* Effect.flip(TraceFormat.read(`${folder}/none`))).reason).toBe("not_found")
      })
    )
  )
})
