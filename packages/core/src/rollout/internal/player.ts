/**
 * Plays one conversation, turn by turn, into the rollout's record.
 */
import { Language } from "../../language/Language.ts"
import * as Effect from "effect/Effect"
import type { Sampling } from "../../model/ChatModel.ts"
import type { Message, ToolCall } from "../../model/Message.ts"
import * as Usage from "../../model/Usage.ts"
import * as Randomness from "../../random/Randomness.ts"
import type { FinishReason } from "../../row/Row.ts"
import { isAnswer, type Answer } from "../../world/World.ts"
import type { TurnReply, TurnRequest, TurnSource } from "../Conversation.ts"
import type { Line } from "../UserSimulator.ts"
import { UserSimulator } from "../UserSimulator.ts"
import * as Json from "../../json/jsonCopy.ts"
import * as Losses from "./losses.ts"
import * as Markup from "./markup.ts"
import { UserTurns } from "./userTurns.ts"
import type { FollowUp } from "./userTurns.ts"
import { refused, unknownTool, type Slot, type TurnNotes } from "./recorder.ts"
import { Recorded } from "./recorded.ts"
import * as Speech from "./speech.ts"
import * as ToolCalls from "./toolCalls.ts"
import { AgentFailed } from "./trajectory.ts"
import type { LossReason, Rollout, Trajectory } from "./trajectory.ts"
import * as TurnBudget from "./turnBudget.ts"

/** Replies of tool calls in a row before the agent has to have spoken: far more than a task takes. */
const mostRounds = 40
/** Calls of one reply that are under way at the same time. */
const callsAtOnce = 64

/** What opens a chat in which the agent speaks first, for models, which need somebody to answer. */
const stage = "(A person has opened the chat and not written anything yet. Greet them in one short message.)"

/** An agent line, or what stands for one at the end of a conversation. */
interface Spoken {
  readonly text: string
  readonly finishReason: FinishReason
  /** Why the person has no say in it any more; null when they have. */
  readonly over: FollowUp | null
}

/** A reply parted. */
interface Parted {
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<ToolCall>
  readonly notes: TurnNotes
}

export class Player {
  private readonly rollout: Rollout
  private readonly source: TurnSource
  private readonly ask: (request: TurnRequest) => Effect.Effect<TurnReply, AgentFailed>
  private readonly messages: Array<Message> = []
  /** What was said, as the person heard it. */
  private readonly thread: Array<Line> = []
  private readonly ids = new Set<string>()
  private turn = 0
  /** Lines of the person after the ask. */
  private lines = 0
  private malformed = 0
  private usage: Usage.Usage | null = null
  private sampling: Sampling | null = null
  private logprob: { total: number; tokens: number } | null = null

  constructor(
    rollout: Rollout,
    source: TurnSource,
    ask: (request: TurnRequest) => Effect.Effect<TurnReply, AgentFailed>
  ) {
    this.rollout = rollout
    this.source = source
    this.ask = ask
  }

  readonly play = Effect.fnUntraced(
    function* (this: Player) {
      const { info, settings } = this.rollout
      const person = yield* UserSimulator
      const { dialogueActs } = yield* Language
      const randomness = (yield* Randomness.Randomness).at(info.seed)
      const cap = TurnBudget.capOf(settings, this.source.contextSize)
      const side = new UserTurns(this.rollout, person, dialogueActs, cap, randomness)
      const system = this.systemText()
      if (system !== "") this.messages.push(Object.freeze({ role: "system", content: system }))
      const opens = randomness.draw(["opens", info.taskId, info.rolloutIndex]) < settings.conversation.agentOpens
      const opener = opens ? yield* this.open() : null
      this.hear(info.prompt)
      while (true) {
        const spoken = yield* this.speak()
        const line = this.rollout.recorded?.lines[this.lines]
        this.lines += 1
        if (line !== undefined) {
          yield* side.recall(this.thread)
          this.hear(line)
          continue
        }
        const next = spoken.over ?? (yield* side.followUp(this.thread))
        if (next._tag === "Ends") {
          return this.trajectory(spoken, next, side, opener, cap === 1 ? null : person.identity.name)
        }
        this.hear(next.text)
      }
    }.bind(this)
  )

  /** The policy, and for a model-backed agent the scaffold; agents of the caller's own have their words already. */
  private systemText(): string {
    const { systemPrompt, scaffold } = this.rollout.settings
    if (this.source.kind === "chat" || this.source.kind === "command") return ""
    if (this.source.kind !== "model" || scaffold === null) return systemPrompt
    return systemPrompt === "" ? scaffold : `${systemPrompt}\n\n${scaffold}`
  }

  /** A line of the person. */
  private hear(text: string): void {
    this.rollout.recorder.say({ user: text })
    this.thread.push({ role: "user", text })
    this.messages.push(Object.freeze({ role: "user", content: ToolCalls.wellFormed(text) }))
  }

  /** The agent's first words; null when it has no plain ones, and the person begins. */
  private open(): Effect.Effect<string | null, AgentFailed> {
    const cue: ReadonlyArray<Message> =
      this.source.kind === "model" || this.source.kind === "http" ? [{ role: "user", content: stage }] : []
    return Effect.map(this.reply(cue), (reply) => {
      const { text } = Speech.withoutThinking(reply.text)
      if (text.trim() === "" || (reply.toolCalls?.length ?? 0) > 0) return null
      this.thread.push({ role: "agent", text })
      this.messages.push(Object.freeze({ role: "assistant", content: ToolCalls.wellFormed(text) }))
      return text
    })
  }

  private reply(cue: ReadonlyArray<Message>): Effect.Effect<TurnReply, AgentFailed> {
    const messages = Object.freeze([...this.messages, ...cue])
    return Effect.map(this.turnOf(messages), (reply) => {
      this.turn += 1
      if (reply.usage !== undefined) this.usage = this.usage === null ? reply.usage : Usage.add(this.usage, reply.usage)
      if (reply.sampling !== undefined) this.sampling = reply.sampling
      if (reply.logprobs !== undefined) {
        this.logprob ??= { total: 0, tokens: 0 }
        this.logprob.total += reply.logprobs.total
        this.logprob.tokens += reply.logprobs.tokens
      }
      return reply
    })
  }

  /** The agent's next reply: a recorded one, which an agent with a state of its own has to give again, else a new one. */
  private turnOf(messages: ReadonlyArray<Message>): Effect.Effect<TurnReply, AgentFailed> {
    const { recorded } = this.rollout
    const known = recorded?.turns[this.turn]
    if (recorded === undefined || known === undefined) return this.ask({ messages, turn: this.turn })
    if (this.source.kind !== "command") return Effect.succeed(known)
    return Effect.flatMap(this.ask({ messages, turn: this.turn }), (played) => {
      const difference = Recorded.difference(known, played, this.turn)
      if (difference === null) return Effect.succeed(played)
      recorded.diverge(difference)
      return this.lose("agent_error", difference)
    })
  }

  /** Replies until one is a line to the person. */
  private readonly speak = Effect.fnUntraced(
    function* (this: Player) {
      for (let round = 1; ; round++) {
        const reply = yield* this.reply([])
        const parted = this.part(reply)
        if (parted.calls.length === 0) return yield* this.say(parted, reply)
        const answering = this.answer(parted, reply)
        if (answering !== null) yield* answering
        if (reply.final === true) return yield* this.withoutLine("agent_done")
        if (round === mostRounds) return yield* this.withoutLine("max_turns")
      }
    }.bind(this)
  )

  /** What is said, thought and called in a reply. Calls written as text count where they can be read. */
  private part(reply: TurnReply): Parted {
    const { text, thought } = Speech.withoutThinking(reply.text)
    const reasoning = [reply.reasoning ?? "", thought].filter((part) => part !== "").join("\n\n")
    const notes = notesOf(reply, this.turn - 1)
    const calls = reply.toolCalls ?? []
    const written = calls.length > 0 ? null : Markup.parse(text, (tool) => this.rollout.recorder.declared(tool))
    if (written === null) return { text, reasoning, calls, notes }
    return { text: written.text, reasoning, calls: written.calls.map((call) => ({ id: "", ...call })), notes }
  }

  /** A line to the person. */
  private say({ text, reasoning, notes }: Parted, reply: TurnReply): Effect.Effect<Spoken, AgentFailed> {
    const { recorder } = this.rollout
    const finishReason = reply.finishReason === undefined || reply.finishReason === "tool" ? "stop" : reply.finishReason
    recorder.say({ text, ...reasoned(reasoning), ...notes })
    const loss = Losses.ofText(text, finishReason, (tool) => recorder.declared(tool))
    if (loss !== null) return this.lose(loss.reason, loss.detail)
    this.thread.push({ role: "agent", text })
    this.messages.push(Object.freeze({ role: "assistant", content: ToolCalls.wellFormed(text), ...kept(reply) }))
    // A line that was cut off ends the thread: nobody can answer what it was going to say.
    const ends = reply.final === true || finishReason === "length" || finishReason === "content_filter"
    return Effect.succeed({ text, finishReason, over: ends ? overBy("agent_done") : null })
  }

  /**
   * Answers the calls of a reply in the order of issue: the sound ones by the world, the others by what is wrong. Null when
   * all were answered on the spot, as by a mock world they are.
   */
  private answer({ text, reasoning, calls, notes }: Parted, reply: TurnReply): Effect.Effect<void> | null {
    const { recorder, settings } = this.rollout
    const spoken = text.trim() !== "" || reasoning !== ""
    if (spoken) recorder.say({ text, ...reasoned(reasoning), ...notes })
    const reads = ToolCalls.read(calls, settings.tools, this.ids)
    // All of them are issued at the same time, whenever they are answered.
    const slots = reads.map(({ arguments: args, id, name }, i) =>
      recorder.open(name, args, id, i > 0 || spoken ? { turn: this.turn - 1 } : notes)
    )
    const answers: Array<Answer> = []
    const ask = (slot: Slot, i: number): Effect.Effect<void> | null => {
      const asked = recorder.askInTime(slot)
      if (!isAnswer(asked)) return Effect.map(asked, (answer) => void (answers[i] = answer))
      answers[i] = asked
      return null
    }
    const later: Array<Effect.Effect<void>> = []
    for (const [i, slot] of slots.entries()) {
      const problem = reads[i]?.problem ?? null
      if (problem !== null) {
        this.malformed += 1
        answers[i] = recorder.settle(
          slot,
          problem._tag === "UnknownTool" ? unknownTool(slot.tool, settings.tools) : refused(problem.error)
        )
        continue
      }
      const asking = later.length < callsAtOnce ? ask(slot, i) : Effect.suspend(() => ask(slot, i) ?? Effect.void)
      if (asking !== null) later.push(asking)
    }
    const answered = (): void => {
      this.messages.push(Object.freeze({ ...Json.deepFreeze(ToolCalls.issued(text, reads)), ...kept(reply) }))
      for (const [i, read] of reads.entries()) {
        this.messages.push(Object.freeze(ToolCalls.answered(read, answers[i]?.result)))
      }
    }
    if (later.length > 0) return Effect.map(Effect.all(later, { concurrency: callsAtOnce, discard: true }), answered)
    answered()
    return null
  }

  /** The agent stopped at tool calls: the row ends on the last it said, if it ever said anything. */
  private withoutLine(endedBy: "agent_done" | "max_turns"): Effect.Effect<Spoken, AgentFailed> {
    const said = this.rollout.recorder
      .steps()
      .flatMap((step) => ("text" in step && step.text.trim() !== "" ? [step.text] : []))
    const text = said.at(-1)
    if (text === undefined) return this.lose("empty_reply", `it called tools in ${this.turn} replies and never spoke`)
    return Effect.succeed({ text, finishReason: "tool", over: overBy(endedBy) })
  }

  private lose(reason: LossReason, detail: string): Effect.Effect<never, AgentFailed> {
    const { recorder } = this.rollout
    return Effect.fail(new AgentFailed({ agent: this.source.identity.name, reason, detail, steps: recorder.steps() }))
  }

  private trajectory(
    spoken: Spoken,
    end: Extract<FollowUp, { readonly _tag: "Ends" }>,
    side: UserTurns,
    opener: string | null,
    userModel: string | null
  ): Trajectory {
    const { recorder, settings } = this.rollout
    return {
      steps: recorder.steps(),
      finalText: spoken.text,
      ...(opener === null ? {} : { opener }),
      finishReason: spoken.finishReason,
      endedBy: end.endedBy,
      endedOnQuestion: end.onQuestion,
      userTurns: this.thread.filter((line) => line.role === "user").length,
      usage: {
        ...(this.usage === null ? {} : { agent: this.usage }),
        ...(side.usage === null ? {} : { user: side.usage })
      },
      sampling: this.sampling ?? settings.sampling,
      userModel,
      malformedToolCalls: this.malformed,
      followupMisses: side.misses,
      ...(this.logprob === null ? {} : { logprob: this.logprob.total, tokens: this.logprob.tokens })
    }
  }
}

const overBy = (endedBy: "agent_done" | "max_turns"): FollowUp => ({ _tag: "Ends", endedBy, onQuestion: false })

const reasoned = (reasoning: string): { readonly reasoning?: string } => (reasoning === "" ? {} : { reasoning })

/** What the provider wants back with its turn. */
const kept = (reply: TurnReply): { readonly reasoning?: string; readonly providerState?: unknown } => ({
  ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
  ...(reply.providerState === undefined ? {} : { providerState: reply.providerState })
})

const notesOf = (reply: TurnReply, turn: number): TurnNotes => {
  const { logprobs, usage, finishReason } = reply
  const counted = usage !== undefined && Object.values(usage).some((tokens) => tokens !== null)
  return {
    turn,
    ...(logprobs === undefined ? {} : { logprob: logprobs.total, n_tokens: logprobs.tokens }),
    ...(logprobs?.each === undefined ? {} : { token_logprobs: logprobs.each }),
    ...(finishReason === "length" ? { truncated: true } : {}),
    ...(counted ? { usage } : {})
  }
}
