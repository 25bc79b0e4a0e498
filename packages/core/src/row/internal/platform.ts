/**
 * The platform's services, by the names under which they stand in a context. The modules that make their tags bring all of
 * Effect's streams along, a tenth of a second that a run in memory would wait for and never use.
 */
import type * as Files from "@effect/platform/FileSystem"
import type * as Paths from "@effect/platform/Path"
import * as Context from "effect/Context"

export const FileSystem: Context.Tag<Files.FileSystem, Files.FileSystem> =
  Context.GenericTag("@effect/platform/FileSystem")
export const Path: Context.Tag<Paths.Path, Paths.Path> = Context.GenericTag("@effect/platform/Path")
