/**
 * Logs of requests and responses as providers, gateways and other tools write them.
 */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type * as Row from "@sandtable/core/Row"
import * as Signature from "../../../packages/core/src/row/Signature.ts"
import * as TraceFormat from "../../../packages/core/src/traces/TraceFormat.ts"
import * as TraceMining from "../../../packages/core/src/situation/TraceMining.ts"
import * as Traces from "@sandtable/core/Traces"
import * as Conduct from "@sandtable/core/Conduct"
import * as RowModule from "@sandtable/core/Row"

const read = (...records: ReadonlyArray<unknown>) => {
  const { passedOver, rows, unreadable } = TraceFormat.fromRecords(records)
  return {
    rows,
    told: rows.map(({ steps }) => steps.map(stepText)),
    passedOver: Object.fromEntries(passedOver.map(({ count, item }) => [item, count])),
    unreadable: unreadable.map(({ message }) => message)
  }
}

const stepText = (step: Row.Step): string =>
  "user" in step
    ? `user ${step.user}`
    : "text" in step
      ? `agent ${step.text}`
      : `${step.called_by === "user" ? "user's call" : "call"} ${step.tool} ${JSON.stringify(step.arguments)} -> ${JSON.stringify(step.result)}`

const ask = { role: "user", content: "Where is 7?" }
const said = { role: "assistant", content: "On its way." }
const whole = ["user Where is 7?", "agent On its way."]

describe("items of the Responses API", () => {
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "On its way." }] }
  const reasoning = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I look." }] }

  it("that are no messages cost no record: thoughts stand by the words, what the provider did is counted", () => {
    const { passedOver, rows, told, unreadable } = read({
      reward: 1,
      messages: [
        ask,
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "7" } },
        { type: "file_search_call", id: "fs_1", queries: ["7"], results: null },
        { type: "computer_call", call_id: "cc_1", action: { type: "click", x: 1, y: 2 } },
        { type: "computer_call_output", call_id: "cc_1", output: { type: "computer_screenshot" } },
        { type: "computer_call", call_id: "cc_2", action: { type: "wait" } },
        { type: "compaction", encrypted_content: "..." },
        { type: "something_new", payload: 1 },
        reasoning,
        message
      ]
    })
    expect(told).toEqual([whole])
    expect(rows[0]).toMatchObject({ reward: 1, final_text: "On its way.", steps: [{}, { reasoning: "I look." }] })
    expect(unreadable).toEqual([])
    expect(passedOver).toEqual({
      web_search_call: 1,
      file_search_call: 1,
      computer_call: 2,
      computer_call_output: 1,
      compaction: 1,
      something_new: 1
    })
  })

  it("that are calls are calls, whatever runs them", () => {
    const { told } = read({
      messages: [
        ask,
        reasoning,
        { type: "function_call", id: "fc_9", call_id: "c1", name: "get", arguments: '{"id":7}' },
        { type: "custom_tool_call", id: "ct_9", call_id: "c2", name: "sql", input: "select 7" },
        { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "one row" }] },
        { type: "function_call_output", call_id: "c1", output: '{"state":"sent"}' },
        {
          type: "mcp_call",
          id: "mcp_1",
          server_label: "post",
          name: "track",
          arguments: "{}",
          output: "near",
          error: null
        },
        { type: "local_shell_call", call_id: "c3", action: { command: ["ls"] } },
        { type: "local_shell_call_output", call_id: "c3", output: "7.txt" },
        { type: "function_call", call_id: "c4", name: "", arguments: "{}" },
        message
      ]
    })
    expect(told).toEqual([
      [
        "user Where is 7?",
        'call get {"id":7} -> {"state":"sent"}',
        'call sql "select 7" -> "one row"',
        'call track {} -> "near"',
        'call local_shell {"command":["ls"]} -> "7.txt"',
        "agent On its way."
      ]
    ])
  })

  it("never cost a record, whatever else stands between them", () => {
    const odd = FastCheck.oneof(
      FastCheck.record({ type: FastCheck.string(), id: FastCheck.string() }),
      FastCheck.record({ role: FastCheck.string(), content: FastCheck.string() }),
      FastCheck.jsonValue()
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(odd, { maxLength: 5 }), (between) => {
        const messages = [ask, ...between, { role: "assistant", content: "The end." }]
        const { rows, unreadable } = read({ messages, reward: 1 })
        expect(unreadable).toEqual([])
        expect(rows).toHaveLength(1)
        expect(rows[0]?.final_text).toBe("The end.")
      })
    )
  })
})

describe("requests and their responses", () => {
  const choice = (content: string, index?: number) => ({
    ...(index === undefined ? {} : { index }),
    message: { role: "assistant", content }
  })
  const chat = { choices: [choice("On its way.")] }
  const responses = {
    output: [
      { type: "reasoning", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "On its way." }] }
    ]
  }
  const claude = { type: "message", role: "assistant", content: [{ type: "text", text: "On its way." }] }
  const streamed = [
    { type: "message_start", message: { role: "assistant", content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "On its" } },
    { type: "message_start", message: { role: "assistant", content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "On its " } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "way." } },
    { type: "message_stop" }
  ]
  const chunks = ["On", " its", " way."].map((content) => ({ choices: [{ index: 0, delta: { content } }] }))
  const events = `: hi\n\n${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`
  const gemini = { candidates: [{ content: { role: "model", parts: [{ text: "On its way." }] } }] }
  const bedrock = { output: { message: { role: "assistant", content: [{ text: "On its way." }] } } }

  const asks: Readonly<Record<string, object>> = {
    question: { question: "Where is 7?" },
    messages: { messages: [ask] },
    "request.messages": { request: { model: "m", messages: [{ role: "system", content: "Be kind." }, ask] } },
    "request as text": { request: JSON.stringify({ messages: [ask] }) },
    "request.body": { request: { url: "/v1", body: { messages: [ask] } } },
    "request.body as text": { request: { body: JSON.stringify({ messages: [ask] }) } },
    "request.input": { request: { input: [{ role: "user", content: [{ type: "input_text", text: "Where is 7?" }] }] } },
    "request.contents": { request: { contents: [{ role: "user", parts: [{ text: "Where is 7?" }] }] } },
    "inputs.messages": { inputs: { messages: [[{ kwargs: { type: "human", content: "Where is 7?" } }]] } }
  }
  const replies: Readonly<Record<string, object>> = {
    "chat completion": { response: chat },
    "as text": { response: JSON.stringify(chat) },
    "in a body": { response: { status: 200, body: chat } },
    "in a body as text": { response: { status: 200, body: JSON.stringify(chat) } },
    responses: { response: responses },
    anthropic: { response: claude },
    "anthropic stream": { response: streamed },
    "chat chunks": { response: chunks },
    "server-sent events": { response: events },
    "responses events": {
      response: [{ type: "response.created" }, { type: "response.completed", response: responses }]
    },
    gemini: { response: gemini },
    bedrock: { response: bedrock },
    ollama: { response: { message: { role: "assistant", content: "On its way." }, done: true } },
    output: { output: { role: "assistant", content: "On its way." } },
    outputs: { outputs: { generations: [[{ text: "On its way." }]] } },
    "whole thread": { output: { messages: [ask, said] } }
  }
  for (const [name, request] of Object.entries(asks)) {
    it(`are read together: ${name} and any reply`, () => {
      for (const [kind, reply] of Object.entries(replies)) {
        const { rows, told, unreadable } = read({ ...request, ...reply, reward: 1 })
        expect([kind, unreadable, told, rows[0]?.reward]).toEqual([kind, [], [whole], 1])
      }
    })
  }

  it("are read of a batch's output, whose id names the task", () => {
    const line = (custom_id: string, more: object) => ({ id: `b_${custom_id}`, custom_id, ...more })
    const { rows, unreadable } = read(
      line("r1", { response: { status_code: 200, request_id: "x", body: chat }, error: null }),
      line("r2", { response: { status_code: 429, body: { error: { message: "Too many requests." } } }, error: null }),
      line("r3", { result: { type: "succeeded", message: claude } })
    )
    expect(rows.map(({ final_text, task_id }) => [task_id, final_text])).toEqual([
      ["r1", "On its way."],
      ["r3", "On its way."]
    ])
    expect(unreadable).toEqual([
      "Record 2 was left out: no reply can be read in it; it says of an error: Too many requests."
    ])
  })

  it("of several choices are the first by number, and the others are told", () => {
    const { passedOver, told } = read({
      question: "Where is 7?",
      response: { choices: [choice("Lost.", 1), choice("On its way.", 0), choice("Hm.", 2)] }
    })
    expect(told).toEqual([whole])
    expect(passedOver).toEqual({ "choice beside the first": 2 })
  })

  it("may end on a call, and on a refusal", () => {
    const call = { id: "c", type: "function", function: { name: "get", arguments: '{"id":7}' } }
    const parts = [
      {
        choices: [
          { index: 0, delta: { tool_calls: [{ index: 0, id: "c", function: { name: "get", arguments: '{"id"' } }] } }
        ]
      },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ":7}" } }] } }] }
    ]
    const calls = [{ choices: [{ message: { content: null, tool_calls: [call] } }] }, parts]
    for (const response of calls)
      expect(read({ question: "?", response }).told).toEqual([["user ?", 'call get {"id":7} -> null']])
    const refusals = [
      { output: [{ type: "message", role: "assistant", content: [{ type: "refusal", refusal: "I won't." }] }] },
      { choices: [{ message: { role: "assistant", content: null, refusal: "I won't." } }] },
      {
        type: "message",
        role: "assistant",
        content: [],
        stop_reason: "refusal",
        stop_details: { explanation: "I won't." }
      }
    ]
    for (const response of refusals)
      expect(read({ question: "?", response }).told).toEqual([["user ?", "agent I won't."]])
  })

  it("keep a reply in JSON as it was said", () => {
    expect(read({ question: "?", response: '{"answer":"Paris","sure":true}' }).rows[0]?.final_text).toBe(
      '{"answer":"Paris","sure":true}'
    )
  })

  it("that tell no reply are told with their line and never a row with a reward", () => {
    const none: ReadonlyArray<object> = [
      { response: { output: [] } },
      { response: { output: [{ type: "reasoning", summary: [] }] } },
      { response: { something: 1 } },
      { response: "" },
      { response: { choices: [] } },
      { response: [] },
      {},
      { messages: [ask] },
      { steps: [{ user: "Where is 7?" }] }
    ]
    const { rows, unreadable } = read(...none.map((one) => ({ question: "Where is 7?", ...one, reward: 1 })))
    expect(rows).toEqual([])
    expect(unreadable).toEqual(none.map((_, i) => `Record ${i + 1} was left out: no reply can be read in it.`))
    // Without a score it is an ask, and that nobody answered is told.
    const asked = read({ question: "Where is 7?" })
    expect([asked.told, asked.passedOver]).toEqual([[["user Where is 7?"]], { "record without a reply": 1 }])
    // A gold answer beside a thread is no reply of the agent's.
    expect(read({ messages: [ask, said], answer: "Rome", reward: 0 }).told).toEqual([whole])
  })
})

describe("messages of other makers", () => {
  const thread = ["user Where is 7?", 'call get {"id":7} -> {"state":"sent"}', "agent On its way."]
  const result = { state: "sent" }
  const threads: Readonly<Record<string, ReadonlyArray<object>>> = {
    bedrock: [
      { role: "user", content: [{ text: "Where is 7?" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "u", name: "get", input: { id: 7 } } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "u", content: [{ json: result }], status: "success" } }] },
      { role: "assistant", content: [{ text: "On its way." }] }
    ],
    "the AI SDK's core": [
      ask,
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "u", toolName: "get", input: { id: 7 } }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "u", toolName: "get", output: { type: "json", value: result } }]
      },
      { role: "assistant", content: [{ type: "text", text: "On its way." }] }
    ],
    "the AI SDK's interface": [
      { role: "user", parts: [{ type: "text", text: "Where is 7?" }] },
      {
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "tool-get", toolCallId: "u", state: "output-available", input: { id: 7 }, output: result },
          { type: "text", text: "On its way." }
        ]
      }
    ],
    langchain: [
      { type: "human", data: 0, content: "Where is 7?" },
      { type: "AIMessage", content: "", tool_calls: [{ id: "u", name: "get", args: { id: 7 } }] },
      { type: "ToolMessage", tool_call_id: "u", content: JSON.stringify(result) },
      { type: "ai", content: "On its way." }
    ],
    "anthropic with a tool of its own": [
      ask,
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "s", name: "get", input: { id: 7 } },
          { type: "web_fetch_tool_result", tool_use_id: "s", content: result },
          { type: "text", text: "On its way." }
        ]
      }
    ]
  }
  for (const [maker, messages] of Object.entries(threads)) {
    it(`of ${maker} are read`, () => {
      const { passedOver, rows, told } = read({ messages })
      expect([told, passedOver]).toEqual([[thread], {}])
      expect(rows[0]?.steps.slice(1).map((step) => ("turn" in step ? step.turn : null))).toEqual([0, 1])
    })
  }

  it("of Gemini tell its thoughts and the code it ran", () => {
    const parts = [
      { text: "I compute.", thought: true },
      { executableCode: { language: "PYTHON", code: "6*7" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "42" } },
      { text: "It is 42." }
    ]
    expect(
      read({
        contents: [
          { role: "user", parts: [{ text: "6*7?" }] },
          { role: "model", parts }
        ]
      }).told
    ).toEqual([["user 6*7?", 'call code_execution {"language":"PYTHON","code":"6*7"} -> "42"', "agent It is 42."]])
  })

  it("that tell a thought once alone and once with its code have it once; the answer is the last word", () => {
    const coded = "Thought: multiply.\nCode:\n```py\nprint(6 * 7)\n```"
    const { rows, told } = read({
      messages: [
        { role: "user", content: "6*7?" },
        { role: "assistant", content: "Thought: multiply." },
        { role: "assistant", content: coded },
        { role: "tool", name: "python", content: "42" },
        { role: "assistant", tool_calls: [{ id: "f", function: { name: "final_answer", arguments: { answer: 42 } } }] }
      ]
    })
    expect(told).toEqual([
      ["user 6*7?", `agent ${coded}`, 'call python {} -> "42"', 'call final_answer {"answer":42} -> null', "agent 42"]
    ])
    expect(rows[0]?.final_text).toBe("42")
    const steps = [
      { thought: "Multiply.", code: "6*7", observation: "42" },
      { final: 1, text: "42", role: undefined }
    ]
    expect(read({ question: "6*7?", steps, output: "42" }).rows[0]?.final_text).toBe("42")
    // What is merely alike stays.
    const twice = [ask, { role: "assistant", content: "Ok" }, { role: "assistant", content: "Ok then." }]
    expect(read({ messages: twice }).told).toEqual([["user Where is 7?", "agent Ok", "agent Ok then."]])
  })
})

describe("a person who has tools of their own", () => {
  const messages = [
    { role: "user", content: "My data is off." },
    { role: "assistant", content: "Please switch it on." },
    {
      role: "user",
      content: null,
      tool_calls: [{ id: "u1", name: "delete_account", arguments: {}, requestor: "user" }]
    },
    { role: "tool", id: "u1", content: "Error: no such account", requestor: "user", error: true },
    { role: "user", content: "Done." },
    { role: "assistant", content: "", tool_calls: [{ id: "a1", name: "check_line", arguments: { line: "L1" } }] },
    { role: "tool", id: "a1", content: "on", requestor: "assistant" },
    { role: "assistant", content: "Your line is on." }
  ]
  const [trace] = Traces.complete(read({ task_id: "t", messages }).rows)
  if (trace === undefined) throw new Error("the thread was not read")
  const calls = trace.steps.filter(RowModule.isCallStep)

  it("makes calls that the steps call theirs", () => {
    expect(calls.map(({ answered_by, called_by, tool, turn }) => [tool, called_by, answered_by, turn])).toEqual([
      ["delete_account", "user", "user", undefined],
      ["check_line", undefined, "agent", 1]
    ])
    expect(RowModule.parse(RowModule.encode(trace))).toMatchObject({ right: trace })
    // Some mark the message and not the call, some neither.
    const marked = [
      { role: "user", tool_calls: [{ id: "1", name: "f" }] },
      { role: "assistant", requestor: "user", tool_calls: [{ id: "1", name: "f" }] },
      { role: "assistant", tool_calls: [{ id: "1", name: "f", requestor: "user" }] },
      { role: "user", content: [{ type: "tool_use", id: "1", name: "f", input: {} }] }
    ]
    for (const message of marked)
      expect(read({ messages: [ask, message, said] }).told[0]?.[1]).toBe("user's call f {} -> null")
  })

  it("is not the agent: neither conduct nor mining nor the signature nor the agent's thread takes them for its own", () => {
    const without = { ...trace, steps: trace.steps.filter((step) => !("tool" in step && step.called_by === "user")) }
    const context = { tools: [], systemPrompt: "", locale: "en", privileged: {}, outcome: null }
    expect(Conduct.grade(trace, context)).toEqual(Conduct.grade(without, context))
    expect(TraceMining.mine([trace], []).tools.map(({ tool }) => tool)).toEqual(["check_line"])
    expect(Signature.of(trace.steps, trace.final_text)).toBe(Signature.of(without.steps, trace.final_text))
    expect(RowModule.toMessages(trace.steps)).toEqual(RowModule.toMessages(without.steps))
  })
})
