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
import * as Proxy from "./Proxy.ts"

/**
 * How requests find their way.
 * @since 0.1.0
 * @category models
 */
export interface HttpOptions {
  /** The proxies to go through; straight to every server when left out. `"environment"` reads HTTP_PROXY and its like. */
  readonly proxy?: Proxy.Settings
}

/**
 * The HTTP client for model endpoints, told how. Its connections are closed with the layer.
 * @since 0.1.0
 * @category layers
 */
export const layerUndiciWith = ({ proxy }: HttpOptions): Layer.Layer<HttpClient.HttpClient> =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.map(
      Effect.acquireRelease(
        Effect.map(Proxy.read(proxy), (proxies) => new Connections(proxies)),
        (connections) => Effect.promise(() => connections.close())
      ),
      Undici.make
    )
  )

/**
 * The HTTP client for model endpoints. Its connections are closed with the layer.
 * @since 0.1.0
 * @category layers
 */
export const layerUndici: Layer.Layer<HttpClient.HttpClient> = layerUndiciWith({})

/**
 * Models, addresses and commands by name, over that client.
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never> = Layer.provide(Backends.layer, layerUndici)

/**
 * As `layer`, told how.
 * @since 0.1.0
 * @category layers
 */
export const layerWith = ({ proxy, ...options }: Backends.Options & HttpOptions): Layer.Layer<never> =>
  Layer.provide(Backends.layerWith(options), layerUndiciWith(proxy === undefined ? {} : { proxy }))
