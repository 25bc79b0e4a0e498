/**
 * A chat model of ours behind the provider interface of `@effect/ai`.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import type * as AiError from "@effect/ai/AiError"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import type { Completion, FinishReason, Request, Service, ToolSpec } from "@sandtable/core/ChatModel"
import { CurrentRollout, type RolloutInfo } from "@sandtable/core/CurrentRollout"
import type { Message } from "@sandtable/core/unstable/Message"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Modules } from "./effectAiAsking.ts"
import { isRecord, parse } from "./json.ts"

export const of = (ai: Modules, model: Service): LanguageModel.ConstructorParams => {
  /** Calls of each rollout so far, for their keys. */
  const calls = new WeakMap<RolloutInfo, number>()
  const keyOf = (current: Option.Option<RolloutInfo>): Request["key"] => {
    if (Option.isNone(current)) return undefined
    const info = current.value
    const n = calls.get(info) ?? 0
    calls.set(info, n + 1)
    return ["language-model", info.taskId, info.evalRun, info.rolloutIndex, n]
  }
  const failed = (method: string, kind: "MalformedInput" | "MalformedOutput", description: string): AiError.AiError =>
    new ai.AiError[kind]({ module: "Sandtable", method, description })

  const complete = (
    method: string,
    options: LanguageModel.ProviderOptions
  ): Effect.Effect<ReadonlyArray<Sent>, AiError.AiError> =>
    Effect.gen(function* () {
      const messages = messagesOf(options.prompt)
      if (typeof messages === "string") return yield* Effect.fail(failed(method, "MalformedInput", messages))
      const { responseFormat, toolChoice } = options
      const tools = offered(ai, options)
      const key = keyOf(yield* CurrentRollout)
      const reply = yield* Effect.mapError(
        model.complete({
          messages,
          ...(tools.length === 0 ? {} : { tools }),
          ...(key === undefined ? {} : { key }),
          ...(responseFormat.type === "json"
            ? { responseSchema: { ...ai.Tool.getJsonSchemaFromSchemaAst(responseFormat.schema.ast) } }
            : {})
        }),
        (cause) => new ai.AiError.UnknownError({ module: "Sandtable", method, description: cause.message, cause })
      )
      const must =
        toolChoice === "required" ||
        (typeof toolChoice === "object" && !("oneOf" in toolChoice && toolChoice.mode !== "required"))
      if (must && reply.toolCalls.length === 0) {
        return yield* Effect.fail(
          failed(method, "MalformedOutput", "A tool call was required, and the model made none.")
        )
      }
      const parts = partsOf(reply)
      return typeof parts === "string" ? yield* Effect.fail(failed(method, "MalformedOutput", parts)) : parts
    })

  return {
    generateText: (options) => Effect.map(complete("generateText", options), (parts) => [...parts]),
    streamText: (options) =>
      Stream.unwrap(
        Effect.map(complete("streamText", options), (parts) => Stream.fromIterable(parts.flatMap(streamed)))
      )
  }
}

type Sent =
  | Response.TextPartEncoded
  | Response.ReasoningPartEncoded
  | Response.ToolCallPartEncoded
  | Response.FinishPartEncoded

/** The tools a choice leaves. */
const offered = (ai: Modules, { toolChoice, tools }: LanguageModel.ProviderOptions): ReadonlyArray<ToolSpec> => {
  if (toolChoice === "none") return []
  const left =
    typeof toolChoice === "object" && "tool" in toolChoice
      ? tools.filter(({ name }) => name === toolChoice.tool)
      : tools
  return left.map((tool) => ({
    name: tool.name,
    description: tool.description ?? ai.Tool.getDescriptionFromSchemaAst(tool.parametersSchema.ast) ?? "",
    parameters: { ...ai.Tool.getJsonSchemaFromSchemaAst(tool.parametersSchema.ast) }
  }))
}

/** The thread, or what of it a chat model cannot be shown. */
const messagesOf = (prompt: Prompt.Prompt): ReadonlyArray<Message> | string => {
  const out: Array<Message> = []
  for (const message of prompt.content) {
    if (message.role === "system") {
      out.push({ role: "system", content: message.content })
      continue
    }
    const file = message.content.find((part) => part.type === "file")
    if (file !== undefined) return "A file cannot be shown to this model: it reads text alone."
    const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
    if (message.role === "user") {
      out.push({ role: "user", content: texts.join("\n") })
      continue
    }
    if (message.role === "assistant") {
      const reasoning = message.content.flatMap((part) => (part.type === "reasoning" ? [part.text] : []))
      const toolCalls = message.content.flatMap((part) =>
        part.type === "tool-call" ? [{ id: part.id, name: part.name, arguments: part.params }] : []
      )
      out.push({
        role: "assistant",
        content: texts.join("\n"),
        ...(reasoning.length === 0 ? {} : { reasoning: reasoning.join("\n\n") }),
        ...(toolCalls.length === 0 ? {} : { toolCalls })
      })
    }
    for (const part of message.content) {
      if (part.type !== "tool-result") continue
      const content = typeof part.result === "string" ? part.result : (ExactJson.stringify(part.result) ?? "null")
      out.push({ role: "tool", callId: part.id, name: part.name, content })
    }
  }
  return out
}

const finishReasons: Readonly<Record<FinishReason, Response.FinishReason>> = {
  stop: "stop",
  length: "length",
  tool: "tool-calls",
  content_filter: "content-filter",
  error: "error"
}

/** A reply as parts, or what is wrong with it: as with every provider, arguments have to be an object. */
const partsOf = ({ finishReason, reasoning, text, toolCalls, usage }: Completion): ReadonlyArray<Sent> | string => {
  const calls: Array<Response.ToolCallPartEncoded> = []
  for (const [i, { arguments: given, id, name }] of toolCalls.entries()) {
    const params = typeof given === "string" ? (given.trim() === "" ? {} : parse(given)) : (given ?? {})
    if (!isRecord(params)) return `The arguments of tool '${name}' are no JSON object.`
    // A schema reads numbers of JavaScript's, and a bigint from its digits.
    const digits = ExactJson.mapExact(params, String)
    calls.push({ type: "tool-call", id: id === "" ? `call_${i + 1}` : id, name, params: digits })
  }
  return [
    ...(reasoning === undefined || reasoning === "" ? [] : [{ type: "reasoning", text: reasoning } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls,
    {
      type: "finish",
      reason: finishReasons[finishReason],
      usage: {
        inputTokens: usage.input ?? undefined,
        outputTokens: usage.output ?? undefined,
        totalTokens: usage.input === null || usage.output === null ? undefined : usage.input + usage.output,
        ...(usage.reasoning === null ? {} : { reasoningTokens: usage.reasoning }),
        ...(usage.cached === null ? {} : { cachedInputTokens: usage.cached })
      }
    }
  ]
}

const streamed = (part: Sent, i: number): ReadonlyArray<Response.StreamPartEncoded> => {
  const id = String(i)
  switch (part.type) {
    case "text":
      return [
        { type: "text-start", id },
        { type: "text-delta", id, delta: part.text },
        { type: "text-end", id }
      ]
    case "reasoning":
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: part.text },
        { type: "reasoning-end", id }
      ]
    default:
      return [part]
  }
}
