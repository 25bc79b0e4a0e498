/**
 * What a record of a conversation is made of, whoever wrote it.
 */
import { firstOf, isObject, textOf, unpacked, type Json } from "../../json/foreignJson.ts"

export type Atom =
  | { readonly _tag: "User"; readonly text: string }
  | { readonly _tag: "Agent"; readonly text: string; readonly reasoning?: string }
  /** What the model thought before its next words. */
  | { readonly _tag: "Thought"; readonly text: string }
  | Call
  | Result
  | Other

/** Something of another kind, by its name: it is counted and passed over. */
export interface Other {
  readonly _tag: "Other"
  readonly item: string
}

export interface Call {
  readonly _tag: "Call"
  readonly id?: string
  readonly name: string
  readonly arguments: unknown
  /** Whose call it is, where it is not the agent's: people may have tools of their own. */
  readonly by?: "user"
}

export interface Result {
  readonly _tag: "Result"
  readonly id?: string
  readonly name?: string
  readonly content: unknown
  readonly failed: boolean
  readonly by?: "user"
}

/** An object, from its text if need be; what is no object is kept as it came. */
export const argumentsOf = (value: unknown): unknown => {
  if (value === undefined || value === null || value === "") return {}
  const read = unpacked(value)
  return isObject(read) ? read : value
}

/** How a call ended, as the record says it. */
export const resultAtom = (from: Json, content: unknown, by?: "user"): Result => {
  const name = textOf(firstOf(from, ["name", "tool_name", "toolName"]))
  return {
    _tag: "Result",
    ...idOf(from),
    ...(name === undefined ? {} : { name }),
    content: content ?? null,
    failed:
      [from["is_error"], from["isError"], from["error"]].includes(true) ||
      from["status"] === "error" ||
      typeof from["errorText"] === "string",
    ...(by === undefined ? {} : { by })
  }
}

/** The id that joins a call and its answer. */
export const idOf = (from: Json): { readonly id?: string } => {
  const id = textOf(
    firstOf(from, ["tool_call_id", "tool_use_id", "call_id", "toolCallId", "toolUseId", "callId", "id"])
  )
  return id === undefined || id === "" ? {} : { id }
}
