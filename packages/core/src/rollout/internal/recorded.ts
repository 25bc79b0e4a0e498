/**
 * The beginning of a rollout that is played again: what is on record is not decided anew. The agent's turns and the person's
 * lines come from the record; an agent that keeps a state of its own plays them, and has to play them as they are recorded.
 */
import type { TurnReply } from "../Conversation.ts"
import * as Hash from "../../random/Hash.ts"

export class Recorded {
  /** Replies of the agent, by turn. */
  readonly turns: ReadonlyArray<TurnReply>
  /** Lines of the person after the ask. */
  readonly lines: ReadonlyArray<string>
  /** How the play left the record; null while it has not. */
  divergence: string | null = null

  constructor(turns: ReadonlyArray<TurnReply>, lines: ReadonlyArray<string>) {
    this.turns = turns
    this.lines = lines
  }

  /** Notes the first thing that was not as recorded. */
  diverge(detail: string): void {
    this.divergence ??= detail
  }

  /** What a turn that was played anew differs by from the recorded one; null when it is the same. */
  static difference(recorded: TurnReply, played: TurnReply, turn: number): string | null {
    const [before, now] = [recorded, played].map(({ text, toolCalls = [] }) =>
      Hash.canonical([text, toolCalls.map(({ arguments: args, name }) => [name, parsed(args)])])
    )
    return before === now ? null : `the agent's turn ${turn} is another one than in the record`
  }
}

/** Arguments as text of JSON and as an object are the same. */
const parsed = (args: unknown): unknown => {
  if (typeof args !== "string") return args ?? {}
  try {
    return JSON.parse(args) as unknown
  } catch {
    return args
  }
}
