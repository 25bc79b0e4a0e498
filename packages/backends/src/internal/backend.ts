/**
 * A protocol, an endpoint and how patiently to ask, put together to a chat model.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type { Completion, Request, Sampling, Service } from "@sandtable/core/ChatModel"
import { ModelFailed } from "@sandtable/core/ChatModel"
import * as Deadline from "@sandtable/core/unstable/Deadline"
import { CallNotes, type Notes } from "@sandtable/core/unstable/ModelCall"
import * as Randomness from "@sandtable/core/Randomness"
import * as Usage from "@sandtable/core/unstable/Usage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import { InvalidEndpoint, type Options } from "../ModelEndpoint.ts"
import * as Retry from "../Retry.ts"
import * as ToolSchemas from "../ToolSchemas.ts"
import * as Adaptation from "./adaptation.ts"
import * as Endpoint from "./endpoint.ts"
import * as Exchange from "./exchange.ts"
import { classify, failure, type Complaint, type Failure } from "./failure.ts"
import { hintOf } from "./hints.ts"
import { write } from "./json.ts"
import type { Assembly, Call, Protocol, ReasoningRule, Reply, Sampled, Settings } from "./protocol.ts"

/** What a kind of backend has where the options say nothing. */
export interface Kind extends Omit<Endpoint.Defaults, "path" | "headers"> {
  readonly protocol: Protocol
  readonly reasoning: ReasoningRule
  /** The limit of a reply that says none, where the protocol needs one. */
  readonly maxTokens: number | null
}

/** Tokens a reply is given time for where no limit is sent. */
const usualTokens = 4096
/** Parameters a server may refuse one after the other before the call is given up. */
const mostAdaptations = 8

export const make = (kind: Kind, options: Options): Effect.Effect<Service, InvalidEndpoint, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const { protocol } = kind
    for (const option of ["stop", "seed"] as const) {
      if (options.sampling?.[option] === undefined || protocol.sampled[option].length > 0) continue
      const provider = options.provider ?? kind.provider
      const problem = "is nothing this API takes"
      return yield* new InvalidEndpoint({ provider, option: `sampling.${option}`, problem, fix: "Leave it out." })
    }
    const endpoint = yield* Endpoint.resolve(options, { ...kind, path: protocol.path, headers: protocol.headers })
    const client = yield* HttpClient.HttpClient
    return new Backend(kind, options, endpoint, client).service
  })

/** A call on its way to its reply. */
interface Asking {
  readonly request: Request
  readonly call: Call
  readonly body: Record<string, unknown>
  readonly notes: Notes
  readonly clock: Clock.Clock
  failures: number
  throttled: number
  adapted: number
  /** The form of reply that is tried for this call, where the server may have fallen over a less plain one. */
  form: Adaptation.Form
}

interface Attempt {
  readonly outcome: Reply | Failure
  readonly sent: Readonly<Record<string, unknown>>
  readonly raw: unknown
}

class Backend {
  private readonly kind: Kind
  private readonly options: Options
  private readonly endpoint: Endpoint.Endpoint
  private readonly limit: Limits.Limit
  private readonly policy: Retry.Policy
  private readonly timeouts: ReturnType<typeof Endpoint.timeoutsOf>
  private readonly adaptation: Adaptation.Adaptation
  private readonly exchange: Exchange.Exchange
  /** Calls without a key of their own, for their jitter. */
  private unnamed = 0

  constructor(kind: Kind, options: Options, endpoint: Endpoint.Endpoint, client: HttpClient.HttpClient) {
    this.kind = kind
    this.options = options
    this.endpoint = endpoint
    this.limit = options.limit ?? Limits.limit(options.model)
    this.policy = Endpoint.policyOf(options)
    this.timeouts = Endpoint.timeoutsOf(options)
    this.adaptation = Adaptation.make(kind.protocol.parameters)
    this.exchange = Exchange.make(client, endpoint, this.timeouts.idle * 1000)
  }

  get service(): Service {
    const { body, contextSize, model, provider = this.kind.provider, reasoning, sampling } = this.options
    const { dialect } = this.kind.protocol
    return {
      identity: { name: model, provider, endpoint: this.endpoint.shown, model },
      settings: { protocol: this.kind.protocol.name, sampling, body, reasoning: reasoning ?? this.kind.reasoning },
      ...(contextSize !== undefined && { contextSize }),
      refusals: (tools) => ToolSchemas.normalise(tools, dialect).refusals,
      complete: (request) => this.complete(request)
    }
  }

  private complete(request: Request): Effect.Effect<Completion, ModelFailed> {
    return Effect.flatMap(Effect.zip(Effect.clock, CallNotes), ([clock, notes]) => {
      const { refusals, tools } = ToolSchemas.normalise(request.tools ?? noTools, this.kind.protocol.dialect)
      if (refusals[0] !== undefined) {
        return this.failed(failure("bad_request", ToolSchemas.sentence(refusals[0])))
      }
      const call = this.callOf(request, tools)
      const written = this.kind.protocol.body(call)
      return this.ask({
        request,
        call,
        body: this.options.body === undefined ? written : { ...written, ...this.options.body },
        notes,
        clock,
        failures: 0,
        throttled: 0,
        adapted: 0,
        form: 0
      })
    })
  }

  /** Until there is a reply, or a failure that stays one. */
  private ask(asking: Asking): Effect.Effect<Completion, ModelFailed> {
    return Effect.flatMap(this.attempt(asking), ({ outcome, raw, sent }) => {
      if (outcome._tag === "Failure") return this.again(asking, outcome, sent)
      if (asking.form > 0) this.adaptation.keep(asking.form)
      return Effect.succeed(this.completion(asking.call, outcome, sent, raw))
    })
  }

  private again(asking: Asking, failure: Failure, sent: Attempt["sent"]): Effect.Effect<Completion, ModelFailed> {
    const { complaint, reason, retry } = failure
    asking.notes.spent(failure.usage)
    if (complaint !== null && asking.adapted < mostAdaptations && this.mended(asking, complaint, sent)) {
      asking.adapted += 1
      return this.ask(asking)
    }
    const throttled = reason === "rate_limited"
    const tries = throttled ? (asking.throttled += 1) : (asking.failures += 1)
    const most = Math.min(
      throttled ? this.policy.throttledAttempts : this.policy.attempts,
      failure.tries ?? Number.POSITIVE_INFINITY
    )
    const n = asking.failures + asking.throttled
    if (!retry || tries >= most) return this.failed(this.placed(failure, n))
    return Effect.flatMap(this.wait(asking, failure, n, tries), () => this.ask(asking))
  }

  /** Whether the call is asked again at once, by what the server said, or with a plainer form of reply where it said little. */
  private mended(asking: Asking, complaint: Complaint, sent: Attempt["sent"]): boolean {
    if (this.adaptation.learn(complaint, sent)) return true
    const form = this.adaptation.plainer(sent)
    // Trouble may pass by itself, and what is not over with the plainest form has nothing to do with it.
    if (complaint.trouble && asking.failures === 0) return false
    asking.form = form ?? 0
    if (form === null) asking.adapted = mostAdaptations
    return form !== null
  }

  /** The time before the next try is charged to nobody, and shown. */
  private wait({ notes, request }: Asking, { hint }: Failure, n: number, tries: number): Effect.Effect<void> {
    return Effect.flatMap(Effect.zip(Randomness.Randomness, Clock.currentTimeMillis), ([randomness, now]) => {
      const key = request.key ?? ["call", (this.unnamed += 1)]
      const draw = randomness.draw(["retry", this.options.model, ...key, n])
      const millis = Retry.delay(this.policy, tries, hint, draw)
      notes.waits(now + millis)
      return Effect.ensuring(
        Deadline.suspend(Effect.sleep(millis)),
        Effect.sync(() => notes.waits(null))
      )
    })
  }

  /** One request in its place under the limit, for as long as one may take; it never fails. */
  private attempt(asking: Asking): Effect.Effect<Attempt> {
    return this.limit.run(this.sent(asking), capacity)
  }

  private sent(asking: Asking): Effect.Effect<Attempt> {
    return Effect.suspend(() => {
      const { sending, sent } = this.sendingOf(asking)
      const attempted = Effect.map(Exchange.send(this.exchange, sending), (given) =>
        this.attempted(asking, sent, given)
      )
      // Given up under way: what a stream had told of its tokens by then is spent all the same.
      return sending.streaming
        ? Effect.onInterrupt(attempted, () => Effect.sync(() => asking.notes.spent(sending.usage())))
        : attempted
    })
  }

  private sendingOf({ body, call, form, notes }: Asking): {
    readonly sending: Exchange.Sending
    readonly sent: Attempt["sent"]
  } {
    const sent = this.adaptation.apply(body, form)
    let assembly: Assembly | undefined
    notes.sent()
    const sending: Exchange.Sending = {
      body: write(sent),
      seconds: this.timeouts.request + this.timeouts.perToken * (call.settings.maxTokens ?? usualTokens),
      streaming: call.streaming,
      assemble: () => (assembly = this.kind.protocol.assemble()),
      usage: () => assembly?.usage() ?? Usage.unknown
    }
    return { sending, sent }
  }

  private attempted({ call, clock }: Asking, sent: Attempt["sent"], given: Retry.Answer | Failure): Attempt {
    if ("_tag" in given) return { outcome: given, sent, raw: undefined }
    return { outcome: this.read(given, call, clock), sent, raw: given.body }
  }

  private read(answer: Retry.Answer, call: Call, clock: Clock.Clock): Reply | Failure {
    const { body, headers, status } = answer
    const now = (): number => clock.unsafeCurrentTimeMillis()
    if (status >= 300) return classify(answer, now())
    const read = this.kind.protocol.read(body, call, call.settings.maxTokens)
    return read._tag === "Reply" || !read.retry ? read : { ...read, hint: hintOf(headers, body, now()) }
  }

  private callOf(request: Request, tools: Call["tools"]): Call {
    const { model, reasoning, sampling = {}, streaming } = this.options
    const asked = request.sampling
    const settings: Settings = {
      temperature: asked?.temperature ?? sampling.temperature ?? null,
      maxTokens: asked?.maxTokens ?? sampling.maxTokens ?? this.kind.maxTokens,
      topP: sampling.topP ?? null,
      stop: sampling.stop ?? null,
      seed: sampling.seed === undefined ? null : seedOf(sampling.seed, request.key ?? ["call", (this.unnamed += 1)]),
      logprobs: asked?.logprobs ?? false
    }
    return {
      model,
      messages: request.messages,
      tools,
      settings,
      responseSchema: request.responseSchema,
      reasoning: reasoning ?? this.kind.reasoning,
      streaming: streaming ?? false
    }
  }

  private completion(call: Call, reply: Reply, sent: Readonly<Record<string, unknown>>, raw: unknown): Completion {
    const { logprobs, providerState, reasoning, refusal } = reply
    const completion: Draft = {
      text: reply.text,
      toolCalls: reply.toolCalls,
      finishReason: isRefused(reply) ? "content_filter" : reply.finishReason,
      usage: reply.usage,
      sampling: this.sampling(sent, reply.model, call.settings.logprobs),
      raw
    }
    if (reasoning !== "") completion.reasoning = reasoning
    if (logprobs !== null) completion.logprobs = logprobs
    if (providerState !== undefined) completion.providerState = providerState
    if (refusal !== null) completion.refusal = refusal
    return completion
  }

  /** What was sent, by the names of rows; null where the server chose. */
  private sampling(
    sent: Readonly<Record<string, unknown>>,
    served: string | null,
    logprobs: Settings["logprobs"]
  ): Sampling {
    const { sampled } = this.kind.protocol
    const valueOf = (names: ReadonlyArray<string>): unknown => {
      const name = names.find((each) => sent[each] !== undefined)
      return name === undefined ? null : sent[name]
    }
    const out: Record<string, unknown> = {
      model: this.options.model,
      temperature: valueOf(sampled.temperature),
      max_tokens: valueOf(sampled.max_tokens)
    }
    for (const name of ["top_p", "stop", "seed"] satisfies ReadonlyArray<keyof Sampled>) {
      const value = valueOf(sampled[name])
      if (value !== null) out[name] = value
    }
    if (served !== null && served !== this.options.model) out["served_model"] = served
    const notes = this.adaptation.notes()
    if (asksLogprobs(logprobs) && !this.kind.protocol.logprobs) {
      out["adapted"] = { ...notes, logprobs: "left out: the API has none" }
    } else if (notes !== undefined) out["adapted"] = notes
    return out
  }

  /** Where it was asked and how often, and what to do: nobody else knows. */
  private placed(failure: Failure, tries: number): Failure {
    const asked = `${this.endpoint.shown}${this.kind.protocol.path}${tries > 1 ? ` after ${tries} tries` : ""}`
    const said = failure.detail.replace(/[.\s]+$/, "")
    return { ...failure, detail: `${said}, at ${asked}${failure.fix === null ? "" : `. ${failure.fix}`}` }
  }

  private failed({ detail, reason }: Failure): ModelFailed {
    return new ModelFailed({ reason, model: this.options.model, detail: this.endpoint.redact(detail) })
  }
}

type Draft = { -readonly [Key in keyof Completion]: Completion[Key] }

const noTools: Call["tools"] = []

const capacity = ({ outcome }: Attempt): Limits.Outcome =>
  outcome._tag === "Reply" ? "served" : outcome.reason === "rate_limited" ? "throttled" : "other"

const asksLogprobs = (logprobs: Settings["logprobs"]): boolean => logprobs !== undefined && logprobs !== false

/** A seed of the call's own, below 2^31, as every server takes it. */
const seedOf = (seed: number, key: ReadonlyArray<string | number>): number =>
  Math.floor(Randomness.make(seed).draw(["model-seed", ...key]) * 2_147_483_648)

/** A reply of which there is nothing but the words of a refusal; servers say of it that it stopped as any other. */
const isRefused = ({ finishReason, refusal, text, toolCalls }: Reply): boolean =>
  refusal !== null && text === refusal && toolCalls.length === 0 && finishReason === "stop"
