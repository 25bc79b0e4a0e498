/**
 * The search played without an agent: which tasks a run would choose while nothing fails and every reply is alike.
 */
import * as Effect from "effect/Effect"
import type { Service as Writer } from "../situation/SituationWriter.ts"
import type { Task } from "../task/Task.ts"
import * as Search from "./Search.ts"

export interface Rehearsal {
  readonly state: Search.State
  /** The tasks in their order, each with the rollouts it would begin with. */
  readonly tasks: ReadonlyArray<{ readonly task: Task; readonly rollouts: number }>
  /** False when there was more to choose than was played: all numbers are then the least a run gives. */
  readonly isWhole: boolean
  /** Requests to the writer, and asks in them. */
  readonly writes: { readonly requests: number; readonly asks: number }
}

/**
 * Feeds the search what a run of one-by-one batches would, with one behaviour per task: unanimous groups stop early, so
 * where rollouts depend on verdicts their number is the least a run could give. `null` as the writer leaves the asks
 * that would have to be written unwritten. No more than `most` rollouts are played.
 */
export const play = Effect.fn("Rehearsal.play")(function* (
  input: Search.Input,
  writer: Writer | null,
  most = Number.POSITIVE_INFINITY
) {
  const search = Search.live(input)
  const tasks = new Map<string, { task: Task; rollouts: number }>()
  const writes = { requests: 0, asks: 0 }
  const queue: Array<Search.Event> = [{ _tag: "Capacity", n: input.settings.concurrency }]
  while (queue.length > 0 && search.state.requested < most) {
    const event = queue.shift() as Search.Event
    for (const command of search.step(event)) {
      if (command._tag === "Write") {
        writes.requests += 1
        writes.asks += command.slots.length
        const asks = writer === null ? [] : yield* Effect.orElseSucceed(writer.write(command.slots), () => [])
        queue.push({ _tag: "Written", id: command.id, asks })
      } else if (command._tag === "Roll") {
        const entry = tasks.get(command.task.id) ?? { task: command.task, rollouts: 0 }
        tasks.set(command.task.id, { ...entry, rollouts: entry.rollouts + 1 })
        queue.push({ _tag: "Finished", id: command.id, digest: { ...silence, signature: command.task.id } })
        if (input.judged) queue.push({ _tag: "Judged", id: command.id, reward: 1 })
      }
    }
    if (queue.length === 0 && search.state.stopped === null)
      queue.push({ _tag: "Capacity", n: input.settings.concurrency })
  }
  const isWhole = search.state.stopped !== null || search.state.requested >= input.settings.budget
  return { state: search.state, tasks: [...tasks.values()], writes, isWhole } satisfies Rehearsal
})

const silence = { truncated: false, worldFault: false, handledBadly: false, shapes: [] }
