/**
 * Where a file is written: what is there already, and the folders on the way. Links are followed, so that the file a link
 * leads to is the one that is written, in its own folder.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Platform from "./internal/platform.ts"
import { fromPlatform, of as fileError, RowFileError } from "./RowFileError.ts"

/**
 * What a path leads to: a regular file with its permissions, something that only takes bytes (a terminal, a pipe,
 * `/dev/null`), a folder, something else that is no file (a disk, a socket), or nothing yet.
 */
export type Place =
  | { readonly _tag: "Nothing"; readonly path: string }
  | { readonly _tag: "File"; readonly path: string; readonly mode: number }
  | { readonly _tag: "Stream"; readonly path: string }
  | { readonly _tag: "Folder"; readonly path: string }
  | { readonly _tag: "Other"; readonly path: string }

/** Looks at a path, through any links. */
export const of: (path: string) => Effect.Effect<Place, RowFileError, FileSystem.FileSystem> = Effect.fn("Place.of")(
  function* (path: string) {
    const fs = yield* Platform.FileSystem
    const found = yield* stat(fs, path)
    if (found === null) return { _tag: "Nothing", path: yield* followed(fs, path) } as const
    switch (found.type) {
      case "File":
        return { _tag: "File", path: yield* followed(fs, path), mode: found.mode & 0o777 } as const
      case "Directory":
        return { _tag: "Folder", path } as const
      case "CharacterDevice":
      case "FIFO":
        return { _tag: "Stream", path } as const
      default:
        return { _tag: "Other", path } as const
    }
  }
)

/** The path of the file that a path leads to: itself where it is no link, or where nothing can be found out. */
export const real = (path: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.match(of(path), { onFailure: () => path, onSuccess: (place) => place.path })

/** Whether two paths lead to one file that is there. */
export const isSame = (one: string, other: string): Effect.Effect<boolean, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* Platform.FileSystem
    return (yield* fs.realPath(one)) === (yield* fs.realPath(other))
  }).pipe(Effect.orElseSucceed(() => false))

/** The folder of a file: `.` for a bare name. */
export const folderOf = (path: string): string => {
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))
  return cut > 0 ? path.slice(0, cut) : cut === 0 ? path.slice(0, 1) : "."
}

/** Makes a folder and those it is in, where they are not there. */
export const makeFolder: (folder: string) => Effect.Effect<void, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "Place.makeFolder"
)(function* (folder: string) {
  const fs = yield* Platform.FileSystem
  // One by one: made in one go, a folder that cannot be made for its parent's sake (in /proc) is tried for ever.
  const missing: Array<string> = []
  for (let at = folder; ; at = folderOf(at)) {
    const found = yield* stat(fs, at)
    if (found?.type === "Directory") break
    if (found !== null) return yield* fileError(folder, "not_a_file")
    if (at === folderOf(at)) return yield* fileError(folder, "not_writable")
    missing.push(at)
  }
  for (const each of missing.reverse()) {
    yield* Effect.catchAll(fs.makeDirectory(each), (error) =>
      isReason(error, "AlreadyExists")
        ? // somebody else has made it meanwhile, or a link that leads nowhere has its name
          Effect.flatMap(stat(fs, each), (now) =>
            now?.type === "Directory" ? Effect.void : Effect.fail(fileError(folder, "not_a_file", error))
          )
        : Effect.fail(unmade(folder, error))
    )
  }
})

/** Makes the folder a file will be in; what is wrong is told of the file. */
export const makeFolderOf = (path: string): Effect.Effect<void, RowFileError, FileSystem.FileSystem> =>
  Effect.mapError(
    makeFolder(folderOf(path)),
    ({ cause, detail, reason }) => new RowFileError({ path, reason, detail, cause })
  )

/** What is at a path, through any links; null where nothing is. */
const stat = (fs: FileSystem.FileSystem, path: string): Effect.Effect<FileSystem.File.Info | null, RowFileError> =>
  Effect.catchAll(fs.stat(path), (error) =>
    isReason(error, "NotFound") ? Effect.succeed(null) : Effect.fail(fromPlatform(path, "write")(error))
  )

/** The end of a chain of links: the path itself where it is none. Links that go round end where the count does. */
const followed = (fs: FileSystem.FileSystem, path: string, left = mostLinks): Effect.Effect<string> =>
  Effect.matchEffect(fs.readLink(path), {
    onFailure: () => Effect.succeed(path),
    onSuccess: (to) => (left === 0 ? Effect.succeed(path) : followed(fs, from(path, to), left - 1))
  })

/** As many links as Linux follows. */
const mostLinks = 40

/** A link's target, as seen from where the link stands. */
const from = (link: string, target: string): string => {
  const folder = folderOf(link)
  if (folder === "." || /^(?:[/\\]|[A-Za-z]:)/.test(target)) return target
  return `${folder.replace(/\/$/, "")}/${target}`
}

const isReason = (error: PlatformError, reason: string): boolean =>
  error._tag === "SystemError" && error.reason === reason

/** A folder under one that is there, and yet not to be made: nothing can be made there (`/proc`). */
const unmade = (folder: string, error: PlatformError): RowFileError =>
  isReason(error, "NotFound") ? fileError(folder, "not_writable", error) : fromPlatform(folder, "write")(error)
