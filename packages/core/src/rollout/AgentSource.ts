/**
 * Where agents come from that a caller only names: a chat endpoint by its address, or a program by its command.
 * `@sandtable/backends` provides this service.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { ModelSource, shown, SpecRefused, unreachable, type Service as Models } from "../model/ModelSource.ts"
import type { Service as Agent } from "./internal/trajectory.ts"

export type Named =
  | { readonly _tag: "Url"; readonly url: string }
  /** A program and its arguments. */
  | { readonly _tag: "Command"; readonly command: readonly [string, ...ReadonlyArray<string>] }

export interface Service {
  /** Calls and starts nothing: what is wrong with the name is told here. */
  readonly agent: (named: Named) => Effect.Effect<Agent, SpecRefused, Scope.Scope>
}

/** Refuses every name unless a source is provided. */
export class AgentSource extends Context.Reference<AgentSource>()("@sandtable/core/AgentSource", {
  defaultValue: (): Service => ({
    agent: (named) =>
      Effect.fail(
        named._tag === "Url"
          ? unreachable(named.url, "is the address of an agent")
          : unreachable(named.command.join(" "), "is the command of an agent")
      )
  })
}) {}

/** Why a source could not be had, as the rest of a sentence that begins with what was named. */
export interface Unavailable {
  readonly problem: string
  readonly fix: string
}

/**
 * Both sources (models too) from a layer that is loaded when something is first named, so that a run in which nobody is
 * named loads nothing.
 */
export const layerLazy = (load: Effect.Effect<Layer.Layer<never>, Unavailable>): Layer.Layer<never> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const loaded = yield* Effect.cached(Effect.flatMap(load, (layer) => Layer.buildWithScope(layer, scope)))
      const sources = (spec: string) =>
        Effect.mapError(loaded, ({ fix, problem }) => new SpecRefused({ spec: shown(spec), problem, fix }))
      const models = {
        model: (spec, use) =>
          Effect.flatMap(sources(spec), (context) => Context.get(context, ModelSource).model(spec, use))
      } satisfies Models
      const agents: Service = {
        agent: (named) =>
          Effect.flatMap(sources(named._tag === "Url" ? named.url : named.command.join(" ")), (context) =>
            Context.get(context, AgentSource).agent(named)
          )
      }
      return Context.make(ModelSource, models).pipe(Context.add(AgentSource, agents)) as Context.Context<never>
    })
  )
