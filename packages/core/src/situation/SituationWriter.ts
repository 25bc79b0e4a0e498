/**
 * Who writes the asks: from cells to the first words of a person.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
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
