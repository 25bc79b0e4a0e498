/**
 * What all model endpoints are told the same way: which model, where, with which key, and how patiently.
 */
import type * as Limits from "./Limits.ts"
import type * as Retry from "./Retry.ts"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * Seconds of one request.
 * @since 0.1.0
 * @category models
 */
export interface Timeouts {
  /** Until the whole reply is there, beside what the length of the reply adds (60). */
  readonly request: number
  /** Added per token that the reply may have (0.05: twenty tokens a second); 4,096 tokens where no limit is sent. */
  readonly perToken: number
  /** Longest silence of a stream; only data ends it, not what keeps a connection open (60). */
  readonly idle: number
}

/**
 * How replies are sampled unless a request says otherwise.
 * @since 0.1.0
 * @category models
 */
export interface SamplingDefaults {
  readonly temperature?: number
  readonly maxTokens?: number
  readonly topP?: number
  readonly stop?: ReadonlyArray<string>
  /** Each call is sent a seed of its own, drawn from this one and what the call is for. */
  readonly seed?: number
}

/**
 * An endpoint, and the model there.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The model's name as the server knows it. */
  readonly model: string
  /** Whose endpoint it is, in identities and rows: `openai`, `vllm`, ... */
  readonly provider?: string
  /** Up to the version: `https://api.openai.com/v1`. A query in it is kept. */
  readonly baseUrl?: string
  readonly apiKey?: Redacted.Redacted
  /** `bearer`, or the name of the header that carries the key as it is (`api-key`). */
  readonly auth?: "bearer" | (string & {})
  /** Sent with every request; they win over our own. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
  /** Fields of every request body; they win over our own. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Asks for replies as streams (false): a silent server is noticed sooner, and tokens of calls given up are known. */
  readonly streaming?: boolean
  readonly sampling?: SamplingDefaults
  /** Which thoughts go back to the model: all, those since the person's last word, or none. Each backend has its own. */
  readonly reasoning?: "all" | "turn" | "none"
  /** Tokens a thread may hold, where known. */
  readonly contextSize?: number
  /** Where the calls find a place; by default a limit of this endpoint's own, which only the server makes smaller. */
  readonly limit?: Limits.Limit
  readonly retry?: Partial<Retry.Policy>
  readonly timeouts?: Partial<Timeouts>
}

/**
 * Seconds that an endpoint is waited for: for the whole reply, for each token it may have, and between two pieces.
 * @since 0.1.0
 * @category constants
 */
export const timeouts: Timeouts = { request: 60, perToken: 0.05, idle: 60 }

/**
 * An endpoint cannot be as it was told.
 * @since 0.1.0
 * @category errors
 */
export class InvalidEndpoint extends Schema.TaggedError<InvalidEndpoint>()("InvalidEndpoint", {
  /** Whose endpoint. */
  provider: Schema.String,
  /** The option that is wrong. */
  option: Schema.String,
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `${this.provider}: \`${this.option}\` ${this.problem}. ${this.fix}`
  }
}

/**
 * Options of which any may be read from the configuration.
 * @since 0.1.0
 * @category models
 */
export type Configured<O> = { readonly [K in keyof O]: O[K] | Config.Config<O[K]> }

/**
 * The options with what the configuration says.
 * @since 0.1.0
 * @category functions
 */
export const configured = <O extends object>(options: Configured<O>): Effect.Effect<O, ConfigError> =>
  Effect.map(
    Effect.forEach(Object.entries(options), ([name, value]) =>
      Effect.map(Config.isConfig(value) ? value : Effect.succeed(value), (value: unknown) => [name, value] as const)
    ),
    // Each field is what its option is, read or as it was given.
    (fields) => Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as O
  )
