/**
 * The engine that runs the library.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Engine from "./Engine.ts"

export const layer: Layer.Layer<Engine.Engine, never, FileSystem.FileSystem | Path.Path> = Layer.succeed(
  Engine.Engine,
  {
    preview: () => Effect.die("not yet"),
    simulate: () => Effect.die("not yet")
  }
)
