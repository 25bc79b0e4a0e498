/**
 * HTTP as Node does it best: undici without a limit of its own on connections, so that the limits given to models are the
 * only ones.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Backends from "./Backends.ts"
import { Connections } from "./internal/connections.ts"
import * as Undici from "./internal/undici.ts"

/** The HTTP client for model endpoints. Its connections are closed with the layer. */
export const layerUndici: Layer.Layer<HttpClient.HttpClient> = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Connections()),
      (connections) => Effect.promise(() => connections.close())
    ),
    Undici.make
  )
)

/** Models, addresses and commands by name, over that client. */
export const layer: Layer.Layer<never> = Layer.provide(Backends.layer, layerUndici)

/** As `layer`, told how. */
export const layerWith = (options: Backends.Options): Layer.Layer<never> =>
  Layer.provide(Backends.layerWith(options), layerUndici)
