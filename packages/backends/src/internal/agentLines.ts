/**
 * The words of a command agent: one JSON object per line, told apart by `type`.
 *
 * | to the program | |
 * |---|---|
 * | `start` | `prompt` (null when it is to greet first), `tools`, `system_prompt`, `rollout` |
 * | `result` | `id`, `result`: the answer of a call |
 * | `user` | `text`: the person's next line |
 * | `end` | the rollout is over; only to a program that plays several, others see their input end |
 *
 * | from the program | |
 * |---|---|
 * | `call` | `id`, `tool`, `arguments`; `calls`: a list of such, made at the same time |
 * | `say` | `text`: a line to the person, who answers with `user` |
 * | `final` | `text`: the last line |
 * | `error` | `message`: the agent gives up on this rollout |
 *
 * A reply may also carry `reasoning`, `usage` (`input`, `output`, `cached`, `reasoning`) and `finish_reason`; `text` may
 * stand beside calls. A program that plays several rollouts answers `end` with `ready`.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import type { FinishReason } from "@sandtable/core/ChatModel"
import type { RolloutInfo } from "@sandtable/core/CurrentRollout"
import type { Usage } from "@sandtable/core/unstable/Usage"
import type { Tool } from "@sandtable/core/Tool"
import { excerpt } from "./excerpt.ts"
import { countOf, isRecord, parse } from "./json.ts"
import { finishReasons } from "./replyShape.ts"

/** What comes with any reply. */
export interface Notes {
  readonly reasoning?: string
  readonly usage?: Usage
  readonly finishReason?: FinishReason
}

export interface Call {
  readonly id: unknown
  readonly tool: string
  readonly arguments: unknown
}

export type Said =
  | { readonly _tag: "Calls"; readonly calls: ReadonlyArray<Call>; readonly text: string; readonly notes: Notes }
  | { readonly _tag: "Line"; readonly text: string; readonly final: boolean; readonly notes: Notes }
  | { readonly _tag: "GivesUp"; readonly message: string }
  /** Not a word of these; completes the sentence "it wrote ...". */
  | { readonly _tag: "Garbage"; readonly what: string }

/** Reads a line. */
export const read = (line: string): Said => {
  const value = parse(line)
  if (value === undefined) return garbage(`a line that is no JSON: ${excerpt(line)}`)
  if (!isRecord(value)) return garbage(`a line that is no JSON object: ${excerpt(line)}`)
  const { type, text = "" } = value
  const notes = notesOf(value)
  if (typeof notes === "string") return garbage(notes)
  if (typeof text !== "string") return garbage(`a \`text\` that is no text: ${excerpt(line)}`)
  switch (type) {
    case "say":
    case "final":
      if (value["text"] === undefined) return garbage(`a \`${type}\` without \`text\`: ${excerpt(line)}`)
      return { _tag: "Line", text, final: type === "final", notes }
    case "call":
    case "calls": {
      const listed = type === "call" ? [value] : value["calls"]
      if (!Array.isArray(listed) || listed.length === 0)
        return garbage(`\`calls\` without a list of calls: ${excerpt(line)}`)
      const calls = listed.flatMap((call: unknown): ReadonlyArray<Call> =>
        isRecord(call) && typeof call["tool"] === "string"
          ? [{ id: call["id"], tool: call["tool"], arguments: call["arguments"] }]
          : []
      )
      if (calls.length < listed.length) return garbage(`a call without \`tool\`: ${excerpt(line)}`)
      return { _tag: "Calls", calls, text, notes }
    }
    case "error":
      return { _tag: "GivesUp", message: excerpt(String(value["message"] ?? "no reason given"), 1000) }
    default:
      return garbage(`a line of type ${excerpt(JSON.stringify(type) ?? "none")}, not call, calls, say, final or error`)
  }
}

/** Whether a line says that the program can take the next rollout. */
export const isReady = (line: string): boolean => {
  const value = parse(line)
  return isRecord(value) && value["type"] === "ready"
}

/** What opens a rollout. */
export const start = (given: {
  readonly prompt: string | null
  readonly tools: ReadonlyArray<Tool>
  readonly systemPrompt: string
  readonly info: RolloutInfo
}): string =>
  JSON.stringify({
    type: "start",
    prompt: given.prompt,
    tools: given.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    system_prompt: given.systemPrompt,
    rollout: rolloutOf(given.info)
  })

/** Which rollout this is, as agents outside of this process are told. */
export const rolloutOf = (info: RolloutInfo): Readonly<Record<string, string | number>> => ({
  id: info.id,
  task_id: info.taskId,
  rollout_index: info.rolloutIndex,
  eval_run: info.evalRun,
  seed: info.seed,
  rollout_seed: info.rolloutSeed
})

export const result = (id: unknown, value: unknown): string =>
  ExactJson.stringify({ type: "result", id: id ?? null, result: value })

export const user = (text: string): string => JSON.stringify({ type: "user", text })

export const end: string = JSON.stringify({ type: "end" })

const garbage = (what: string): Said => ({ _tag: "Garbage", what })

const notesOf = (value: Readonly<Record<string, unknown>>): Notes | string => {
  const { reasoning, usage, finish_reason: finish } = value
  const finishReason = finishReasons.find((reason) => reason === finish)
  if (finish !== undefined && finish !== null && finishReason === undefined) {
    return `a \`finish_reason\` of ${excerpt(JSON.stringify(finish))}, not one of ${finishReasons.join(", ")}`
  }
  return {
    ...(typeof reasoning === "string" && reasoning !== "" ? { reasoning } : {}),
    ...(isRecord(usage) ? { usage: usageOf(usage) } : {}),
    ...(finishReason === undefined ? {} : { finishReason })
  }
}

/** Token counts as given; what is missing is unknown. */
const usageOf = (usage: Readonly<Record<string, unknown>>): Usage => ({
  input: countOf(usage["input"]),
  cached: countOf(usage["cached"]),
  output: countOf(usage["output"]),
  reasoning: countOf(usage["reasoning"])
})
