/**
 * HTTP as Node does it best: undici without a limit of its own on connections, so that the limits given to models are the
 * only ones.
 */
import type { HttpClient } from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Backends from "./Backends.ts"

/** Longest time to a connection, in milliseconds: a thousand at once take their time. */
const connectTimeout = 30_000

const dispatcher: Layer.Layer<NodeHttpClient.Dispatcher> = Layer.scoped(
  NodeHttpClient.Dispatcher,
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ connections: null, pipelining: 1, connect: { timeout: connectTimeout } })),
    (agent) => Effect.promise(() => agent.destroy())
  )
)

/** The HTTP client for model endpoints. Its connections are closed with the layer. */
export const layerUndici: Layer.Layer<HttpClient> = Layer.provide(
  NodeHttpClient.layerUndiciWithoutDispatcher,
  dispatcher
)

/** Models, addresses and commands by name, over that client. */
export const layer: Layer.Layer<never> = Layer.provide(Backends.layer, layerUndici)

/** As `layer`, told how. */
export const layerWith = (options: Backends.Options): Layer.Layer<never> =>
  Layer.provide(Backends.layerWith(options), layerUndici)
