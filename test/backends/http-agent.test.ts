import { FetchHttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as HttpAgent from "@sandtable/backends/HttpAgent"
import { ScriptedUser } from "@sandtable/core/testing"
import { Chunk, Effect, Fiber, Redacted, TestClock, Tracer } from "effect"
import http from "node:http"
import type { AddressInfo } from "node:net"
import * as Kit from "../core/rollout/kit.ts"

const oneTurn = Kit.settings({ maxTurns: 1 })

interface Asked {
  readonly body: {
    readonly messages: ReadonlyArray<{ readonly content: string; readonly tool_call_id?: string }>
    readonly tools: ReadonlyArray<unknown>
    readonly rollout: { readonly rollout_index: number }
  }
  readonly headers: http.IncomingHttpHeaders
  /** Opens when the client goes away before it was answered. */
  readonly dropped: Effect.Effect<void>
}

type Answer = (
  asked: Asked,
  n: number
) => { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown } | null

/** An agent behind an address: what it was asked, and answers by a function; null never answers. */
const endpoint = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly asked: ReadonlyArray<Asked>; readonly server: http.Server }>(
      (resume) => {
        const asked: Array<Asked> = []
        const server = http.createServer((request, response) => {
          const parts: Array<Buffer> = []
          const gone = Effect.runSync(Effect.makeLatch())
          response.once("close", () => response.writableEnded || gone.unsafeOpen())
          request.on("data", (part: Buffer) => parts.push(part))
          request.on("end", () => {
            const body: Asked["body"] = JSON.parse(Buffer.concat(parts).toString())
            const n = asked.push({ body, headers: request.headers, dropped: gone.await })
            const given = answer(asked[n - 1] as Asked, n)
            if (given === null) return
            const text = typeof given.body === "string" ? given.body : JSON.stringify(given.body)
            const type = typeof given.body === "string" ? "text/plain" : "application/json"
            response.writeHead(given.status ?? 200, { "content-type": type, ...given.headers }).end(text)
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}/chat`, asked, server }))
        })
      }
    ),
    ({ server }) =>
      Effect.async<void>((done) => {
        server.closeAllConnections()
        server.close(() => done(Effect.void))
      })
  )

const play = (url: string, given: Parameters<typeof Kit.rollout>[0] = {}, options: Partial<HttpAgent.Options> = {}) =>
  Effect.flatMap(Effect.orDie(HttpAgent.make({ url, ...options })), (agent) =>
    agent.play(Kit.rollout({ settings: oneTurn, ...given }))
  ).pipe(Effect.provide(NodeHttpClient.layer))

/** Plays against an endpoint that always gives this body. */
const told = (body: unknown, given?: Parameters<typeof Kit.rollout>[0], type?: string) =>
  Effect.scoped(
    Effect.flatMap(
      endpoint(() => ({ body, ...(type !== undefined && { headers: { "content-type": type } }) })),
      ({ url }) => play(url, given)
    )
  )

describe("an agent behind an address", () => {
  it.live("is sent policy, thread, tools and rollout, and asked again with what the world answered", () =>
    Effect.gen(function* () {
      const call = { id: "c1", type: "function", function: { name: "get_order", arguments: '{"order_id":"A1001"}' } }
      const { asked, url } = yield* endpoint(({ body }) =>
        body.messages.length === 2
          ? { body: { choices: [{ message: { role: "assistant", content: null, tool_calls: [call] } }] } }
          : { body: { choices: [{ message: { content: "It has shipped." } }], usage: { prompt_tokens: 9 } } }
      )
      const trajectory = yield* play(url, { index: 2 }, { model: "mine" })
      expect(asked.map(({ body }) => body)).toMatchObject([
        {
          model: "mine",
          messages: [
            { role: "system", content: "Help with orders." },
            { role: "user", content: "Where is my order A1001?" }
          ],
          rollout: { id: "roll_2", task_id: "task_1", rollout_index: 2, eval_run: 0, seed: 7 }
        },
        {
          messages: [
            {},
            {},
            { role: "assistant", content: null, tool_calls: [call] },
            { role: "tool", tool_call_id: "c1", content: '{"id":"A1001","status":"shipped"}' }
          ]
        }
      ])
      expect(asked[0]?.body.tools[0]).toMatchObject({ type: "function", function: { name: "get_order" } })
      expect(trajectory.steps).toMatchObject([
        { user: "Where is my order A1001?" },
        { tool: "get_order", call_id: "c1", status: "ok", answered_by: "mock" },
        { text: "It has shipped." }
      ])
      expect(trajectory.usage).toMatchObject({ agent: { input: 9 } })
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["without content", { content: null, refusal: "I must not." }],
    ["with empty content", { content: "", refusal: "I must not." }]
  ] as const)("marks the words of a refusal, %s, as one", ([, message]) =>
    Effect.gen(function* () {
      const trajectory = yield* told({ choices: [{ message, finish_reason: "stop" }] })
      expect([trajectory.finalText, trajectory.finishReason]).toEqual(["I must not.", "content_filter"])
      const spoken = yield* told({ choices: [{ message: { ...message, content: "Here." }, finish_reason: "stop" }] })
      expect([spoken.finalText, spoken.finishReason]).toEqual(["Here.", "stop"])
    })
  )

  it.live("talks with the person until it says that a line is its last", () =>
    Effect.gen(function* () {
      const { url } = yield* endpoint(({ body }) =>
        body.messages.length === 2
          ? { body: "Which one do you mean?" }
          : { body: { text: `So: ${body.messages.at(-1)?.content}`, final: true } }
      )
      const settings = Kit.settings({ patience: "endless", maxTurns: 6 })
      const trajectory = yield* play(url, { settings }).pipe(Effect.provide(ScriptedUser.layer(["The blue one."])))
      expect([trajectory.finalText, trajectory.endedBy]).toEqual(["So: The blue one.", "agent_done"])
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["plain text", "Hello."],
    ["a JSON text", JSON.stringify("Hello.")],
    ["a message", { role: "assistant", content: "Hello." }],
    ["a text", { text: "Hello." }],
    ["text parts", { content: [{ type: "text", text: "Hello." }] }],
    ["a completion", { choices: [{ message: { content: "Hello." }, finish_reason: "stop" }] }],
    [
      "messages",
      {
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: "Hello." }
        ]
      }
    ],
    ["steps", { steps: [{ user: "x" }, { text: "Hello." }] }]
  ] as const)("may answer %s", ([, body]) =>
    Effect.gen(function* () {
      const trajectory = yield* told(body)
      expect(trajectory.steps).toMatchObject([{ user: "Where is my order A1001?" }, { text: "Hello." }])
      expect(trajectory.steps).toHaveLength(2)
    })
  )

  it.live("may answer all it did by itself, which no world of the run answered", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const messages = [
        { role: "system", content: "its own" },
        { role: "user", content: "Where is my order A1001?" },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [
            { id: "a", function: { name: "get_order", arguments: '{"order_id":"A1001"}' } },
            { id: "b", function: { name: "audit", arguments: "{}" } }
          ]
        },
        { role: "tool", tool_call_id: "b", content: '{"status":"not_found","error":"nothing"}' },
        { role: "tool", tool_call_id: "a", content: '{"status":"shipped"}' },
        { role: "assistant", content: "It has shipped." }
      ]
      const expected = [
        { user: "Where is my order A1001?" },
        { text: "Let me look." },
        {
          tool: "get_order",
          arguments: { order_id: "A1001" },
          result: { status: "shipped" },
          status: "ok",
          answered_by: "agent"
        },
        { tool: "audit", status: "not_found", answered_by: "agent" },
        { text: "It has shipped." }
      ]
      const whole = yield* told({ messages }, { world })
      expect(whole.steps).toMatchObject(expected)
      const steps = [
        { text: "Let me look." },
        { tool: "get_order", arguments: { order_id: "A1001" }, result: { status: "shipped" } },
        { tool: "audit", result: { status: "not_found" } }
      ]
      const stepwise = yield* told({ steps, final_text: "It has shipped." }, { world })
      expect(stepwise.steps).toMatchObject(expected)
      expect(world.reached).toEqual([])
    })
  )

  it.live("gets an answer to every odd call, and the world none of them", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const odd = [
        { name: "get_order", arguments: "{broken" },
        { name: "get_order", arguments: null },
        { name: "__proto__", arguments: "{}" },
        { arguments: "{}" },
        "nonsense"
      ].map((fn) => ({ id: "same", function: fn }))
      const { asked, url } = yield* endpoint((_, n) => ({ body: n === 1 ? { tool_calls: odd } : "Done." }))
      const trajectory = yield* play(url, { world })
      expect(trajectory.malformedToolCalls).toBe(5)
      expect(world.reached).toEqual([])
      const answered = asked[1]?.body.messages.slice(3)
      expect(answered).toHaveLength(5)
      expect(new Set(answered?.map((message) => message.tool_call_id)).size).toBe(5)
    }).pipe(Effect.scoped)
  )

  it.live("is two agents where two rollouts are played at once", () =>
    Effect.gen(function* () {
      const { url } = yield* endpoint(({ body }) => ({ body: `I am ${body.rollout.rollout_index}.` }))
      const texts = yield* Effect.forEach([0, 1, 2, 3], (index) => play(url, { index }), { concurrency: 4 })
      expect(texts.map(({ finalText }) => finalText)).toEqual(["I am 0.", "I am 1.", "I am 2.", "I am 3."])
    }).pipe(Effect.scoped)
  )
})

describe("an agent behind an address that goes wrong is a lost rollout", () => {
  it.live.each([
    ["a shape nobody knows", { answer: 42 }, "agent_error", 'it answered {"answer":42}; a text,'],
    ["a number", 42, "agent_error", "it answered 42"],
    ["an error under 200", { error: { message: "model not loaded" } }, "agent_error", "model not loaded"],
    ["no choices", { choices: [] }, "agent_error", "without choices"],
    ["a page", "<!doctype html><title>Sign in</title>", "agent_error", "a page of HTML"],
    ["nothing", "", "empty_reply", "empty"],
    ["messages without its own", { messages: [{ role: "user", content: "x" }] }, "agent_error", "no message of the"]
  ] as const)("when it answers %s", ([, body, reason, detail]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(told(body))
      expect(failure.reason).toBe(reason)
      expect(failure.detail).toContain(detail)
    })
  )

  it.live.each([
    ["half of its JSON", '{"text": "It has', "application/json", "it answered JSON that cannot be read"],
    ["null", "null", "application/json", "it answered null"],
    ["a stream", 'data: {"choices":[]}\n\n', "text/event-stream; charset=utf-8", "it answered a stream of events"]
  ] as const)("when it answers %s, which is nothing said to the person", ([, body, type, detail]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(told(body, {}, type))
      expect([failure.reason, failure.detail]).toEqual(["agent_error", expect.stringContaining(detail)])
    })
  )

  it.live("with the words of its error, and never with a key", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* endpoint(({ headers }) => ({
        status: 500,
        body: { detail: `KeyError at line 3, you sent ${headers.authorization} and ${headers["x-key"]}` }
      }))
      const headers = { authorization: Redacted.make("Bearer s3cr3t-token"), "x-key": "plain-k3y" }
      const failure = yield* Effect.flip(play(url, {}, { headers }))
      expect(failure.detail).toMatch(/\/chat answered 500: KeyError at line 3/)
      expect(failure.detail).not.toMatch(/s3cr3t-token|plain-k3y/)
      // A fault of the agent is not asked for again.
      expect(asked).toHaveLength(1)
      expect(asked[0]?.headers.authorization).toBe("Bearer s3cr3t-token")
    }).pipe(Effect.scoped)
  )

  it.live("and a key that it says again is in no reply either, wherever it was sent", () =>
    Effect.gen(function* () {
      const { url } = yield* endpoint(({ headers }) => ({
        body: {
          text: `I was sent ${headers.authorization} and k3y-in-the-address`,
          reasoning: `${headers.authorization}`
        }
      }))
      const headers = { authorization: Redacted.make("Bearer s3cr3t-token") }
      const trajectory = yield* play(`${url}?api_key=k3y-in-the-address`, {}, { headers })
      expect(trajectory.finalText).toBe("I was sent <redacted> and <redacted>")
      expect(JSON.stringify(trajectory)).not.toMatch(/s3cr3t-token|k3y-in/)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    [401, "auth", /answered 401/],
    [302, "agent_error", /points to https:\/\/elsewhere\.example\/; give that address/]
  ] as const)("with %d", ([status, reason, detail]) =>
    Effect.gen(function* () {
      const { asked, url } = yield* endpoint(() => ({
        status,
        body: "",
        headers: { location: "https://elsewhere.example/" }
      }))
      const failure = yield* Effect.flip(play(url))
      expect([failure.reason, failure.detail]).toEqual([reason, expect.stringMatching(detail)])
      expect(asked).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.live("with 302 also where the client would follow it, header and all", () =>
    Effect.gen(function* () {
      const elsewhere = yield* endpoint(() => ({ body: "Hello." }))
      const { url } = yield* endpoint(() => ({ status: 302, body: "", headers: { location: elsewhere.url } }))
      const agent = yield* HttpAgent.make({ url, headers: { "x-key": "s3cr3t" } })
      const failure = yield* Effect.flip(agent.play(Kit.rollout({ settings: oneTurn })))
      expect(failure.detail).toContain(`points to ${elsewhere.url}`)
      expect(elsewhere.asked).toHaveLength(0)
    }).pipe(Effect.provide(FetchHttpClient.layer), Effect.scoped)
  )

  it.live("when nobody is there", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(endpoint(() => null))
      const failure = yield* Effect.flip(play(url, {}, { attempts: 1 }))
      expect(failure.detail).toMatch(/nothing answered at .*\/chat \(ECONNREFUSED\)/)
    })
  )

  it.live("when it does not answer in time: the server sees the connection close", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* endpoint(() => null)
      const settings = { ...oneTurn, timeouts: { ...oneTurn.timeouts, agent: 0.2 } }
      const failure = yield* Effect.flip(play(url, { settings }))
      expect(failure.reason).toBe("timeout")
      yield* asked[0]?.dropped ?? Effect.die("nothing was asked")
    }).pipe(Effect.scoped)
  )

  it.live("when it is interrupted: the server sees the connection close", () =>
    Effect.gen(function* () {
      const reached = yield* Effect.makeLatch()
      const { asked, url } = yield* endpoint(() => (reached.unsafeOpen(), null))
      const fiber = yield* Effect.fork(play(url))
      yield* reached.await
      yield* Fiber.interrupt(fiber)
      yield* asked[0]?.dropped ?? Effect.die("nothing was asked")
    }).pipe(Effect.scoped)
  )
})

describe("an address that is busy", () => {
  it.effect("is asked again, when it said it would be there, and the waiting is not the agent's time", () =>
    Effect.gen(function* () {
      const limited = yield* Effect.makeLatch()
      const { asked, url } = yield* endpoint((_, n) => {
        if (n > 1) return { body: "Here." }
        limited.unsafeOpen()
        return { status: 429, body: "", headers: { "retry-after": "50" } }
      })
      const settings = { ...oneTurn, timeouts: { ...oneTurn.timeouts, agent: 10 } }
      const fiber = yield* Effect.fork(play(url, { settings }))
      yield* limited.await
      while (!Chunk.some(yield* TestClock.sleeps(), (at) => at >= 50_000)) yield* turn
      yield* TestClock.adjust("49 seconds")
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(fiber)).finalText).toBe("Here.")
    }).pipe(Effect.scoped)
  )

  it.effect("is given up after a few tries", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* endpoint(() => ({ status: 503, body: "warming up" }))
      const fiber = yield* Effect.fork(Effect.flip(play(url)))
      while (fiber.unsafePoll() === null) {
        yield* TestClock.adjust("1 seconds")
        yield* turn
      }
      expect((yield* Fiber.join(fiber)).detail).toMatch(/answered 503: warming up/)
      expect(asked).toHaveLength(3)
    }).pipe(Effect.scoped)
  )
})

/** Lets everything that is ready have its turn. */
const turn = Effect.async<void>((done) => void setImmediate(() => done(Effect.void)))

describe("an address that can never be posted to is refused", () => {
  it.effect.each(["not an address", "ftp://host/agent", "http://me:pa55word@host/agent"])("%s", (url) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(HttpAgent.make({ url }))
      expect(refused._tag).toBe("HttpAgentRefused")
      expect(refused.message).not.toContain("pa55word")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})

describe("spans", () => {
  it.live("tell nothing of what an address holds in its query", () =>
    Effect.gen(function* () {
      const { url } = yield* endpoint(() => ({ body: "It has shipped." }))
      const told: Array<unknown> = []
      const tracer = Tracer.make({
        context: (f) => f(),
        span: (name, parent, context, links, startTime, kind) => {
          told.push(name)
          return {
            _tag: "Span",
            spanId: "s",
            traceId: "t",
            name,
            parent,
            context,
            links,
            kind,
            sampled: true,
            status: { _tag: "Started", startTime },
            attributes: new Map(),
            attribute: (key, value) => void told.push([key, value]),
            event: (named, _, attributes) => void told.push([named, attributes]),
            addLinks: () => undefined,
            end: (_, exit) => void told.push(String(exit))
          }
        }
      })
      for (const client of [NodeHttpClient.layer, FetchHttpClient.layer]) {
        yield* Effect.flatMap(HttpAgent.make({ url: `${url}?key=sEcReT-one&x=sEcReT-two` }), (agent) =>
          agent.play(Kit.rollout({ settings: oneTurn }))
        ).pipe(Effect.withSpan("rollout"), Effect.provide(client), Effect.withTracer(tracer))
      }
      expect(told).toContain("rollout")
      expect(JSON.stringify(told)).not.toContain("sEcReT")
    }).pipe(Effect.scoped)
  )
})
