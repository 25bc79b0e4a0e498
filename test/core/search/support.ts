/**
 * A search on real settings and a real grid, played by a scripted world: what every rollout and verdict comes to is a
 * function of the task and the index.
 */
import * as Either from "effect/Either"
import * as Options from "@sandtable/core/Options"
import * as Randomness from "@sandtable/core/Randomness"
import * as Search from "@sandtable/core/Search"
import * as Axes from "@sandtable/core/Axes"
import type { Slot, Ask } from "@sandtable/core/SituationWriter"
import type { Task } from "@sandtable/core/Task"

const id = { type: "string", description: "The order number" }
const tool = (name: string, description: string) => ({
  name,
  description,
  parameters: { type: "object", properties: { order_id: id }, required: ["order_id"] }
})

export const tools = [
  tool("get_order", "Look up an order"),
  tool("cancel_order", "Cancel an order"),
  tool("refund_order", "Refund an order"),
  tool("track_shipment", "Track a shipment")
]

export const inputOf = (
  options: Options.Options,
  extra: Partial<Pick<Search.Input, "judged" | "ahead" | "leakage">> = {}
): Search.Input => {
  const resolved = Either.getOrThrowWith(
    Options.resolve({ agent: () => "ok", tools, simulator: false, ...options }),
    (error) => error
  )
  const { settings } = resolved
  const axes = Either.getOrThrowWith(Axes.make(settings), (problems) => new Error(JSON.stringify(problems)))
  return {
    settings,
    grid: Axes.grid(axes, settings.strength),
    randomness: Randomness.make(settings.seed),
    judged: false,
    ahead: 0,
    leakage: null,
    ...extra
  }
}

/** A writer whose asks are all different and say what they are for. */
export const plainWriter = (slot: Slot): Ask => ({
  slot,
  text: `ask ${slot.scenarioId} wording ${slot.phrasing} attempt ${slot.attempt}`,
  shown: {},
  need: null,
  facts: {},
  entity: { tool: slot.cell.dimensions["tool"] ?? "get_order", argument: "order_id", id: "A1001" },
  writer: "template"
})

export interface Script {
  readonly write?: (slot: Slot) => Ask | undefined
  readonly digest?: (task: Task, index: number) => Partial<Search.Digest>
  readonly lose?: (task: Task, index: number, attempt: number) => "agent_error" | "empty_reply" | "auth" | undefined
  readonly reward?: (task: Task, index: number) => number | null
}

export interface Played {
  readonly state: Search.State
  readonly rolls: ReadonlyArray<{ readonly task: Task; readonly index: number }>
  readonly stops: ReadonlyArray<Search.StopReason>
  /** What the search was told, and what it asked for after each. */
  readonly history: ReadonlyArray<readonly [Search.Event, ReadonlyArray<Search.Command>]>
}

/** Feeds the search in batches until it stops. */
export const play = (input: Search.Input, script: Script = {}, batch = 8): Played => {
  const search = Search.live(input)
  const history: Array<readonly [Search.Event, ReadonlyArray<Search.Command>]> = []
  const rolls: Array<{ task: Task; index: number }> = []
  const stops: Array<Search.StopReason> = []
  let queue: Array<Search.Event> = []
  const feed = (event: Search.Event): void => {
    const commands = search.step(event)
    history.push([event, commands])
    for (const command of commands) {
      if (command._tag === "Stop") stops.push(command.reason)
      if (command._tag === "Write") {
        const asks = command.slots.flatMap((slot) => (script.write ?? plainWriter)(slot) ?? [])
        queue.push({ _tag: "Written", id: command.id, asks })
      }
      if (command._tag === "Roll") {
        const { id: roll, task, index } = command
        const attempt = rolls.filter((each) => each.task.id === task.id && each.index === index).length
        rolls.push({ task, index })
        const reason = script.lose?.(task, index, attempt)
        if (reason !== undefined) {
          queue.push({ _tag: "Lost", id: roll, reason })
          continue
        }
        const plain = { signature: "same", truncated: false, worldFault: false, handledBadly: false, shapes: [] }
        queue.push({ _tag: "Finished", id: roll, digest: { ...plain, ...script.digest?.(task, index) } })
        if (input.judged) queue.push({ _tag: "Judged", id: roll, reward: (script.reward ?? (() => 1))(task, index) })
      }
    }
  }
  for (let rounds = 0; search.state.stopped === null; rounds++) {
    if (rounds > 20_000) throw new Error("the search does not end")
    feed({ _tag: "Capacity", n: batch })
    while (queue.length > 0) {
      const events = queue
      queue = []
      for (const event of events) feed(event)
    }
  }
  return { state: search.state, rolls, stops, history }
}

export const countBy = <A>(values: ReadonlyArray<A>, key: (value: A) => string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[key(value)] = (counts[key(value)] ?? 0) + 1
  return counts
}
