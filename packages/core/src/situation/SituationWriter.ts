/**
 * Who writes the asks: from cells to the first words of a person.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Identity } from "../model/Identity.ts"
import type { Cell } from "../task/Cell.ts"
import type { Entity } from "../task/Plan.ts"

/** One ask to write. */
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

export type Source =
  | { readonly _tag: "Reword"; readonly text: string }
  | { readonly _tag: "Vary"; readonly text: string }
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

/** A written ask. */
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
  /** Whose words: a model name, `template`, or the writer's declared name. */
  readonly writer: string
}

/** The writer could not write. */
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

export interface Service {
  readonly identity: Identity
  /** Answers in any order; a slot without an answer has nothing new to offer. */
  readonly write: (slots: ReadonlyArray<Slot>) => Effect.Effect<ReadonlyArray<Ask>, WriterFailed>
}

export class SituationWriter extends Context.Tag("@sandtable/core/SituationWriter")<SituationWriter, Service>() {}

/** What a writer function must give per ask; the rest has defaults. */
export type Written = Pick<Ask, "slot" | "text"> & Partial<Omit<Ask, "slot" | "text" | "writer">>

/** From slots to asks: sync, a Promise or an Effect. A slot left out has nothing new to offer. */
export type WriteFunction = (
  slots: ReadonlyArray<Slot>
) => ReadonlyArray<Written> | PromiseLike<ReadonlyArray<Written>> | Effect.Effect<ReadonlyArray<Written>, unknown>

/** A writer of the caller's; its name is the rows' `writer_model`. */
export const fromFunction = (write: WriteFunction, options: { readonly name?: string } = {}): Service => {
  const name = options.name ?? (write.name === "" ? "writer" : write.name)
  const failed = (detail: string, cause?: unknown): WriterFailed =>
    new WriterFailed({ writer: name, reason: "failed", detail, ...(cause === undefined ? {} : { cause }) })
  const called = (slots: ReadonlyArray<Slot>): Effect.Effect<unknown, WriterFailed> =>
    Effect.suspend(() => {
      const given = write(slots)
      if (Effect.isEffect(given)) return Effect.mapError(given, (error) => failed(detailOf(error), error))
      return Effect.tryPromise({ try: async () => given, catch: (error) => failed(detailOf(error), error) })
    }).pipe(Effect.catchAllDefect((defect) => Effect.fail(failed(detailOf(defect), defect))))
  return {
    identity: { name },
    write: (slots) =>
      Effect.flatMap(called(slots), (given) => {
        if (!Array.isArray(given)) return Effect.fail(failed("it gave no list of asks"))
        const wrong = given.findIndex((ask) => !isWritten(ask))
        if (wrong >= 0) return Effect.fail(failed(`ask ${wrong} of its list is no { slot, text }`))
        return Effect.succeed(given.map((ask: Written) => ({ ...unsaid, ...ask, writer: name })))
      })
  }
}

export const layer = (write: WriteFunction, options?: { readonly name?: string }): Layer.Layer<SituationWriter> =>
  Layer.succeed(SituationWriter, fromFunction(write, options))

/** A writer that gives no ask, for tests to fill in. */
export const layerNoop = (partial: Partial<Service> = {}): Layer.Layer<SituationWriter> =>
  Layer.succeed(SituationWriter, {
    identity: { name: "noop" },
    write: () =>
      Effect.fail(new WriterFailed({ writer: "noop", reason: "empty", detail: "it was given nothing to say" })),
    ...partial
  })

const unsaid = { shown: {}, need: null, facts: {}, entity: null }

const isWritten = (ask: unknown): ask is Written =>
  typeof ask === "object" &&
  ask !== null &&
  "text" in ask &&
  typeof ask.text === "string" &&
  "slot" in ask &&
  typeof ask.slot === "object" &&
  ask.slot !== null

const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
