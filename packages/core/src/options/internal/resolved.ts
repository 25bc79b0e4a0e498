/**
 * What a call's options come to.
 */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Grader from "../../grade/Grader.ts"
import type * as Embedder from "../../model/Embedder.ts"
import type { Role as ModelRole } from "../../model/ModelCall.ts"
import type { Limit } from "../../model/ModelSource.ts"
import type * as AgentBackend from "../../rollout/AgentBackend.ts"
import type { Named } from "../../rollout/AgentSource.ts"
import type * as UserSimulator from "../../rollout/UserSimulator.ts"
import type { Warning } from "../../report/Warning.ts"
import type * as SituationWriter from "../../situation/SituationWriter.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { Execute, OnEvent, WriterFunction } from "./roleValues.ts"

/**
 * A role as the caller gave it; `Context` leaves it to the layer in context, or to the role's own default.
 * @since 0.1.0
 * @category models
 */
export type Role<Service, Layer> =
  | { readonly _tag: "Context" }
  | { readonly _tag: "Service"; readonly service: Service }
  | { readonly _tag: "Layer"; readonly layer: Layer }

/**
 * A model spec such as `openai:gpt-4.1-mini`, or the endpoint that the environment names.
 * @since 0.1.0
 * @category models
 */
export type Hosting = { readonly _tag: "Spec"; readonly spec: string } | { readonly _tag: "Hosted" }

/**
 * Who plays each role of a run, as the options say.
 * @since 0.1.0
 * @category models
 */
export interface Roles {
  readonly agent: Role<AgentBackend.Service, Layer.Layer<AgentBackend.AgentBackend, unknown>> | Hosting | Named
  readonly simulator:
    | Role<SituationWriter.Kind, Layer.Layer<never, unknown>>
    | Hosting
    | { readonly _tag: "Template" }
    | { readonly _tag: "Function"; readonly name: string; readonly write: WriterFunction }
    /** The agent's own model writes; an agent of a layer may turn out to have none. */
    | { readonly _tag: "AgentModel" }
    /** A replay writes nothing. */
    | { readonly _tag: "None" }
  readonly userModel:
    | Role<UserSimulator.Service, Layer.Layer<never, unknown>>
    | Hosting
    | { readonly _tag: "Template" }
    | { readonly _tag: "WriterModel" }
    | { readonly _tag: "AgentModel" }
  readonly execute: { readonly _tag: "Context" } | { readonly _tag: "Execute"; readonly execute: Execute }
  readonly grader: Role<Grader.Service, Layer.Layer<never, unknown>>
  readonly embedder: Role<Embedder.Service, Layer.Layer<never, unknown>>
}

/**
 * Traces to aim the grid with.
 * @since 0.1.0
 * @category models
 */
export interface Traces {
  readonly source: string | object
  readonly strategy: "auto" | "trace" | "targeted" | "broad"
}

/**
 * What holds back the calls of each role's model.
 * @since 0.1.0
 * @category models
 */
export type Limits = { readonly [role in ModelRole]?: Limit | undefined }

/**
 * Options that were checked, with every default filled in.
 * @since 0.1.0
 * @category models
 */
export interface Resolved {
  readonly settings: RunSettings
  readonly roles: Roles
  readonly traces: Traces | null
  /** What holds the calls of a role's model back, where the caller said. */
  readonly limits: Limits
  /** The spec's rubric, for a judge; null when there is none. */
  readonly rubric: string | null
  readonly files: {
    readonly output: string | null
    readonly overwrite: boolean
    readonly checkpoint: string | null
  }
  readonly hooks: {
    readonly onEvent: OnEvent | null
    readonly signal: AbortSignal | null
    readonly stop: Effect.Effect<unknown, unknown> | null
  }
  /** What the caller should know though nothing is wrong: dials without effect, counts that were raised. */
  readonly notes: ReadonlyArray<Warning>
  /** Every option as resolved, flat and plain, by its name in snake_case. */
  readonly resolvedOptions: Readonly<Record<string, unknown>>
}

/**
 * What is known of the surroundings of a call.
 * @since 0.1.0
 * @category models
 */
export interface Environment {
  /** Whether `SANDTABLE_BASE_URL` or `SANDTABLE_MODEL` is set; whether they name an endpoint is seen when it is made. */
  readonly endpoint?: boolean
  /** Whether a model plays the agent that a layer in context holds. */
  readonly agentModel?: boolean
  /** Roles that layers in context hold. */
  readonly provided?: ReadonlyArray<"agent" | "simulator" | "userModel" | "execute" | "grader" | "embedder">
}
