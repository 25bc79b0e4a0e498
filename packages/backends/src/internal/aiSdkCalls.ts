/**
 * A request of ours asked of a model of the AI SDK, and its result read. What is asked is the same in its specifications v2, v3
 * and v4; results differ in how they tell of the end, of tokens and of what could not be done.
 */
import type { Completion, FinishReason, Request } from "@sandtable/core/ChatModel"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import type { Usage } from "@sandtable/core/unstable/Usage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { classify, failure, type Failure } from "./failure.ts"
import * as Foreign from "./foreignModel.ts"
import { at, countOf, isRecord, listOf, parse } from "./json.ts"
import { noResult, turnsOf } from "./thread.ts"

/** What a model is called with. */
export interface CallOptions {
  readonly prompt: ReadonlyArray<object>
  readonly tools?: ReadonlyArray<object>
  readonly toolChoice?: { readonly type: "auto" }
  readonly responseFormat?: { readonly type: "json"; readonly schema: object }
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly providerOptions?: object
  readonly abortSignal?: AbortSignal
}

export interface Model {
  readonly specificationVersion: "v2" | "v3" | "v4"
  readonly provider: string
  readonly modelId: string
  // A method, so that models whose options are narrower than these fit.
  doGenerate(options: never): PromiseLike<unknown>
}

export const ask = (model: Model, request: Request, providerOptions?: object): Effect.Effect<Completion, Failure> => {
  const options: CallOptions = {
    ...optionsOf(request),
    ...(providerOptions === undefined ? {} : { providerOptions })
  }
  return Effect.tryPromise({
    try: async (abortSignal) =>
      (model.doGenerate as (options: CallOptions) => PromiseLike<unknown>)({ ...options, abortSignal }),
    catch: (error) => error
  }).pipe(
    Effect.matchEffect({
      onFailure: (error) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(failureOf(error, now))),
      onSuccess: (result) => {
        const completion = completionOf(result, model.modelId, options)
        return completion === null
          ? Effect.fail(failure("unavailable", "the model gave a result without content"))
          : Effect.succeed(completion)
      }
    })
  )
}

const optionsOf = ({ messages, responseSchema, sampling = {}, tools = [] }: Request): CallOptions => ({
  prompt: promptOf(messages),
  ...(tools.length === 0
    ? {}
    : {
        tools: tools.map(({ name, description, parameters }) => ({
          type: "function",
          name,
          description,
          inputSchema: parameters
        })),
        toolChoice: { type: "auto" }
      }),
  ...(responseSchema === undefined ? {} : { responseFormat: { type: "json", schema: responseSchema } }),
  ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
  ...(sampling.maxTokens === undefined ? {} : { maxOutputTokens: sampling.maxTokens })
})

const promptOf = (messages: Request["messages"]): ReadonlyArray<object> =>
  turnsOf(messages).flatMap((turn): ReadonlyArray<object> => {
    if (turn.role === "system") return [{ role: "system", content: turn.text }]
    if (turn.role === "user") return [{ role: "user", content: [{ type: "text", text: turn.text }] }]
    const kept = Foreign.isKept(turn.providerState) ? turn.providerState : null
    const options = new Map(kept?.calls)
    const content = [
      ...(kept?.reasoning ?? []).map((part) => ({ type: "reasoning", text: part.text, ...within(part.options) })),
      ...(turn.text.trim() === "" ? [] : [{ type: "text", text: turn.text, ...within(kept?.text) }]),
      ...turn.calls.map(({ call }) => ({
        type: "tool-call",
        toolCallId: call.id,
        toolName: call.name,
        input: typeof call.arguments === "string" ? (parse(call.arguments) ?? {}) : (call.arguments ?? {}),
        ...within(options.get(call.id))
      }))
    ]
    const results = turn.calls.map(({ call, result }) => {
      const value = result === null ? noResult : (parse(result) ?? result)
      const output = typeof value === "string" ? { type: "text", value } : { type: "json", value }
      return { type: "tool-result", toolCallId: call.id, toolName: call.name, output }
    })
    return [
      ...(content.length === 0 ? [] : [{ role: "assistant", content }]),
      ...(results.length === 0 ? [] : [{ role: "tool", content: results }])
    ]
  })

const within = (options: unknown): object => (options === undefined ? {} : { providerOptions: options })

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ["length", "length"],
  ["content-filter", "content_filter"],
  ["tool-calls", "tool"],
  ["error", "error"],
  ["interrupted", "error"]
])

/** Null when there is nothing to read. */
const completionOf = (result: unknown, modelId: string, options: CallOptions): Completion | null => {
  const content = at(result, "content")
  if (!Array.isArray(content)) return null
  const own = content.filter((part) => at(part, "providerExecuted") !== true)
  const of = (type: string): ReadonlyArray<unknown> => own.filter((part) => at(part, "type") === type)
  const textOf = (part: unknown): string => String(at(part, "text") ?? "")
  const idOf = (part: unknown): string => String(at(part, "toolCallId") ?? "")
  const stateOf = (part: unknown): unknown => at(part, "providerMetadata")
  const calls = of("tool-call").map((part) =>
    Foreign.callOf(idOf(part), String(at(part, "toolName") ?? ""), at(part, "input"))
  )
  const reasoning = of("reasoning")
  const state = Foreign.kept({
    reasoning: reasoning.map((part) => ({ text: textOf(part), options: stateOf(part) })),
    text: of("text")
      .map(stateOf)
      .find((state) => state !== undefined),
    calls: of("tool-call").flatMap((part) =>
      stateOf(part) === undefined ? [] : [[idOf(part), stateOf(part)] as const]
    )
  })
  // Drafts may stand before it as texts of their own.
  const chosen = options.responseFormat === undefined ? undefined : at(result, "structuredOutputText")
  const structured = typeof chosen === "string" ? chosen : undefined
  const finish = at(result, "finishReason")
  const thought = reasoning.map(textOf).filter((text) => text !== "")
  const raw = at(result, "response", "body")
  return {
    text: structured ?? of("text").map(textOf).join(""),
    toolCalls: calls,
    finishReason: finishReasons.get(at(finish, "unified") ?? finish) ?? (calls.length > 0 ? "tool" : "stop"),
    usage: usageOf(at(result, "usage")),
    sampling: samplingOf(result, modelId, options),
    ...(raw === undefined ? {} : { raw }),
    ...(thought.length === 0 ? {} : { reasoning: thought.join("\n\n") }),
    ...(state === null ? {} : { providerState: state })
  }
}

/** Counts side by side (v2), or by what they are of. */
const usageOf = (usage: unknown): Usage => {
  const [input, output] = [at(usage, "inputTokens"), at(usage, "outputTokens")]
  return {
    input: countOf(at(input, "total") ?? input),
    cached: countOf(at(input, "cacheRead") ?? at(usage, "cachedInputTokens")),
    output: countOf(at(output, "total") ?? output),
    reasoning: countOf(at(output, "reasoning") ?? at(usage, "reasoningTokens"))
  }
}

/** What was asked for, less what the model says it left out; null where it chose. */
const samplingOf = (result: unknown, modelId: string, options: CallOptions): Readonly<Record<string, unknown>> => {
  const refused = listOf(at(result, "warnings")).flatMap((warning) => {
    const type = at(warning, "type")
    const setting =
      type === "unsupported-setting" ? at(warning, "setting") : type === "unsupported" ? at(warning, "feature") : null
    return typeof setting === "string" ? [setting] : []
  })
  const served = at(result, "response", "modelId")
  return {
    model: modelId,
    temperature: refused.includes("temperature") ? null : (options.temperature ?? null),
    max_tokens: refused.includes("maxOutputTokens") ? null : (options.maxOutputTokens ?? null),
    ...(typeof served === "string" && served !== modelId ? { served_model: served } : {}),
    ...(refused.length === 0 ? {} : { unsupported: refused })
  }
}

/** Errors of the SDK are told by their fields, since there may be several copies of its classes. */
const failureOf = (error: unknown, now: number): Failure => {
  const status = at(error, "statusCode")
  if (isRecord(error) && typeof status === "number") {
    const text = at(error, "responseBody")
    const body =
      typeof text === "string" && text !== "" ? (parse(text) ?? text) : (at(error, "data") ?? ErrorText.of(error))
    const headers = at(error, "responseHeaders")
    return classify(
      { status, headers: isRecord(headers) ? (headers as Readonly<Record<string, string>>) : {}, body },
      now
    )
  }
  const detail = ErrorText.of(error)
  const name = String(at(error, "name") ?? "")
  if (/LoadAPIKey/.test(name)) return failure("auth", detail)
  if (/Unsupported|InvalidPrompt|InvalidArgument|NoSuchModel|LoadSetting/.test(name))
    return failure("bad_request", detail)
  return failure("unavailable", detail)
}
