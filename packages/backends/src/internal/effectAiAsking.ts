/**
 * A request of ours asked of a `LanguageModel` of `@effect/ai`, and its reply read.
 */
import type * as AiError from "@effect/ai/AiError"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import type { Completion, FinishReason, Request, SamplingRequest, Service, ToolSpec } from "@sandtable/core/ChatModel"
import { ModelFailed } from "@sandtable/core/ChatModel"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import type { Identity } from "@sandtable/core/unstable/Identity"
import type * as Usage from "@sandtable/core/unstable/Usage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { classify, failure, type Failure } from "./failure.ts"
import * as Foreign from "./foreignModel.ts"
import { at, countOf, isRecord, listOf, parse } from "./json.ts"
import { turnsOf, noResult } from "./thread.ts"

/** The parts of `@effect/ai` that are used, loaded by whoever needs them. */
export interface Modules {
  readonly AiError: typeof AiError
  readonly LanguageModel: typeof LanguageModel
  readonly Tool: typeof Tool
}

export const modules: Effect.Effect<Modules> = Effect.promise(async () => {
  const [AiError, LanguageModel, Tool] = await Promise.all([
    import("@effect/ai/AiError"),
    import("@effect/ai/LanguageModel"),
    import("@effect/ai/Tool")
  ])
  return { AiError, LanguageModel, Tool }
})

interface Options extends Foreign.Options {
  readonly withSampling?: (
    sampling: SamplingRequest
  ) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const of = (
  ai: Modules,
  model: LanguageModel.Service,
  identity: Identity & { readonly model: string },
  options: Options
): Service => {
  const ask = (request: Request): Effect.Effect<Completion, Failure> => {
    const prompt = promptOf(request)
    const tools = request.tools ?? []
    const sampling = options.withSampling === undefined ? {} : sampledAs(request.sampling)
    const asked: Effect.Effect<ReadonlyArray<unknown>, AiError.AiError> = request.responseSchema === undefined
      ? Effect.map(
          model.generateText({ prompt, toolkit: toolkitOf(ai, tools), disableToolCallResolution: true }),
          ({ content }) => content
        )
      : Effect.map(model.generateObject({ prompt, schema: objectOf(request.responseSchema) }), ({ content }) => content)
    const placed = options.withSampling === undefined ? asked : options.withSampling(request.sampling ?? {})(asked)
    return Effect.matchEffect(placed, {
      onSuccess: (parts) => Effect.succeed(completionOf(parts, { model: identity.model, ...sampling })),
      onFailure: (error) => {
        const read = ai.AiError.isAiError(error) && error._tag === "MalformedOutput" ? malformed(error, tools) : null
        if (read === null) return Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(failureOf(error, now)))
        return Effect.succeed(completionOf(read, { model: identity.model, ...sampling }))
      }
    })
  }
  return Foreign.make(identity, options, ask)
}

const sampledAs = ({ maxTokens, temperature }: SamplingRequest = {}): Readonly<Record<string, unknown>> => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(maxTokens === undefined ? {} : { max_tokens: maxTokens })
})

/** Tools that are known only now: their parameters are shown as they are and not checked, since the run does that. */
const toolkitOf = (
  ai: Modules,
  specs: ReadonlyArray<ToolSpec>
): Toolkit.WithHandler<Readonly<Record<string, Tool.Any>>> => ({
  tools: Object.fromEntries(
    specs.map(({ name, description, parameters }) => [
      name,
      ai.Tool.make(name, { description }).setParameters(objectOf(parameters))
    ])
  ),
  handle: (name) => Effect.dieMessage(`The calls of ${name} are for the run to answer.`)
})

/** A schema that takes any object, and is told as the given one. */
const objectOf = (jsonSchema: Readonly<Record<string, unknown>>) =>
  Schema.Struct({}, Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({ jsonSchema })

const promptOf = ({ messages }: Request): Array<Prompt.MessageEncoded> =>
  turnsOf(messages).flatMap((turn): ReadonlyArray<Prompt.MessageEncoded> => {
    if (turn.role !== "assistant") return [{ role: turn.role, content: turn.text }]
    const kept = Foreign.isKept(turn.providerState) ? turn.providerState : null
    const options = new Map(kept?.calls)
    const content: Array<Prompt.AssistantMessagePartEncoded> = [
      ...(kept?.reasoning ?? []).map((part) => ({
        type: "reasoning" as const,
        text: part.text,
        ...within(part.options)
      })),
      ...(turn.text.trim() === "" ? [] : [{ type: "text" as const, text: turn.text, ...within(kept?.text) }]),
      ...turn.calls.map(({ call }) => ({
        type: "tool-call" as const,
        id: call.id,
        name: call.name,
        params: typeof call.arguments === "string" ? (parse(call.arguments) ?? {}) : (call.arguments ?? {}),
        providerExecuted: false,
        ...within(options.get(call.id))
      }))
    ]
    const results = turn.calls.map(({ call, result }) => ({
      type: "tool-result" as const,
      id: call.id,
      name: call.name,
      isFailure: false,
      result: result === null ? noResult : (parse(result) ?? result),
      providerExecuted: false
    }))
    return [
      ...(content.length === 0 ? [] : [{ role: "assistant" as const, content }]),
      ...(results.length === 0 ? [] : [{ role: "tool" as const, content: results }])
    ]
  })

const within = (options: unknown): { readonly options?: Prompt.ProviderOptions } =>
  isRecord(options) ? { options: options as Prompt.ProviderOptions } : {}

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ["length", "length"],
  ["content-filter", "content_filter"],
  ["tool-calls", "tool"],
  ["error", "error"]
])

/** Reads parts whether they were let through or not. */
const completionOf = (parts: ReadonlyArray<unknown>, sampling: Readonly<Record<string, unknown>>): Completion => {
  const own = parts.filter((part) => at(part, "providerExecuted") !== true)
  const of = (type: string): ReadonlyArray<unknown> => own.filter((part) => at(part, "type") === type)
  const textOf = (part: unknown): string => String(at(part, "text") ?? "")
  const metadataOf = (part: unknown): unknown => {
    const metadata = at(part, "metadata")
    return isRecord(metadata) && Object.keys(metadata).length > 0 ? metadata : undefined
  }
  const finish = of("finish").at(-1)
  const calls = of("tool-call").map((part) =>
    Foreign.callOf(String(at(part, "id") ?? ""), String(at(part, "name") ?? ""), at(part, "params"))
  )
  const reasoning = of("reasoning")
  const state = Foreign.kept({
    reasoning: reasoning.map((part) => ({ text: textOf(part), options: metadataOf(part) })),
    text: of("text")
      .map(metadataOf)
      .find((metadata) => metadata !== undefined),
    calls: of("tool-call").flatMap((part) => {
      const metadata = metadataOf(part)
      return metadata === undefined ? [] : [[String(at(part, "id") ?? ""), metadata] as const]
    })
  })
  const thought = reasoning.map(textOf).filter((text) => text !== "")
  const served = at(of("response-metadata")[0], "modelId")
  return {
    text: of("text").map(textOf).join(""),
    toolCalls: calls,
    finishReason: finishReasons.get(at(finish, "reason")) ?? (calls.length > 0 ? "tool" : "stop"),
    usage: usageOf(at(finish, "usage")),
    sampling:
      typeof served === "string" && served !== sampling["model"] ? { ...sampling, served_model: served } : sampling,
    ...(thought.length === 0 ? {} : { reasoning: thought.join("\n\n") }),
    ...(state === null ? {} : { providerState: state })
  }
}

const usageOf = (usage: unknown): Usage.Usage => ({
  input: countOf(at(usage, "inputTokens")),
  cached: countOf(at(usage, "cachedInputTokens")),
  output: countOf(at(usage, "outputTokens")),
  reasoning: countOf(at(usage, "reasoningTokens"))
})

/** Shown as a tool that does not exist, so that the model is told what its tools are and can try again. */
const unreadable = "unreadable_reply"

/**
 * The parts of a reply that was refused: all of them where the refusal holds them, else a call that says what was wrong, for
 * the tool it names. Null where there are neither parts nor tools: then the model is asked again.
 */
const malformed = (error: AiError.MalformedOutput, tools: ReadonlyArray<ToolSpec>): ReadonlyArray<unknown> | null => {
  const refused = ParseResult.isParseError(error.cause) ? actualOf(error.cause.issue) : undefined
  if (Array.isArray(refused)) return listOf(refused)
  // An object that fits no schema is for the reader of the reply.
  if (typeof refused === "string") return [{ type: "text", text: refused }]
  if (tools.length === 0) return null
  const detail = error.description ?? ErrorText.of(error.cause)
  const named = tools.find(({ name }) => detail.includes(`'${name}'`) || detail.includes(`"${name}"`))
  return [{ type: "tool-call", id: "", name: named?.name ?? unreadable, params: detail }]
}

/** What a schema was given. */
const actualOf = (issue: ParseResult.ParseIssue): unknown => issue.actual

const failureOf = (error: AiError.AiError, now: number): Failure => {
  switch (error._tag) {
    case "HttpResponseError": {
      const { headers, status } = error.response
      const body = error.body ?? ""
      return classify({ status, headers, body: parse(body) ?? body }, now)
    }
    case "HttpRequestError":
      return error.reason === "Transport"
        ? failure("unavailable", `no connection: ${error.description ?? ErrorText.of(error.cause)}`)
        : failure("bad_request", `the request could not be written: ${error.description ?? error.reason}`)
    case "MalformedInput":
      return failure("bad_request", error.description ?? ErrorText.of(error.cause))
    case "MalformedOutput":
      return failure("unavailable", `the reply could not be read: ${error.description ?? ErrorText.of(error.cause)}`)
    case "UnknownError":
      return error.cause instanceof ModelFailed
        ? failure(error.cause.reason, error.cause.detail, { retry: false })
        : failure("unavailable", error.description ?? ErrorText.of(error.cause))
  }
}
