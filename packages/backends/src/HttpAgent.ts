/**
 * An agent of yours behind an address. Each turn is one POST of the thread so far, in the shape of a chat completion; what
 * comes back is the agent's line, its tool calls for the rollout's world, or all it did by itself:
 *
 * | answer | is |
 * |---|---|
 * | a text (plain, or a JSON string) | a line to the person |
 * | a chat message, or `{ text }` / `{ content }`, with `tool_calls` | a line, or calls: the world answers them and the thread with the results is posted |
 * | a chat completion (`choices`) | the same |
 * | `{ messages }`, `{ steps, final_text }` | what the agent did itself since the person's last line; its last text is the line |
 *
 * `final: true` beside any of them ends the conversation.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Conversation from "@sandtable/core/Conversation"
import * as Deadline from "@sandtable/core/unstable/Deadline"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import type { Message } from "@sandtable/core/unstable/Message"
import * as Randomness from "@sandtable/core/Randomness"
import * as ResultStatus from "@sandtable/core/unstable/ResultStatus"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Address from "./internal/address.ts"
import { rolloutOf } from "./internal/agentLines.ts"
import * as Encoding from "./internal/encoding.ts"
import { excerpt } from "./internal/excerpt.ts"
import * as Json from "./internal/json.ts"
import * as Redaction from "./internal/redaction.ts"
import * as ReplyShape from "./internal/replyShape.ts"
import { argumentsText } from "./internal/thread.ts"
import * as Unpacked from "./internal/unpacked.ts"
import * as Retry from "./Retry.ts"

/**
 * Where the agent is, and how it is spoken to.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where turns are posted to: an http or https address. */
  readonly url: string
  /** Sent with every request: a key, for instance. Their values are never shown. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
  /** Shown on rows; the address when left out. */
  readonly name?: string
  /** Sent as `model`, for endpoints that ask for one. */
  readonly model?: string
  /** Most tries of a request to which nothing answers, or 429, 502, 503 or 504 (3). */
  readonly attempts?: number
}

/**
 * The address can never be posted to; said before any request.
 * @since 0.1.0
 * @category errors
 */
export class HttpAgentRefused extends Schema.TaggedError<HttpAgentRefused>()("HttpAgentRefused", {
  url: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `The agent at ${JSON.stringify(this.url)} cannot be reached: ${this.problem}. Give an address such as http://localhost:8000/chat.`
  }
}

/**
 * An agent at an address.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<AgentBackend.Service, HttpAgentRefused, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const url = Address.read(options.url)
    if (typeof url === "string") return yield* refused(options.url, url)
    // Spans of a client would show the whole address.
    const client = HttpClient.withTracerDisabledWhen(Unpacked.client(yield* HttpClient.HttpClient), () => true)
    const { attempts = 3 } = options
    if (!(Number.isInteger(attempts) && attempts > 0)) {
      return yield* refused(options.url, `\`attempts\` is ${attempts}, not a count from 1`)
    }
    const endpoint = Address.shown(url)
    const name = options.name ?? endpoint
    const identity = { name, provider: "http", endpoint }
    return Conversation.make({
      identity,
      kind: "http",
      open: (rollout) => Effect.succeed(turnsOf(rollout, name, { ...options, attempts }, url, client))
    })
  })

/**
 * The agent is at an address.
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<AgentBackend.AgentBackend, HttpAgentRefused, HttpClient.HttpClient> =>
  Layer.effect(AgentBackend.AgentBackend, make(options))

const refused = (url: string, problem: string): HttpAgentRefused =>
  new HttpAgentRefused({ url: Redaction.make([])(url), problem })

/** Largest answer that is read, in bytes. */
const largest = 16_000_000

type Failure = AgentBackend.AgentFailed

const turnsOf = (
  rollout: AgentBackend.Rollout,
  name: string,
  options: Options & { readonly attempts: number },
  url: URL,
  client: HttpClient.HttpClient
): Conversation.Turns => {
  const { info, recorder, settings } = rollout
  const tools = settings.tools.list.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters }
  }))
  const headers = Object.entries(options.headers ?? {}).map(
    ([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value] as const
  )
  const secrets = [
    ...headers.flatMap(([, value]) => [value, value.replace(/^(bearer|basic|token)\s+/i, "")]),
    ...Address.secretsOf(url)
  ]
  const hide = Redaction.make([...secrets, ...Address.valuesOf(url)])
  const conceal = Redaction.concealing(secrets)
  const failed = (detail: string, reason: "agent_error" | "auth" = "agent_error"): Failure =>
    new AgentBackend.AgentFailed({ agent: name, reason, detail: hide(detail), steps: recorder.steps() })

  const post = (messages: ReadonlyArray<Message>, turn: number): Effect.Effect<Answer, Failure> => {
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.setHeaders(Object.fromEntries(headers)),
      HttpClientRequest.setBody(
        HttpBody.unsafeJson({
          ...(options.model === undefined ? {} : { model: options.model }),
          messages: messages.map(chatShape),
          ...(tools.length === 0 ? {} : { tools }),
          rollout: rolloutOf(info)
        })
      )
    )
    const attempt = (n: number): Effect.Effect<Answer, Failure> =>
      Effect.matchEffect(answerOf(client, request), {
        onFailure: (error) => (n < options.attempts ? again(n, null) : Effect.fail(failed(unanswered(url, error)))),
        onSuccess: (answer) =>
          n < options.attempts && passing.has(answer.status) ? again(n, answer.hint) : Effect.succeed(answer)
      })
    // Waiting is nobody's fault: it is not charged to the agent.
    const again = (n: number, hint: number | null): Effect.Effect<Answer, Failure> =>
      Effect.gen(function* () {
        const draw = (yield* Randomness.Randomness).draw(["http_agent", info.id, turn, n])
        yield* Deadline.suspend(Effect.sleep(Retry.delay(Retry.defaults, n, hint, draw)))
        return yield* attempt(n + 1)
      })
    return attempt(1)
  }

  return ({ messages, turn }) =>
    Effect.gen(function* () {
      const { body, location, status, type } = yield* post(messages, turn)
      if (status < 200 || status > 299) {
        const said = ReplyShape.errorIn(body) ?? (typeof body === "string" ? body : "")
        const place = location === undefined ? "" : `: it points to ${location}; give that address`
        const detail = `${Address.shown(url)} answered ${status}${place}${said === "" ? "" : `: ${excerpt(said, 400)}`}`
        return yield* failed(detail, status === 401 || status === 403 ? "auth" : "agent_error")
      }
      const oddity = typeof body === "string" ? oddityOf(body, type) : null
      if (oddity !== null)
        return yield* failed(`it answered ${oddity}: ${excerpt(String(body))}; ${ReplyShape.understood}`)
      // An agent may say the key it was sent: no reply brings it into rows.
      const reply = ReplyShape.read(conceal(body, null))
      if (typeof reply === "string") return yield* failed(reply)
      record(rollout, reply.did, turn)
      const { text, toolCalls, reasoning, finishReason, usage, final } = reply
      return {
        text,
        toolCalls,
        final,
        ...(reasoning === undefined ? {} : { reasoning }),
        ...(finishReason === undefined ? {} : { finishReason }),
        ...(usage === undefined ? {} : { usage })
      }
    })
}

/** What the agent did by itself: no fault was planned for it, and no world of the run answered. */
const record = ({ recorder }: AgentBackend.Rollout, did: ReadonlyArray<ReplyShape.Did>, turn: number): void => {
  for (const one of did) {
    if (one._tag === "Said") {
      recorder.say({ text: one.text, turn, ...(one.reasoning === undefined ? {} : { reasoning: one.reasoning }) })
      continue
    }
    recorder.settle(recorder.open(one.tool, one.arguments, one.id, { turn }), {
      result: one.result,
      status: ResultStatus.of(one.result),
      answeredBy: "agent",
      elapsedMs: 0
    })
  }
}

interface Answer {
  readonly status: number
  /** JSON as read, or the text of what is none. */
  readonly body: unknown
  /** Of its content. */
  readonly type: string
  readonly location: string | undefined
  /** Milliseconds the server asks to wait. */
  readonly hint: number | null
}

/** What a text is when it is nothing that the agent says to the person. */
const oddityOf = (text: string, type: string): string | null => {
  if (/^\s*<(!doctype|html)/i.test(text)) return "a page of HTML"
  if (/^text\/event-stream\b/i.test(type)) return "a stream of events, and not the whole"
  return isJson(type) && beginsAsJson.test(text) && Json.parse(text) === undefined ? "JSON that cannot be read" : null
}

const beginsAsJson = /^\s*[{["]/

const isJson = (type: string): boolean => /\bjson\b/i.test(type)

/** Answers that may be others in a moment. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

const answerOf = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Answer, HttpClientError.HttpClientError> =>
  Effect.gen(function* () {
    // No client follows a redirect by itself: the headers are for the given address alone.
    const { headers, status, text } = yield* Effect.provideService(
      client.execute(request),
      FetchHttpClient.RequestInit,
      { redirect: "manual" }
    )
    const said = yield* text
    const type = headers["content-type"] ?? ""
    const parsed = isJson(type) || beginsAsJson.test(said) ? Json.parse(said) : undefined
    const body = parsed === undefined ? said : parsed
    const hint = Retry.hintOf(headers, body, yield* Clock.currentTimeMillis)
    return { status, body, type, hint, location: status >= 300 && status < 400 ? headers["location"] : undefined }
  }).pipe(HttpIncomingMessage.withMaxBodySize(Option.some(largest)))

const unanswered = (url: URL, error: HttpClientError.HttpClientError): string => {
  const cause = error.cause ?? error
  if (cause instanceof Encoding.Unreadable) {
    return `the answer of ${Address.shown(url)} cannot be read: ${cause.message}`
  }
  const inner = typeof cause === "object" && cause !== null && "cause" in cause ? (cause.cause ?? cause) : cause
  const code = typeof inner === "object" && inner !== null && "code" in inner ? ` (${String(inner.code)})` : ""
  return error._tag === "RequestError"
    ? `nothing answered at ${Address.shown(url)}${code}: ${excerpt(ErrorText.of(inner))}`
    : `the answer of ${Address.shown(url)} broke off${code}: ${excerpt(ErrorText.of(inner))}`
}

/** A message in the shape of a chat completion request. */
const chatShape = (message: Message): object => {
  switch (message.role) {
    case "assistant": {
      const calls = message.toolCalls ?? []
      if (calls.length === 0) return { role: "assistant", content: message.content }
      const tool_calls = calls.map(({ id, name, arguments: args }) => ({
        id,
        type: "function",
        function: { name, arguments: argumentsText(args) }
      }))
      return { role: "assistant", content: message.content === "" ? null : message.content, tool_calls }
    }
    case "tool":
      return { role: "tool", tool_call_id: message.callId, name: message.name, content: message.content }
    default:
      return { role: message.role, content: message.content }
  }
}
