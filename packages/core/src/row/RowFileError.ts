/**
 * What can be wrong with a file of rows, in words that say what to do.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as Schema from "effect/Schema"
import * as ErrorText from "../task/ErrorText.ts"

/**
 * A file of rows cannot be opened, read or written.
 * @since 0.1.0
 * @category errors
 */
export class RowFileError extends Schema.TaggedError<RowFileError>()("RowFileError", {
  path: Schema.String,
  reason: Schema.Literal(
    "exists",
    "not_found",
    "not_readable",
    "not_writable",
    "not_a_file",
    "not_text",
    "disk_full",
    "failed"
  ),
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}

/** A reason with its standing words. */
export const of = (
  path: string,
  reason: Exclude<RowFileError["reason"], "failed" | "not_text">,
  cause?: unknown
): RowFileError =>
  new RowFileError({ path, reason, detail: details[reason], ...(cause === undefined ? {} : { cause }) })

/** What the platform says of a file that was to be read, or written. */
export const fromPlatform =
  (path: string, purpose: "read" | "write") =>
  (error: PlatformError): RowFileError => {
    const reason = reasonOf(error, purpose)
    return reason === "failed"
      ? new RowFileError({ path, reason, detail: descriptionOf(error), cause: error })
      : of(path, reason, error)
  }

/** What a system call of Node's says of a file that was to be written. */
export const fromErrno = (path: string, error: unknown): RowFileError => {
  const reason = byErrno.get(errnoOf(error))
  return reason === undefined
    ? new RowFileError({
        path,
        reason: "failed",
        detail: ErrorText.of(error),
        cause: error
      })
    : of(path, reason, error)
}

const details: Readonly<Record<Exclude<RowFileError["reason"], "failed" | "not_text">, string>> = {
  exists: "the file is already there; set `overwrite`, or name another `output`.",
  not_found: "there is no such file; check the path.",
  not_readable: "no permission to read this file.",
  not_writable: "nothing can be written here; name an `output` in a place you may write to.",
  not_a_file: "this is no file (a folder, a device, or a path through a file); name a file.",
  disk_full: "the disk is full; free some space, or name an `output` on another disk."
}

/** What the platform's own reasons leave out. */
const byErrno = new Map<string, Exclude<RowFileError["reason"], "failed" | "not_text">>([
  ["EEXIST", "exists"],
  ["ENOENT", "not_found"],
  ["EACCES", "not_writable"],
  ["EPERM", "not_writable"],
  ["EROFS", "not_writable"],
  ["EISDIR", "not_a_file"],
  ["ENOTDIR", "not_a_file"],
  ["ENOSPC", "disk_full"],
  ["EDQUOT", "disk_full"]
])

const reasonOf = (error: PlatformError, purpose: "read" | "write"): Exclude<RowFileError["reason"], "not_text"> => {
  if (error._tag === "BadArgument") return "failed"
  switch (error.reason) {
    case "AlreadyExists":
      return "exists"
    case "NotFound":
      return "not_found"
    case "PermissionDenied":
      return purpose === "write" ? "not_writable" : "not_readable"
    case "BadResource":
      return "not_a_file"
    default:
      return byErrno.get(errnoOf(error.cause)) ?? "failed"
  }
}

const descriptionOf = (error: PlatformError): string =>
  error._tag === "SystemError" ? (error.description ?? error.message) : error.message

const errnoOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" ? code : ""
}
