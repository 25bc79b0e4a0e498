/**
 * The values that settings take, where they are more than a word or a number.
 */
import { FaultMode } from "../task/Plan.ts"
import * as Field from "./fields.ts"

export const textRecord = Field.recordOf(Field.text, "an object of texts")

/** One planned failure: of the `nth` calls, of the first `count` calls, or `always`; of the first call when unsaid. */
export const plannedFault = Field.struct(
  { tool: Field.text, mode: Field.choice(...FaultMode.literals) },
  {
    nth: Field.filledListOf(Field.count, "a list of call numbers, from 1"),
    count: Field.count,
    always: Field.yes
  },
  "a fault { tool, mode, nth | count | always }"
)

export type PlannedFault = Field.ValueOf<typeof plannedFault>

export const axisValues = Field.recordOf(
  Field.filledListOf(Field.text, "a list of values of the axis"),
  'an object such as { stance: ["adversarial"] }'
)
export const reproducible = Field.of(
  (value): value is boolean | { readonly batch: number } | { readonly lookahead: number } =>
    typeof value === "boolean" || isSized(value, "batch") || isSized(value, "lookahead"),
  "true, false, { batch: n } or { lookahead: n } with a whole number of at least 1"
)
const isSized = (value: unknown, key: string): boolean => {
  if (typeof value !== "object" || value === null) return false
  const [only, ...more] = Object.entries(value)
  return more.length === 0 && only?.[0] === key && Field.isCount(only[1])
}

export type Patience =
  | "normal"
  | "short"
  | "endless"
  | ReadonlyArray<number>
  /** What `Patience.fit` gives. */
  | { readonly table: ReadonlyArray<number> }

export const patience = Field.of(
  (value): value is Patience =>
    value === "normal" ||
    value === "short" ||
    value === "endless" ||
    isOdds(value) ||
    (isObject(value) && "table" in value && isOdds(value.table)),
  '"normal", "short", "endless", what `Patience.fit` gives, or the odds of leaving at the first, second, ... question, each from 0 to 1'
)
const isOdds = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((odds) => Field.isShare(odds))

export const logprobs = Field.oneOf('true, false or "tokens"', Field.flag, Field.choice("tokens"))

export const opening = Field.of(
  (value): value is "user" | "agent" | number => value === "user" || value === "agent" || Field.isShare(value),
  '"user", "agent", or the share of threads that the agent opens, from 0 to 1'
)

export const ids = Field.recordOf(
  Field.filledListOf(
    Field.of(
      (value): value is string | number =>
        typeof value === "string" ? value.trim() !== "" : Number.isSafeInteger(value),
      "an identifier: text or a whole number"
    ),
    "a list of identifiers"
  ),
  'an object such as { order_id: ["A1001"] }'
)

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const forbidden = Field.filledRecordOf(Field.text, "an object { axis: value, ... } of at least one axis")
export const constraints = Field.listOf(
  Field.struct({ forbid: forbidden }, {}, "{ forbid: { axis: value, ... } }"),
  "a list of { forbid: { axis: value, ... } }"
)

export const armWeights = Field.struct(
  {},
  {
    grid: Field.finite(0, "a weight of at least 0"),
    open_ended: Field.finite(0, "a weight of at least 0"),
    behavior_targeted: Field.finite(0, "a weight of at least 0"),
    failure_mutation: Field.finite(0, "a weight of at least 0")
  },
  "an object of weights by arm"
)

const dollars = Field.finite(0, "US dollars per million tokens, 0 or more")
export const prices = Field.recordOf(
  Field.struct({ input: dollars, output: dollars }, { cached: dollars }, "a price { input, output, cached? }"),
  'an object such as { "gpt-4.1-mini": { input: 0.4, cached: 0.1, output: 1.6 } }'
)
