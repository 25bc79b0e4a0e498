/**
 * The one draw of a task: who the person is, what is theirs, which record they come about, and what they know of it. The
 * asks are written from it and the world of the task answers from the same records, so that neither can contradict the
 * other.
 */
import type { JsonObject } from "./internal/records.ts"

/** A thing the person wants of a tool. */
export interface Wanted {
  readonly tool: string
  /** The argument that names the record they come about; null where the tool takes none. */
  readonly reference: string | null
  /** Identifiers the caller said exist for that argument; empty for none. */
  readonly declared: ReadonlyArray<string>
  /** The other arguments they would have to know, by name. */
  readonly arguments: ReadonlyArray<string>
}

export interface Request {
  /** The seed of the task's world. */
  readonly worldSeed: number
  readonly worldState: string | null
  /** How often the cell was opened before: others come about other records. */
  readonly visit: number
  /** In the order they say it; the first that is about a record decides who they are. */
  readonly wants: ReadonlyArray<Wanted>
}

/** What the person knows for one of the things they want. */
export interface DrawnWant {
  /** The value for the argument that names the record; null where nothing in the world is named by it. */
  readonly reference: string | null
  /** Values for other arguments, where they are those of records; none where the world has no such record. */
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Who the person is: their own record. */
export interface Person {
  readonly noun: string
  readonly id: string
  /** As the world shows it. */
  readonly record: JsonObject
}

export interface Drawn {
  /** Null where the tools know no people. */
  readonly person: Person | null
  /** What they know of themselves, by the names tools and policy have for it. */
  readonly identity: Readonly<Record<string, string>>
  /** What they might be asked of themselves and do not know. */
  readonly unknown: ReadonlyArray<string>
  readonly wants: ReadonlyArray<DrawnWant>
}

/** Draws the person and the records of a task; the same request gives the same ones. */
export type Draw = (request: Request) => Drawn
