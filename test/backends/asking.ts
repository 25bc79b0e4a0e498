/**
 * What tests of model endpoints share: a backend per protocol against the scripted server, and notes of a call.
 */
import * as Anthropic from "@sandtable/backends/Anthropic"
import type { InvalidEndpoint, Options } from "@sandtable/backends/ModelEndpoint"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import * as OpenAiResponses from "@sandtable/backends/OpenAiResponses"
import type { Request, Service } from "@sandtable/core/ChatModel"
import { CallNotes } from "../../packages/core/src/model/ModelCall.ts"
import type { Usage } from "../../packages/core/src/model/Usage.ts"
import type { HttpClient } from "@effect/platform/HttpClient"
import { Clock, Effect, Queue, TestClock } from "effect"
import * as FakeServer from "./FakeServer.ts"

export type Make = (options: Options) => Effect.Effect<Service, InvalidEndpoint, HttpClient>

/** Every protocol, by name. */
export const protocols: ReadonlyArray<{ readonly name: string; readonly make: Make }> = [
  { name: "chat completions", make: OpenAiCompatible.make },
  { name: "Responses", make: OpenAiResponses.make },
  { name: "Messages", make: Anthropic.make }
]

/** Every protocol in both framings. */
export const wires = protocols.flatMap(({ make, name }) =>
  [false, true].map((streaming) => ({
    name: `${name}, ${streaming ? "streamed" : "whole"}`,
    make: (options: Options) => make({ ...options, streaming })
  }))
)

export const hi: Request = { messages: [{ role: "user", content: "Hi" }] }

/** A model behind a server with that script. */
export const behind = (script: FakeServer.Script, options: Partial<Options> = {}, make: Make = OpenAiCompatible.make) =>
  Effect.gen(function* () {
    const server = yield* FakeServer.make(script)
    const model = yield* make({ model: "m", baseUrl: `${server.url}/v1`, ...options })
    return { server, model }
  })

/** The messages of the n-th request. */
export const messagesOf = (
  server: FakeServer.FakeServer,
  n: number
): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  (server.received[n]?.body["messages"] ?? []) as ReadonlyArray<Readonly<Record<string, unknown>>>

/** What a call told while it went on; `waits` are its waits in milliseconds, passed as soon as they begin. */
export const noted = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const begun = yield* Queue.unbounded<number>()
    const waits: Array<number> = []
    const spent: Array<Usage> = []
    let sent = 0
    const notes = {
      sent: () => void (sent += 1),
      kept: () => undefined,
      waits: (until: number | null) => void (until === null || Queue.unsafeOffer(begun, until)),
      spent: (usage: Usage) => void spent.push(usage)
    }
    const passing = Effect.forever(
      Effect.gen(function* () {
        const until = yield* Queue.take(begun)
        const now = yield* Clock.currentTimeMillis
        waits.push(until - now)
        if (until > now) yield* TestClock.setTime(until)
      })
    )
    const exit = yield* Effect.raceFirst(Effect.exit(Effect.provideService(call, CallNotes, notes)), passing)
    return { exit, waits, spent, sent }
  })
