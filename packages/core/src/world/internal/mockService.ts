/**
 * The mock world as a service: tools are read once per run, tasks once per task, and a rollout is a value in a variable.
 */
import * as Effect from "effect/Effect"
import type { Task } from "../../task/Task.ts"
import * as Drawing from "./drawing.ts"
import type { Kind, Session, WorldInput } from "../World.ts"
import * as Mock from "./mock.ts"
import * as Render from "./render.ts"
import { respond } from "./responding.ts"
import * as Store from "./store.ts"
import * as ToolPlans from "./toolPlans.ts"
import * as TaskWorld from "./taskWorld.ts"

/** The mock of a run: worlds begin with a task. */
export interface Engine {
  readonly begin: (task: Task) => Store.World
}

const compiled = ({ ids, payloads, settings, tools }: WorldInput): ToolPlans.RunPlan =>
  ToolPlans.compile(tools, settings.ids, payloads ?? new Map(), ids ?? new Set(), settings.systemPrompt)

/** Reads the tools of a run. */
export const engine = (input: WorldInput): Effect.Effect<Engine> =>
  Effect.sync(() => {
    const run = compiled(input)
    const renderer = Render.make()
    const taskWorldOf = ofLate((task) => new TaskWorld.TaskWorld({ run, renderer, task, random: input.randomness }))
    return { begin: (task) => Store.start(taskWorldOf(task)) }
  })

/**
 * Makes a task's taskWorld, or gives that of one of the latest tasks: the rollouts of a task begin one after the other,
 * mostly. A weak map of all tasks would cost as much as making one.
 */
const ofLate = (make: (task: Task) => TaskWorld.TaskWorld): ((task: Task) => TaskWorld.TaskWorld) => {
  const late: Array<TaskWorld.TaskWorld> = []
  let next = 0
  return (task) => {
    for (const one of late) if (one.task === task) return one
    const made = make(task)
    late[next] = made
    next = (next + 1) % remembered
    return made
  }
}
const remembered = 16

/** A session that goes on from a world. */
export interface MockSession extends Session {
  /** The world now: a value to go on from, as often as one likes. */
  readonly snapshot: Effect.Effect<Store.World>
  readonly stale: NonNullable<Session["stale"]>
}

export const session = (from: Store.World, realDelays: boolean): MockSession => {
  let world = from
  return {
    call: (call) =>
      respond(() => {
        const [next, answer] = Mock.step(world, call)
        world = next
        return realDelays ? Effect.delay(Effect.succeed(answer), answer.elapsedMs) : answer
      }),
    stale: (call) => respond(() => Mock.step(from, call)[1]),
    writes: Effect.sync(() => world.writes),
    state: Effect.sync(() => Store.toJson(world)),
    snapshot: Effect.sync(() => world)
  }
}

export const kind: Kind = {
  name: "mock",
  usesPayloads: true,
  draws: (input) => Drawing.make(() => compiled(input), input.randomness),
  make: (input) => {
    const { realDelays } = input.settings
    let loaded: Engine | undefined
    const load = Effect.tap(engine(input), (made) => {
      loaded = made
    })
    return {
      name: "mock",
      open: (task) =>
        Effect.map(
          Effect.suspend(() => (loaded === undefined ? load : Effect.succeed(loaded))),
          ({ begin }) => session(begin(task), realDelays)
        )
    }
  }
}
