/**
 * What a grader's answer becomes. Nothing is clamped, guessed or turned into a 0: an answer without a usable reward is
 * a verdict without one, and its cause is kept.
 */
import * as Cause from "effect/Cause"
import type { JudgeStatus } from "../../row/Row.ts"
import * as ErrorText from "../../task/ErrorText.ts"
import type { Scale, Verdict } from "../Grader.ts"
import { jsonCopy } from "./copy.ts"

/** Longest cause kept, in characters: enough to act on, short enough for every row. */
const maxCause = 300

/** The verdict of an answer. */
export const verdictOf = (answer: unknown, scale: Scale | undefined): Verdict => {
  try {
    return isRecord(answer) ? ofRecord(answer, scale) : ofScore(scoreOf(answer, scale, "answer"), {})
  } catch (thrown) {
    return without("invalid_result", `the answer could not be read: ${causeText(thrown)}`)
  }
}

/** A verdict without a reward. */
export const without = (status: Exclude<JudgeStatus, "ok">, cause: string): Verdict => ({
  reward: null,
  status,
  meta: { cause: cut(cause) }
})

/** The verdict where nobody gave the reference that is needed: that is no failure of the grader. */
export const withoutReference = (cause: string): Verdict => {
  const verdict = without("missing_reward", cause)
  return { ...verdict, meta: { ...verdict.meta, no_reference: true } }
}

/** Whether a verdict has no reward for want of a reference alone. */
export const lacksReference = ({ meta, status }: Pick<Verdict, "meta" | "status">): boolean =>
  status === "missing_reward" && meta["no_reference"] === true

/** Whether a verdict has no reward because the row does not tell: the grader looked, and said so. */
export const isUndecided = ({ meta, status }: Pick<Verdict, "meta" | "status">): boolean =>
  status === "missing_reward" && meta["undecided"] === true

/** A failure or a defect in one short line. */
export const causeText = (thrown: unknown): string => {
  try {
    if (Cause.isCause(thrown)) {
      return Cause.isInterruptedOnly(thrown) ? "it was interrupted" : causeText(Cause.squash(thrown))
    }
    if (thrown instanceof Error) return cut(thrown.message === "" ? thrown.name : `${thrown.name}: ${thrown.message}`)
    return typeof thrown === "object" && thrown !== null && !Array.isArray(thrown)
      ? describe(thrown)
      : `it failed with ${describe(thrown)}`
  } catch {
    return cut(ErrorText.of(thrown))
  }
}

type Score =
  | { readonly _tag: "Reward"; readonly reward: number; readonly rating: number | null }
  | { readonly _tag: "Invalid"; readonly cause: string }

const scoreOf = (value: unknown, scale: Scale | undefined, what: string): Score => {
  if (typeof value === "boolean") return { _tag: "Reward", reward: value ? 1 : 0, rating: null }
  const [low, high] = scale ?? [0, 1]
  if (typeof value !== "number" || !(value >= low && value <= high)) {
    return {
      _tag: "Invalid",
      cause: `the ${what} is ${describe(value)}, not a boolean or a number from ${low} to ${high}`
    }
  }
  if (scale === undefined) return { _tag: "Reward", reward: value === 0 ? 0 : value, rating: null }
  return { _tag: "Reward", reward: (value - low) / (high - low), rating: value }
}

const ofScore = (score: Score, meta: Readonly<Record<string, unknown>>): Verdict =>
  score._tag === "Invalid"
    ? { reward: null, status: "invalid_result", meta: { ...meta, cause: cut(score.cause) } }
    : { reward: score.reward, status: "ok", meta: score.rating === null ? meta : { ...meta, rating: score.rating } }

const ofRecord = (answer: Readonly<Record<string, unknown>>, scale: Scale | undefined): Verdict => {
  const { judge_meta, reward, score, reason, failure_class, failureClass, markers, ...others } = answer
  const failure = failure_class ?? failureClass
  const { kept, refused } = readMarkers(markers)
  const rest = { ...others, ...(isRecord(judge_meta) ? judge_meta : { judge_meta }) }
  // What is not of the kind its name promises is not lost: it goes where everything else goes.
  if (typeof reason !== "string") rest["reason"] = reason
  if (typeof failure !== "string") rest["failure_class"] = failure
  if (refused !== undefined) rest["refused_markers"] = refused
  const meta = jsonCopy(rest) as Record<string, unknown>
  return {
    ...rewardOf(answer, reward, score, scale, meta),
    ...(typeof reason === "string" && { reason }),
    ...(typeof failure === "string" && { failureClass: failure }),
    ...(kept !== undefined && { markers: kept })
  }
}

const rewardOf = (
  answer: Readonly<Record<string, unknown>>,
  reward: unknown,
  score: unknown,
  scale: Scale | undefined,
  meta: Readonly<Record<string, unknown>>
): Verdict => {
  if (reward === undefined && score === undefined) {
    const keys = Object.keys(answer)
    const has = keys.length === 0 ? "it has no keys" : `its keys are ${keys.join(", ")}`
    return {
      ...without("missing_reward", `the answer has neither reward nor score; ${has}`),
      meta: { ...meta, cause: cut(`the answer has neither reward nor score; ${has}`) }
    }
  }
  const asReward = scoreOf(reward, scale, "reward")
  if (reward === undefined) return ofScore(scoreOf(score, scale, "score"), meta)
  if (score !== undefined && asReward._tag === "Reward") {
    const asScore = scoreOf(score, scale, "score")
    if (asScore._tag !== "Reward" || asScore.reward !== asReward.reward) {
      return ofScore(
        { _tag: "Invalid", cause: `reward ${describe(reward)} and score ${describe(score)} disagree` },
        meta
      )
    }
  }
  return ofScore(asReward, meta)
}

/** Markers are numbers, booleans or null; what else came is kept apart. */
const readMarkers = (
  markers: unknown
): { readonly kept?: Readonly<Record<string, number | null>>; readonly refused?: unknown } => {
  if (markers === undefined || markers === null) return {}
  if (!isRecord(markers)) return { refused: markers }
  const kept: Record<string, number | null> = Object.create(null) as Record<string, number | null>
  const refused: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(markers)) {
    if (typeof value === "boolean") kept[name] = value ? 1 : 0
    else if (value === null || (typeof value === "number" && Number.isFinite(value))) kept[name] = value
    else refused[name] = value === undefined ? "undefined" : value
  }
  return { kept, ...(Object.keys(refused).length > 0 && { refused }) }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.prototype.toString.call(value) === "[object Object]"

const describe = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return `the text ${JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}...` : value)}`
    case "number":
    case "boolean":
    case "undefined":
      return String(value)
    case "object":
      if (value === null) return "null"
      if (Array.isArray(value)) return `an array of ${value.length}`
      return tagOf(value)
    default:
      return `a ${typeof value}`
  }
}

/** `NotFound` of a tagged error, `Map` of a Map. */
const tagOf = (value: object): string => {
  const tag = (value as { readonly _tag?: unknown })._tag
  const message = (value as { readonly message?: unknown }).message
  const name = typeof tag === "string" ? tag : Object.prototype.toString.call(value).slice(8, -1)
  return typeof message === "string" ? cut(`${name}: ${message}`) : `an object (${name})`
}

const cut = (text: string): string => (text.length > maxCause ? `${text.slice(0, maxCause)}...` : text)
