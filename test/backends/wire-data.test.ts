/**
 * Replies that providers gave, as they were recorded: nothing of them is lost. The recordings are not part of this project.
 */
import { layerUndici } from "@sandtable/backends/node"
import type { Completion } from "@sandtable/core/ChatModel"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as Anthropic from "@sandtable/backends/Anthropic"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import { behind, hi } from "./asking.ts"
import type * as FakeServer from "./FakeServer.ts"

const data = process.env["SANDTABLE_TEST_DATA"]
const folder = data === undefined ? undefined : `${data}/wire`
const names = folder === undefined ? [] : readdirSync(folder)

const call = (name: string, given: unknown) => [expect.objectContaining({ name, arguments: given })]

/** What each recording says. */
const expected: Readonly<Record<string, Record<string, unknown>>> = {
  "anthropic-clear-thinking.1.json": {
    text: "925 ÷ 5 = 185",
    reasoning: "925 divided by 5 = 185",
    finishReason: "stop",
    usage: { input: 69, cached: 0, output: 33, reasoning: null }
  },
  "anthropic-refusal.json": {
    text: "",
    finishReason: "content_filter",
    refusal: expect.stringContaining("violative cyber content"),
    usage: { input: 18, output: 5 }
  },
  "anthropic-text.chunks.txt": {
    text: "Hello! I'm doing well, thank you for asking. How are you doing today? Is there anything I can help you with?",
    usage: { input: 12, output: 30 }
  },
  "anthropic-text.json": { text: expect.stringContaining("thanks for asking"), usage: { input: 12, output: 29 } },
  "anthropic-tool-no-args.chunks.txt": {
    text: "I'll update the issue list for you.",
    toolCalls: call("updateIssueList", {}),
    finishReason: "tool",
    usage: { input: 565, output: 48 }
  },
  "anthropic-tool-no-args.json": {
    toolCalls: call("updateIssueList", {}),
    finishReason: "tool",
    usage: { input: 602, output: 93 }
  },
  "azure-model-router.1.chunks.txt": { text: "Capital of Denmark.", finishReason: "stop" },
  "deepseek-reasoning.json": {
    text: expect.stringContaining("three instances"),
    reasoning: expect.stringContaining("s-t-r-a-w-b-e-r-r-y"),
    usage: { input: 18, cached: 0, output: 345, reasoning: 315 }
  },
  "deepseek-tool-call.chunks.txt": {
    toolCalls: call("weather", '{"location": "San Francisco"}'),
    reasoning: expect.stringMatching(/^The user/),
    finishReason: "tool"
  },
  "deepseek-tool-call.json": {
    toolCalls: call("weather", '{"location": "San Francisco"}'),
    reasoning: expect.stringContaining("San Francisco"),
    usage: { input: 339, cached: 320, output: 92, reasoning: 48 }
  },
  "groq-tool-call.chunks.txt": {
    toolCalls: call("weather", "{}"),
    finishReason: "tool",
    usage: { input: 210, output: 15 }
  },
  "groq-tool-call.json": { toolCalls: call("weather", "{}"), finishReason: "tool", usage: { input: 218, output: 15 } },
  "mistral-incremental-tool-call.chunks.txt": {
    toolCalls: call("webSearchTool", '{"query": "current Berlin weather"}'),
    finishReason: "tool",
    usage: { input: 171, cached: 128, output: 14 }
  },
  "mistral-tool-call.json": {
    toolCalls: call("weather", '{"location": "San Francisco"}'),
    finishReason: "tool",
    usage: { input: 124, output: 22 }
  },
  "openai-text.json": {
    text: expect.stringContaining("Galaxy Day"),
    finishReason: "stop",
    usage: { input: 16, cached: 0, output: 363, reasoning: 0 }
  }
}

const replyOf = (text: string, streamed: boolean): FakeServer.Reply =>
  streamed
    ? { raw: { events: text.trim().split("\n") } }
    : { raw: { text, headers: { "content-type": "application/json" } } }

describe.skipIf(folder === undefined)("recorded replies (SANDTABLE_TEST_DATA says where they are)", () => {
  for (const name of names.filter((each) => !each.includes("error"))) {
    it.scoped(`${name} is read`, () =>
      Effect.gen(function* () {
        const streamed = name.endsWith(".chunks.txt")
        const make = name.startsWith("anthropic") ? Anthropic.make : OpenAiCompatible.make
        const { model } = yield* behind(
          [replyOf(readFileSync(`${folder}/${name}`, "utf8"), streamed)],
          { streaming: streamed, retry: { attempts: 1 } },
          make
        )
        const completion: Completion = yield* model.complete(hi)
        expect(Object.keys(expected)).toContain(name)
        expect(completion).toMatchObject(expected[name] ?? {})
        const { cached, input, output } = completion.usage
        expect(
          [input, output].every((tokens) => tokens !== null && tokens > 0),
          JSON.stringify(completion.usage)
        ).toBe(true)
        expect(cached === null || cached <= (input ?? 0)).toBe(true)
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("the refusal of an old parameter is adapted to", () =>
    Effect.gen(function* () {
      const refusal = JSON.parse(
        readFileSync(`${folder}/reasoning-model-legacy-parameter-error.json`, "utf8")
      ) as unknown
      const { model } = yield* behind(({ body }) =>
        body["max_tokens"] === undefined ? { text: "ok" } : { raw: { status: 400, json: refusal } }
      )
      const { sampling } = yield* model.complete({ ...hi, sampling: { maxTokens: 9 } })
      expect(sampling).toMatchObject({
        max_tokens: 9,
        adapted: { max_tokens: expect.stringContaining("max_completion_tokens") }
      })
    }).pipe(Effect.provide(layerUndici))
  )
})
