import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Anthropic from "@sandtable/backends/Anthropic"
import { layerUndici } from "@sandtable/backends/node"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import * as OpenAiResponses from "@sandtable/backends/OpenAiResponses"
import { CallNotes } from "../../packages/core/src/model/ModelCall.ts"
import type { Usage } from "../../packages/core/src/model/Usage.ts"
import { ChatModel, type Request } from "@sandtable/core/ChatModel"
import { describe, expect, it } from "@effect/vitest"
import {
  Cause,
  Config,
  ConfigProvider,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Queue,
  Redacted,
  Stream,
  TestClock,
  Tracer
} from "effect"
import { inspect } from "node:util"
import { behind, hi, noted, protocols, wires } from "./asking.ts"
import * as FakeServer from "./FakeServer.ts"
import * as Shapes from "./fake-shapes.ts"

const key = "sk-verysecret-0123456789abcdef"

/** A turn of the machine's own event loop: requests move on. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Lets the test's time pass until the call is over. */
const overTime = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.raceFirst(Effect.exit(call), Effect.forever(Effect.zipRight(TestClock.adjust("5 seconds"), turn)))

describe("a secret", () => {
  for (const { make, name } of protocols) {
    it.scoped(`${name}: that a server echoes appears in no error, cause, log or span`, () =>
      Effect.gen(function* () {
        const basic = Buffer.from(key).toString("base64")
        const said: Array<string> = []
        const echo = (request: FakeServer.Received): FakeServer.Reply =>
          FakeServer.refusal(
            401,
            `Incorrect key ${key} (${encodeURIComponent(key)}, ${basic}) at ${request.url} with ${JSON.stringify(request.headers)}`,
            { "x-echo": key }
          )
        const server = yield* FakeServer.make(echo)
        const model = yield* make({
          model: "m",
          baseUrl: `${server.url.replace("//", "//me:hunter22@")}/v1?api-version=1&key=query-secret-1`,
          apiKey: Redacted.make(key),
          headers: { "x-extra": Redacted.make("other-secret-1"), cookie: "session=abcd1234" }
        })
        const spans: Array<string> = []
        const tracer = Tracer.make({
          context: (f) => f(),
          span: (spanName, parent, context, links, startTime, kind) => {
            const span: Tracer.Span = {
              _tag: "Span",
              name: spanName,
              spanId: "1",
              traceId: "1",
              parent,
              context,
              links,
              kind,
              sampled: true,
              status: { _tag: "Started", startTime },
              attributes: new Map(),
              end: () => undefined,
              event: () => undefined,
              addLinks: () => undefined,
              attribute: (name, value) => void spans.push(`${name} ${String(value)}`)
            }
            spans.push(spanName)
            return span
          }
        })
        const exit = yield* Effect.exit(
          Effect.tapErrorCause(model.complete(hi), (cause) => Effect.logError("it failed", cause))
        ).pipe(
          Effect.provide(
            Logger.replace(
              Logger.defaultLogger,
              Logger.make((entry) => said.push(inspect(entry, { depth: 20, showHidden: true })))
            )
          ),
          Effect.withTracer(tracer)
        )
        expect(Exit.isFailure(exit)).toBe(true)
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        const all = [
          ...said,
          ...spans,
          String(error),
          inspect(error, { depth: 20, showHidden: true }),
          JSON.stringify(error),
          JSON.stringify(exit),
          JSON.stringify(model.identity),
          inspect(model, { depth: 20, showHidden: true }),
          Exit.isFailure(exit) ? Cause.pretty(exit.cause, { renderErrorCause: true }) : ""
        ].join("\n")
        for (const secret of [
          key,
          "verysecret",
          encodeURIComponent(key),
          basic,
          "hunter22",
          "query-secret-1",
          "other-secret-1",
          "abcd1234"
        ]) {
          expect(all.includes(secret), secret).toBe(false)
        }
        expect(String(error)).toContain("the key was refused")
        expect(model.identity.endpoint).toBe(`${server.url}/v1`)
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("leaves its mark in the error that held it", () =>
    Effect.gen(function* () {
      const script: FakeServer.Script = ({ headers }) => ({
        raw: { status: 401, json: { error: { message: `No such key: ${headers["authorization"]}, sorry.` } } }
      })
      const { model } = yield* behind(script, { apiKey: Redacted.make(key) })
      const failed = yield* Effect.flip(model.complete(hi))
      expect(failed.detail).toContain("No such key: Bearer <redacted>, sorry, at http")
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("is taken out of a reply however the reply spells it", () =>
    Effect.gen(function* () {
      const slashed = "sk/very/secret/0123456789"
      const spellings = [slashed, slashed.replaceAll("/", "\\/"), slashed.replace("sk", "\\u0073\\u006b")]
      for (const spelling of spellings) {
        const text = `{"choices":[{"message":{"content":"You sent ${spelling}."},"finish_reason":"stop"}]}`
        const { model } = yield* behind([{ raw: { text } }], { apiKey: Redacted.make(slashed) })
        const reply = yield* model.complete(hi)
        expect(reply.text).toBe("You sent <redacted>.")
        expect(JSON.stringify(reply.raw)).not.toContain("very")
      }
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("is not held back from the server it is for", () =>
    Effect.gen(function* () {
      const apiKey = Redacted.make(` ${key}\n`)
      const bearer = yield* behind([{ text: "ok" }], { apiKey })
      yield* bearer.model.complete(hi)
      expect(bearer.server.received[0]?.headers["authorization"]).toBe(`Bearer ${key}`)
      const azure = yield* behind([{ text: "ok" }], { apiKey, auth: "api-key", provider: "azure" })
      yield* azure.model.complete(hi)
      expect(azure.server.received[0]?.headers["api-key"]).toBe(key)
      expect(azure.server.received[0]?.headers["authorization"]).toBeUndefined()
      const anthropic = yield* behind([{ text: "ok" }], { apiKey }, Anthropic.make)
      yield* anthropic.model.complete(hi)
      expect(anthropic.server.received[0]?.headers).toMatchObject({
        "x-api-key": key,
        "anthropic-version": "2023-06-01"
      })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("keeps a query of the base URL, and takes a user from it", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([{ text: "ok" }])
      const model = yield* OpenAiCompatible.make({
        model: "m",
        baseUrl: `${server.url.replace("//", "//me:pw@")}/v1/?api-version=2`
      })
      yield* model.complete(hi)
      expect(server.received[0]?.url).toBe("/v1/chat/completions?api-version=2")
      expect(server.received[0]?.headers["authorization"]).toBe(`Basic ${btoa("me:pw")}`)
    }).pipe(Effect.provide(layerUndici))
  )
})

describe("a redirect", () => {
  const clients = [
    ["undici", layerUndici],
    ["fetch", FetchHttpClient.layer]
  ] as const
  for (const [name, client] of clients) {
    it.scoped(`${name}: within the host is followed, with method, body and key`, () =>
      Effect.gen(function* () {
        const { model, server } = yield* behind(
          ({ path }) =>
            path === "/v1/chat/completions"
              ? { raw: { status: 301, headers: { location: "/v2/chat/completions" } } }
              : { text: "ok" },
          { apiKey: Redacted.make(key) }
        )
        expect((yield* model.complete(hi)).text).toBe("ok")
        expect(server.received[1]?.headers["authorization"]).toContain(key)
        expect(server.received[1]?.body).toMatchObject({ model: "m" })
      }).pipe(Effect.provide(client))
    )

    it.scoped(`${name}: to another host gets neither key nor request, and says where it led`, () =>
      Effect.gen(function* () {
        const other = yield* FakeServer.make([{ text: "stolen" }])
        const { model, server } = yield* behind(
          [{ raw: { status: 307, headers: { location: `${other.url}/v1/chat/completions` } } }],
          { apiKey: Redacted.make(key) }
        )
        const failed = yield* Effect.flip(model.complete(hi))
        expect(failed.reason).toBe("bad_request")
        expect(failed.message).toContain(other.url)
        expect([server.received.length, other.received.length]).toEqual([1, 0])
      }).pipe(Effect.provide(client))
    )
  }

  it.scoped("in a circle ends", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([{ raw: { status: 308, headers: { location: "/v1/chat/completions" } } }])
      expect((yield* Effect.flip(model.complete(hi))).message).toContain("redirects without end")
      expect(server.received).toHaveLength(4)
    }).pipe(Effect.provide(layerUndici))
  )
})

describe("time", () => {
  for (const { make, name } of wires) {
    it.scoped(
      `${name}: a server that never answers is given up after a time that grows with the reply, and the request is aborted`,
      () =>
        Effect.gen(function* () {
          const { model, server } = yield* behind(
            () => new Promise<never>(() => undefined),
            { retry: { attempts: 1 } },
            make
          )
          const after = (maxTokens: number) =>
            Effect.flip(Effect.flatten(overTime(model.complete({ ...hi, sampling: { maxTokens } }))))
          expect((yield* after(100)).message).toContain("no whole reply within 65 s")
          expect((yield* after(2_000)).message).toContain("no whole reply within 160 s")
          yield* Effect.promise(() => server.abandoned(2))
          expect(server.received.every(({ aborted }) => aborted)).toBe(true)
        }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("an interrupted call aborts its request, and what its stream told of tokens is spent", () =>
    Effect.gen(function* () {
      const start = {
        type: "message_start",
        message: { content: [], usage: { input_tokens: 30, cache_read_input_tokens: 10, output_tokens: 1 } }
      }
      const { model, server } = yield* behind(
        [{ raw: { events: [start], open: true } }],
        { streaming: true },
        Anthropic.make
      )
      const spent: Array<Usage> = []
      const silent = () => undefined
      const notes = { sent: silent, waits: silent, kept: silent, spent: (usage: Usage) => void spent.push(usage) }
      const call = yield* Effect.fork(Effect.provideService(model.complete(hi), CallNotes, notes))
      yield* Effect.promise(() => server.reached(1))
      yield* Effect.repeatN(turn, 50)
      yield* Fiber.interrupt(call)
      yield* Effect.promise(() => server.abandoned(1))
      expect(spent).toEqual([{ input: 40, cached: 10, output: 1, reasoning: null }])
      expect(server.received[0]?.aborted).toBe(true)
    }).pipe(Effect.provide(layerUndici))
  )

  for (const { make, name } of protocols) {
    it.scoped(`${name}: a stream that only keeps its connection open is silent`, () =>
      Effect.gen(function* () {
        const pings = Array.from({ length: 2_000 }, () =>
          name === "Messages" ? Shapes.frame({ type: "ping" }) : ": still here\n\n"
        )
        const { model } = yield* behind(
          [{ raw: { chunks: pings, open: true } }],
          { streaming: true, retry: { attempts: 1 } },
          make
        )
        const failed = yield* Effect.flip(Effect.flatten(overTime(model.complete(hi))))
        expect(failed.message).toContain("the stream was silent for 60 s")
      }).pipe(Effect.provide(layerUndici))
    )
  }

  /** A client whose one response is what is put into a queue. */
  const fed = Effect.gen(function* () {
    const queue = yield* Queue.unbounded<string>()
    const client = HttpClient.make((request) => {
      const reader = Stream.fromQueue(queue).pipe(Stream.encodeText)
      const body = Stream.toReadableStream(reader)
      return Effect.succeed(
        HttpClientResponse.fromWeb(request, new Response(body, { headers: { "content-type": "text/event-stream" } }))
      )
    })
    const model = yield* Effect.provideService(
      OpenAiCompatible.make({ model: "m", streaming: true, retry: { attempts: 1 } }),
      HttpClient.HttpClient,
      client
    )
    const write = (text: string) => Effect.zipRight(Queue.offer(queue, text), Effect.repeatN(turn, 5))
    const say = (...events: ReadonlyArray<unknown>) => write(events.map(Shapes.frame).join(""))
    return { model, say, write }
  })
  const delta = (content: string, finish: string | null = null) => ({
    choices: [{ delta: { content }, finish_reason: finish }]
  })

  for (const [what, still] of [
    ["comments", ": still here\n\n"],
    ["empty events", "event: keepalive\n\n"]
  ] as const) {
    it.scoped(`${what} over time keep no stream alive`, () =>
      Effect.gen(function* () {
        const { model, write } = yield* fed
        const call = yield* Effect.fork(Effect.flip(model.complete(hi)))
        for (let i = 0; i < 4; i++) {
          yield* write(still)
          yield* TestClock.adjust("20 seconds")
        }
        expect((yield* Fiber.join(call)).message).toContain("the stream was silent for 60 s")
      })
    )
  }

  it.scoped("data keeps a slow stream alive", () =>
    Effect.gen(function* () {
      const { model, say } = yield* fed
      const call = yield* Effect.fork(model.complete(hi))
      for (const word of ["a", "b", "c"]) {
        yield* say(delta(word))
        yield* TestClock.adjust("50 seconds")
      }
      yield* say(delta("d", "stop"), "[DONE]")
      yield* TestClock.adjust("2 seconds")
      expect((yield* Fiber.join(call)).text).toBe("abcd")
    })
  )

  it.scoped("a stream that stays open after its end is over all the same", () =>
    Effect.gen(function* () {
      const { model, say } = yield* fed
      const call = yield* Effect.fork(model.complete(hi))
      yield* say(delta("Hi", "stop"), "[DONE]")
      yield* TestClock.adjust("2 seconds")
      expect((yield* Fiber.join(call)).text).toBe("Hi")
    })
  )
})

describe("a parameter that a server refuses", () => {
  const legacy = {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type: "invalid_request_error",
    param: "max_tokens",
    code: "unsupported_parameter"
  }
  const picky =
    (...refused: ReadonlyArray<readonly [string, Record<string, unknown>]>) =>
    ({ body }: FakeServer.Received): FakeServer.Reply => {
      const found = refused.find(([name]) => body[name] !== undefined)
      return found === undefined ? { text: "ok" } : FakeServer.refusal(400, found[1])
    }
  const asked: Request = { ...hi, sampling: { temperature: 0.2, maxTokens: 50, logprobs: true } }

  it.scoped("is left out or renamed once, remembered, and noted", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind(
        picky(
          ["max_tokens", legacy],
          [
            "temperature",
            {
              message:
                "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
              param: "temperature",
              code: "unsupported_value"
            }
          ],
          ["logprobs", { message: "You are not allowed to request logprobs from this model" }],
          ["seed", { message: "Extra inputs are not permitted: seed" }]
        ),
        { sampling: { seed: 3 } }
      )
      const first = yield* model.complete(asked)
      expect(server.received).toHaveLength(5)
      const second = yield* model.complete(asked)
      expect(server.received).toHaveLength(6)
      expect(server.received[5]?.body).toEqual({ model: "m", messages: hi.messages, max_completion_tokens: 50 })
      for (const { sampling } of [first, second]) {
        expect(sampling).toMatchObject({ temperature: null, max_tokens: 50 })
        expect(sampling["adapted"]).toEqual({
          max_tokens: "sent as max_completion_tokens: the server refused it",
          temperature: "left out: the server refused it",
          logprobs: "left out: the server refused it",
          seed: "left out: the server refused it"
        })
      }
    }).pipe(Effect.provide(layerUndici))
  )

  const bodies: ReadonlyArray<readonly [string, string, FakeServer.Reply]> = [
    [
      "by a framework",
      "seed",
      {
        raw: {
          status: 422,
          json: { detail: [{ type: "extra_forbidden", loc: ["body", "seed"], msg: "Extra inputs are not permitted" }] }
        }
      }
    ],
    [
      "by Mistral",
      "seed",
      {
        raw: {
          status: 422,
          json: {
            object: "error",
            message: {
              detail: [{ type: "extra_forbidden", loc: ["body", "seed"], msg: "Extra inputs are not permitted" }]
            }
          }
        }
      }
    ],
    ["in plain text", "seed", { raw: { status: 400, json: { error: "unknown field: seed" } } }]
  ]
  for (const [how, name, reply] of bodies) {
    it.scoped(`is understood when it is told ${how}`, () =>
      Effect.gen(function* () {
        const { model } = yield* behind(({ body }) => (body[name] === undefined ? { text: "ok" } : reply), {
          sampling: { seed: 3 }
        })
        expect((yield* model.complete(hi)).text).toBe("ok")
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("costs no more than one refusal per call under way", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind(picky(["max_tokens", legacy]))
      yield* Effect.all(
        Array.from({ length: 20 }, () => model.complete(asked)),
        { concurrency: 5 }
      )
      expect(server.received.filter(({ body }) => body["max_tokens"] !== undefined).length).toBeLessThanOrEqual(5)
      expect(server.received.filter(({ body }) => body["max_completion_tokens"] !== undefined)).toHaveLength(20)
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("under both names is left out", () =>
    Effect.gen(function* () {
      const { model } = yield* behind(
        picky(
          ["max_tokens", legacy],
          ["max_completion_tokens", { message: "Unrecognized request argument supplied: max_completion_tokens" }]
        )
      )
      const { sampling } = yield* model.complete(asked)
      expect(sampling).toMatchObject({ max_tokens: null, adapted: { max_tokens: "left out: the server refused it" } })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("a schema for replies that a server cannot keep gives way to any JSON, and that to the words alone", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind(
        picky([
          "response_format",
          { message: "This model does not support response format `json_schema`", param: "response_format" }
        ])
      )
      const schema = {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        additionalProperties: false
      }
      yield* model.complete({ ...hi, responseSchema: schema })
      expect(server.received[0]?.body["response_format"]).toEqual({
        type: "json_schema",
        json_schema: { name: "reply", schema, strict: true }
      })
      expect(server.received[1]?.body["response_format"]).toEqual({ type: "json_object" })
      expect(server.received[2]?.body["response_format"]).toBeUndefined()
    }).pipe(Effect.provide(layerUndici))
  )

  const schema = { type: "object", properties: { a: { type: "string" } } }
  const formOf = ({ body }: FakeServer.Received): string =>
    String((body["response_format"] as { readonly type?: string } | undefined)?.type ?? "none")
  /** Refuses forms of reply as some servers do, and answers any other. */
  const unformed =
    (refused: ReadonlyArray<string>, refusal: FakeServer.Reply): FakeServer.Script =>
    (request) =>
      refused.includes(formOf(request)) ? refusal : { text: '{"a":"b"}' }
  const llamaCpp = "JSON schema conversion failed: Unrecognized schema: {}"

  it.scoped.each([
    ["500 in words", 500, { code: 500, message: llamaCpp, type: "server_error" }, 0],
    ["500 about a grammar", 500, { message: "failed to parse grammar" }, 0],
    ["500 without a word", 500, { message: "Internal Server Error" }, 1],
    ["501", 501, { message: "not here" }, 1],
    ["400 in words", 400, { message: "'response_format.type' must be one of 'text' or 'json_object'" }, 0],
    ["400 without a word", 400, { message: "Bad Request" }, 0],
    ["422", 422, { message: "Input should be 'text' or 'json_object'", param: "response_format.type" }, 0]
  ] as const)("a schema that is refused by %s is asked for plainly, once for all calls", ([, status, error, more]) =>
    Effect.gen(function* () {
      for (const [refused, forms] of [
        [["json_schema"], ["json_schema", "json_object"]],
        [
          ["json_schema", "json_object"],
          ["json_schema", "json_object", "none"]
        ]
      ] as const) {
        const { model, server } = yield* behind(unformed(refused, FakeServer.refusal(status, error)))
        const { exit } = yield* noted(model.complete({ ...hi, responseSchema: schema }))
        expect(exit).toMatchObject({ _tag: "Success", value: { text: '{"a":"b"}' } })
        const repeated = Array.from({ length: more }, () => "json_schema")
        expect(server.received.map(formOf)).toEqual([...repeated, ...forms])
        const again = yield* model.complete({ ...hi, responseSchema: schema })
        expect(formOf(server.received.at(-1) as FakeServer.Received)).toBe(forms.at(-1))
        expect(server.received).toHaveLength(more + forms.length + 1)
        expect(again.sampling).toMatchObject({ adapted: { response_format: expect.any(String) } })
        expect((yield* model.complete(hi)).text).toBe('{"a":"b"}')
      }
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("what fails in every form has nothing to do with it: the schema is asked for again", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind(({ n }) =>
        n < 5 ? FakeServer.refusal(500, { message: "Internal Server Error" }) : { text: '{"a":"b"}' }
      )
      const { exit } = yield* noted(model.complete({ ...hi, responseSchema: schema }))
      expect(exit._tag).toBe("Success")
      yield* model.complete({ ...hi, responseSchema: schema })
      expect(server.received.map(formOf)).toEqual([
        "json_schema",
        "json_schema",
        "json_object",
        "none",
        "json_schema",
        "json_schema",
        "json_schema"
      ])
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped.each([
    ["a page", { raw: { headers: { "content-type": "text/html" }, text: "<!doctype html><title>Sign in</title>" } }, 1],
    ["half an answer", { raw: { text: '{"choices":[{"message":{"content":"Hel' } }, 2]
  ] as const)("%s is no model's answer, and is not asked for for ever", ([, reply, sent]) =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([reply])
      const { exit } = yield* noted(model.complete(hi))
      expect(exit._tag).toBe("Failure")
      expect(JSON.stringify(exit)).toContain("Check that the address is a model server's")
      expect(server.received).toHaveLength(sent)
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("a value out of range is the caller's to mend", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([
        FakeServer.refusal(400, { message: "temperature: range: 0..1", param: "temperature" })
      ])
      const failed = yield* Effect.flip(model.complete(asked))
      expect(failed.reason).toBe("bad_request")
      expect(failed.message).toContain("range: 0..1")
      expect(server.received).toHaveLength(1)
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("what an API has not is noted, or refused before the first call", () =>
    Effect.gen(function* () {
      const { model } = yield* behind([{ text: "ok" }], {}, Anthropic.make)
      expect((yield* model.complete({ ...hi, sampling: { logprobs: true } })).sampling["adapted"]).toEqual({
        logprobs: "left out: the API has none"
      })
      for (const [make, sampling] of [
        [Anthropic.make, { seed: 1 }],
        [OpenAiResponses.make, { stop: ["x"] }]
      ] as const) {
        const invalid = yield* Effect.flip(make({ model: "m", sampling }))
        expect(invalid.message).toMatch(/`sampling.(seed|stop)` is nothing this API takes/)
      }
    }).pipe(Effect.provide(layerUndici))
  )
})

describe("an endpoint", () => {
  const wrong: ReadonlyArray<readonly [string, Partial<Parameters<typeof OpenAiCompatible.make>[0]>, RegExp]> = [
    ["model", { model: " " }, /names no model/],
    ["baseUrl", { baseUrl: "localhost:8000" }, /no http or https address/],
    ["baseUrl", { baseUrl: "ftp://x" }, /no http or https address/],
    ["apiKey", { apiKey: Redacted.make(" ") }, /is empty/],
    ["apiKey", { apiKey: Redacted.make("sk-a b") }, /characters that no key has/],
    ["headers", { headers: { "x y": "1" } }, /no request can carry/],
    ["headers", { headers: { x: "1\r\ny: 2" } }, /no request can carry/],
    ["retry.attempts", { retry: { attempts: 0 } }, /whole number from 1/],
    ["timeouts.idle", { timeouts: { idle: Number.NaN } }, /number from/],
    ["contextSize", { contextSize: 1.5 }, /whole number/]
  ]
  for (const [option, options, problem] of wrong) {
    it.effect(`is refused for its ${option} ${JSON.stringify(options)}`, () =>
      Effect.gen(function* () {
        const invalid = yield* Effect.flip(OpenAiCompatible.make({ model: "m", ...options }))
        expect(invalid).toMatchObject({ _tag: "InvalidEndpoint", option })
        expect(invalid.message).toMatch(problem)
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.effect("tells who it is", () =>
    Effect.gen(function* () {
      const model = yield* OpenAiCompatible.make({
        model: "m",
        baseUrl: "http://h:1/v1/chat/completions",
        provider: "vllm",
        contextSize: 8192
      })
      expect(model.identity).toEqual({
        name: "m",
        provider: "vllm",
        endpoint: "http://h:1/v1",
        model: "m"
      })
      expect(model.contextSize).toBe(8192)
      const plain = yield* OpenAiCompatible.make({ model: "gpt" })
      expect(plain.identity).toEqual({
        name: "gpt",
        provider: "openai",
        endpoint: "https://api.openai.com/v1",
        model: "gpt"
      })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("is a layer, with options from the configuration too", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([{ text: "ok" }])
      const layer = OpenAiCompatible.layerConfig({
        model: Config.string("MODEL"),
        baseUrl: Config.string("URL"),
        apiKey: Config.redacted("KEY"),
        streaming: false
      })
      const config = ConfigProvider.fromMap(
        new Map([
          ["MODEL", "m"],
          ["URL", `${server.url}/v1`],
          ["KEY", key]
        ])
      )
      const completion = yield* Effect.flatMap(ChatModel, (model) => model.complete(hi)).pipe(
        Effect.provide(layer.pipe(Layer.provide(layerUndici), Layer.provide(Layer.setConfigProvider(config))))
      )
      expect(completion.text).toBe("ok")
      expect(server.received[0]?.headers["authorization"]).toBe(`Bearer ${key}`)
    })
  )
})
