/**
 * Completions kept, so that what was asked before costs nothing: by any `KeyValueStore`, files by default.
 *
 * The key is a hash of all that changes a reply: the model and its own settings, the messages, tools, sampling and response
 * schema, and what the call is for. That last part holds the rollout's index and eval run, so that k repeats are k replies and
 * eval runs differ; a call that has no such key gets its rollout's, and outside of a rollout it is not kept. Failures are
 * never kept, and a store that fails costs no reply.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import type * as PlatformError from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { ChatModel } from "@sandtable/core/ChatModel"
import type { Completion, Request, Service } from "@sandtable/core/ChatModel"
import { CurrentRollout } from "@sandtable/core/CurrentRollout"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import * as Hash from "@sandtable/core/unstable/Hash"
import { CallNotes } from "@sandtable/core/unstable/ModelCall"
import * as Place from "@sandtable/core/unstable/Place"
import type { RowFileError } from "@sandtable/core/unstable/RowFileError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { parse } from "./internal/json.ts"
import * as Recorded from "./internal/recorded.ts"

/** Of the form of keys and of what is kept: a change makes all of it unknown. */
const version = 1

/**
 * Where completions are kept when no folder is named.
 * @since 0.1.0
 * @category constants
 */
export const defaultFolder = ".sandtable/completions"

/**
 * What tells one cache from another.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Anything else that changes replies and that the model does not tell of: another salt knows nothing of what was kept. */
  readonly salt?: string
}

/**
 * The model with a store before it.
 * @since 0.1.0
 * @category functions
 */
export const wrap = (model: Service, store: KeyValueStore.KeyValueStore, options: Options = {}): Service => {
  const { endpoint, name, provider } = model.identity
  const answering = [
    version,
    provider ?? null,
    endpoint ?? null,
    model.identity.model ?? name,
    model.settings ?? null,
    options.salt ?? null
  ]
  let told = false
  /** A store that fails is said once. */
  const failing = (error: PlatformError.PlatformError): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (told) return Effect.void
      told = true
      return Effect.logWarning(`Completions of ${name} are not kept: ${ErrorText.of(error)}`)
    })
  const found = (key: string): Effect.Effect<Completion | null> =>
    Effect.matchEffect(store.get(key), {
      onFailure: (error) => Effect.as(failing(error), null),
      // Half an entry, left by a process that was killed, is none.
      onSuccess: (text) => Effect.succeed(Option.isNone(text) ? null : Recorded.completionOf(parse(text.value)))
    })
  const kept = (key: string, completion: Completion): Effect.Effect<void> =>
    completion.finishReason === "error"
      ? Effect.void
      : Effect.catchAll(store.set(key, ExactJson.stringify(Recorded.ofCompletion(completion))), failing)
  return {
    ...model,
    complete: (request) =>
      Effect.gen(function* () {
        const whatFor = request.key ?? Option.map(yield* CurrentRollout, keyOf).pipe(Option.getOrUndefined)
        if (whatFor === undefined) return yield* model.complete(request)
        const key = Hash.sha256Hex(Hash.canonical([answering, askedOf(request), whatFor]))
        const before = yield* found(key)
        if (before !== null) {
          ;(yield* CallNotes).kept()
          return before
        }
        return yield* Effect.tap(model.complete(request), (completion) => kept(key, completion))
      })
  }
}

/**
 * The `ChatModel` in context with the `KeyValueStore` in context before it.
 * @since 0.1.0
 * @category layers
 */
export const layer = (options?: Options): Layer.Layer<ChatModel, never, ChatModel | KeyValueStore.KeyValueStore> =>
  Layer.effect(
    ChatModel,
    Effect.map(Effect.all([ChatModel, KeyValueStore.KeyValueStore]), ([model, store]) => wrap(model, store, options))
  )

/**
 * The `ChatModel` in context with a folder of files before it, one per completion.
 * @since 0.1.0
 * @category layers
 */
export const layerFiles = (
  folder: string = defaultFolder,
  options?: Options
): Layer.Layer<ChatModel, PlatformError.PlatformError | RowFileError, ChatModel | FileSystem.FileSystem | Path.Path> =>
  Layer.provide(
    layer(options),
    Layer.unwrapEffect(Effect.as(Place.makeFolder(folder), KeyValueStore.layerFileSystem(folder)))
  )

const keyOf = (info: { readonly taskId: string; readonly evalRun: number; readonly rolloutIndex: number }) => [
  "rollout",
  info.taskId,
  info.evalRun,
  info.rolloutIndex
]

const askedOf = ({ messages, responseSchema, sampling, tools }: Request): ReadonlyArray<unknown> => [
  messages,
  tools ?? [],
  sampling ?? {},
  responseSchema ?? null
]
