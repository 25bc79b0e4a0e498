import { layerUndici } from "@sandtable/backends/node"
import * as Retry from "@sandtable/backends/Retry"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc } from "effect"
import * as Deadline from "../../packages/core/src/time/Deadline.ts"
import { behind, hi, noted, protocols } from "./asking.ts"
import * as FakeServer from "./FakeServer.ts"
import { Cause, Option } from "effect"
import type { ModelFailed } from "@sandtable/core/ChatModel"

const reasonOf = (exit: Exit.Exit<unknown, ModelFailed>): string =>
  Exit.isSuccess(exit)
    ? "ok"
    : Option.match(Cause.failureOption(exit.cause), { onNone: () => "died", onSome: ({ reason }) => reason })

const ok: FakeServer.Reply = { text: "ok", usage: { input: 1, output: 1 } }

/** What servers answer, what it means, and whether it is asked again. */
const answers: ReadonlyArray<readonly [string, FakeServer.Reply, "again" | ModelFailed["reason"]]> = [
  ["a limit", FakeServer.refusal(429, { message: "slow down", code: "rate_limit_exceeded" }), "again"],
  ["a timeout of the server's", FakeServer.refusal(408, "timeout"), "again"],
  ["a conflict", FakeServer.refusal(409, "conflict"), "again"],
  ["an internal error", FakeServer.refusal(500, "oops"), "again"],
  [
    "a bad gateway in HTML",
    { raw: { status: 502, text: "<html><body><h1>502 Bad Gateway</h1></body></html>" } },
    "again"
  ],
  ["an overloaded server", FakeServer.refusal(529, { type: "overloaded_error", message: "Overloaded" }), "again"],
  ["a reset", { raw: { chunks: [], reset: true } }, "again"],
  [
    "half a body",
    { raw: { json: {}, text: '{"choices":[{"mess', headers: { "content-length": "4000" }, reset: true } },
    "again"
  ],
  ["an empty body", { raw: { text: "" } }, "again"],
  [
    "200 with a limit in the body",
    { raw: { json: { error: { code: 429, message: "Rate limited upstream" } } } },
    "again"
  ],
  ["200 with an error in the body", { raw: { json: { error: { type: "server_error", message: "boom" } } } }, "again"],
  ["a refused key", FakeServer.refusal(401, { code: "invalid_api_key", message: "Incorrect API key" }), "auth"],
  ["a forbidden model", FakeServer.refusal(403, "no access to this model"), "auth"],
  ["a model that is not there", FakeServer.refusal(404, "The model `m` does not exist"), "bad_request"],
  ["a broken request", FakeServer.refusal(400, "messages: unexpected role"), "bad_request"],
  [
    "a spent quota",
    FakeServer.refusal(429, {
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your current quota"
    }),
    "quota"
  ],
  ["no credit", FakeServer.refusal(402, "Insufficient Balance"), "quota"],
  ["no credit at Anthropic", FakeServer.refusal(400, "Your credit balance is too low to access the API"), "quota"],
  [
    "200 with a spent quota",
    { raw: { json: { error: { code: "insufficient_quota", message: "none left" } } } },
    "quota"
  ],
  [
    "a long thread",
    FakeServer.refusal(400, { code: "context_length_exceeded", message: "maximum context length is 8192 tokens" }),
    "context"
  ],
  [
    "a long thread at Anthropic",
    FakeServer.refusal(400, "prompt is too long: 210000 tokens > 200000 maximum"),
    "context"
  ],
  [
    "a long thread at llama.cpp",
    FakeServer.refusal(400, {
      type: "exceed_context_size_error",
      message: "the request exceeds the available context size"
    }),
    "context"
  ],
  [
    "a filtered prompt",
    FakeServer.refusal(400, { code: "content_filter", message: "triggering content management policy" }),
    "content_filter"
  ],
  [
    "a moderated prompt",
    FakeServer.refusal(403, { code: 403, message: "Your input was flagged", metadata: { reasons: ["violence"] } }),
    "content_filter"
  ]
]

describe("what is asked again", () => {
  for (const [what, reply, means] of answers) {
    it.scoped(`${what}: ${means}`, () =>
      Effect.gen(function* () {
        const { model, server } = yield* behind([reply, ok])
        const { exit } = yield* noted(model.complete(hi))
        expect(reasonOf(exit)).toBe(means === "again" ? "ok" : means)
        expect(server.received).toHaveLength(means === "again" ? 2 : 1)
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("a server that is not there is told by its cause, after the tries it got", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([ok], { retry: { attempts: 3 } })
      yield* Effect.promise(() => server.close())
      const { exit, sent, waits } = yield* noted(model.complete(hi))
      expect(reasonOf(exit)).toBe("unavailable")
      expect(String(exit)).toContain("ECONNREFUSED")
      expect(String(exit)).toContain(`at ${server.url}/v1/chat/completions after 3 tries. Is the server running`)
      expect([sent, waits.length]).toEqual([3, 2])
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped.each([
    [404, "there is no such model or endpoint"],
    [405, "there is no such model or endpoint"],
    [200, "the answer is no completion"]
  ] as const)("an address that is no model's (%d) is told, with what to look at", ([status, what]) =>
    Effect.gen(function* () {
      const page = { status, headers: { "content-type": "text/html" }, text: "<html><b>Welcome</b></html>" }
      const { model, server } = yield* behind([{ raw: page }], { retry: { attempts: 1 } })
      const exit = yield* Effect.exit(model.complete(hi))
      expect(String(exit)).toContain(
        `${what} (${status}): Welcome, at ${server.url}/v1/chat/completions. Check that the address is a model server's`.replace(
          "Check",
          status === 200 ? "Check" : "Check the model's name, and"
        )
      )
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("a server that speaks no TLS is asked once, and told by what to change", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([ok])
      const { make } = protocols[0] as (typeof protocols)[number]
      const model = yield* make({ model: "m", baseUrl: `${server.url.replace("http:", "https:")}/v1` })
      const { exit, sent } = yield* noted(model.complete(hi))
      expect([reasonOf(exit), sent]).toEqual(["unavailable", 1])
      expect(String(exit)).toContain("Check whether the address should begin with http:// instead of https://")
    }).pipe(Effect.provide(layerUndici))
  )

  for (const { make, name } of protocols) {
    it.scoped(`${name}: errors in the middle of a stream are asked again`, () =>
      Effect.gen(function* () {
        const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
        const { model, server } = yield* behind([{ raw: { events: [overloaded] } }, ok], { streaming: true }, make)
        const { exit } = yield* noted(model.complete(hi))
        expect(reasonOf(exit)).toBe("ok")
        expect(server.received).toHaveLength(2)
      }).pipe(Effect.provide(layerUndici))
    )
  }
})

describe("hints", () => {
  const limited = (headers: Record<string, string>, body: unknown = { message: "slow down" }): FakeServer.Reply => ({
    raw: { status: 429, headers, json: { error: body } }
  })
  const waitOf = (reply: FakeServer.Reply) =>
    Effect.gen(function* () {
      const { model } = yield* behind([reply, ok])
      const { exit, waits } = yield* noted(model.complete(hi))
      expect(reasonOf(exit)).toBe("ok")
      return (waits[0] ?? 0) / 1000
    }).pipe(Effect.provide(layerUndici))

  const honoured: ReadonlyArray<readonly [string, FakeServer.Reply, number]> = [
    ["seconds", limited({ "retry-after": "7" }), 7],
    ["milliseconds", limited({ "retry-after-ms": "2500" }), 2.5],
    ["a date", limited({ "retry-after": new Date(20_000).toUTCString() }), 20],
    ["words", limited({}, { message: "Rate limit reached. Please try again in 7.66s." }), 7.66],
    ["words of minutes", limited({}, { message: "Please try again in 0m12.5s" }), 12.5],
    ["words of Azure", limited({}, { message: "Please retry after 26 seconds." }), 26],
    [
      "Google's RetryInfo",
      {
        raw: {
          status: 429,
          json: [{ error: { code: 429, message: "Quota exceeded", details: [{ retryDelay: "17s" }] } }]
        }
      },
      17
    ],
    ["a field", limited({}, { message: "wait", retry_after: 3 }), 3],
    [
      "a reset of a limit that is used up",
      limited({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "4s" }),
      4
    ]
  ]
  for (const [what, reply, seconds] of honoured) {
    it.scoped(`as ${what} are honoured`, () =>
      Effect.gen(function* () {
        const wait = yield* waitOf(reply)
        expect(wait).toBeGreaterThanOrEqual(seconds)
        expect(wait).toBeLessThan(seconds * 1.11)
      })
    )
  }

  const insane: ReadonlyArray<readonly [string, FakeServer.Reply]> = [
    ["0", limited({ "retry-after": "0" })],
    ["the past", limited({ "retry-after": "Wed, 01 Jan 1969 00:00:00 GMT" })],
    ["a negative number", limited({ "retry-after": "-5" })],
    ["nonsense", limited({ "retry-after": "soon" })]
  ]
  for (const [what, reply] of insane) {
    it.scoped(`of ${what} still back off`, () =>
      Effect.gen(function* () {
        const wait = yield* waitOf(reply)
        expect(wait).toBeGreaterThanOrEqual(Retry.defaults.base / 2)
        expect(wait).toBeLessThanOrEqual(Retry.defaults.base)
      })
    )
  }

  it.scoped("of hours wait no longer than the cap", () =>
    Effect.map(waitOf(limited({ "retry-after": "19288" })), (wait) => expect(wait).toBe(Retry.defaults.cap))
  )

  it.prop(
    "any hint waits at least the backoff and at most the cap",
    [
      fc.oneof(fc.constant(null), fc.double({ noNaN: true })),
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 0.999, noNaN: true })
    ],
    ([hint, failures, draw]) => {
      const millis = Retry.delay(Retry.defaults, failures, hint, draw)
      expect(millis).toBeGreaterThanOrEqual((Retry.defaults.base * 1000) / 2)
      expect(millis).toBeLessThanOrEqual(Retry.defaults.cap * 1000)
    }
  )
})

describe("waiting", () => {
  it.scoped("doubles with each failure, differs between calls and is the same for the same seed", () =>
    Effect.gen(function* () {
      const waitsOf = (rollout: number) =>
        Effect.gen(function* () {
          const { model } = yield* behind([FakeServer.refusal(503, "busy")])
          const { exit, waits } = yield* noted(model.complete({ ...hi, key: ["agent", "t", 0, rollout, 0] }))
          expect(reasonOf(exit)).toBe("unavailable")
          return waits
        })
      const [first, again, other] = [yield* waitsOf(0), yield* waitsOf(0), yield* waitsOf(1)]
      expect(first).toEqual(again)
      expect(first).not.toEqual(other)
      expect(first).toHaveLength(Retry.defaults.attempts - 1)
      for (const [i, wait] of first.entries()) {
        const most = Retry.defaults.base * 1000 * [1, 2, 4, 8, 16][i]!
        expect(wait).toBeGreaterThanOrEqual(most / 2)
        expect(wait).toBeLessThanOrEqual(most)
      }
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("is not charged to the limit of whoever asks", () =>
    Effect.gen(function* () {
      const { model } = yield* behind([FakeServer.refusal(429, "slow down", { "retry-after": "50" }), ok])
      const { exit, waits } = yield* noted(Deadline.within(model.complete(hi), 10))
      expect(Exit.isSuccess(exit)).toBe(true)
      expect(waits[0]).toBeGreaterThanOrEqual(50_000)
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("tokens of tries in vain are told apart from those of the reply", () =>
    Effect.gen(function* () {
      const { model } = yield* behind([
        { raw: { json: { choices: [], usage: { prompt_tokens: 40, completion_tokens: 2 } } } },
        { text: "ok", usage: { input: 40, output: 3 } }
      ])
      const { exit, sent, spent } = yield* noted(model.complete(hi))
      expect(Exit.isSuccess(exit) && exit.value.usage).toMatchObject({ input: 40, output: 3 })
      expect(spent).toMatchObject([{ input: 40, output: 2 }])
      expect(sent).toBe(2)
    }).pipe(Effect.provide(layerUndici))
  )
})
