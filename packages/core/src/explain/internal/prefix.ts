/**
 * What of a row is on record before a step: the agent's turns, the person's lines, and the calls that its world answered.
 */
import type { Change } from "../Fork.ts"
import type { TurnReply } from "../../rollout/Conversation.ts"
import type { CallStep, Row, Step } from "../../row/Row.ts"
import { isCallStep } from "../../row/Row.ts"
import type { RunPlan } from "../../run/runPlan.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { Task } from "../../task/Task.ts"
import * as Faults from "../../world/Faults.ts"

export interface Prefix {
  readonly turns: ReadonlyArray<TurnReply>
  /** Lines of the person after the ask. */
  readonly lines: ReadonlyArray<string>
  /** Calls that reached the world, in order. */
  readonly calls: ReadonlyArray<CallStep>
  /** The call after those, where it is the one that is answered otherwise. */
  readonly changed?: CallStep
  /** What the world answers that call; undefined when it answers for itself. */
  readonly reply?: { readonly value: unknown }
}

export const of = (row: Row, at: number, change: Change | undefined): Prefix => {
  const { opener, steps } = row
  const step = steps[at]
  const atCall = change !== undefined && ("reply" in change || "fault" in change)
  // A call that is answered otherwise is still made: its turn is on record.
  const turn = step === undefined || "user" in step ? null : turnOf(step)
  const upTo = atCall || turn === null ? at : beginOf(steps, turn, at)
  const known = steps.slice(0, upTo)
  const turns: Array<TurnReply> = []
  const last = atCall && turn !== null ? turn : lastTurn(known)
  for (let i = 0; i <= last; i++)
    turns.push(
      replyOf(
        steps.filter((one) => !("user" in one) && turnOf(one) === i),
        row
      )
    )
  if (opener !== undefined && turns[0] !== undefined) turns[0] = { text: opener, ...sampled(row) }
  const said = known.flatMap((one) => ("user" in one ? [one.user] : [])).slice(1)
  return {
    turns,
    lines: change !== undefined && "line" in change && at > 0 ? [...said, change.line] : said,
    calls: known.filter(isCallStep).filter(reachedWorld),
    ...(atCall && step !== undefined && isCallStep(step) ? { changed: step } : {}),
    ...(change !== undefined && "reply" in change ? { reply: { value: change.reply } } : {})
  }
}

/** The task as the fork meets it: another ask when the first line changes, another plan when a call's failure does. */
export const taskAt = (plan: RunPlan, row: Row, at: number, change: Change | undefined): Task => {
  const tasks = plan.pinned?.tasks ?? []
  const task = tasks.find(({ id }) => id === row.task_id) ?? tasks[0]
  if (task === undefined) throw new Error("a player of rows has their tasks")
  if (change === undefined) return task
  if ("line" in change && at === 0) return { ...task, prompt: change.line }
  const step = row.steps[at]
  if (!("fault" in change) || step === undefined || !isCallStep(step)) return task
  const before = row.steps.slice(0, at).filter(isCallStep).filter(reachedWorld)
  const nth = before.filter(({ tool }) => tool === step.tool).length + 1
  return {
    ...task,
    faults: Faults.changed(task.faults, step.tool, nth, change.fault, plan.settings.tools.byName.keys())
  }
}

export const settingsAt = (settings: RunSettings, change: Change | undefined): RunSettings =>
  change !== undefined && "patience" in change
    ? { ...settings, conversation: { ...settings.conversation, patience: change.patience } }
    : settings

/** Where the agent's turns begin; of an agent without turns, each of its calls and its last word. */
export const turnStarts = ({ steps }: Row): ReadonlyArray<number> => {
  const seen = new Set<number>()
  return steps.flatMap((step, at) => {
    if ("user" in step) return []
    const turn = turnOf(step)
    if (turn === null) return [at]
    if (seen.has(turn)) return []
    seen.add(turn)
    return [at]
  })
}

/** Whether the world was asked: what the harness refused never came to it. */
export const reachedWorld = ({ answered_by, status }: CallStep): boolean =>
  answered_by !== "agent" && answered_by !== "user" && (answered_by !== "harness" || status === "timeout")

/** Steps of function agents belong to no turn. */
const turnOf = (step: Step): number | null => ("turn" in step && typeof step.turn === "number" ? step.turn : null)

const beginOf = (steps: ReadonlyArray<Step>, turn: number, at: number): number => {
  const first = steps.findIndex((step) => !("user" in step) && turnOf(step) === turn)
  return first === -1 ? at : first
}

const lastTurn = (steps: ReadonlyArray<Step>): number =>
  steps.reduce((last, step) => Math.max(last, "user" in step ? -1 : (turnOf(step) ?? -1)), -1)

/** The reply that gave these steps of one turn. */
const replyOf = (steps: ReadonlyArray<Step>, row: Row): TurnReply => {
  let reply: { -readonly [Key in keyof TurnReply]: TurnReply[Key] } = { text: "", ...sampled(row) }
  const calls: Array<NonNullable<TurnReply["toolCalls"]>[number]> = []
  for (const [i, step] of steps.entries()) {
    if ("user" in step) continue
    if (i === 0) reply = { ...reply, ...notesOf(step) }
    if (isCallStep(step)) calls.push({ id: step.call_id ?? "", name: step.tool, arguments: step.arguments })
    else {
      reply.text = step.text
      if (step.reasoning !== undefined) reply.reasoning = step.reasoning
    }
  }
  if (calls.length > 0) reply.toolCalls = calls
  return reply
}

const notesOf = (step: Exclude<Step, { readonly user: string }>): Partial<TurnReply> => ({
  ...(step.usage === undefined ? {} : { usage: step.usage as NonNullable<TurnReply["usage"]> }),
  ...(step.truncated === true ? { finishReason: "length" as const } : {}),
  ...(step.logprob === undefined || step.n_tokens === undefined
    ? {}
    : {
        logprobs: {
          total: step.logprob,
          tokens: step.n_tokens,
          ...(step.token_logprobs === undefined ? {} : { each: step.token_logprobs })
        } as NonNullable<TurnReply["logprobs"]>
      })
})

const sampled = ({ sampling }: Row): Pick<TurnReply, "sampling"> =>
  sampling === null || sampling === undefined ? {} : { sampling: sampling as NonNullable<TurnReply["sampling"]> }
