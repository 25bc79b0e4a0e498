/**
 * One call of a model as a run sees it: counted by role, not sent once the run is over its caps or over altogether, shown
 * while it waits, and a span where somebody takes spans. Whatever plays a role calls its model through here.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ModelFailed, type Completion, type Request, type Service } from "./ChatModel.ts"
import type { Identity } from "./Identity.ts"
import * as Spans from "./Spans.ts"
import type { Usage } from "./Usage.ts"

/** Whom a model plays. */
export type Role = "agent" | "user" | "writer" | "judge"

export const roles: ReadonlyArray<Role> = ["agent", "user", "writer", "judge"]

/** What a backend tells of the call it is answering, beside the completion. */
export interface Notes {
  /** A request goes out: the first one, and each that is sent again. A backend that never says so is taken to send one. */
  readonly sent: () => void
  /** Nothing is under way until then (milliseconds since 1970), for a limit or before the next try; null: it goes on. */
  readonly waits: (until: number | null) => void
  /** Tokens of a request whose reply is not the completion's: it was given up, or asked anew. */
  readonly spent: (usage: Usage) => void
  /** The completion was kept from an earlier call: nothing is sent and nothing is spent. */
  readonly kept: () => void
}

/** The notes of the call that the running code answers; outside of a run they go nowhere. */
export class CallNotes extends Context.Reference<CallNotes>()("@sandtable/core/CallNotes", {
  defaultValue: (): Notes => ({ sent: ignore, waits: ignore, spent: ignore, kept: ignore })
}) {}

/** A call that was let through. */
export interface Call extends Notes {
  readonly end: (exit: Exit.Exit<Completion, ModelFailed>) => void
}

/** Who is told of every call, and may refuse it before it is sent. */
export interface Watch {
  readonly begin: (role: Role, model: Identity) => Call | ModelFailed
}

/** The watch over the calls of a run; none by default. */
export class ModelWatch extends Context.Reference<ModelWatch>()("@sandtable/core/ModelWatch", {
  defaultValue: (): Watch | null => null
}) {}

/** Asks the model, as the role. */
export const complete = (model: Service, role: Role, request: Request): Effect.Effect<Completion, ModelFailed> =>
  Effect.withFiberRuntime((fiber) => {
    const watch = Context.get(fiber.currentContext, ModelWatch)
    const called = watch === null ? model.complete(request) : watched(watch, model, role, request)
    if (!Spans.isTraced(fiber)) return called
    const content = Context.get(fiber.currentContext, Spans.SpanContent)
    return Spans.span(spanOf(model, role, request, content))(called)
  })

/** Models that take no bound: what they were asked for fitted without one. */
const unbounded = new WeakSet<Service>()

/**
 * As `complete`, and the reply has at most so many tokens unless the model's own settings say how many. A server that has no
 * room for that many is asked without a bound.
 */
export const completeWithin = (
  model: Service,
  role: Role,
  request: Request,
  tokens: number
): Effect.Effect<Completion, ModelFailed> =>
  Effect.suspend(() => {
    if (unbounded.has(model) || hasBound(model)) return complete(model, role, request)
    const bounded = { ...request, sampling: { ...request.sampling, maxTokens: tokens } }
    return Effect.catchIf(
      complete(model, role, bounded),
      ({ detail, reason }) => reason === "context" || (reason === "bad_request" && aboutLength.test(detail)),
      (first) =>
        Effect.matchEffect(complete(model, role, request), {
          onFailure: () => Effect.fail(first),
          onSuccess: (completion) => {
            unbounded.add(model)
            return Effect.succeed(completion)
          }
        })
    )
  })

const aboutLength = /tokens|length|n_predict|num_predict/i

const hasBound = ({ settings }: Service): boolean => {
  if (typeof settings !== "object" || settings === null || !("sampling" in settings)) return false
  const { sampling } = settings
  return typeof sampling === "object" && sampling !== null && "maxTokens" in sampling && sampling.maxTokens != null
}

const watched = (
  watch: Watch,
  model: Service,
  role: Role,
  request: Request
): Effect.Effect<Completion, ModelFailed> => {
  const call = watch.begin(role, model.identity)
  if (call instanceof ModelFailed) return Effect.fail(call)
  return Effect.onExit(Effect.provideService(model.complete(request), CallNotes, call), (exit) =>
    Effect.sync(() => call.end(exit))
  )
}

const ignore = (): void => undefined

const spanOf = (
  { identity }: Service,
  role: Role,
  { key, messages, sampling, tools }: Request,
  content: boolean
): Spans.SpanOptions<Completion, ModelFailed> => ({
  name: `chat ${identity.model ?? identity.name}`,
  kind: "client",
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": identity.provider,
    "gen_ai.request.model": identity.model ?? identity.name,
    "gen_ai.request.temperature": sampling?.temperature,
    "gen_ai.request.max_tokens": sampling?.maxTokens,
    "sandtable.role": role,
    "sandtable.call": key?.join("/"),
    ...addressOf(identity.endpoint),
    ...(content && {
      "gen_ai.input.messages": JSON.stringify(messages),
      "gen_ai.tool.definitions": tools === undefined ? undefined : JSON.stringify(tools)
    })
  },
  ended: (exit) => (Exit.isSuccess(exit) ? replyOf(exit.value, content) : {}),
  failure: (exit) => Spans.failureOf(exit, ({ reason }) => reason)
})

const replyOf = (
  { finishReason, text, toolCalls, usage }: Completion,
  content: boolean
): Readonly<Record<string, unknown>> => ({
  "gen_ai.response.finish_reasons": [finishReason],
  "gen_ai.usage.input_tokens": usage.input,
  "gen_ai.usage.output_tokens": usage.output,
  ...(content && { "gen_ai.output.messages": JSON.stringify([{ role: "assistant", content: text, toolCalls }]) })
})

const addressOf = (endpoint: string | undefined): Readonly<Record<string, unknown>> => {
  if (endpoint === undefined || !URL.canParse(endpoint)) return {}
  const { hostname, port } = new URL(endpoint)
  return { "server.address": hostname, "server.port": port === "" ? undefined : Number(port) }
}
