/**
 * The values of options that are no settings, where they are more than a word or a number.
 */
import type { Limit as ModelLimit } from "../../model/ModelSource.ts"
import * as Field from "../../settings/fields.ts"
import * as Value from "../../settings/values.ts"
import * as TaskFile from "../../situation/TaskFile.ts"
import { Tier, worldStates } from "../../task/Cell.ts"
import { Entity } from "../../task/Plan.ts"

const seedPlan = Field.struct(
  {},
  {
    world_seed: Field.seed,
    need: Field.text,
    facts: Value.textRecord,
    traits: Value.textRecord,
    entity: () => Entity,
    world_state: Field.choice(...worldStates),
    faults: Field.listOf(Value.plannedFault, "a list of faults")
  },
  "a plan { world_state?, faults?, facts?, ... }"
)

const expected = Field.struct(
  {},
  {
    writes: Field.listOf(
      Field.struct(
        { tool: Field.text },
        { arguments: Field.recordOf(Field.anything, "an object of arguments") },
        "a write { tool, arguments? }"
      ),
      "a list of writes"
    ),
    tells: Field.listOf(Field.text, "a list of texts")
  },
  "what has to come about: { writes?, tells? }"
)

const ownSeed = Field.oneOf(
  "an ask: text, or { prompt, id?, tier?, dimensions?, plan?, reference?, expected? }",
  Field.text,
  Field.struct(
    { prompt: Field.text },
    {
      id: Field.text,
      tier: Field.choice(...Tier.literals),
      dimensions: Value.textRecord,
      plan: seedPlan,
      reference: Field.anything,
      expected
    },
    "an ask { prompt, id?, tier?, dimensions?, plan?, reference?, expected? }"
  )
)

export const seed = Field.oneOf(
  "an ask: text, { prompt, id?, tier?, dimensions?, plan?, reference?, expected? }, or a task of tau-bench or tau2",
  ownSeed,
  Field.of(TaskFile.isTask, "a task { instruction, actions?, outputs? } or { user_scenario, evaluation_criteria? }")
)

export const seedList = "a list of opening asks"

export const rowsOrPath = Field.of(
  (value): value is string | ReadonlyArray<object> | object =>
    typeof value === "string" ? value.trim() !== "" : typeof value === "object" && value !== null,
  "rows, a run, or the path of a JSONL file",
  "rows"
)

const limit = Field.of(
  (value): value is ModelLimit => Field.isCount(value) || Value.isObject(value),
  "the most calls at once, or a limit of `Limits` from `@sandtable/backends`"
)
export const limits = Field.struct(
  {},
  {
    agent: limit,
    user: limit,
    writer: limit,
    judge: limit
  },
  "an object { agent?, user?, writer?, judge? }"
)
