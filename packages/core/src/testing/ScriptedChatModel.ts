/**
 * A chat model without a model: replies in turn or by a function, and a record of what it was asked.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChatModel, ModelFailed } from "../model/ChatModel.ts"
import type { Completion, Request, Service } from "../model/ChatModel.ts"
import type { Identity } from "../model/Identity.ts"
import * as Usage from "../model/Usage.ts"

/**
 * A text, a completion of which the rest is ordinary, or a failure.
 * @since 0.1.0
 * @category models
 */
export type Reply = string | Partial<Completion> | ModelFailed

/**
 * Replies in turn, over all rollouts (the last one for ever), or a function of the request and its number from 0.
 * @since 0.1.0
 * @category models
 */
export type Script = ReadonlyArray<Reply> | ((request: Request, n: number) => Reply | Effect.Effect<Reply>)

/**
 * What a scripted model says of itself.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly identity?: Identity
  readonly contextSize?: number
}

/**
 * A scripted model, with what it was asked.
 * @since 0.1.0
 * @category models
 */
export interface Scripted extends Service {
  /** What it was asked so far. */
  readonly requests: () => ReadonlyArray<Request>
}

/**
 * A model that replies by a script.
 * @since 0.1.0
 * @category constructors
 */
export const make = (script: Script, options: Options = {}): Scripted => {
  const requests: Array<Request> = []
  const identity = options.identity ?? { name: "scripted", provider: "test", model: "scripted" }
  return {
    identity,
    ...(options.contextSize === undefined ? {} : { contextSize: options.contextSize }),
    requests: () => requests,
    complete: (request) =>
      Effect.suspend(() => {
        const n = requests.push(request) - 1
        const reply = typeof script === "function" ? script(request, n) : script[Math.min(n, script.length - 1)]
        if (reply === undefined) return Effect.fail(nothing(identity))
        const given = Effect.isEffect(reply) && !(reply instanceof ModelFailed) ? reply : Effect.succeed(reply)
        return Effect.flatMap(given, (reply) => {
          if (reply instanceof ModelFailed) return Effect.fail(reply)
          return Effect.succeed(completion(typeof reply === "string" ? { text: reply } : reply))
        })
      })
  }
}

/**
 * The scripted model itself, for what it was asked.
 * @since 0.1.0
 * @category services
 */
export class ScriptedChatModel extends Context.Tag("@sandtable/core/ScriptedChatModel")<
  ScriptedChatModel,
  Scripted
>() {}

/**
 * A model that replies by a script, and what it was asked.
 * @since 0.1.0
 * @category layers
 */
export const layer = (script: Script, options?: Options): Layer.Layer<ChatModel | ScriptedChatModel> =>
  Layer.effectContext(
    Effect.sync(() => {
      const model = make(script, options)
      return Context.make(ChatModel, model).pipe(Context.add(ScriptedChatModel, model))
    })
  )

/**
 * What the scripted model was asked so far.
 * @since 0.1.0
 * @category functions
 */
export const requests: Effect.Effect<ReadonlyArray<Request>, never, ScriptedChatModel> = Effect.map(
  ScriptedChatModel,
  (model) => model.requests()
)

const completion = (given: Partial<Completion>): Completion => ({
  text: "",
  toolCalls: [],
  finishReason: (given.toolCalls?.length ?? 0) > 0 ? "tool" : "stop",
  usage: Usage.unknown,
  sampling: {},
  ...given
})

const nothing = (identity: Identity): ModelFailed =>
  new ModelFailed({ reason: "bad_request", model: identity.name, detail: "the script has no reply" })
