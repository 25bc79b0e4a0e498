/**
 * Who writes the asks: from cells to the first words of a person.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Service as ChatModel } from "../model/ChatModel.ts"
import type * as Embedder from "../model/Embedder.ts"
import type { Identity } from "../model/Identity.ts"
import type * as Randomness from "../random/Randomness.ts"
import type { Warning } from "../report/Warning.ts"
import type { Cell } from "../task/Cell.ts"
import * as ErrorText from "../task/ErrorText.ts"
import type { Entity, Owner } from "../task/Plan.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import type { Tool } from "../task/Tool.ts"
import * as CallerEffects from "../task/internal/callerEffects.ts"
import type { Draw } from "../world/Draws.ts"
import type { Payloads } from "../world/World.ts"
import type { Clause } from "./Clauses.ts"
import type { IdPool } from "./IdPool.ts"
import * as TemplateWriter from "./TemplateWriter.ts"

/**
 * One ask to write.
 * @since 0.1.0
 * @category models
 */
export interface Slot {
  /** Id of the situation the ask belongs to. */
  readonly scenarioId: string
  readonly cell: Cell
  /** How often the cell was opened before: other visits are other people with other records. */
  readonly visit: number
  /** 0 is the first wording of the situation, 1..n-1 the further ones. */
  readonly phrasing: number
  /** Raised when an earlier text was refused at admission. */
  readonly attempt: number
  /** What the text starts from: a caller's seed to reword or vary, or the ask of a failed row to mutate. */
  readonly source?: Source
}

/**
 * The text an ask is made from.
 * @since 0.1.0
 * @category models
 */
export type Source =
  | { readonly _tag: "Reword"; readonly text: string }
  | {
      readonly _tag: "Vary"
      readonly text: string
      /** What the person behind the text is known to know, by argument name. */
      readonly facts?: Readonly<Record<string, string>>
    }
  | {
      readonly _tag: "Mutate"
      readonly text: string
      /** Another failing ask, for operators that join two. */
      readonly other?: string
      /** Why the parent failed, when a grader said so. */
      readonly reason?: string
    }
  /** A probe off the grid. */
  | { readonly _tag: "OpenEnded" }

/**
 * A written ask.
 * @since 0.1.0
 * @category models
 */
export interface Ask {
  readonly slot: Slot
  readonly text: string
  /** Labels the text really shows: `stance`, `tone`, `texture`, `history`, `world_state`, ... */
  readonly shown: Readonly<Record<string, string>>
  /** What the person wants, in one sentence. */
  readonly need: string | null
  /** What the person knows and may tell when asked, by argument name. */
  readonly facts: Readonly<Record<string, string>>
  readonly entity: Entity | null
  /** The person's own record, where the facts were drawn from the world. */
  readonly person?: Owner
  /** What they might be asked for and do not know, by name. */
  readonly unknown?: ReadonlyArray<string>
  /** Whose words: a model name, `template`, or the writer's declared name. */
  readonly writer: string
  /** Similarity to the nearest source ask by the run's embedder, when one was asked. */
  readonly likeness?: number
}

/**
 * The writer could not write.
 * @since 0.1.0
 * @category errors
 */
export class WriterFailed extends Schema.TaggedError<WriterFailed>()("WriterFailed", {
  writer: Schema.String,
  reason: Schema.Literal("failed", "auth", "quota", "empty"),
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `The situation writer ${this.writer} could not write: ${this.detail}`
  }
}

/**
 * A writer that is ready: it turns slots into asks.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly identity: Identity
  /** Answers in any order; a slot without an answer has nothing new to offer. */
  readonly write: (slots: ReadonlyArray<Slot>) => Effect.Effect<ReadonlyArray<Ask>, WriterFailed>
  /**
   * It asks nobody and writes the same asks again for the same slots: it is asked only when asks are needed, a preview shows
   * them, and a run that goes on writes them anew instead of keeping them.
   */
  readonly deterministic?: boolean
  /** It owes every slot an ask: one without failed, and is written by the fallback where there is one. */
  readonly owesEverySlot?: boolean
  /** Results its model imagines for tools that show none, by tool: asked for once, before the first rollout. */
  readonly payloads?: Effect.Effect<ReadonlyMap<string, ReadonlyArray<unknown>>>
  /** What it had to do without so far: warnings of degraded codes. */
  readonly degraded?: Effect.Effect<ReadonlyArray<Warning>>
}

/**
 * What a run tells its writer.
 * @since 0.1.0
 * @category models
 */
export interface RunInput {
  readonly settings: Pick<RunSettings, "tools" | "systemPrompt" | "scaffold" | "completionsPerRequest">
  /** Clauses of the prompt by the ids the `rule` axis uses. */
  readonly clauses: ReadonlyArray<Clause>
  readonly ids: IdPool
  readonly randomness: Randomness.Service
  readonly embedder: Embedder.Service
  /** Tools whose results nothing shows. */
  readonly shapeless: ReadonlyArray<Tool>
  /** Draws people and records from the world that tasks meet; null where the world cannot be asked before. */
  readonly draw: Draw | null
  /** The same where results are imagined first: the world answers by them. */
  readonly drawOver?: (imagined: Payloads) => Draw | null
}

/**
 * A kind of writer: made into a service once per run, from what the run knows.
 * @since 0.1.0
 * @category models
 */
export interface Kind {
  readonly identity: Identity
  readonly make: (run: RunInput) => Service
  /** The model that writes, when one does: it plays the person too unless another is named. */
  readonly model?: ChatModel
  /** Its asks name identifiers of the run's pool. */
  readonly namesIds?: boolean
  /** Tools such a prompt would come with; asked only where the agent has none and its model could use them. */
  readonly draftTools?: (systemPrompt: string) => Effect.Effect<ReadonlyArray<Tool>, WriterFailed>
}

/**
 * The template writer unless another one is provided.
 * @since 0.1.0
 * @category services
 */
export class SituationWriter extends Context.Reference<SituationWriter>()("@sandtable/core/SituationWriter", {
  defaultValue: (): Kind => TemplateWriter.kind
}) {}

/**
 * The default, written out.
 * @since 0.1.0
 * @category layers
 */
export const layerTemplate: Layer.Layer<never> = Layer.sync(SituationWriter, () => TemplateWriter.kind)

/**
 * A writer that is the same for every run.
 * @since 0.1.0
 * @category constructors
 */
export const ofService = (service: Service): Kind => ({ identity: service.identity, make: () => service })

/**
 * What a writer function must give per ask; the rest has defaults.
 * @since 0.1.0
 * @category models
 */
export type Written = Pick<Ask, "slot" | "text"> & Partial<Omit<Ask, "slot" | "text" | "writer">>

/**
 * From slots to asks: sync, a Promise or an Effect. A slot left out has nothing new to offer.
 * @since 0.1.0
 * @category models
 */
export type WriteFunction<R = never> = (
  slots: ReadonlyArray<Slot>
) => ReadonlyArray<Written> | PromiseLike<ReadonlyArray<Written>> | Effect.Effect<ReadonlyArray<Written>, unknown, R>

/**
 * A writer of the caller's; its name is the rows' `writer_model`.
 * @since 0.1.0
 * @category constructors
 */
export const fromFunction = (write: WriteFunction, options: { readonly name?: string } = {}): Service => {
  const name = options.name ?? (write.name === "" ? "writer" : write.name)
  const failed = (detail: string, cause?: unknown): WriterFailed =>
    new WriterFailed({ writer: name, reason: "failed", detail, ...(cause === undefined ? {} : { cause }) })
  const called = (slots: ReadonlyArray<Slot>): Effect.Effect<unknown, WriterFailed> =>
    Effect.suspend(() => {
      // caught here: what a fiber dies of has to be readable
      try {
        const given = write(slots)
        if (Effect.isEffect(given)) return Effect.mapError(given, (error) => failed(ErrorText.of(error), error))
        return Effect.tryPromise({ try: async () => given, catch: (error) => failed(ErrorText.of(error), error) })
      } catch (error) {
        return Effect.fail(failed(ErrorText.of(error), error))
      }
    })
  return {
    identity: { name },
    write: (slots) =>
      Effect.flatMap(called(slots), (given) => {
        if (!Array.isArray(given)) return Effect.fail(failed("it gave no list of asks"))
        const wrong = given.findIndex((ask) => !isWritten(ask))
        if (wrong >= 0) return Effect.fail(failed(`ask ${wrong} of its list is no { slot, text }`))
        return Effect.succeed(given.map((ask: Written) => ({ ...unsaid, ...ask, writer: name })))
      }).pipe(Effect.catchAllDefect((defect) => Effect.fail(failed(ErrorText.of(defect), defect))))
  }
}

/**
 * A writer of the caller's; the services it needs are taken when the layer is built.
 * @since 0.1.0
 * @category layers
 */
export const layer = <R = never>(
  write: WriteFunction<R>,
  options: { readonly name?: string } = {}
): Layer.Layer<never, never, R> =>
  Layer.effect(
    SituationWriter,
    Effect.map(CallerEffects.capture<R>(), (captured) => {
      const named = write.name === "" ? options : { name: write.name, ...options }
      return ofService(fromFunction((slots) => CallerEffects.provideReturned(write(slots), captured), named))
    })
  )

/**
 * A writer that gives no ask, for tests to fill in.
 * @since 0.1.0
 * @category layers
 */
export const layerNoop = (partial: Partial<Service> = {}): Layer.Layer<never> =>
  Layer.succeed(
    SituationWriter,
    ofService({
      identity: { name: "noop" },
      write: () =>
        Effect.fail(new WriterFailed({ writer: "noop", reason: "empty", detail: "it was given nothing to say" })),
      ...partial
    })
  )

const unsaid = { shown: {}, need: null, facts: {}, entity: null }

const isWritten = (ask: unknown): ask is Written =>
  typeof ask === "object" &&
  ask !== null &&
  "text" in ask &&
  typeof ask.text === "string" &&
  "slot" in ask &&
  typeof ask.slot === "object" &&
  ask.slot !== null
