import { FileSystem, KeyValueStore } from "@effect/platform"
import * as PlatformError from "@effect/platform/Error"
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as Cache from "@sandtable/backends/Cache"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import type { Request, Service } from "@sandtable/core/ChatModel"
import { ChatModel, ModelFailed } from "@sandtable/core/ChatModel"
import * as ChatModels from "@sandtable/core/ChatModel"
import { CurrentRollout } from "@sandtable/core/CurrentRollout"
import * as Judge from "@sandtable/core/Judge"
import * as ModelWriter from "@sandtable/core/ModelWriter"
import * as Simulation from "@sandtable/core/Simulation"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { ScriptedChatModel } from "@sandtable/core/testing"
import { Effect, Layer, Option } from "effect"
import * as Kit from "../core/rollout/kit.ts"

const memory = Effect.provide(KeyValueStore.KeyValueStore, KeyValueStore.layerMemory)

const asked = (more: Partial<Request> = {}): Request => ({
  messages: [{ role: "user", content: "Hi" }],
  key: ["agent", "task_1", 0, 0, 0],
  ...more
})

const texts = (model: Service, requests: ReadonlyArray<Request>) =>
  Effect.forEach(requests, (request) => Effect.map(model.complete(request), ({ text }) => text))

describe("a cache", () => {
  it.effect("asks once for what was asked before, and gives all of the reply again", () =>
    Effect.gen(function* () {
      const whole = {
        text: "Hi.",
        reasoning: "hm",
        toolCalls: [{ id: "c", name: "get_order", arguments: '{"order_id":1}' }],
        usage: { input: 1, cached: null, output: 2, reasoning: null },
        sampling: { temperature: 1 },
        logprobs: { total: -1, tokens: 2 },
        providerState: { signed: true }
      }
      const model = ScriptedChatModel.make([whole])
      const cached = Cache.wrap(model, yield* memory)
      const [first, second] = yield* Effect.all([cached.complete(asked()), cached.complete(asked())])
      expect(second).toEqual(first)
      expect(second).toMatchObject(whole)
      expect(model.requests()).toHaveLength(1)
    })
  )

  const tool = { name: "t", description: "d", parameters: { type: "object" } }
  const different: ReadonlyArray<readonly [string, Request]> = [
    ["the rollout", asked({ key: ["agent", "task_1", 0, 1, 0] })],
    ["the eval run", asked({ key: ["agent", "task_1", 1, 0, 0] })],
    ["the turn", asked({ key: ["agent", "task_1", 0, 0, 1] })],
    ["the role", asked({ key: ["user", "task_1", 0, 0, 0] })],
    ["the thread", asked({ messages: [{ role: "user", content: "Hi!" }] })],
    ["the temperature", asked({ sampling: { temperature: 0 } })],
    ["the tools", asked({ tools: [tool] })],
    ["the words of a tool", asked({ tools: [{ ...tool, description: "e" }] })],
    ["the schema of the reply", asked({ responseSchema: { type: "object" } })],
    [
      "what the provider gets back",
      asked({ messages: [{ role: "assistant", content: "", providerState: { signed: 1 } }] })
    ]
  ]
  it.effect.each(different)("asks anew when %s is another", ([, request]) =>
    Effect.gen(function* () {
      const model = ScriptedChatModel.make((_request, n) => `reply ${n}`)
      const cached = Cache.wrap(model, yield* memory)
      expect(yield* texts(cached, [asked(), request, asked(), request])).toEqual([
        "reply 0",
        "reply 1",
        "reply 0",
        "reply 1"
      ])
    })
  )

  it.effect("keeps models apart, by name, endpoint, provider, own settings and salt", () =>
    Effect.gen(function* () {
      const store = yield* memory
      const base = ScriptedChatModel.make((_request, n) => `reply ${n}`)
      const identity = { name: "m", provider: "p", endpoint: "e", model: "m" }
      const models: ReadonlyArray<Service> = [
        { ...base, identity },
        { ...base, identity: { ...identity, model: "n" } },
        { ...base, identity: { ...identity, endpoint: "f" } },
        { ...base, identity: { ...identity, provider: "q" } },
        { ...base, identity, settings: { body: { reasoning_effort: "low" } } }
      ]
      const all = [
        ...models.map((model) => Cache.wrap(model, store)),
        Cache.wrap(models[0] as Service, store, { salt: "2" })
      ]
      for (const cached of all) yield* cached.complete(asked())
      expect(base.requests()).toHaveLength(6)
      // What a model is called on rows changes no reply.
      yield* Cache.wrap({ ...base, identity: { ...identity, name: "other" } }, store).complete(asked())
      expect(base.requests()).toHaveLength(6)
    })
  )

  it.effect("gives a call without a key that of its rollout, and outside of one keeps nothing", () =>
    Effect.gen(function* () {
      const model = ScriptedChatModel.make((_request, n) => `reply ${n}`)
      const cached = Cache.wrap(model, yield* memory)
      const bare: Request = { messages: [{ role: "user", content: "Hi" }] }
      expect(yield* texts(cached, [bare, bare])).toEqual(["reply 0", "reply 1"])
      const within = (index: number, evalRun: number) =>
        Effect.provideService(
          texts(cached, [bare, bare]),
          CurrentRollout,
          Option.some(Kit.rollout({ index, evalRun }).info)
        )
      expect(yield* within(0, 0)).toEqual(["reply 2", "reply 2"])
      expect(yield* within(1, 0)).toEqual(["reply 3", "reply 3"])
      expect(yield* within(1, 1)).toEqual(["reply 4", "reply 4"])
    })
  )

  it.effect("keeps no failure, and no reply that ended in an error", () =>
    Effect.gen(function* () {
      const model = ScriptedChatModel.make([
        new ModelFailed({ reason: "unavailable", model: "m", detail: "x" }),
        { text: "broken", finishReason: "error" },
        "Hi."
      ])
      const cached = Cache.wrap(model, yield* memory)
      yield* Effect.flip(cached.complete(asked()))
      expect(yield* texts(cached, [asked(), asked(), asked()])).toEqual(["broken", "Hi.", "Hi."])
    })
  )

  it.effect("costs no reply when its store fails, or holds half an entry", () =>
    Effect.gen(function* () {
      const full = new PlatformError.SystemError({
        reason: "Unknown",
        module: "KeyValueStore",
        method: "set",
        description: "disk full"
      })
      const failing = KeyValueStore.makeStringOnly({
        get: () => Effect.fail(full),
        set: () => Effect.fail(full),
        remove: () => Effect.void,
        clear: Effect.void,
        size: Effect.succeed(0)
      })
      const model = ScriptedChatModel.make(["Hi."])
      expect(yield* texts(Cache.wrap(model, failing), [asked(), asked()])).toEqual(["Hi.", "Hi."])
      const torn = KeyValueStore.makeStringOnly({ ...failing, get: () => Effect.succeedSome('{"text":"H') })
      expect(yield* texts(Cache.wrap(model, torn), [asked()])).toEqual(["Hi."])
    })
  )

  it.scoped("keeps files by default, for the next process", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const model = ScriptedChatModel.make((_request, n) => `reply ${n}`)
      const layer = Layer.provide(Cache.layerFiles(folder), ChatModels.layer(model))
      const ask = Effect.flatMap(ChatModel, (cached) => cached.complete(asked())).pipe(Effect.provide(layer))
      expect([(yield* ask).text, (yield* ask).text]).toEqual(["reply 0", "reply 0"])
    }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer]))
  )
})

describe("a run with every role behind a cache", () => {
  /** A model for every role: its words differ with every call, as a warm model's do. */
  const model = () => {
    let drafts = 0
    return ScriptedChatModel.make((request, n) => {
      const role = request.key?.[0]
      if (role === "judge") return '{"reward":1,"reason":"fine"}'
      if (role !== "writer")
        return { text: role === "user" ? `No, it is thing ${n}.` : `It is reply ${n}.`, toolCalls: [] }
      const ids = [...JSON.stringify(request.messages).matchAll(/msg-\d+/g)].map(([id]) => id)
      const messages = [...new Set(ids)].map((id) => ({
        id,
        message: `Please find me parcel number ${(drafts += 1)} today.`
      }))
      return JSON.stringify({ messages })
    })
  }

  const rehearsed = (inner: ScriptedChatModel.Scripted, store: KeyValueStore.KeyValueStore, runs = 2) => {
    const cached = Cache.wrap(inner, store)
    const over = <A, E, R>(layer: Layer.Layer<A, E, R | ChatModel>) => Layer.provide(layer, ChatModels.layer(cached))
    return Simulation.simulate({
      agent: over(AgentBackend.layerModel),
      userModel: over(UserSimulator.layerModel),
      simulator: over(ModelWriter.layer),
      grader: Judge.make({ model: cached, rubric: "Was it kind?" }),
      tools: [{ name: "find", description: "Find a parcel", parameters: { id: { type: "string" } } }],
      situations: 20,
      repeats: 3,
      repeatPolicy: "fixed",
      runs,
      maxTurns: 2,
      concurrency: 1,
      patience: "endless",
      budget: 60
    })
  }

  it.effect("asks for each repeat and each eval run anew, and for nothing when it is run again", () =>
    Effect.gen(function* () {
      const store = yield* memory
      const inner = model()
      const first = yield* rehearsed(inner, store)
      const said = first.rows.map((row) => row.final_text)
      expect(said.length).toBe(120)
      expect(new Set(said).size).toBe(120)
      const keys = inner.requests().map(({ key }) => JSON.stringify(key))
      // No two calls of a run share a key: none got the reply of another.
      expect(new Set(keys).size).toBe(keys.length)
      expect(new Set(inner.requests().map(({ key }) => key?.[0]))).toEqual(
        new Set(["writer", "agent", "user", "judge"])
      )
      const before = inner.requests().length
      const second = yield* rehearsed(inner, store)
      expect(second.rows.map((row) => row.final_text)).toEqual(said)
      expect(inner.requests().length).toBe(before)
    })
  )
})
