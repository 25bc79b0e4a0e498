/**
 * The row of a rollout. Keys come in the order in which a person reads them (what was asked, what happened, how it was
 * judged, who and when) and are set one by one, because most rows lack some: a literal of a dozen spreads takes six times
 * as long.
 */
import * as Row from "../../row/Row.ts"
import * as Signature from "../../row/Signature.ts"
import * as Task from "../../task/Task.ts"
import type { Stage } from "../Rollout.ts"
import type { Trajectory } from "./trajectory.ts"

/** What a rollout left: the results of its calls as text, what it did to its world, and when it was. */
export interface Ending {
  readonly results: ReadonlyArray<string>
  readonly writes: ReadonlyArray<Row.WorldWrite>
  readonly timings: Row.Timings
}

type Draft = { -readonly [Key in keyof Row.Row]?: Row.Row[Key] }

export const rowOf = (
  stage: Stage,
  task: Task.Task,
  index: number,
  rowId: string,
  trajectory: Trajectory,
  { results, timings, writes }: Ending
): Row.Row => {
  const { lineage, settings, systemPromptSha } = stage
  const { opener, steps } = trajectory
  const {
    phrasing: _,
    prompt,
    scenario_dimensions,
    scenario_id,
    shown,
    task_id,
    tier,
    writer_model,
    ...planned
  } = Task.encode(task)
  const model = stage.agent.identity.name
  const row: Draft = {
    schema_version: Row.schemaVersion,
    row_id: rowId,
    task_id,
    scenario_id,
    prompt
  }
  if (opener !== undefined) row.opener = opener
  row.steps = steps
  row.messages = Row.toMessages(steps, opener, results)
  row.final_text = trajectory.finalText
  row.scenario_dimensions = scenario_dimensions
  row.tier = tier
  Object.assign(row, Row.labelsOf(shown), planned)
  row.world_writes = writes
  row.rollout_index = index
  row.seed = settings.seed
  row.model_version = model
  row.policy_version = systemPromptSha === null ? model : `${model}@${systemPromptSha.slice(0, 12)}`
  row.writer_model = writer_model
  row.user_model = trajectory.userModel ?? null
  row.sampling = trajectory.sampling ?? settings.sampling
  row.finish_reason = trajectory.finishReason ?? "stop"
  row.ended_by = trajectory.endedBy ?? "agent_done"
  row.reward = null
  row.behavior_signature = Signature.of(steps, trajectory.finalText, { systemPrompt: settings.systemPrompt, results })
  row.tools_used = toolsOf(steps)
  row.malformed_tool_calls = trajectory.malformedToolCalls ?? 0
  if (trajectory.usage !== undefined) row.usage = trajectory.usage
  if (trajectory.logprob !== undefined) row.logprob = trajectory.logprob
  if (trajectory.tokens !== undefined) row.n_tokens = trajectory.tokens
  if (trajectory.seeded !== undefined) row.seeded = trajectory.seeded
  row.lineage = { ...lineage }
  row.timings = timings
  // Whatever a row must have was set on the way.
  return row as Row.Row
}

const toolsOf = (steps: ReadonlyArray<Row.Step>): ReadonlyArray<string> => {
  const tools: Array<string> = []
  for (const step of steps) if (Row.isCallStep(step) && !tools.includes(step.tool)) tools.push(step.tool)
  return tools
}
