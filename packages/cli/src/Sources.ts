/**
 * Models by their specs, agents by an address or a command: loaded when one is first named. They
 * are reached through the proxies that the environment names.
 */
import * as AgentSource from "@sandtable/core/unstable/AgentSource"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

export const layer: Layer.Layer<never> = AgentSource.layerLazy(
  Effect.promise(async () => (await import("@sandtable/backends/node")).layerWith({ proxy: "environment" }))
)
