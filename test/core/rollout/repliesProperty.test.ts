/** Whatever a model replies, a rollout stands: nothing crashes, nothing is run that was not sent, the thread stays valid. */
import { describe, expect, it } from "@effect/vitest"
import * as Conversation from "@sandtable/core/Conversation"
import { FinishReason } from "@sandtable/core/Row"
import type { ToolCall } from "../../../packages/core/src/model/Message.ts"
import * as Row from "@sandtable/core/Row"
import { ScriptedChatModel } from "@sandtable/core/testing"
import { Effect, Exit, FastCheck as fc } from "effect"
import * as Kit from "./kit.ts"
import { expectValid } from "./validThread.ts"

const oddName = fc.constantFrom(
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "",
  "no such/tool",
  "x".repeat(5000),
  "\ud800"
)
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("get_order", "cancel_order", "list_stores", "quote") },
  oddName
)
const id = fc.constantFrom("", "a", "a", "b", "call_1", "call_2", "i d", "\udfff", "y".repeat(300))

const object = fc.oneof(
  fc.record({ order_id: fc.string() }),
  fc.record({ order_id: fc.constantFrom("A1001", "\ud800 half", "😀") }),
  fc.record({ count: fc.oneof(fc.integer(), fc.constantFrom("1", null)), size: fc.constantFrom("small", "huge") }),
  fc.dictionary(fc.constantFrom("__proto__", "constructor", "order_id", "tags", "x"), fc.jsonValue()),
  fc.constant({})
)
const objectText = object.map((value) => JSON.stringify(value))
const brokenText = fc
  .tuple(objectText, fc.nat(30))
  .map(([text, cut]) => text.slice(0, Math.max(0, text.length - 1 - cut)))
const args: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: objectText },
  { weight: 2, arbitrary: object },
  brokenText,
  fc.tuple(objectText, objectText).map((texts) => texts.join("")),
  fc.tuple(objectText, brokenText).map((texts) => texts.join("\n")),
  fc.constantFrom(
    "",
    " ",
    null,
    undefined,
    "null",
    "[]",
    "7",
    '"A1001"',
    "true",
    [],
    7,
    true,
    Number.NaN,
    "{}{}",
    "{",
    "}"
  ),
  fc.string(),
  fc.nat(400).map((depth) => `{"tags":${"[".repeat(depth)}${"]".repeat(depth)}}`),
  fc.constant(`{"order_id":"${"z".repeat(20_000)}"}`)
)
const call: fc.Arbitrary<ToolCall> = fc.record({ id, name, arguments: args })

const text = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "Done.",
    "Which one?",
    "<think>hm",
    "<think>a</think>Done.",
    "<tool_call>{",
    "\ud83d",
    "```json\n{}\n```"
  ),
  fc.string(),
  // Long and monotonous: what makes careless patterns stand still.
  fc
    .constantFrom("<think>", "<tool_call>", "i need ", '{"name":"', "what is your ", "```")
    .map((part) => part.repeat(8000)),
  call.map((one) => `<tool_call>${JSON.stringify({ name: one.name, arguments: one.arguments })}</tool_call>`)
)
const reply = fc.record({
  text,
  toolCalls: fc.array(call, { maxLength: 4 }),
  finishReason: fc.constantFrom(...FinishReason.literals)
})

/** Every set of arguments that a reply can be read as holding: what may reach a world at most. */
const sent = (replies: ReadonlyArray<{ readonly text: string; readonly toolCalls: ReadonlyArray<ToolCall> }>) => {
  const texts = new Set<string>()
  const add = (value: unknown): void => {
    if (value === undefined || value === null || value === "") texts.add("{}")
    else if (typeof value === "string") {
      if (value.trim() === "" || value.trim() === "null") texts.add("{}")
      try {
        texts.add(JSON.stringify(JSON.parse(value)))
      } catch {
        // Not JSON.
      }
    } else texts.add(JSON.stringify(value))
  }
  for (const { text, toolCalls } of replies) {
    for (const one of toolCalls) add(one.arguments)
    for (const part of text.split("<tool_call>").slice(1)) {
      if (!part.includes("</tool_call>")) continue
      try {
        add((JSON.parse(part.split("</tool_call>", 1)[0] ?? "") as { arguments?: unknown }).arguments)
      } catch {
        // Not a call.
      }
    }
  }
  return texts
}

describe("a rollout over any replies of a model", () => {
  it.effect(
    "never crashes, never runs what nobody sent, and leaves a thread that can be sent again",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(reply, { minLength: 5, maxLength: 5 }), (replies) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const world = Kit.fakeWorld((asked) => Effect.succeed(Kit.ok({ asked: asked.tool })))
                const model = ScriptedChatModel.make((_request, n) => replies[n] ?? "Done.")
                const settings = Kit.settings({ maxTurns: 6, patience: "endless" })
                const rollout = Kit.rollout({ settings, world })
                const exit = yield* Effect.exit(Conversation.fromModel(model).play(rollout))
                if (Exit.isFailure(exit)) expect(exit.cause._tag).toBe("Fail")
                const steps = Exit.isSuccess(exit) ? exit.value.steps : rollout.recorder.steps()
                expect(JSON.parse(JSON.stringify(steps))).toHaveLength(steps.length)
                const allowed = sent(replies)
                for (const asked of world.reached) {
                  if (!settings.tools.has(asked.tool)) expect.fail(`ran ${asked.tool}`)
                  const given = JSON.stringify(asked.arguments)
                  if (!allowed.has(given))
                    expect.fail(`ran ${asked.tool} with ${given.slice(0, 200)}, which nobody sent`)
                }
                expectValid(model.requests().at(-1)?.messages ?? [])
                expect(Row.toMessages(steps).length).toBeGreaterThan(0)
                expect(({} as Record<string, unknown>)["order_id"]).toBeUndefined()
              })
            )
          ),
          { numRuns: 2000, seed: 1 }
        )
      ),
    120_000
  )
})
