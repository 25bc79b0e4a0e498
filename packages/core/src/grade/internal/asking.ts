/**
 * A question put to a judging model: asked once, once more when the reply cannot be read, and never beyond its time.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ChatModel from "../../model/ChatModel.ts"
import * as Deadline from "../../time/Deadline.ts"
import type { Message } from "../../model/Message.ts"
import * as ModelCall from "../../model/ModelCall.ts"
import * as Usage from "../../model/Usage.ts"
import type { JudgeStatus } from "../../row/Row.ts"
import * as VerdictReader from "../VerdictReader.ts"
import { causeText } from "./answer.ts"
import { cut } from "./cuts.ts"

/** What a judge may spend. */
export interface Limits {
  /** Most tokens of a reply. */
  readonly maxTokens: number
  /** Seconds for a verdict, the second request included. */
  readonly timeout: number
}

/** Room for thinking models; a verdict itself is short. */
const defaultMaxTokens = 2_000
/** Under the limit a run sets on its graders, so that the judge says itself that it was late. */
const defaultTimeout = 100

export const limitsOf = ({ maxTokens, timeout }: Partial<Limits>): Limits => {
  const limits = { maxTokens: maxTokens ?? defaultMaxTokens, timeout: timeout ?? defaultTimeout }
  if (!(Number.isInteger(limits.maxTokens) && limits.maxTokens > 0)) {
    throw new RangeError(`maxTokens of a judge is ${limits.maxTokens}: give a whole number from 1.`)
  }
  if (!(Number.isFinite(limits.timeout) && limits.timeout > 0)) {
    throw new RangeError(`timeout of a judge is ${limits.timeout}: give seconds above 0.`)
  }
  return limits
}

export interface Question<A> {
  readonly system: string
  /** The material, as JSON. */
  readonly user: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly form: VerdictReader.Form<A>
  readonly key: ReadonlyArray<string | number>
}

/** What the model said, read; or why there is nothing. */
export interface Answer<A> {
  readonly outcome:
    | { readonly _tag: "Read"; readonly read: VerdictReader.Read<A> }
    | {
        readonly _tag: "Without"
        readonly status: Exclude<JudgeStatus, "ok" | "missing_reward">
        readonly cause: string
        readonly refused?: "auth" | "quota"
      }
  /** Tokens of all requests that came back. */
  readonly usage: Usage.Usage
  readonly requests: number
}

/** A judging model, and whether it was seen to refuse a schema for its replies. */
export interface Judging {
  readonly model: ChatModel.Service
  readonly limits: Limits
  refusesSchema: boolean
}

/** Temperature 0: the same thread gets the same verdict as far as the model can. */
const temperature = 0

/** Longest reply that is shown to the model again. */
const longestQuote = 4_000

export const ask = <A>(judging: Judging, question: Question<A>): Effect.Effect<Answer<A>> =>
  Effect.suspend(() => {
    let usage = Usage.unknown
    let requests = 0
    const send = (
      messages: ReadonlyArray<Message>,
      attempt: number,
      schemed: boolean
    ): Effect.Effect<ChatModel.Completion, ChatModel.ModelFailed> => {
      requests += 1
      const completed = ModelCall.complete(judging.model, "judge", {
        messages,
        sampling: { temperature, maxTokens: judging.limits.maxTokens },
        ...(schemed && { responseSchema: question.schema }),
        key: [...question.key, attempt]
      })
      return Effect.map(completed, (completion) => {
        usage = Usage.add(usage, completion.usage)
        return completion
      })
    }
    const request = (
      messages: ReadonlyArray<Message>,
      attempt: number
    ): Effect.Effect<ChatModel.Completion, ChatModel.ModelFailed> =>
      judging.refusesSchema
        ? send(messages, attempt, false)
        : Effect.catchIf(
            send(messages, attempt, true),
            ({ reason }) => reason === "bad_request",
            () =>
              Effect.map(send(messages, attempt, false), (completion) => {
                // It was the schema: the next rows are asked without one.
                judging.refusesSchema = true
                return completion
              })
          )
    const opening: ReadonlyArray<Message> = [
      { role: "system", content: question.system },
      { role: "user", content: question.user }
    ]
    const asked = Effect.gen(function* () {
      const first = yield* request(opening, 0)
      const reading = read(first, question.form, judging.limits)
      if (Either.isRight(reading)) return reading
      const second = yield* request([...opening, ...repair(first.text, reading.left)], 1)
      return read(second, question.form, judging.limits)
    })
    const outcome = Effect.map(asked, (reading): Answer<A>["outcome"] =>
      Either.match(reading, {
        onLeft: (problem) => ({
          _tag: "Without",
          status: "invalid_result",
          cause: `the judge gave no verdict: ${problem}`
        }),
        onRight: (read) => ({ _tag: "Read", read })
      })
    )
    return Deadline.within(outcome, judging.limits.timeout).pipe(
      Effect.catchTags({
        ModelFailed: ({ reason, message }) =>
          Effect.succeed<Answer<A>["outcome"]>({
            _tag: "Without",
            status: "error",
            cause: `the judge's model failed (${reason}): ${message}`,
            ...((reason === "auth" || reason === "quota") && { refused: reason })
          }),
        DeadlineExceeded: ({ seconds }) =>
          Effect.succeed<Answer<A>["outcome"]>({
            _tag: "Without",
            status: "timeout",
            cause: `the judge gave no verdict within ${seconds} s`
          })
      }),
      Effect.catchAllDefect((defect) =>
        Effect.succeed<Answer<A>["outcome"]>({ _tag: "Without", status: "error", cause: causeText(defect) })
      ),
      Effect.map((outcome) => ({ outcome, usage, requests }))
    )
  })

const read = <A>(
  { text, finishReason }: ChatModel.Completion,
  form: VerdictReader.Form<A>,
  { maxTokens }: Limits
): Either.Either<VerdictReader.Read<A>, string> =>
  Either.mapLeft(VerdictReader.read(text, form), (problem) =>
    finishReason === "length"
      ? `${problem} (its limit of ${maxTokens} tokens ended the reply)`
      : finishReason === "content_filter"
        ? `${problem} (the provider's filter ended the reply)`
        : problem
  )

const repair = (reply: string, problem: string): ReadonlyArray<Message> => [
  // Providers refuse an empty line of the assistant.
  ...(reply.trim() === "" ? [] : [{ role: "assistant", content: cut(reply, longestQuote) } as const]),
  {
    role: "user",
    content: `Your reply could not be read: ${problem}. Judge again and answer with the JSON object alone: no other text, no code fence.`
  }
]
