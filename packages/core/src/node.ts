/**
 * Sandtable for plain TypeScript on Node: the same calls as Promises, with Node's file system in place. A Promise rejects
 * with the error itself (`InvalidOptions`, `RunFailed`, `RowFileError`).
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as NodeRowSink from "./node/NodeRowSink.ts"
import type { Options } from "./options/Options.ts"
import * as Simulation from "./Simulation.ts"
import * as Data from "./SimulationData.ts"

export type { Options } from "./options/Options.ts"
export type { Preview } from "./Simulation.ts"
export type { SimulationData } from "./SimulationData.ts"

/** Node's file system and paths, for Effect programs whose options name files; rows are written by Node's own calls. */
export const layer: Layer.Layer<FileSystem.FileSystem | Path.Path> = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeRowSink.layer
)

/** `Simulation.simulate` as a Promise. */
export const simulate = (options: Options): Promise<Data.SimulationData> => settle(Simulation.simulate(options))

/** `Simulation.preview` as a Promise. */
export const preview = (options: Options): Promise<Simulation.Preview> => settle(Simulation.preview(options))

/** Reads a run back from its file of rows and the meta file beside it. */
export const load = (path: string): Promise<Data.SimulationData> => settle(Data.load(path))

/** Writes a run's rows and meta; an existing file is refused unless `overwrite`. */
export const save = (
  data: Data.SimulationData,
  path: string,
  options?: { readonly overwrite?: boolean }
): Promise<void> => settle(data.save(path, options))

const settle = async <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path>): Promise<A> => {
  const exit = await Effect.runPromiseExit(Effect.provide(effect, layer))
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
