/**
 * A world whose tools fail as planned. It goes over any session, so a world of the caller's own fails the same way.
 *
 * A call that times out, is not permitted, is limited, or meets a server error does not reach the world beneath. One
 * that is malformed, partial or stale does, and what comes back is spoiled; a stale read is answered from the world as
 * it stood when the rollout began, where the world can tell.
 */
import * as ExactJson from "../json/ExactJson.ts"
import * as Effect from "effect/Effect"
import type { RunSettings } from "../settings/RunSettings.ts"
import type { FaultMode } from "../task/Plan.ts"
import type { Task } from "../task/Task.ts"
import type { ToolSet } from "../task/ToolSet.ts"
import * as Faults from "./Faults.ts"
import { yesterday } from "./internal/calendar.ts"
import { wellFormed } from "./JsonForm.ts"
import { freeze, isRecord, withFields, type JsonObject } from "./internal/records.ts"
import { isAnswer, respond, start } from "./internal/responding.ts"
import type { Answer, Call, Session } from "./World.ts"

/** A tool that answers nothing is given up on after so many logical milliseconds. */
export const timeoutMs = 30_000
/** A refusal comes at once. */
const refusalMs = 50

export type Settings = Pick<RunSettings, "realDelays"> & { readonly tools?: ToolSet }

/** The session with the task's faults over it. With `realDelays` a timeout is really waited for. */
export const wrap = (session: Session, { faults }: Pick<Task, "faults">, settings: Settings): Session => {
  if (faults.length === 0) return session
  let counts = Faults.none
  return {
    ...session,
    call: (call) =>
      // Decided when the call starts, before anything is waited for.
      respond(() => {
        const [counted, mode] = Faults.next(faults, counts, call.tool)
        counts = counted
        return mode === null ? start(session.call(call)) : failing(mode, call, session, settings)
      })
  }
}

/** An answer, or an effect that has it later. */
type Begun = Answer | Effect.Effect<Answer>

const failing = (mode: FaultMode, call: Call, session: Session, settings: Settings): Begun => {
  switch (mode) {
    case "timeout": {
      const answer = refusal(mode, `${call.tool} did not answer within ${timeoutMs / 1000} s.`, timeoutMs)
      return settings.realDelays ? Effect.delay(Effect.succeed(answer), timeoutMs) : answer
    }
    case "permission_denied":
      return refusal(mode, `You do not have permission to use ${call.tool}.`, refusalMs)
    case "rate_limited":
      return refusal(mode, `Too many requests to ${call.tool}. Retry after 30 seconds.`, refusalMs)
    case "server_error":
      return refusal(mode, `${call.tool} failed with an internal server error (500).`, refusalMs)
    case "malformed":
      return after(session.call(call), (answer) => spoiled(answer, mode, garbled(answer.result), "ok"))
    case "partial":
      return after(session.call(call), (answer) =>
        spoiled(answer, mode, answer.status === "ok" ? partial(answer.result) : answer.result, answer.status)
      )
    case "stale":
      return after(stale(call, session, settings), (answer) =>
        spoiled(answer, mode, dated(answer.result), answer.status)
      )
  }
}

const after = (call: Effect.Effect<Answer>, spoil: (answer: Answer) => Answer): Begun => {
  const begun = start(call)
  return isAnswer(begun) ? spoil(begun) : Effect.map(begun, spoil)
}

const refusal = (
  mode: "timeout" | "permission_denied" | "rate_limited" | "server_error",
  error: string,
  elapsedMs: number
): Answer => ({
  result: Object.freeze({ status: mode, error }),
  status: mode,
  answeredBy: "fault",
  fault: mode,
  elapsedMs
})

const spoiled = (answer: Answer, fault: FaultMode, result: unknown, status: Answer["status"]): Answer => ({
  ...answer,
  result: freeze(result),
  status,
  answeredBy: "fault",
  fault
})

/** A write is made all the same: only what it shows is old. */
const stale = (call: Call, session: Session, { tools }: Settings): Effect.Effect<Answer> => {
  const reads = tools?.get(call.tool)?.writes === false
  return session.stale !== undefined && reads ? session.stale(call) : session.call(call)
}

const dated = (result: unknown): unknown =>
  withFields(isRecord(result) ? result : { result }, [
    ["stale", true],
    ["as_of", yesterday]
  ])

/** A body cut short, with bytes that are no text: what a broken connection leaves. */
const garbled = (result: unknown): string => {
  const text = ExactJson.stringify(result) ?? "null"
  const kept = text.slice(0, Math.max(1, Math.min(600, Math.ceil(text.length * 0.6))))
  let out = kept.slice(0, 11)
  for (let at = 11; at < kept.length; at += 17) out += `\uFFFD${kept.slice(at + 1, at + 17)}`
  return wellFormed(out)
}

/** The first half of each list, and of a record the first half of its fields. */
const partial = (result: unknown): unknown => {
  if (Array.isArray(result)) return { items: result.slice(0, Math.ceil(result.length / 2)), partial: true }
  if (!isRecord(result)) return { result: null, partial: true }
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value) && value.length > 1)
  if (lists.length > 0) return withFields(halved(result), [["partial", true]])
  const names = Object.keys(result)
  const kept = names.slice(0, Math.ceil(names.length / 2))
  return withFields({}, [
    ...kept.map((name) => [name, result[name]] as const),
    ["partial", true],
    ["missing", names.slice(kept.length)]
  ])
}

const halved = (record: JsonObject): JsonObject =>
  withFields(
    {},
    Object.entries(record).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(0, Math.ceil(value.length / 2)) : value
    ])
  )
