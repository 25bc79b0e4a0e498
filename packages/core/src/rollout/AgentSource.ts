/**
 * Where agents come from that a caller only names: a chat endpoint by its address, or a program by its command.
 * `@sandtable/backends` provides this service.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { unreachable, type SpecRefused } from "../model/ModelSource.ts"
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
