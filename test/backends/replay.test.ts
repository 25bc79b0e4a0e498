import { NodeFileSystem } from "@effect/platform-node"
import { FileSystem } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as Replay from "@sandtable/backends/Replay"
import { ChatModel, ModelFailed } from "@sandtable/core/ChatModel"
import type { Request } from "@sandtable/core/ChatModel"
import * as ChatModels from "@sandtable/core/ChatModel"
import * as Conversation from "@sandtable/core/Conversation"
import { ScriptedChatModel } from "@sandtable/core/testing"
import { Effect, Layer, type Scope } from "effect"
import * as Kit from "../core/rollout/kit.ts"

const fresh = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return `${yield* fs.makeTempDirectoryScoped()}/completions.jsonl`
})

const written = (...lines: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const path = yield* fresh
    const fs = yield* FileSystem.FileSystem
    yield* fs.writeFileString(
      path,
      lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")
    )
    return path
  })

const asked = (content: string, more: Partial<Request> = {}): Request => ({
  messages: [{ role: "user", content }],
  ...more
})

const user = (content: string) => ({ messages: [{ role: "user", content }] })

const scoped = <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

describe("recorded completions", () => {
  it.effect("play a rollout again as it was, each repeat its own", () =>
    scoped(
      Effect.gen(function* () {
        const path = yield* fresh
        const model = ScriptedChatModel.make((_request, n) =>
          n % 2 === 0
            ? {
                reasoning: `thought ${n}`,
                toolCalls: [{ id: "c", name: "get_order", arguments: '{"order_id":"A1001"}' }],
                providerState: { n },
                raw: { huge: true }
              }
            : {
                text: `It has shipped (${n}).`,
                usage: { input: 3, cached: null, output: 2, reasoning: null },
                sampling: { t: n }
              }
        )
        const settings = Kit.settings({ maxTurns: 1 })
        const played = (model: ChatModels.Service, indices: ReadonlyArray<number>) =>
          Effect.forEach(indices, (index) => Conversation.fromModel(model).play(Kit.rollout({ settings, index })))
        const recorder = Layer.provide(Replay.layerRecorder(path), ChatModels.layer(model))
        const first = yield* Effect.flatMap(ChatModel, (model) => played(model, [0, 1])).pipe(Effect.provide(recorder))
        const fs = yield* FileSystem.FileSystem
        expect(yield* fs.readFileString(path)).not.toContain("huge")
        const replay = yield* Replay.make(path)
        expect(replay.identity).toEqual(model.identity)
        // In another order: the key tells the repeats apart.
        const [second, other] = yield* played(replay, [1, 0])
        expect([other, second]).toEqual(first)
        expect(model.requests()).toHaveLength(4)
      })
    )
  )

  it.effect("may be written by hand: a thread, and a text", () =>
    scoped(
      Effect.gen(function* () {
        const path = yield* written(
          { request: user("Hi"), completion: "Hello." },
          "",
          { request: user("Hi"), completion: { text: "Hello again." } },
          { request: user("Call"), completion: { toolCalls: [{ name: "get_order", arguments: {} }] } },
          { request: { ...user("Warm"), sampling: { temperature: 1 } }, completion: "warm" },
          { request: user("Bye"), failure: { reason: "content_filter", detail: "no" } }
        )
        const model = yield* Replay.make(path, { identity: { name: "fixture" } })
        const texts = yield* Effect.forEach([1, 2, 3], () => model.complete(asked("Hi", { key: ["agent", 1] })))
        expect(texts.map(({ text }) => text)).toEqual(["Hello.", "Hello again.", "Hello again."])
        expect(yield* model.complete(asked("Call"))).toMatchObject({
          toolCalls: [{ id: "call_1", name: "get_order" }],
          finishReason: "tool",
          usage: { input: null }
        })
        expect((yield* model.complete(asked("Warm", { sampling: { temperature: 1 } }))).text).toBe("warm")
        const failure = yield* Effect.flip(model.complete(asked("Bye")))
        expect([failure.reason, failure.model]).toEqual(["content_filter", "fixture"])
        const cold = yield* Effect.flip(model.complete(asked("Warm", { sampling: { temperature: 0 } })))
        expect(cold.detail).toContain("with this thread has these `sampling`")
        const unknown = yield* Effect.flip(model.complete(asked("What?")))
        expect(unknown.reason).toBe("bad_request")
        expect(unknown.detail).toContain("this thread of 1 messages (the last: user: What?)")
      })
    )
  )

  it.effect("keep failures too", () =>
    scoped(
      Effect.gen(function* () {
        const path = yield* fresh
        const failing = ScriptedChatModel.make([new ModelFailed({ reason: "context", model: "m", detail: "too long" })])
        yield* Effect.scoped(
          Effect.flatMap(Replay.record(failing, path), (model) => Effect.flip(model.complete(asked("Hi"))))
        )
        const failure = yield* Effect.flip(Effect.flatMap(Replay.make(path), (model) => model.complete(asked("Hi"))))
        expect(failure).toHaveProperty("reason", "context")
      })
    )
  )

  it.effect.each([
    ["not JSON", "line 2 is not { request"],
    [{ completion: "x" }, "line 2 is not { request"],
    [{ request: user("Hi") }, "line 2 has neither a completion nor a failure"]
  ] as const)("that cannot be read are refused by line: %j", ([line, problem]) =>
    scoped(
      Effect.gen(function* () {
        const path = yield* written({ request: user("Hi"), completion: "Hello." }, line)
        expect((yield* Effect.flip(Replay.make(path))).message).toContain(problem)
      })
    )
  )

  it.effect("that are not there are refused", () =>
    scoped(
      Effect.gen(function* () {
        expect((yield* Effect.flip(Replay.make("/no/such/file.jsonl")))._tag).toBe("ReplayFileFailed")
        expect((yield* Effect.flip(Replay.make(yield* written()))).message).toContain("it holds none")
      })
    )
  )
})
