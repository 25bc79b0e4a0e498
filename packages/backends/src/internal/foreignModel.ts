/**
 * A model of another library as a chat model: asked again as its failures allow, under a limit, with what it tells of the
 * call going to the run. Such libraries leave retries to their callers.
 */
import type { Completion, Request, Service } from "@sandtable/core/ChatModel"
import { ModelFailed } from "@sandtable/core/ChatModel"
import * as Deadline from "@sandtable/core/unstable/Deadline"
import type { ToolCall } from "@sandtable/core/unstable/Message"
import type { Identity } from "@sandtable/core/unstable/Identity"
import { CallNotes } from "@sandtable/core/unstable/ModelCall"
import * as Randomness from "@sandtable/core/Randomness"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Limits from "../Limits.ts"
import * as Retry from "../Retry.ts"
import type { Failure } from "./failure.ts"
import { isRecord } from "./json.ts"
import * as Redaction from "./redaction.ts"

export interface Options {
  /** Tokens a thread may hold, where known. */
  readonly contextSize?: number
  /** Holds the calls back; the server alone when left out. */
  readonly limit?: Limits.Limit
  /** How patiently a failing call is asked again. */
  readonly retry?: Partial<Retry.Policy>
}

/** `ask` makes one attempt; `identity.model` has to be said. */
export const make = (
  identity: Identity & { readonly model: string },
  options: Options,
  ask: (request: Request) => Effect.Effect<Completion, Failure>
): Service => {
  const policy: Retry.Policy = { ...Retry.defaults, ...options.retry }
  const limit = options.limit ?? Limits.limit(identity.model)
  const redact = Redaction.make([])
  let unnamed = 0

  const complete = Effect.fnUntraced(function* (request: Request) {
    const notes = yield* CallNotes
    const attempt = Effect.zipRight(
      Effect.sync(() => notes.sent()),
      Effect.either(ask(request))
    )
    let throttled = 0
    let failures = 0
    while (true) {
      const outcome = yield* limit.run(attempt, capacity)
      if (Either.isRight(outcome)) return outcome.right
      const { detail, hint, reason, retry, usage } = outcome.left
      notes.spent(usage)
      const late = reason === "rate_limited"
      const tries = late ? (throttled += 1) : (failures += 1)
      if (!retry || tries >= (late ? policy.throttledAttempts : policy.attempts)) {
        const text = throttled + failures > 1 ? `${detail}, after ${throttled + failures} tries` : detail
        return yield* new ModelFailed({ reason, model: identity.model, detail: redact(text) })
      }
      const key = request.key ?? ["call", (unnamed += 1)]
      const draw = (yield* Randomness.Randomness).draw(["retry", identity.model, ...key, throttled + failures])
      const millis = Retry.delay(policy, tries, hint, draw)
      notes.waits((yield* Clock.currentTimeMillis) + millis)
      // The time before the next try is charged to nobody.
      yield* Effect.ensuring(
        Deadline.suspend(Effect.sleep(millis)),
        Effect.sync(() => notes.waits(null))
      )
    }
  })
  return { identity, complete, ...(options.contextSize === undefined ? {} : { contextSize: options.contextSize }) }
}

const capacity = (outcome: Either.Either<Completion, Failure>): Limits.Outcome =>
  Either.isRight(outcome) ? "served" : outcome.left.reason === "rate_limited" ? "throttled" : "other"

/**
 * A call as another library gives it. One that read the arguments itself has rounded whole numbers beyond 2^53, and which
 * they were nobody knows any more.
 */
export const callOf = (id: string, name: string, given: unknown): ToolCall =>
  holdsRounded(given)
    ? {
        id,
        name,
        arguments: given,
        problem:
          "hold a whole number of more than 15 digits, which was rounded on its way: write it as text if the tool takes text"
      }
    : { id, name, arguments: given }

const holdsRounded = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value)
  return typeof value === "object" && value !== null && Object.values(value).some(holdsRounded)
}

/** What a provider of another library wants back with its own parts of a turn. */
export interface Kept {
  readonly reasoning: ReadonlyArray<{ readonly text: string; readonly options: unknown }>
  readonly text: unknown
  /** By the id of the call. */
  readonly calls: ReadonlyArray<readonly [string, unknown]>
}

export const isKept = (state: unknown): state is Kept =>
  isRecord(state) && Array.isArray(state["reasoning"]) && Array.isArray(state["calls"])

/** Null when there is nothing to keep. */
export const kept = (state: Kept): Kept | null =>
  state.text !== undefined || state.calls.length > 0 || state.reasoning.some(({ options }) => options !== undefined)
    ? state
    : null
