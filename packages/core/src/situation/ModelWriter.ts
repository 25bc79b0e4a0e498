/**
 * A model as the situation writer. It first notes in private who talks to this agent; then it is handed personas, each a
 * person to be, and what it writes for them is held against what a person would write.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { ChatModel, type Request } from "../model/ChatModel.ts"
import type * as Model from "../model/ChatModel.ts"
import * as Deadline from "../time/Deadline.ts"
import * as ModelCall from "../model/ModelCall.ts"
import { normalise } from "../language/NearCopies.ts"
import { degraded, type Warning } from "../report/Warning.ts"
import type { Tool } from "../task/Tool.ts"
import * as Personas from "./internal/model/personas.ts"
import { make as makeChooser, type Choose } from "./internal/model/chooser.ts"
import * as Filters from "./internal/model/filters.ts"
import * as Passes from "./internal/model/passes.ts"
import * as Replies from "./internal/model/replies.ts"
import * as Telling from "./internal/model/telling.ts"
import { SituationWriter, WriterFailed, type Kind, type RunInput, type Service, type Slot } from "./SituationWriter.ts"

/** Seconds one call of the model may take. */
const callLimit = 300
/** Tokens one reply may have, thoughts included: a model that cannot end is ended. */
const replyTokens = 4096
/** Personas of one call: more, and a model begins to repeat itself. */
const cardsPerCall = 8
/** Tools whose results are asked for in one call. */
const toolsPerCall = 8
/** Calls of one request that are under way at the same time. */
const callsAtOnce = 4
/** Calls for one batch of personas: the second one for what was refused of the first. */
const rounds = 2

/**
 * A writer that asks a model, and keeps what it can use of the replies.
 * @since 0.1.0
 * @category constructors
 */
export const fromModel = (model: Model.Service): Kind => {
  const calls = callsOf(model)
  return {
    identity: model.identity,
    model,
    namesIds: true,
    draftTools: (systemPrompt) =>
      Effect.flatMap(calls.pass(Passes.tools(systemPrompt), ["writer", "tools"]), (read) =>
        "value" in read ? Effect.succeed(read.value) : Effect.fail(calls.failed("failed", sentence(read.problem)))
      ),
    make: (run) => make(model, calls, run)
  }
}

/**
 * A writer over the `ChatModel` in context.
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, ChatModel> = Layer.effect(
  SituationWriter,
  Effect.map(ChatModel, fromModel)
)

const make = (model: Model.Service, calls: Calls, run: RunInput): Service => {
  const missing = new Map<string, Warning>()
  const miss = (warning: Warning): void => void (missing.has(warning.code) || missing.set(warning.code, warning))
  const shapes = once(shapesOf(calls, run.shapeless, miss))
  // Where the world answers by imagined results, people are drawn from what it will hold.
  const people =
    run.drawOver === undefined || run.shapeless.length === 0
      ? Effect.succeed(Personas.writer(run, run.draw))
      : once(Effect.map(shapes, (imagined) => Personas.writer(run, run.drawOver?.(imagined) ?? null)))
  const told = [
    ...run.settings.tools.list.map(({ description }) => description),
    ...run.clauses.map(({ text }) => text)
  ]
  const chooser = makeChooser(run.embedder, (detail) => miss(degraded.embedding_unavailable({ detail })))
  const firsts = Telling.firstWordings()

  const briefing = once(
    Effect.map(calls.pass(Passes.brief(run), ["writer", "brief"]), (read) => {
      if ("problem" in read) miss(degraded.scene_brief_unavailable({ detail: sentence(read.problem) }))
      const brief = "value" in read ? read.value : null
      const sources = [
        ...told,
        ...(brief === null ? [] : [brief]),
        ...(run.settings.scaffold === null ? [] : [run.settings.scaffold])
      ]
      return { brief, filters: Filters.make({ tools: run.settings.tools.list, sources, known: run.ids.known }) }
    })
  )

  /** Every message for some personas that can stand, by persona, and what was wrong with the others. */
  const drafted = Effect.fnUntraced(function* (
    personas: ReadonlyArray<Personas.Persona>,
    { brief, filters }: Briefed,
    problems: ReadonlyMap<string, string>,
    round: number
  ) {
    const messages = Telling.messages(brief, personas, firsts, problems)
    const completions = Array.from({ length: run.settings.completionsPerRequest }, (_, completion) =>
      calls.complete({
        messages,
        responseSchema: Replies.draftSchema,
        key: [...keyOf(run, personas), completion, round]
      })
    )
    const replies = yield* Effect.forEach(completions, (each) => Effect.either(each), { concurrency: callsAtOnce })
    const fatal = replies.flatMap((reply) => (Either.isLeft(reply) && isFatal(reply.left) ? [reply.left] : []))
    if (fatal[0] !== undefined) return yield* fatal[0]
    const standing = new Map<string, Array<Replies.Draft>>()
    const refused = new Map<string, string>()
    for (const reply of replies) {
      const drafts = Either.map(reply, Replies.draftsOf)
      for (const persona of personas) {
        const draft = Either.getOrUndefined(drafts)?.get(persona.id)
        const problem = draft === undefined ? lacking(drafts) : filters.problemOf(persona, draft)
        if (draft === undefined || problem !== undefined) refused.set(persona.id, problem ?? nothingCame)
        else standing.set(persona.id, [...(standing.get(persona.id) ?? []), draft])
      }
    }
    return { standing, refused }
  })

  /** The asks of one call, after a second one for what was refused. */
  const batch = Effect.fnUntraced(function* (slots: ReadonlyArray<Slot>, briefed: Briefed, choose: Choose) {
    const personaOf = yield* people
    const personas = slots.map((slot, i) => personaOf(slot, `msg-${i + 1}`))
    const picked = new Map<Personas.Persona, Replies.Draft>()
    const used = new Set<string>()
    let problems: ReadonlyMap<string, string> = new Map()
    for (let round = 0; round < rounds && picked.size < personas.length; round++) {
      const left = personas.filter((persona) => !picked.has(persona))
      const { refused, standing } = yield* drafted(left, briefed, problems, round)
      for (const [persona, draft] of yield* choose(left, standing)) {
        const key = normalise(draft.message)
        refused.delete(persona.id)
        // In the last round an equal text goes out all the same: the search refuses it, and counts how little is new.
        if (used.has(key) && round + 1 < rounds) refused.set(persona.id, "it says the same as another message")
        else picked.set(persona, draft)
        used.add(key)
      }
      problems = refused
    }
    const asks = [...picked].map(([persona, draft]) => Telling.askOf(persona, draft, firsts, model.identity.name))
    return { asks, problem: problems.values().next().value }
  })

  return {
    identity: model.identity,
    owesEverySlot: true,
    // no span: what it fails with may quote what was said
    write: Effect.fnUntraced(function* (slots: ReadonlyArray<Slot>) {
      const briefed = yield* briefing
      const chosen = batches(slots).map((each) => ({ each, choice: chooser.begin() }))
      const written = yield* Effect.forEach(chosen, ({ choice, each }) => batch(each, briefed, choice.choose), {
        concurrency: callsAtOnce
      })
      // In the order of the slots, whichever came first.
      for (const { choice } of chosen) chooser.remember(choice.picks())
      const asks = written.flatMap((one) => one.asks)
      if (asks.length > 0 || slots.length === 0) return asks
      const problem = written.find((one) => one.problem !== undefined)?.problem
      return yield* calls.failed(
        "empty",
        `no message for ${slots.length} asks could be used: ${problem ?? nothingCame}.`
      )
    }),
    payloads: shapes,
    degraded: Effect.sync(() => [...missing.values()])
  }
}

interface Briefed {
  readonly brief: string | null
  readonly filters: Filters.Filters
}

/** Cells that are opened again, and texts that were refused, are asked for in the same words: the key tells them apart. */
const keyOf = ({ randomness }: RunInput, personas: ReadonlyArray<Personas.Persona>): ReadonlyArray<string | number> => [
  "writer",
  "cards",
  randomness.seed,
  ...personas.map(({ slot }) => `${slot.scenarioId}:${slot.visit}:${slot.phrasing}:${slot.attempt}`)
]

const nothingCame = "there was no message for it"

const lacking = (drafts: Either.Either<unknown, WriterFailed>): string =>
  Either.match(drafts, {
    onLeft: ({ detail }) => detail,
    onRight: (read) => (read === undefined ? "the reply held no JSON" : nothingCame)
  })

/** All wordings of a situation stay in one call. */
const batches = (slots: ReadonlyArray<Slot>): ReadonlyArray<ReadonlyArray<Slot>> => {
  const out: Array<Array<Slot>> = []
  for (const slot of slots) {
    const last = out.at(-1)
    const joins = last !== undefined && (last.length < cardsPerCall || last.at(-1)?.scenarioId === slot.scenarioId)
    if (joins) last.push(slot)
    else out.push([slot])
  }
  return out
}

/** Example results; what does not come is said once. */
const shapesOf = (
  calls: Calls,
  tools: ReadonlyArray<Tool>,
  miss: (warning: Warning) => void
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<unknown>>> => {
  const groups = Array.from({ length: Math.ceil(tools.length / toolsPerCall) }, (_, i) =>
    tools.slice(i * toolsPerCall, (i + 1) * toolsPerCall)
  )
  const asked = (group: ReadonlyArray<Tool>, i: number) =>
    Effect.merge(
      Effect.map(calls.pass(Passes.shapes(group), ["writer", "shapes", i]), (read) =>
        "value" in read ? read.value : read.problem
      ).pipe(Effect.mapError(({ detail }) => detail))
    )
  return Effect.map(Effect.forEach(groups, asked, { concurrency: callsAtOnce }), (replies) => {
    const found = new Map(replies.flatMap((reply) => (typeof reply === "string" ? [] : [...reply])))
    const without = tools.flatMap(({ name }) => (found.has(name) ? [] : [name]))
    const problem = replies.find((reply) => typeof reply === "string")
    if (without.length > 0) {
      const detail = typeof problem === "string" ? problem : "the model gave no usable example of them"
      miss(degraded.result_shapes_unavailable({ tools: without, detail: sentence(detail) }))
    }
    return found
  })
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`

// --- calls

interface Calls {
  readonly failed: (reason: WriterFailed["reason"], detail: string, cause?: unknown) => WriterFailed
  /** The text of a reply. */
  readonly complete: (request: Request) => Effect.Effect<string, WriterFailed>
  /** A pass read; only refusals for good fail, everything else is a problem. */
  readonly pass: <A>(
    pass: Passes.Pass<A>,
    key: NonNullable<Request["key"]>
  ) => Effect.Effect<{ readonly value: A } | { readonly problem: string }, WriterFailed>
}

const isFatal = ({ reason }: WriterFailed): boolean => reason === "auth" || reason === "quota"

const callsOf = (model: Model.Service): Calls => {
  const failed: Calls["failed"] = (reason, detail, cause) =>
    new WriterFailed({ writer: model.identity.name, reason, detail, ...(cause === undefined ? {} : { cause }) })
  const complete: Calls["complete"] = (request) =>
    ModelCall.completeWithin(model, "writer", request, replyTokens).pipe(
      Deadline.within(callLimit),
      Effect.mapError((error) =>
        error._tag === "DeadlineExceeded"
          ? failed("failed", `the model gave no reply within ${error.seconds} s`, error)
          : failed(error.reason === "auth" || error.reason === "quota" ? error.reason : "failed", error.message, error)
      ),
      Effect.map(({ text }) => text)
    )
  return {
    failed,
    complete,
    pass: ({ messages, read, schema }, key) =>
      complete({ messages, ...(schema === undefined ? {} : { responseSchema: schema }), key }).pipe(
        Effect.map(read),
        Effect.catchAll((error) => (isFatal(error) ? Effect.fail(error) : Effect.succeed({ problem: error.detail })))
      )
  }
}

/** Runs an effect until it has once succeeded, one caller at a time; whoever is interrupted leaves it to the next. */
const once = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const lock = Effect.unsafeMakeSemaphore(1)
  let kept: { readonly value: A } | undefined
  const run = Effect.suspend(() =>
    kept === undefined
      ? Effect.tap(effect, (value) => {
          kept = { value }
        })
      : Effect.succeed(kept.value)
  )
  return Effect.suspend(() => (kept === undefined ? lock.withPermits(1)(run) : Effect.succeed(kept.value)))
}
