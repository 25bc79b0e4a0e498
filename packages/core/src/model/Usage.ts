/**
 * Tokens of model calls. What a provider did not report is null, never 0; `input` includes `cached`.
 */
import * as Schema from "effect/Schema"

/**
 * Tokens of a call; null where the endpoint did not say.
 * @since 0.1.0
 * @category models
 */
export const Usage = Schema.Struct({
  input: Schema.NullOr(Schema.Number),
  cached: Schema.NullOr(Schema.Number),
  output: Schema.NullOr(Schema.Number),
  reasoning: Schema.NullOr(Schema.Number)
}).annotations({ identifier: "Usage" })
export type Usage = typeof Usage.Type

export const unknown: Usage = { input: null, cached: null, output: null, reasoning: null }

/** Adds what is known; null only where neither side is known. */
export const add = (a: Usage, b: Usage): Usage => ({
  input: sum(a.input, b.input),
  cached: sum(a.cached, b.cached),
  output: sum(a.output, b.output),
  reasoning: sum(a.reasoning, b.reasoning)
})

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)
