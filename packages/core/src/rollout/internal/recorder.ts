/**
 * The record of a running rollout: the lines that were said and the calls that were made, in the order in which the agent
 * made them. Every agent reaches its world through here, whatever it is made of.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Deadline from "../../model/Deadline.ts"
import type { AgentStep, CallStep, Step, UserStep } from "../../row/Row.ts"
import type { Tool } from "../../task/Tool.ts"
import type { Answer, Session } from "../../world/World.ts"
import * as Json from "./json.ts"

/** What a model-backed turn notes on the call it begins with. */
export type TurnNotes = Pick<CallStep, "turn" | "logprob" | "n_tokens" | "token_logprobs" | "truncated" | "usage">

/** A call's place in the record, taken when the agent issued it. */
export interface Slot {
  readonly tool: string
  readonly arguments: unknown
  readonly callId: string
  readonly notes: TurnNotes
  /** Logical time at which the call began. */
  readonly startedAt: number
  answer: Answer | null
}

export interface Recorder {
  /** The world as agents reach it: checked, numbered, recorded. */
  readonly session: Session
  /** Checks and makes a call; never fails. Numbered when the effect starts. */
  readonly call: (tool: string, args: unknown) => Effect.Effect<Answer>
  /** Takes the next place in the record. */
  readonly open: (tool: string, args: unknown, callId: string, notes: TurnNotes) => Slot
  /** Asks the world for the answer of a call that was checked before. */
  readonly ask: (slot: Slot, args: Readonly<Record<string, unknown>>) => Effect.Effect<Answer>
  /** Notes the answer of a call. */
  readonly settle: (slot: Slot, answer: Answer) => Answer
  readonly say: (line: UserStep | AgentStep) => void
  readonly declared: (tool: string) => boolean
  /** Everything so far; a call that has no answer says so. */
  readonly steps: () => ReadonlyArray<Step>
  /** The answered calls so far. */
  readonly calls: () => ReadonlyArray<CallStep>
  /** Nothing reaches the world any more, and nothing is recorded. */
  readonly end: () => void
}

export interface Settings {
  readonly tools: ReadonlyArray<Tool>
  readonly timeouts: { readonly tool: number }
}

export const make = (world: Session, settings: Settings): Recorder => {
  const names = namesOf(settings.tools)
  const entries: Array<Slot | UserStep | AgentStep> = []
  let numbered = 0
  let logicalMs = 0
  let ended = false

  const open = (tool: string, args: unknown, callId: string, notes: TurnNotes): Slot => {
    const slot: Slot = { tool, arguments: args, callId, notes, startedAt: logicalMs, answer: null }
    if (!ended) entries.push(slot)
    return slot
  }

  const settle = (slot: Slot, answer: Answer): Answer => {
    slot.answer = answer
    if (slot.startedAt + answer.elapsedMs > logicalMs) logicalMs = slot.startedAt + answer.elapsedMs
    return answer
  }

  const ask = (slot: Slot, args: Readonly<Record<string, unknown>>): Effect.Effect<Answer> =>
    Effect.suspend(() => (ended ? Effect.succeed(tooLate) : world.call({ tool: slot.tool, arguments: args }))).pipe(
      Deadline.within(settings.timeouts.tool),
      Effect.matchCauseEffect({
        onSuccess: (answer) => Effect.succeed(settle(slot, answer)),
        onFailure: (cause) => {
          if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
          return Effect.succeed(settle(slot, failed(cause, settings.timeouts.tool)))
        }
      })
    )

  const call = (tool: string, args: unknown): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      if (ended) return Effect.succeed(tooLate)
      const given = args === undefined || args === null ? {} : Json.copy(args)
      const slot = open(tool, given, `call_${(numbered += 1)}`, noNotes)
      if (!names.has(tool)) return Effect.succeed(settle(slot, unknownTool(tool, settings.tools)))
      if (!Json.isRecord(given)) return Effect.succeed(settle(slot, refused(noObject(tool, given))))
      return ask(slot, given)
    })

  return {
    session: {
      ...world,
      call: (request) => call(request.tool, request.arguments)
    },
    call,
    open,
    ask,
    settle,
    say: (line) => {
      if (!ended) entries.push(line)
    },
    declared: (tool) => names.has(tool),
    steps: () => entries.map((entry) => ("callId" in entry ? stepOf(entry, entry.answer ?? unanswered) : entry)),
    calls: () =>
      entries.flatMap((entry) => ("callId" in entry && entry.answer !== null ? [stepOf(entry, entry.answer)] : [])),
    end: () => {
      ended = true
    }
  }
}

/** An answer of the harness itself: the call reached no world. */
export const refused = (error: string): Answer => ({
  result: { status: "error", error },
  status: "error",
  answeredBy: "harness",
  elapsedMs: 0
})

export const unknownTool = (tool: string, tools: ReadonlyArray<Tool>): Answer => {
  const name = JSON.stringify(tool.slice(0, 80))
  if (tools.length === 0) return refused(`There is no tool ${name}: this agent has no tools.`)
  return refused(`There is no tool ${name}. The tools are: ${tools.map((known) => known.name).join(", ")}.`)
}

const noNotes: TurnNotes = {}

const tooLate: Answer = refused("The rollout has ended: calls are not answered any more.")

const unanswered: Answer = refused("The rollout ended before this call was answered.")

const noObject = (tool: string, args: unknown): string =>
  `The arguments of ${tool} must be an object, not ${Json.describe(args)}.`

const failed = (cause: Cause.Cause<Deadline.DeadlineExceeded>, seconds: number): Answer => {
  if (Cause.isFailType(cause)) {
    const error = `No answer within ${seconds} s.`
    return { result: { status: "timeout", error }, status: "timeout", answeredBy: "harness", elapsedMs: seconds * 1000 }
  }
  const defect = Cause.squash(cause)
  return refused(defect instanceof Error ? defect.message : String(defect))
}

const stepOf = (slot: Slot, answer: Answer): CallStep => ({
  tool: slot.tool,
  arguments: slot.arguments,
  result: answer.result,
  call_id: slot.callId,
  status: answer.status,
  answered_by: answer.answeredBy,
  ...(answer.fault === undefined ? {} : { fault: answer.fault }),
  at_ms: slot.startedAt + answer.elapsedMs,
  ...slot.notes
})

/** The names of a run's tools are asked for once per call. */
const known = new WeakMap<ReadonlyArray<Tool>, ReadonlySet<string>>()

const namesOf = (tools: ReadonlyArray<Tool>): ReadonlySet<string> => {
  let names = known.get(tools)
  if (names === undefined) {
    names = new Set(tools.map((tool) => tool.name))
    known.set(tools, names)
  }
  return names
}
