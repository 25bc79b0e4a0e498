/**
 * A chat model that answers from a file, for tests and fixtures, and a recorder that writes such a file. One JSON object per
 * line: `{ request, completion }` or `{ request, failure: { reason, detail } }`.
 *
 * A recorded request answers an asked one when its messages are the same and so is every other field it has (`tools`,
 * `sampling`, `responseSchema`, `key`); one written by hand may have messages alone. Several that answer the same request
 * are given in turn, the last of them for ever. What only a provider reads (reasoning, signed blocks) is not compared.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import * as FileSystem from "@effect/platform/FileSystem"
import { ChatModel, ModelFailed } from "@sandtable/core/ChatModel"
import type { Completion, Request, Service } from "@sandtable/core/ChatModel"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import * as Hash from "@sandtable/core/unstable/Hash"
import type { Identity } from "@sandtable/core/unstable/Identity"
import * as TextFile from "@sandtable/core/unstable/TextFile"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { excerpt } from "./internal/excerpt.ts"
import { at, isRecord, parse, textOf } from "./internal/json.ts"
import * as Recorded from "./internal/recorded.ts"

/**
 * The file of recorded completions cannot be read or written.
 * @since 0.1.0
 * @category errors
 */
export class ReplayFileFailed extends Schema.TaggedError<ReplayFileFailed>()("ReplayFileFailed", {
  path: Schema.String,
  problem: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `The recorded completions in ${this.path} cannot be used: ${this.problem}.`
  }
}

/**
 * What a recorded model says of itself.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Who the rows say it was; the recorded model when left out. */
  readonly identity?: Identity
}

/**
 * A model that answers from the file at `path`.
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  path: string,
  options: Options = {}
): Effect.Effect<Service, ReplayFileFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const text = yield* Effect.mapError(TextFile.read(path), failedOn(path))
    const entries: Array<Entry> = []
    for (const [i, line] of text.split("\n").entries()) {
      if (line.trim() === "") continue
      const entry = entryOf(parse(line))
      if (typeof entry === "string") {
        return yield* new ReplayFileFailed({ path, problem: `line ${i + 1} ${entry}: ${excerpt(line)}` })
      }
      entries.push(entry)
    }
    if (entries.length === 0) return yield* new ReplayFileFailed({ path, problem: "it holds none" })
    return of(entries, path, options)
  })

/**
 * A model that replies from a recording.
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  path: string,
  options?: Options
): Layer.Layer<ChatModel, ReplayFileFailed, FileSystem.FileSystem> => Layer.effect(ChatModel, make(path, options))

/**
 * The model in context, with every call of it appended to the file at `path` as it ends.
 * @since 0.1.0
 * @category layers
 */
export const layerRecorder = (
  path: string
): Layer.Layer<ChatModel, ReplayFileFailed, ChatModel | FileSystem.FileSystem> =>
  Layer.scoped(
    ChatModel,
    Effect.flatMap(ChatModel, (model) => record(model, path))
  )

/**
 * A model whose every call is appended to the file at `path` as it ends; interrupted calls are not.
 * @since 0.1.0
 * @category functions
 */
export const record = (
  model: Service,
  path: string
): Effect.Effect<Service, ReplayFileFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = yield* Effect.mapError(fs.open(path, { flag: "a" }), failedOn(path))
    const one = yield* Effect.makeSemaphore(1)
    const encoder = new TextEncoder()
    const append = (line: object): Effect.Effect<void> =>
      file.writeAll(encoder.encode(`${ExactJson.stringify(line)}\n`)).pipe(
        one.withPermits(1),
        Effect.catchAll((error) =>
          Effect.logWarning(`A completion was not recorded in ${path}: ${ErrorText.of(error)}`)
        ),
        Effect.uninterruptible
      )
    const recorded = (request: Request, exit: Exit.Exit<Completion, ModelFailed>): Effect.Effect<void> => {
      const asked = { model: model.identity, request: Recorded.ofRequest(request) }
      if (Exit.isSuccess(exit)) return append({ ...asked, completion: Recorded.ofCompletion(exit.value) })
      const failure = Option.getOrNull(Cause.failureOption(exit.cause))
      if (failure === null) return Effect.void
      return append({ ...asked, failure: { reason: failure.reason, detail: failure.detail } })
    }
    return {
      ...model,
      complete: (request) => Effect.onExit(model.complete(request), (exit) => recorded(request, exit))
    }
  })

interface Entry {
  readonly thread: string
  readonly model: Identity | null
  /** What it names beside the messages, as comparable text. */
  readonly named: ReadonlyMap<string, string>
  readonly answer: Completion | { readonly reason: ModelFailed["reason"]; readonly detail: string }
}

const entryOf = (value: unknown): Entry | string => {
  const request = at(value, "request")
  if (!isRecord(request) || !Array.isArray(request["messages"])) return "is not { request: { messages }, completion }"
  const answer = answerOf(value)
  if (answer === null) return "has neither a completion nor a failure that can be read"
  const name = textOf(at(value, "model", "name"))
  const model = at(value, "model")
  return {
    thread: Recorded.threadDigest(request["messages"]),
    model: name === null || !isRecord(model) ? null : identityOf(name, model),
    named: new Map(
      Recorded.fields.flatMap((field) =>
        request[field] === undefined ? [] : [[field, Hash.canonical(request[field])] as const]
      )
    ),
    answer
  }
}

const isFailure = Schema.is(Schema.Struct({ reason: ModelFailed.fields.reason, detail: Schema.String }))

const answerOf = (value: unknown): Entry["answer"] | null => {
  const failure = at(value, "failure")
  return isFailure(failure) ? failure : Recorded.completionOf(at(value, "completion"))
}

const identityOf = (name: string, model: Readonly<Record<string, unknown>>): Identity => ({
  name,
  ...(typeof model["provider"] === "string" ? { provider: model["provider"] } : {}),
  ...(typeof model["endpoint"] === "string" ? { endpoint: model["endpoint"] } : {}),
  ...(typeof model["model"] === "string" ? { model: model["model"] } : {})
})

const of = (entries: ReadonlyArray<Entry>, path: string, options: Options): Service => {
  const threads = new Map<string, Array<Entry>>()
  for (const entry of entries) threads.set(entry.thread, [...(threads.get(entry.thread) ?? []), entry])
  const identity = options.identity ??
    entries.find(({ model }) => model !== null)?.model ?? { name: "replay", provider: "replay", model: path }
  const given = new Set<Entry>()
  return {
    identity,
    complete: (request) =>
      Effect.suspend(() => {
        const found = threads.get(Recorded.threadDigest(request.messages)) ?? []
        const asked = new Map(Recorded.fields.map((field) => [field, Hash.canonical(request[field] ?? null)] as const))
        const other = (entry: Entry): string | undefined =>
          [...entry.named].find(([field, value]) => asked.get(field as (typeof Recorded.fields)[number]) !== value)?.[0]
        const fitting = found.filter((entry) => other(entry) === undefined)
        const entry = fitting.find((entry) => !given.has(entry)) ?? fitting.at(-1)
        if (entry === undefined) {
          const closest = found[0] === undefined ? undefined : other(found[0])
          return Effect.fail(missing(identity, path, request, closest))
        }
        given.add(entry)
        const { answer } = entry
        return "detail" in answer
          ? Effect.fail(new ModelFailed({ model: identity.name, ...answer }))
          : Effect.succeed(answer)
      })
  }
}

const missing = (identity: Identity, path: string, request: Request, differs: string | undefined): ModelFailed => {
  const last = request.messages.at(-1)
  const said = last === undefined ? "no messages" : `${last.role}: ${excerpt(last.content)}`
  const why =
    differs === undefined
      ? `has this thread of ${request.messages.length} messages (the last: ${said})`
      : `with this thread has these \`${differs}\``
  return new ModelFailed({
    reason: "bad_request",
    model: identity.name,
    detail: `no recorded request in ${path} ${why}; record it again with Replay.layerRecorder`
  })
}

const failedOn =
  (path: string) =>
  (cause: unknown): ReplayFileFailed =>
    new ReplayFileFailed({ path, problem: ErrorText.of(cause), cause })
