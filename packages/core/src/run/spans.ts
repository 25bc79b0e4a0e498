/**
 * The spans of a run beside those of its model calls: one around all of it, one per rollout, one per tool call.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Scope } from "effect/Scope"
import type { Identity } from "../model/Identity.ts"
import * as Spans from "../model/Spans.ts"
import type { CompletedRollout, FailedRollout } from "../rollout/Rollout.ts"
import type { RolloutKey, Task } from "../task/Task.ts"
import type * as World from "../world/World.ts"

/** What all spans of a call stand in. Failures are told by name: their messages may quote what servers said. */
export const root =
  (name: string) =>
  <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Spans.traced, (traced) =>
      traced
        ? Spans.span<A, E>({
            name,
            kind: "internal",
            attributes: {},
            ended: () => ({}),
            failure: (exit) => Spans.failureOf(exit, ({ _tag }) => _tag)
          })(effect)
        : effect
    )

/** The same around what goes on after the effect, until its scope is closed. */
export const rootScoped =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope> =>
    Effect.flatMap(Spans.traced, (traced): Effect.Effect<A, E, R | Scope> =>
      traced
        ? Effect.flatMap(
            Effect.acquireRelease(Effect.makeSpan(name, { captureStackTrace: false }), (span) =>
              Effect.map(Clock.currentTimeNanos, (now) => span.end(now, Exit.void))
            ),
            (span) => Effect.withParentSpan(effect, span)
          )
        : effect
    )

export const rollout = (agent: Identity, runId: string, task: Task, { evalRun, index, taskId }: RolloutKey) =>
  Spans.span<CompletedRollout | FailedRollout, never>({
    name: `invoke_agent ${agent.name}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent.name,
      "gen_ai.provider.name": agent.provider,
      "gen_ai.request.model": agent.model,
      "sandtable.run_id": runId,
      "sandtable.task_id": taskId,
      "sandtable.rollout_index": index,
      "sandtable.eval_run": evalRun,
      "sandtable.tier": task.tier
    },
    ended: (exit) =>
      Exit.isSuccess(exit) && exit.value._tag === "Finished"
        ? {
            "gen_ai.conversation.id": exit.value.info.id,
            "sandtable.row_id": exit.value.row.row_id,
            "sandtable.ended_by": exit.value.row.ended_by
          }
        : {},
    failure: (exit) =>
      Exit.isFailure(exit)
        ? Spans.failureOf(exit, (never) => never)
        : exit.value._tag === "Lost"
          ? exit.value.reason
          : null
  })

/** The world with a span around every call. */
export const world = (service: World.Service): World.Service => ({
  name: service.name,
  open: (task, key) =>
    Effect.map(service.open(task, key), ({ call, state, writes }) => ({
      state,
      writes,
      call: (request) =>
        Effect.flatMap(Spans.SpanContent, (content) =>
          Spans.span<World.Answer, never>({
            name: `execute_tool ${request.tool}`,
            kind: "internal",
            attributes: {
              "gen_ai.operation.name": "execute_tool",
              "gen_ai.tool.name": request.tool,
              ...(content && { "gen_ai.tool.call.arguments": JSON.stringify(request.arguments) })
            },
            ended: (exit) =>
              Exit.isFailure(exit)
                ? {}
                : {
                    "sandtable.answered_by": exit.value.answeredBy,
                    "sandtable.fault": exit.value.fault,
                    ...(content && { "gen_ai.tool.call.result": JSON.stringify(exit.value.result) })
                  },
            failure: (exit) =>
              Exit.isFailure(exit)
                ? Spans.failureOf(exit, (never) => never)
                : exit.value.status === "ok"
                  ? null
                  : exit.value.status
          })(call(request))
        )
    }))
})
