/**
 * Tool calls as models write them and servers send them, in every protocol: what is run is what was written, or nothing.
 */
import { layerUndici } from "@sandtable/backends/node"
import * as Anthropic from "@sandtable/backends/Anthropic"
import * as OpenAiResponses from "@sandtable/backends/OpenAiResponses"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { ChatModel } from "@sandtable/core/ChatModel"
import { isCallStep, type CallStep } from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Layer, TestClock } from "effect"
import { behind, hi, protocols, wires, type Make } from "./asking.ts"
import * as FakeServer from "./FakeServer.ts"

/** The calls of a stream. */
const callsOf = (events: ReadonlyArray<unknown>, make?: Make) =>
  Effect.gen(function* () {
    const { model } = yield* behind([{ raw: { events } }], { streaming: true }, make)
    return (yield* model.complete(hi)).toolCalls
  }).pipe(Effect.provide(layerUndici))

const piece = (call: Readonly<Record<string, unknown>>) => ({ choices: [{ delta: { tool_calls: [call] } }] })
const of = (name: string | null | undefined, args: string | null | undefined) => ({
  function: { name, arguments: args }
})
const finished = [{ choices: [{ delta: {}, finish_reason: "tool_calls" }] }, "[DONE]"]

describe("calls in a stream of chat completions", () => {
  const a1 = '{"id":"A1001"}'
  const a2 = '{"id":"A1002"}'
  const cases: ReadonlyArray<
    readonly [string, ReadonlyArray<object>, ReadonlyArray<readonly [string, string, unknown]>]
  > = [
    [
      "another name after whole arguments is another call, with neither number nor id",
      [piece(of("cancel_order", a1)), piece(of("get_order", a2))],
      [
        ["call_1", "cancel_order", a1],
        ["call_2", "get_order", a2]
      ]
    ],
    [
      "so it is under a number they share",
      [
        piece({ index: 0, ...of("cancel_order", a1.slice(0, 5)) }),
        piece({ index: 0, ...of(null, a1.slice(5)) }),
        piece({ index: 0, ...of("get_order", a2.slice(0, 5)) }),
        piece({ index: 0, ...of("", a2.slice(5)) })
      ],
      [
        ["call_1", "cancel_order", a1],
        ["call_2", "get_order", a2]
      ]
    ],
    [
      "the same tool asked for again is called twice",
      [piece({ index: 0, ...of("get_order", a1) }), piece({ index: 0, ...of("get_order", a2) })],
      [
        ["call_1", "get_order", a1],
        ["call_2", "get_order", a2]
      ]
    ],
    [
      "pieces of calls that share a number and take turns go by their ids",
      [
        piece({ index: 0, id: "a", ...of("cancel_order", "") }),
        piece({ index: 0, id: "b", ...of("get_order", "") }),
        piece({ index: 0, id: "a", ...of(null, a1.slice(0, 7)) }),
        piece({ index: 0, id: "b", ...of(null, a2.slice(0, 7)) }),
        piece({ index: 0, id: "a", ...of(undefined, a1.slice(7)) }),
        piece({ index: 0, id: "b", ...of(undefined, a2.slice(7)) })
      ],
      [
        ["a", "cancel_order", a1],
        ["b", "get_order", a2]
      ]
    ],
    [
      "pieces that take turns go by their numbers",
      [
        piece({ index: 1, id: "b", ...of("get_order", "") }),
        piece({ index: 0, id: "a", ...of("cancel_order", "") }),
        piece({ index: 1, ...of(null, a2.slice(0, 3)) }),
        piece({ index: 0, ...of(null, a1) }),
        piece({ index: 1, ...of(null, a2.slice(3)) })
      ],
      [
        ["b", "get_order", a2],
        ["a", "cancel_order", a1]
      ]
    ],
    [
      "a name in pieces is one name",
      [
        piece({ index: 0, id: "a", ...of("get_", "") }),
        piece({ index: 0, ...of("ord", null) }),
        piece({ index: 0, id: "a", ...of("er", "") }),
        piece({ index: 0, ...of(null, a1) })
      ],
      [["a", "get_order", a1]]
    ],
    [
      "a name that comes with every piece is said once",
      [
        piece({ index: 0, id: "a", ...of("get_order", "") }),
        piece({ index: 0, id: "a", ...of("get_order", a1.slice(0, 4)) }),
        piece({ index: 0, id: "a", ...of("get_order", a1.slice(4)) }),
        piece({ index: 0, id: "a", ...of("get_order", "") })
      ],
      [["a", "get_order", a1]]
    ],
    [
      "an id made up for every piece makes no call of its own",
      [
        piece({ index: 0, id: "x1", ...of("get_order", "") }),
        piece({ index: 0, id: "x2", ...of(null, a1.slice(0, 4)) }),
        piece({ index: 0, id: "x3", ...of(null, a1.slice(4)) })
      ],
      [["x1", "get_order", a1]]
    ],
    [
      "a call without a name is one too",
      [
        piece({ index: 0, id: "a", ...of("get_order", a1) }),
        piece({ index: 0, id: "b", ...of(null, a2) }),
        piece({ index: 1, id: "c", ...of("", a2) })
      ],
      [
        ["a", "get_order", a1],
        ["b", "", a2],
        ["c", "", a2]
      ]
    ],
    [
      "an empty object before the arguments stays with them",
      [
        piece({ index: 0, id: "a", ...of("delete_orders", "{}") }),
        piece({ index: 0, id: "a", ...of("delete_orders", '{"filter":"old"}') })
      ],
      [["a", "delete_orders", '{}{"filter":"old"}']]
    ]
  ]
  for (const [what, events, expected] of cases) {
    it.scoped(what, () =>
      Effect.gen(function* () {
        const calls = yield* callsOf([...events, ...finished])
        expect(calls).toEqual(expected.map(([id, name, args]) => ({ id, name, arguments: args })))
      })
    )
  }
})

describe("calls in a stream of Messages", () => {
  const start = { type: "message_start", message: { role: "assistant", content: [], usage: {} } }
  const use = (index: number | undefined, id: string, name: string | null) => ({
    type: "content_block_start",
    index,
    content_block: { type: "tool_use", id, name, input: {} }
  })
  const json = (index: number | undefined, partial_json: string) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json }
  })
  const end = [{ type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }]

  it.scoped("are as many as began, under whatever number", () =>
    Effect.gen(function* () {
      for (const index of [0, undefined]) {
        const events = [use(index, "a", "f"), json(index, '{"x":1}'), use(index, "b", "g"), json(index, '{"x":2}')]
        expect(yield* callsOf([start, ...events, ...end], Anthropic.make)).toEqual([
          { id: "a", name: "f", arguments: { x: 1 } },
          { id: "b", name: "g", arguments: { x: 2 } }
        ])
      }
    })
  )

  it.scoped("take turns by their numbers, and stay without a name where they have none", () =>
    Effect.gen(function* () {
      const events = [use(1, "b", null), use(0, "a", "f"), json(1, '{"x"'), json(0, '{"x":1}'), json(1, ":2}")]
      expect(yield* callsOf([start, ...events, ...end], Anthropic.make)).toEqual([
        { id: "a", name: "f", arguments: { x: 1 } },
        { id: "b", name: "", arguments: { x: 2 } }
      ])
    })
  )

  it.scoped("begin anew with a message that does", () =>
    Effect.gen(function* () {
      const events = [use(0, "a", "f"), json(0, '{"x":'), start, use(0, "b", "f"), json(0, '{"x":2}')]
      expect(yield* callsOf([start, ...events, ...end], Anthropic.make)).toEqual([
        { id: "b", name: "f", arguments: { x: 2 } }
      ])
    })
  )
})

it.scoped("calls of a Responses stream count where its last event leaves them out", () =>
  Effect.gen(function* () {
    const item = { type: "function_call", id: "fc", call_id: "a", name: "f", arguments: '{"x":1}' }
    const response = { status: "completed", output: [] }
    const events = [
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response }
    ]
    expect(yield* callsOf(events, OpenAiResponses.make)).toEqual([{ id: "a", name: "f", arguments: '{"x":1}' }])
  })
)

describe("a run", () => {
  const tools = [
    {
      name: "delete_orders",
      description: "Deletes orders",
      parameters: { type: "object", properties: { filter: { type: "string" } } }
    },
    {
      name: "get_order",
      description: "Looks an order up",
      parameters: { type: "object", properties: { id: { type: "string" } } }
    }
  ]
  for (const { make, name } of wires) {
    it.scopedLive(`${name}: tells a model what was wrong with its calls, and runs none of them in part`, () =>
      Effect.gen(function* () {
        const server = yield* FakeServer.make(({ n }) =>
          n % 2 === 1
            ? { text: "Done." }
            : {
                calls: [
                  { id: "one", name: "delete_orders", arguments: '{}{"filter":"old"}' },
                  { id: "two", name: null as unknown as string, arguments: { filter: "old" } },
                  { id: "three", name: "get_order", arguments: { id: "A1002" } }
                ]
              }
        )
        const ran: Array<unknown> = []
        const agent = AgentBackend.layerModel.pipe(
          Layer.provide(Layer.effect(ChatModel, make({ model: "m", baseUrl: `${server.url}/v1` }))),
          Layer.provide(layerUndici),
          Layer.orDie
        )
        const data = yield* Simulation.simulate({
          agent,
          tools,
          execute: (tool: string, args: unknown) => (ran.push([tool, args]), "found"),
          systemPrompt: "You are an order desk agent.",
          simulator: false,
          faultRate: 0,
          budget: 1,
          maxTurns: 1
        })
        expect(ran).toEqual([["get_order", { id: "A1002" }]])
        expect(data.rows[0]?.malformed_tool_calls).toBe(2)
        const steps = (data.rows[0]?.steps ?? []).filter((step): step is CallStep => isCallStep(step))
        expect(steps.map(({ status, tool }) => [tool, status])).toEqual([
          ["delete_orders", "error"],
          ["", "error"],
          ["get_order", "ok"]
        ])
        const told = JSON.stringify(server.received[1]?.body)
        expect(told).toContain("hold 2 objects")
        expect(told).toContain("The call names no tool")
        expect(server.violations).toEqual([])
      })
    )
  }
})

/** Time of the test, a little at a time, so that what is under way keeps up with it. */
const passing = Effect.forever(
  Effect.zipRight(
    TestClock.adjust("20 millis"),
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  )
)

describe("a stream", () => {
  const said: FakeServer.Said = { text: "Here.", calls: [{ id: "c", name: "f", arguments: { x: 1 } }] }
  for (const { make, name } of protocols) {
    it.scoped(`${name}: that said how it ended is read though it stays open`, () =>
      Effect.gen(function* () {
        const whole = yield* FakeServer.make([said])
        const events = yield* Effect.promise(async () => {
          const path = name === "Messages" ? "messages" : name === "Responses" ? "responses" : "chat/completions"
          const body = JSON.stringify({
            stream: true,
            max_tokens: 1,
            messages: [{ role: "user", content: "Hi" }],
            input: [{}]
          })
          const text = await (await fetch(`${whole.url}/v1/${path}`, { method: "POST", body })).text()
          return text.replace("data: [DONE]\n\n", "").replace(/event: message_stop\ndata: .*\n\n/, "")
        })
        const headers: ReadonlyArray<Readonly<Record<string, string>>> = [
          {},
          { "content-type": "Text/Event-Stream; Charset=UTF-8" },
          { "content-type": "application/octet-stream" },
          { "content-type": "" }
        ]
        for (const header of headers) {
          const { model, server } = yield* behind(
            [{ raw: { headers: header, chunks: [events.slice(0, 60), events.slice(60)], open: true } }],
            { streaming: true },
            make
          )
          const before = yield* Clock.currentTimeMillis
          const completion = yield* Effect.raceFirst(model.complete(hi), passing)
          // Far less than the silence that a stream is given up for.
          expect((yield* Clock.currentTimeMillis) - before).toBeLessThan(30_000)
          expect(completion).toMatchObject({ text: "Here.", toolCalls: [{ id: "c", name: "f" }], finishReason: "tool" })
          expect(server.received).toHaveLength(1)
        }
      }).pipe(Effect.provide(layerUndici))
    )

    it.scoped(`${name}: the words of an error event are told, whatever their form`, () =>
      Effect.gen(function* () {
        for (const data of [
          '{"message":"The fan is on fire"}',
          '{"type":"error","error":{"type":"api_error","message":"The fan is on fire"}}',
          '{"error":{"message":"The fan is on fire"}}',
          '{"detail":"The fan is on fire"}',
          "The fan is on fire"
        ]) {
          const { model } = yield* behind(
            [{ raw: { chunks: [`event: error\ndata: ${data}\n\n`] } }],
            { streaming: true, retry: { attempts: 1 } },
            make
          )
          expect((yield* Effect.flip(model.complete(hi))).detail).toContain("The fan is on fire")
        }
      }).pipe(Effect.provide(layerUndici))
    )

    it.scoped(`${name}: JSON without a type is read as such where a stream was asked for`, () =>
      Effect.gen(function* () {
        const whole = yield* behind([said], {}, make)
        const { raw } = yield* whole.model.complete(hi)
        for (const type of ["", "text/event-stream", "text/plain"]) {
          const { model } = yield* behind(
            [{ raw: { headers: { "content-type": type }, json: raw } }],
            { streaming: true },
            make
          )
          expect((yield* model.complete(hi)).text).toBe("Here.")
        }
      }).pipe(Effect.provide(layerUndici))
    )
  }
})
