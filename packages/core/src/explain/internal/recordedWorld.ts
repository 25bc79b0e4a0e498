/**
 * A world whose first calls are on record: it is driven through them, so that it stands as it stood, and the agent is
 * answered what it was answered then.
 */
import * as Effect from "effect/Effect"
import * as Hash from "../../random/Hash.ts"
import type { Recorded } from "../../rollout/internal/recorded.ts"
import type { CallStep } from "../../row/Row.ts"
import * as World from "../../world/World.ts"
import type { Prefix } from "./prefix.ts"

/** `toolTimeout` in seconds. */
export const recordedWorld = (
  world: World.Service,
  { calls, changed, reply }: Prefix,
  recorded: Recorded,
  toolTimeout: number
): World.Service => ({
  name: world.name,
  open: (task, key) =>
    Effect.map(world.open(task, key), (session) => {
      let issued = 0
      return {
        ...session,
        call: (call) =>
          World.respond(() => {
            const at = issued
            issued += 1
            const known = at === calls.length ? changed : calls[at]
            if (known === undefined) return World.start(session.call(call))
            const otherCall = differenceOf(call, known, at)
            if (otherCall !== null) return left(recorded, otherCall)
            if (at === calls.length) {
              const answer = World.start(session.call(call))
              return reply === undefined ? answer : after(answer, (own) => answeredBy(own, reply.value))
            }
            if (known.answered_by === "harness") return timedOut(known, toolTimeout)
            return checked(World.start(session.call(call)), known, at, recorded)
          })
      }
    })
})

type Begun = World.Answer | Effect.Effect<World.Answer>

const after = (begun: Begun, map: (answer: World.Answer) => World.Answer): Begun =>
  World.isAnswer(begun) ? map(begun) : Effect.map(begun, map)

const answeredBy = (answer: World.Answer, result: unknown): World.Answer => {
  const { fault: _, ...own } = answer
  return { ...own, result, status: "ok", answeredBy: answer.answeredBy === "fault" ? "mock" : answer.answeredBy }
}

/** The recorded answer, once the world was driven to give it. */
const checked = (begun: Begun, known: CallStep, at: number, recorded: Recorded): Begun => {
  const held = (answer: World.Answer): Begun => {
    const same =
      answer.status === known.status && Hash.canonical(answer.result ?? null) === Hash.canonical(known.result ?? null)
    if (!same) {
      return left(
        recorded,
        `the world answers call ${at + 1}, ${known.tool}, otherwise than in the record (${answer.status})`
      )
    }
    return {
      result: known.result,
      status: known.status,
      answeredBy: known.answered_by,
      ...(known.fault === undefined ? {} : { fault: known.fault }),
      elapsedMs: answer.elapsedMs
    }
  }
  return World.isAnswer(begun)
    ? held(begun)
    : Effect.flatMap(begun, (answer) => {
        const shown = held(answer)
        return World.isAnswer(shown) ? Effect.succeed(shown) : shown
      })
}

/** The rollout is not the recorded one any more: it is lost. */
const left = (recorded: Recorded, detail: string): Effect.Effect<never> => {
  recorded.diverge(detail)
  return Effect.die(new Error(detail))
}

const differenceOf = (call: World.Call, known: CallStep, at: number): string | null =>
  call.tool === known.tool && Hash.canonical(call.arguments) === Hash.canonical(known.arguments ?? {})
    ? null
    : `call ${at + 1} is ${call.tool} ${Hash.canonical(call.arguments)}, in the record ${known.tool} ${Hash.canonical(known.arguments ?? {})}`

const timedOut = (known: CallStep, seconds: number): World.Answer => ({
  result: known.result,
  status: known.status,
  answeredBy: known.answered_by,
  elapsedMs: seconds * 1000
})
