/**
 * What the person does about each line of the agent: answers, goes on, leaves, or has what they came for.
 */
import * as Effect from "effect/Effect"
import type { ModelFailed } from "../../model/ChatModel.ts"
import * as Deadline from "../../time/Deadline.ts"
import * as Usage from "../../model/Usage.ts"
import type * as Randomness from "../../random/Randomness.ts"
import type { EndedBy } from "../../row/Row.ts"
import * as Patience from "../Patience.ts"
import type { Line, Reaction, Service } from "../UserSimulator.ts"
import * as Losses from "./losses.ts"
import type { DialogueActs } from "../../language/Language.ts"
import { normalised } from "./speech.ts"
import { AgentFailed } from "./trajectory.ts"
import type { Rollout } from "./trajectory.ts"
import * as TurnBudget from "./turnBudget.ts"

/** An agent that says the very same for the so-manieth time goes round in circles. */
const sameLines = 3

/** What becomes of the conversation after an agent line. */
export type FollowUp =
  | { readonly _tag: "Says"; readonly text: string }
  | { readonly _tag: "Ends"; readonly endedBy: EndedBy; readonly onQuestion: boolean }

export class UserTurns {
  /** Followups that gave no usable line. */
  misses = 0
  /** Tokens of the person's model. */
  usage: Usage.Usage | null = null
  private readonly rollout: Rollout
  private readonly person: Service
  private readonly acts: DialogueActs
  private readonly cap: number
  private readonly target: number
  private readonly patience: ReturnType<typeof Patience.forThread>
  private readonly draws: Randomness.Draws
  private readonly heard = new Map<string, number>()
  private questions = 0
  private leaving = false

  constructor(rollout: Rollout, person: Service, acts: DialogueActs, cap: number, randomness: Randomness.Service) {
    const { info, settings } = rollout
    this.rollout = rollout
    this.person = person
    this.acts = acts
    this.cap = cap
    this.draws = randomness.stream(["turns", info.taskId, info.rolloutIndex])
    this.target = TurnBudget.targetOf(settings, cap, this.draws)
    this.patience = Patience.forThread(settings.conversation.patience, randomness, info)
  }

  /** Reacts to the last line of the thread, which is the agent's. */
  followUp(thread: ReadonlyArray<Line>): Effect.Effect<FollowUp, AgentFailed> {
    const line = thread.at(-1)?.text ?? ""
    const spoken = thread.filter((one) => one.role === "user")
    const question = this.acts.asks(line)
    const end = (endedBy: EndedBy): Effect.Effect<FollowUp> =>
      Effect.succeed({ _tag: "Ends", endedBy, onQuestion: question })

    if (this.leaving) return end("user_done")
    if (spoken.length >= this.cap) return end("max_turns")
    if (this.saidBefore(line)) return end("repeated")
    if (this.acts.isThanks(line) && this.acts.isThanks(spoken.at(-1)?.text ?? "")) return end("user_done")
    if (question) {
      this.questions += 1
      if (this.patience.leaves(this.questions, false)) return end("user_left")
    } else if (!this.acts.refuses(line) && !this.goesOn(spoken.length)) return end("user_done")

    return Effect.flatMap(this.reaction(thread, question, spoken.length), (reaction): Effect.Effect<FollowUp> => {
      if (reaction.usage !== undefined) {
        this.usage = this.usage === null ? reaction.usage : Usage.add(this.usage, reaction.usage)
      }
      switch (reaction._tag) {
        case "Done":
          return end("user_done")
        case "Missed":
          this.misses += 1
          return end(reaction.repeated ? "repeated" : "agent_done")
        case "CannotAnswer":
          if (question && this.patience.leaves(this.questions, true)) return end("user_left")
          return Effect.succeed({ _tag: "Says", text: reaction.text })
        case "Says":
          this.leaving = reaction.last
          return Effect.succeed({ _tag: "Says", text: reaction.text })
      }
    })
  }

  /** The same where what the person did is on record: they said something, and their state is what it was. */
  recall(thread: ReadonlyArray<Line>): Effect.Effect<void, AgentFailed> {
    const line = thread.at(-1)?.text ?? ""
    const spoken = thread.filter((one) => one.role === "user").length
    const question = this.acts.asks(line)
    this.saidBefore(line)
    if (question) this.questions += 1
    else if (!this.acts.refuses(line)) this.goesOn(spoken)
    // Who decides the same again tells whether they meant to go.
    if (this.person.deterministic !== true) return Effect.void
    return Effect.map(this.reaction(thread, question, spoken), (reaction) => {
      if (reaction._tag === "Says") this.leaving = reaction.last
      if (reaction._tag === "Missed") this.misses += 1
    })
  }

  /** Nothing was asked: whether the person has more to say. Threads are as long as they aim to be on average. */
  private goesOn(spoken: number): boolean {
    return this.draws.next() < this.target - spoken
  }

  private saidBefore(line: string): boolean {
    const key = normalised(line)
    const times = (this.heard.get(key) ?? 0) + 1
    this.heard.set(key, times)
    return times >= sameLines
  }

  /** A person who cannot be played says nothing; only a model that may not be asked any more ends the rollout. */
  private reaction(
    thread: ReadonlyArray<Line>,
    question: boolean,
    spoken: number
  ): Effect.Effect<Reaction, AgentFailed> {
    const { task, info, settings, recorder } = this.rollout
    const turn = {
      task,
      info,
      thread: [...thread],
      question,
      more: spoken < this.target,
      temperature: settings.conversation.userTemperature
    }
    return this.person.react(turn).pipe(
      Effect.map((reaction) => ("text" in reaction && reaction.text.trim() === "" ? missed : reaction)),
      Deadline.within(settings.timeouts.user),
      Effect.catchAll((error: ModelFailed | Deadline.DeadlineExceeded) => {
        if (error._tag === "DeadlineExceeded" || !endsRollout.has(error.reason)) return Effect.succeed(missed)
        return Effect.fail(
          new AgentFailed({
            agent: this.person.identity.name,
            role: "user",
            reason: Losses.ofModel(error),
            detail: error.message,
            steps: recorder.steps(),
            cause: error
          })
        )
      })
    )
  }
}

const endsRollout: ReadonlySet<ModelFailed["reason"]> = new Set(["auth", "quota", "stopped"] as const)

const missed: Reaction = { _tag: "Missed", repeated: false }
