/**
 * Tasks as files of tau-bench and tau2 write them, read as asks of our own: the scenario's words become what the person
 * says first, wants and knows; the known actions and outputs become what is expected. What else a task says (the state its
 * world begins in, assertions in prose) is not read.
 */
import type { Expected, ExpectedCall } from "../task/Expected.ts"
import { factsOf } from "./internal/scenarioFacts.ts"
import * as Words from "./internal/scenarioWords.ts"

/**
 * An action a task knows to be right; `requestor: "user"` makes it the person's own.
 *
 * @since 0.1.0
 * @category models
 */
export interface KnownAction {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | null | undefined
  readonly kwargs?: Readonly<Record<string, unknown>> | null | undefined
  readonly requestor?: string | undefined
  /** The arguments that matter; all of them when left out. */
  readonly compare_args?: ReadonlyArray<string> | null | undefined
}

/**
 * A task of a tau-bench file: `{ instruction, actions, outputs, ... }`.
 *
 * @since 0.1.0
 * @category models
 */
export interface InstructionTask {
  readonly id?: string | number | undefined
  readonly task_id?: string | number | undefined
  readonly instruction: string
  readonly actions?: ReadonlyArray<KnownAction> | null | undefined
  readonly outputs?: ReadonlyArray<unknown> | null | undefined
  readonly [key: string]: unknown
}

/**
 * A task of a tau2 file: `{ id, user_scenario, evaluation_criteria, ... }`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ScenarioTask {
  readonly id?: string | number | undefined
  readonly task_id?: string | number | undefined
  readonly user_scenario: string | { readonly persona?: unknown; readonly instructions?: unknown }
  readonly evaluation_criteria?: {
    readonly actions?: ReadonlyArray<KnownAction> | null | undefined
    readonly communicate_info?: ReadonlyArray<unknown> | null | undefined
    readonly [key: string]: unknown
  } | null
  readonly [key: string]: unknown
}

/**
 * A task of either kind.
 *
 * @since 0.1.0
 * @category models
 */
export type TaskRecord = InstructionTask | ScenarioTask

/**
 * An ask as `seeds` and `evalSet` take it. The person's `traits` are how they speak (`manner`), how they go on (`rules`) and
 * what they do not know (`unknown`).
 *
 * @since 0.1.0
 * @category models
 */
export interface Ask {
  readonly prompt: string
  readonly id?: string
  readonly plan: {
    readonly need?: string
    readonly facts: Readonly<Record<string, string>>
    readonly traits: Readonly<Record<string, string>>
  }
  readonly expected: Expected
}

/**
 * Whether a value is such a task, and its scenario says something. What has a `prompt` is an ask of our own.
 *
 * @since 0.1.0
 * @category reading
 */
export const isTask = (value: unknown): value is TaskRecord =>
  isRecord(value) &&
  value["prompt"] === undefined &&
  scenarioOf(value).story !== "" &&
  actionsOf(value).every((action) => isRecord(action) && typeof action["name"] === "string")

/**
 * The tasks of a file that holds them beside other things (`{ tasks: [...] }`); anything else as it is.
 *
 * @since 0.1.0
 * @category reading
 */
export const listed = (value: unknown): unknown => {
  if (!isRecord(value)) return value
  const { tasks } = value
  return Array.isArray(tasks) && tasks.length > 0 && tasks.every(isTask) ? tasks : value
}

/**
 * The parts of a task that are not read: what its world begins as, and assertions that take its own world or a judge.
 *
 * @since 0.1.0
 * @category reading
 */
export const unreadIn = (task: TaskRecord): ReadonlyArray<string> => {
  const criteria = criteriaOf(task)
  const says = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 0 : isRecord(value) && Object.values(value).some((one) => one !== null)
  return [
    ...(says(task["initial_state"]) ? ["initial_state"] : []),
    ...["nl_assertions", "env_assertions"].filter((part) => says(criteria[part]))
  ]
}

/**
 * The task as an ask.
 *
 * @since 0.1.0
 * @category reading
 */
export const seedOf = (task: TaskRecord): Ask => {
  const scenario = scenarioOf(task)
  const said = Words.read(scenario.story)
  const own = (actionsOf(task) as ReadonlyArray<KnownAction>).filter(({ requestor }) => requestor !== "user")
  const id = task.id ?? task.task_id
  const outputs = outputsOf(task)
  const traits = {
    manner: scenario.persona === "" ? said.manner : scenario.persona,
    rules: [said.rules, scenario.rules].filter((text) => text !== "").join(" "),
    unknown: scenario.unknown
  }
  return {
    prompt: said.opening,
    ...(id === undefined || id === "" ? {} : { id: String(id) }),
    plan: {
      ...(said.wants === "" ? {} : { need: said.wants }),
      facts: factsOf([scenario.story, scenario.known, scenario.rules].join("\n"), own.map(argumentsOf)),
      traits: Object.fromEntries(Object.entries(traits).filter(([, text]) => text !== ""))
    },
    expected: {
      ...(hasActions(task) ? { writes: own.map(expectedCall) } : {}),
      ...(outputs === undefined ? {} : { tells: outputs.map(String) })
    }
  }
}

/** What a scenario says, by part; empty where it says nothing. */
interface Scenario {
  /** Why the person comes, or all of it where it is one text. */
  readonly story: string
  /** How they go on. */
  readonly rules: string
  readonly known: string
  readonly unknown: string
  readonly persona: string
}

const scenarioOf = (task: Readonly<Record<string, unknown>>): Scenario => {
  const { instruction, user_scenario: scenario } = task
  const inner = isRecord(scenario) ? scenario["instructions"] : (scenario ?? instruction)
  const parts = isRecord(inner) ? inner : {}
  const text = (value: unknown): string => (typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "")
  const story = text(isRecord(inner) ? parts["reason_for_call"] : inner)
  const rules = text(parts["task_instructions"])
  return {
    story: story === "" ? rules : story,
    rules: story === "" ? "" : rules,
    known: text(parts["known_info"]),
    unknown: text(parts["unknown_info"]),
    persona: isRecord(scenario) ? text(scenario["persona"]) : ""
  }
}

const criteriaOf = (task: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  isRecord(task["evaluation_criteria"]) ? task["evaluation_criteria"] : task

const hasActions = (task: Readonly<Record<string, unknown>>): boolean => Array.isArray(criteriaOf(task)["actions"])

const actionsOf = (task: Readonly<Record<string, unknown>>): ReadonlyArray<unknown> => {
  const { actions } = criteriaOf(task)
  return Array.isArray(actions) ? actions : []
}

const outputsOf = (task: Readonly<Record<string, unknown>>): ReadonlyArray<unknown> | undefined => {
  const { communicate_info: info, outputs } = criteriaOf(task)
  return Array.isArray(info) ? info : Array.isArray(outputs) ? outputs : undefined
}

const argumentsOf = ({ arguments: given, kwargs }: KnownAction): Readonly<Record<string, unknown>> =>
  given ?? kwargs ?? {}

const expectedCall = (action: KnownAction): ExpectedCall => {
  const { compare_args: compared, name } = action
  const given = Object.entries(argumentsOf(action))
  const matters = compared == null ? given : given.filter(([argument]) => compared.includes(argument))
  return { tool: name, arguments: Object.fromEntries(matters) }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
