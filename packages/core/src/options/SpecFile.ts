/**
 * Reads `spec`: a file, a folder or an object with tools, a prompt, situations and a rubric; or plain prose, which is the
 * prompt. What it says stands below the caller's own options.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Platform from "../row/internal/platform.ts"
import * as TextFile from "../row/TextFile.ts"
import * as ErrorText from "../task/ErrorText.ts"
import type { OptionIssue } from "./InvalidOptions.ts"
import { nearest } from "./internal/nearest.ts"

export interface Spec {
  /** Tool definitions as written; read with the caller's. */
  readonly tools?: unknown
  readonly prompt?: string
  /** Opening asks as written: text or seed objects. */
  readonly situations?: unknown
  readonly rubric?: string
}

/** What could be read, and what could not. */
export interface Reading {
  readonly spec: Spec
  readonly issues: ReadonlyArray<OptionIssue>
}

export interface ReadOptions {
  /** Reads YAML text; without it, YAML files are refused. */
  readonly parseYaml?: (text: string) => unknown
}

/** Reads a path, an object or prose. Never fails: what cannot be read is an issue. */
export const read: (
  spec: string | object,
  options?: ReadOptions
) => Effect.Effect<Reading, never, FileSystem.FileSystem | Path.Path> = Effect.fn("SpecFile.read")(function* (
  spec: string | object,
  options: ReadOptions = {}
) {
  if (typeof spec !== "string") return fromObject(spec)
  if (!mayBePath(spec)) return fromProse(spec)
  const fs = yield* Platform.FileSystem
  const found = yield* Effect.either(fs.stat(spec.trim()))
  if (Either.isRight(found)) {
    const source = spec.trim()
    return found.right.type === "Directory" ? yield* readFolder(source, options) : yield* readFile(source, options)
  }
  return looksLikePath(spec) ? unreadable(`is the path ${spec.trim()}, where nothing can be read`) : fromProse(spec)
})

/** A spec already in memory. Keys are those of the files: `tools`, one of `prompt` and its names, and so on. */
export const fromObject = (value: object): Reading => {
  const issues: Array<OptionIssue> = []
  const spec: Record<string, unknown> = {}
  const source = new Map<string, string>()
  for (const [key, given] of Object.entries(value)) {
    const field = fieldOf.get(key)
    if (given === undefined || given === null) continue
    if (field === undefined) {
      issues.push({
        option: `spec.${key}`,
        problem: "is not a part of a spec",
        fix: `The nearest is \`${nearest(key, [...fieldOf.keys()])}\`; parts are tools, prompt, situations and rubric.`
      })
    } else if ((field === "prompt" || field === "rubric") && typeof given !== "string") {
      issues.push({ option: `spec.${key}`, problem: "is not text", fix: "Give text." })
    } else if (Object.hasOwn(spec, field) && spec[field] !== given) {
      issues.push({
        option: `spec.${key}`,
        problem: `says something else than \`${source.get(field) ?? field}\``,
        fix: "Keep one of them."
      })
    } else {
      spec[field] = given
      source.set(field, key)
    }
  }
  if (Object.keys(spec).length === 0 && issues.length === 0) {
    issues.push({ option: "spec", problem: "is empty", fix: "Give it `tools`, a `prompt`, or both." })
  }
  return { spec, issues }
}

/** Prose is the prompt of the agent it describes. */
export const fromProse = (text: string): Reading => ({ spec: { prompt: text.trim() }, issues: [] })

/**
 * Whether text can only be meant as a path: it begins like one, has a file ending and few words, or is a single word,
 * which no prose is.
 */
export const looksLikePath = (text: string): boolean => {
  const word = text.trim()
  if (!mayBePath(word)) return false
  if (/^(~|\.{1,2})?[/\\]|^[A-Za-z]:[/\\]/.test(word)) return true
  const words = word.split(/\s+/).length
  return words === 1 || (words <= 3 && /\.(json|ya?ml|md|txt)$/i.test(word))
}

/** Prose has lines and length; only a short line is looked for on disk. */
const mayBePath = (text: string): boolean => text.trim().length <= 1024 && !/[\n\r\0]/.test(text.trim())

const fieldOf: ReadonlyMap<string, keyof Spec> = new Map<string, keyof Spec>([
  ["tools", "tools"],
  ["prompt", "prompt"],
  ["systemPrompt", "prompt"],
  ["system_prompt", "prompt"],
  ["policy", "prompt"],
  ["situations", "situations"],
  ["user_goals", "situations"],
  ["rubric", "rubric"]
])

/** The files of a folder, by part; the first that exists counts. */
const folderFiles: ReadonlyArray<readonly [keyof Spec, ReadonlyArray<string>]> = [
  ["tools", ["tools.json", "tools.yaml", "tools.yml"]],
  ["prompt", ["prompt.md", "policy.md", "system_prompt.md", "prompt.txt", "policy.txt", "system_prompt.txt"]],
  ["situations", ["situations.json", "situations.yaml", "situations.yml", "user-goals.json"]],
  ["rubric", ["rubric.md", "rubric.txt"]]
]

const readFolder = (
  folder: string,
  options: ReadOptions
): Effect.Effect<Reading, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* Platform.FileSystem
    const path = yield* Platform.Path
    const listed = yield* Effect.either(fs.readDirectory(folder))
    if (Either.isLeft(listed)) return unreadable(`is the folder ${folder}, which ${reason(listed.left)}`)
    const present = new Set(listed.right)
    const parts: Record<string, unknown> = {}
    const issues: Array<OptionIssue> = []
    for (const [part, names] of folderFiles) {
      const name = names.find((each) => present.has(each))
      if (name === undefined) continue
      const text = yield* readText(path.join(folder, name))
      const value = Either.flatMap(text, (content) =>
        part === "prompt" || part === "rubric" ? Either.right<unknown>(content) : parse(name, content, options)
      )
      if (Either.isRight(value)) parts[part] = value.right
      else issues.push({ option: `spec/${name}`, problem: value.left, fix: "Mend the file, or take it away." })
    }
    if (Object.keys(parts).length === 0 && issues.length === 0) {
      return unreadable(
        `is the folder ${folder}, which has none of ${folderFiles.map(([, [name]]) => name).join(", ")}`
      )
    }
    return issues.length > 0 ? { spec: parts, issues } : fromObject(parts)
  })

const readFile = (file: string, options: ReadOptions): Effect.Effect<Reading, never, FileSystem.FileSystem> =>
  Effect.map(readText(file), (text) => {
    if (Either.isLeft(text)) return unreadable(`is the file ${file}, which ${text.left}`)
    if (!/\.(json|ya?ml)$/i.test(file)) return fromProse(text.right)
    const value = parse(file, text.right, options)
    if (Either.isLeft(value)) return unreadable(`is the file ${file}, which ${value.left}`)
    // a bare list is a list of tools
    if (Array.isArray(value.right)) return fromObject({ tools: value.right })
    return typeof value.right === "object" && value.right !== null
      ? fromObject(value.right)
      : unreadable(`is the file ${file}, which holds neither an object nor a list`)
  })

const readText = (file: string): Effect.Effect<Either.Either<string, string>, never, FileSystem.FileSystem> =>
  Effect.either(
    Effect.mapError(TextFile.read(file), (error) =>
      error.reason === "not_text"
        ? `${error.detail.replace(/\.$/, "")}; ${TextFile.fix}`
        : `cannot be read (${error.detail.replace(/\.$/, "")})`
    )
  )

const reason = (error: PlatformError): string =>
  `cannot be read (${error._tag === "SystemError" ? error.reason : error._tag})`

const parse = (name: string, text: string, { parseYaml }: ReadOptions): Either.Either<unknown, string> => {
  const isYaml = /\.ya?ml$/i.test(name)
  if (isYaml && parseYaml === undefined) {
    return Either.left("is YAML, and no YAML reader is at hand")
  }
  return Either.try({
    try: (): unknown => (isYaml && parseYaml !== undefined ? parseYaml(text) : JSON.parse(text.replace(/^\uFEFF/, ""))),
    catch: (cause) => `is not valid ${isYaml ? "YAML" : "JSON"}: ${ErrorText.of(cause)}`
  })
}

const unreadable = (problem: string): Reading => ({
  spec: {},
  issues: [
    { option: "spec", problem, fix: "Give a file (JSON), a folder with tools.json and prompt.md, an object, or prose." }
  ]
})
