/**
 * Whether a JSON value is a row, by hand: the same answer as the Schema of `Row.ts` at a fraction of its cost, since
 * every row of every file that is read passes here.
 */
import { AnsweredBy, CallStatus, EndedBy, FinishReason, JudgeStatus, Lineage } from "./rowSchema.ts"
import { Aim, Arm, Tier } from "../../task/Cell.ts"
import { FaultMode } from "../../task/Plan.ts"

type Json = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

export const isRow: Check = (value) => isObject(value) && hasRequired(value) && optionalsHold(value)

const isString: Check = (value) => typeof value === "string"
const isNumber: Check = (value) => typeof value === "number"
const isInt: Check = (value) => Number.isSafeInteger(value)
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0
const isBoolean: Check = (value) => typeof value === "boolean"
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const oneOf = (literals: ReadonlyArray<string>): Check => {
  const known = new Set<unknown>(literals)
  return (value) => known.has(value)
}
const arrayOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const recordOf =
  (check: Check): Check =>
  (value) => {
    if (!isObject(value)) return false
    for (const key of Object.keys(value)) if (!check(value[key])) return false
    return true
  }
/** Keys that have to be there, and keys that hold when they are there; others are nobody's business. */
const struct = (required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check => {
  const needed = Object.entries(required)
  const allowed = new Map(Object.entries(optional))
  return (value) => {
    if (!isObject(value)) return false
    for (const [key, check] of needed) if (!Object.hasOwn(value, key) || !check(value[key])) return false
    if (allowed.size === 0) return true
    for (const key of Object.keys(value)) {
      const check = allowed.get(key)
      if (check !== undefined && !check(value[key])) return false
    }
    return true
  }
}

const isUsage = struct({
  input: nullOr(isNumber),
  cached: nullOr(isNumber),
  output: nullOr(isNumber),
  reasoning: nullOr(isNumber)
})
const turnFields = {
  turn: isInt,
  logprob: isNumber,
  n_tokens: isNumber,
  token_logprobs: Array.isArray,
  truncated: isBoolean,
  usage: isUsage
}
const isAgentStep = struct({ text: isString }, { reasoning: isString, ...turnFields })
const isCallStep = struct(
  {
    tool: isString,
    arguments: () => true,
    result: () => true,
    call_id: isString,
    status: oneOf(CallStatus.literals),
    answered_by: oneOf(AnsweredBy.literals)
  },
  { called_by: oneOf(["user"]), fault: oneOf(FaultMode.literals), at_ms: isNumber, ...turnFields }
)
const isStep: Check = (value) =>
  isObject(value) && (isString(value["user"]) || (isString(value["tool"]) && isCallStep(value)) || isAgentStep(value))

const isToolCall = struct({
  id: isString,
  type: oneOf(["function"]),
  function: struct({ name: isString, arguments: isString })
})
const isAssistantMessage = struct({ content: nullOr(isString) }, { tool_calls: arrayOf(isToolCall) })
const isMessage: Check = (value) => {
  if (!isObject(value)) return false
  switch (value["role"]) {
    case "user":
    case "system":
      return isString(value["content"])
    case "assistant":
      return isAssistantMessage(value)
    case "tool":
      return isString(value["tool_call_id"]) && isString(value["content"])
    default:
      return false
  }
}

const isPlan = struct({
  world_seed: isInt,
  need: nullOr(isString),
  facts: recordOf(isString),
  traits: recordOf(isString),
  entity: nullOr(struct({ tool: isString, argument: isString, id: isString }))
})
const isFault = struct(
  { tool: isString, mode: oneOf(FaultMode.literals) },
  { nth: arrayOf(isCount), count: isCount, always: (value) => value === true }
)

const isPriorVerdict = struct(
  { reward: isNumber },
  {
    reason: isString,
    label_source: isString,
    judge_name: isString,
    judge_status: oneOf(JudgeStatus.literals),
    judge_meta: isObject,
    failure_class: isString,
    markers: recordOf(nullOr(isNumber)),
    scoring_run_id: isString
  }
)

const optionals = new Map<string, Check>(
  Object.entries({
    scenario_id: isString,
    opener: isString,
    messages: arrayOf(isMessage),
    scenario_dimensions: recordOf(isString),
    tier: nullOr(oneOf(Tier.literals)),
    stance: isString,
    tone: isString,
    texture: isString,
    history: isString,
    arm: oneOf(Arm.literals),
    parent_task_id: isString,
    aim: oneOf(Aim.literals),
    world_state: nullOr(isString),
    faults: nullOr(arrayOf(isFault)),
    plan: isPlan,
    world_writes: arrayOf(struct({ tool: isString, arguments: isObject }, { entity: isString, id: isString })),
    rollout_index: isInt,
    seed: isInt,
    model_version: isString,
    policy_version: isString,
    writer_model: isString,
    user_model: nullOr(isString),
    sampling: nullOr(isObject),
    finish_reason: oneOf(FinishReason.literals),
    ended_by: oneOf(EndedBy.literals),
    reward: nullOr(isNumber),
    reason: isString,
    label_source: isString,
    judge_name: isString,
    judge_status: oneOf(JudgeStatus.literals),
    judge_meta: isObject,
    failure_class: isString,
    markers: recordOf(nullOr(isNumber)),
    prior_verdict: isPriorVerdict,
    behavior_signature: isString,
    tools_used: arrayOf(isString),
    malformed_tool_calls: isInt,
    usage: recordOf(isUsage),
    logprob: isNumber,
    n_tokens: isNumber,
    seeded: arrayOf(isString),
    timings: struct({ started_at: isString, elapsed: isNumber }),
    lineage: struct(
      {
        run_id: isString,
        system_prompt_sha: nullOr(isString),
        eval_run: isInt,
        repeat_policy: oneOf(Lineage.fields.repeat_policy.literals),
        probe: isInt
      },
      {
        replayed_from_run: isInt,
        replayed_from: isString,
        scoring_run_id: isString,
        prior_scoring_run_id: isString,
        prior: isPriorVerdict,
        source: isString,
        parent: isString,
        changed: arrayOf(isString)
      }
    )
  })
)

const hasRequired = (row: Json): boolean =>
  isString(row["schema_version"]) &&
  isString(row["row_id"]) &&
  isString(row["task_id"]) &&
  isString(row["prompt"]) &&
  isString(row["final_text"]) &&
  Array.isArray(row["steps"]) &&
  row["steps"].every(isStep)

const optionalsHold = (row: Json): boolean => {
  for (const key of Object.keys(row)) {
    const check = optionals.get(key)
    if (check !== undefined && !check(row[key])) return false
  }
  return true
}
