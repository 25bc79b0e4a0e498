/**
 * The record of a running rollout: the lines that were said and the calls that were made, in the order in which the agent
 * made them. Every agent reaches its world through here, whatever it is made of.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Deadline from "../../time/Deadline.ts"
import type { AgentStep, CallStep, Step, UserStep } from "../../row/Row.ts"
import * as ErrorText from "../../task/ErrorText.ts"
import type { ToolSet } from "../../task/ToolSet.ts"
import * as World from "../../world/World.ts"
import type { Answer, Session } from "../../world/World.ts"
import * as Json from "../../json/jsonCopy.ts"

/** What a model-backed turn notes on the call it begins with. */
export type TurnNotes = Pick<CallStep, "turn" | "logprob" | "n_tokens" | "token_logprobs" | "truncated" | "usage">

/** Worlds keep the limit on a call themselves; so many seconds later one that does not is given up on. */
const backstop = 2

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

export interface Settings {
  readonly tools: ToolSet
  /** Seconds. */
  readonly timeouts: { readonly tool: number }
}

export class Recorder {
  /** The world as agents reach it: checked, numbered, recorded. */
  readonly session: Session
  private readonly world: Session
  private readonly settings: Settings
  private readonly entries: Array<Slot | UserStep | AgentStep> = []
  private numbered = 0
  private logicalMs = 0
  private ended = false
  private broken: string | null = null

  constructor(world: Session, settings: Settings) {
    this.world = world
    this.settings = settings
    this.session = { ...world, call: (request) => this.call(request.tool, request.arguments) }
  }

  /** Checks and makes a call, within the tool's time limit; never fails. Numbered when the effect starts. */
  call(tool: string, args: unknown): Effect.Effect<Answer> {
    return Effect.suspend(() => {
      const slot = this.check(tool, args)
      const asked = slot.answer ?? this.askInTime(slot)
      return World.isAnswer(asked) ? Effect.succeed(asked) : asked
    })
  }

  /** Takes the next place in the record; what is refused has its answer at once. */
  check(tool: string, args: unknown): Slot {
    if (this.ended) return { ...this.slot(tool, args, "", noNotes), answer: tooLate }
    const given = args === undefined || args === null ? {} : Json.copy(args)
    const slot = this.open(tool, given, `call_${(this.numbered += 1)}`, noNotes)
    if (!this.settings.tools.has(tool)) this.settle(slot, unknownTool(tool, this.settings.tools))
    else if (!Json.isRecord(given)) this.settle(slot, refused(noObject(tool, given)))
    return slot
  }

  /** Takes the next place in the record for a call that was checked by the caller. */
  open(tool: string, args: unknown, callId: string, notes: TurnNotes): Slot {
    const slot = this.slot(tool, args, callId, notes)
    if (!this.ended) this.entries.push(slot)
    return slot
  }

  /**
   * Asks the world for the answer of a call whose arguments are an object: what it answers on the spot, else an effect that
   * has the answer later.
   */
  ask(slot: Slot): Answer | Effect.Effect<Answer> {
    if (this.ended) return tooLate
    if (this.broken !== null) return this.settle(slot, refused(worldIsBroken))
    const request = { tool: slot.tool, arguments: slot.arguments as Readonly<Record<string, unknown>> }
    let begun
    try {
      begun = World.start(this.world.call(request))
      if (World.isAnswer(begun)) return this.settle(slot, begun)
    } catch (error) {
      return this.breakAt(slot, error)
    }
    return Effect.matchCauseEffect(begun, {
      onSuccess: (answer) => Effect.succeed(this.settle(slot, answer)),
      onFailure: (cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.sync(() => this.breakAt(slot, Cause.squash(cause)))
    })
  }

  /** What a world died of, which never dies of what an agent does: the rollout says nothing of the agent. */
  worldDefect(): string | null {
    return this.broken
  }

  private breakAt(slot: Slot, defect: unknown): Answer {
    this.broken ??= `it died answering ${slot.tool}: ${ErrorText.of(defect)}`
    return this.settle(slot, refused(worldIsBroken))
  }

  /** `ask`, and an answer of the harness when none comes in time. */
  askInTime(slot: Slot): Answer | Effect.Effect<Answer> {
    const asked = this.ask(slot)
    if (World.isAnswer(asked)) return asked
    return asked.pipe(
      Deadline.within(this.settings.timeouts.tool + backstop),
      Effect.catchAll(() => Effect.sync(() => this.late(slot)))
    )
  }

  /** The answer of a call that got none in time. */
  late(slot: Slot): Answer {
    return this.settle(slot, timedOut(this.settings.timeouts.tool))
  }

  /** Notes the answer of a call; the first one stands. */
  settle(slot: Slot, answer: Answer): Answer {
    if (slot.answer !== null) return slot.answer
    this.logicalMs = Math.max(this.logicalMs, slot.startedAt + answer.elapsedMs)
    slot.answer = answer
    return answer
  }

  say(line: UserStep | AgentStep): void {
    if (!this.ended) this.entries.push(line)
  }

  declared(tool: string): boolean {
    return this.settings.tools.has(tool)
  }

  /** Everything so far; a call that has no answer says so. */
  steps(): ReadonlyArray<Step> {
    return this.entries.map((entry) => ("callId" in entry ? stepOf(entry, entry.answer ?? unanswered) : entry))
  }

  /** The answered calls so far. */
  calls(): ReadonlyArray<CallStep> {
    return this.entries.flatMap((entry) =>
      "callId" in entry && entry.answer !== null ? [stepOf(entry, entry.answer)] : []
    )
  }

  /** Nothing reaches the world any more, and nothing is recorded. */
  end(): void {
    this.ended = true
  }

  private slot(tool: string, args: unknown, callId: string, notes: TurnNotes): Slot {
    return { tool, arguments: args, callId, notes, startedAt: this.logicalMs, answer: null }
  }
}

/** An answer of the harness itself: the call reached no world. */
export const refused = (error: string): Answer => ({
  result: { status: "error", error },
  status: "error",
  answeredBy: "harness",
  elapsedMs: 0
})

export const unknownTool = (tool: string, tools: ToolSet): Answer => {
  const wrong = tool.trim() === "" ? "The call names no tool" : `There is no tool ${JSON.stringify(tool.slice(0, 80))}`
  if (tools.size === 0) return refused(`${wrong}: this agent has no tools.`)
  return refused(`${wrong}. The tools are: ${[...tools.byName.keys()].join(", ")}.`)
}

const noNotes: TurnNotes = {}

const tooLate: Answer = refused("The rollout has ended: calls are not answered any more.")

const worldIsBroken = "The world is broken and answers nothing more."

const unanswered: Answer = refused("The rollout ended before this call was answered.")

const noObject = (tool: string, args: unknown): string =>
  `The arguments of ${tool} must be an object, not ${Json.describe(args)}.`

const timedOut = (seconds: number): Answer => ({
  result: { status: "timeout", error: `No answer within ${seconds} s.` },
  status: "timeout",
  answeredBy: "harness",
  elapsedMs: seconds * 1000
})

const stepOf = (slot: Slot, answer: Answer): CallStep => {
  const { notes } = slot
  const step: { -readonly [Key in keyof CallStep]: CallStep[Key] } = {
    tool: slot.tool,
    arguments: slot.arguments,
    result: answer.result,
    call_id: slot.callId,
    status: answer.status,
    answered_by: answer.answeredBy
  }
  if (answer.fault !== undefined) step.fault = answer.fault
  step.at_ms = slot.startedAt + answer.elapsedMs
  return notes === noNotes ? step : Object.assign(step, notes)
}
