/**
 * Why a reply or an error gives no usable row.
 */
import type { ModelFailed } from "../../model/ChatModel.ts"
import type { FinishReason } from "../../row/Row.ts"
import * as ErrorText from "../../task/ErrorText.ts"
import { isMarkup } from "./markup.ts"
import type { LossReason } from "./trajectory.ts"

export interface Loss {
  readonly reason: LossReason
  readonly detail: string
}

/** What is wrong with an agent's last line; null when it can stand as one. */
export const ofText = (
  text: string,
  finishReason: FinishReason | undefined,
  declared: (tool: string) => boolean
): Loss | null => {
  if (text.trim() === "") {
    if (finishReason === "length") return null
    if (finishReason === "content_filter") {
      return { reason: "content_filter", detail: "the reply was withheld by a content filter" }
    }
    return { reason: "empty_reply", detail: "the reply was empty" }
  }
  if (isMarkup(text, declared)) {
    return { reason: "tool_markup", detail: `the reply was a tool call written as text: ${text.trim().slice(0, 120)}` }
  }
  return null
}

/** What a failed model call means for its rollout. */
export const ofModel = (error: ModelFailed): LossReason => {
  switch (error.reason) {
    case "auth":
    case "quota":
    case "content_filter":
      return error.reason
    case "context":
      return "context_overflow"
    case "stopped":
      return "interrupted"
    default:
      return "agent_error"
  }
}

/** What an agent threw, in one line. */
export const detailOf = (error: unknown): string => {
  const text = ErrorText.of(error)
  const speaks = (typeof error === "string" && error !== "") || (typeof error === "object" && error !== null)
  return speaks ? text : `it failed with ${text}`
}
