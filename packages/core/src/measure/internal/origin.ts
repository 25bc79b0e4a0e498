/**
 * Where rows come from: who wrote, who played, who judged, by their declared names. What a log does not say is undefined
 * and differs from nothing.
 */
import type { MeasuredRow } from "../Measured.ts"
import { isObject } from "./figures.ts"

export interface Origin {
  readonly writer: string | undefined
  /** Null when no person could speak. */
  readonly user: string | null | undefined
  readonly prompt: string | null | undefined
  readonly model: string | undefined
  readonly temperature: number | undefined
  /** The judge's name and model, of rows it gave a reward. */
  readonly grader: string | undefined
  readonly graderVersion: string | undefined
  readonly run: string | undefined
  readonly replayedFrom: string | undefined
  /** The list a replay recorded, as JSON. */
  readonly changed: string | undefined
}

export interface Origins {
  readonly all: ReadonlyArray<Origin>
  readonly numberOf: (row: MeasuredRow, lineage: Readonly<Record<string, unknown>>) => number
}

export const makeOrigins = (): Origins => {
  const all: Array<Origin> = []
  const numbers = new Map<string, number>()
  const last = new Last()
  let lastNumber = -1
  return {
    all,
    numberOf: (row, lineage) => {
      if (last.isSame(row, lineage)) return lastNumber
      const origin = originOf(row, lineage)
      const key = JSON.stringify(fields.map((field) => origin[field] ?? (origin[field] === null ? 0 : null)))
      let number = numbers.get(key)
      if (number === undefined) {
        number = all.length
        all.push(origin)
        numbers.set(key, number)
      }
      lastNumber = number
      return number
    }
  }
}

const nothingYet = Symbol()

const fields = [
  "writer",
  "user",
  "prompt",
  "model",
  "temperature",
  "grader",
  "graderVersion",
  "run",
  "replayedFrom",
  "changed"
] as const satisfies ReadonlyArray<keyof Origin>

/** What a row says of its origin, told apart from what the row before it said: almost all rows say the same. */
class Last {
  readonly #said: Array<unknown> = Array.from({ length: 12 }, () => nothingYet)
  #same = true

  isSame(row: MeasuredRow, lineage: Readonly<Record<string, unknown>>): boolean {
    const { changed } = lineage
    this.#same = true
    this.#tell(0, row.writer_model)
    this.#tell(1, row.user_model)
    this.#tell(2, lineage["system_prompt_sha"])
    this.#tell(3, row.model_version)
    this.#tell(4, fieldOf(row.sampling, "temperature"))
    this.#tell(5, row.judge_name)
    this.#tell(6, fieldOf(row.judge_meta, "model"))
    this.#tell(7, row.reward === null || row.reward === undefined)
    this.#tell(8, lineage["run_id"])
    this.#tell(9, lineage["replayed_from"])
    this.#tell(11, fieldOf(row.judge_meta, "version"))
    this.#tell(10, Array.isArray(changed) ? changed.join("\u0000") : changed)
    return this.#same
  }

  #tell(place: number, value: unknown): void {
    if (this.#said[place] === value) return
    this.#said[place] = value
    this.#same = false
  }
}

const originOf = (row: MeasuredRow, lineage: Readonly<Record<string, unknown>>): Origin => {
  const temperature = fieldOf(row.sampling, "temperature")
  const { changed } = lineage
  const graded = row.reward !== null && row.reward !== undefined
  return {
    writer: text(row.writer_model),
    user: row.user_model === null ? null : text(row.user_model),
    prompt: lineage["system_prompt_sha"] === null ? null : text(lineage["system_prompt_sha"]),
    model: text(row.model_version),
    temperature: typeof temperature === "number" ? temperature : undefined,
    grader: graded ? graderOf(row) : undefined,
    graderVersion: graded ? text(fieldOf(row.judge_meta, "version")) : undefined,
    run: text(lineage["run_id"]),
    replayedFrom: text(lineage["replayed_from"]),
    changed: Array.isArray(changed) ? JSON.stringify(changed) : undefined
  }
}

const graderOf = ({ judge_meta, judge_name: name }: MeasuredRow): string | undefined => {
  if (typeof name !== "string") return undefined
  const model = fieldOf(judge_meta, "model")
  return typeof model === "string" && model !== name ? `${name} (${model})` : name
}

const fieldOf = (value: unknown, field: string): unknown => (isObject(value) ? value[field] : undefined)

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
