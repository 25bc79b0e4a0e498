/**
 * HTTP as Node does it best: undici without a limit of its own on connections, so that the limits given to models are the
 * only ones.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import { Agent } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Backends from "./Backends.ts"
import * as Undici from "./internal/undici.ts"

/** Longest time to a connection, in milliseconds: a thousand at once take their time. */
const connectTimeout = 30_000

/** The HTTP client for model endpoints. Its connections are closed with the layer. */
export const layerUndici: Layer.Layer<HttpClient.HttpClient> = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ connections: null, pipelining: 1, connect: { timeout: connectTimeout } })),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    Undici.make
  )
)

/** Models, addresses and commands by name, over that client. */
export const layer: Layer.Layer<never> = Layer.provide(Backends.layer, layerUndici)

/** As `layer`, told how. */
export const layerWith = (options: Backends.Options): Layer.Layer<never> =>
  Layer.provide(Backends.layerWith(options), layerUndici)
