/**
 * Small rows, calls and tools for the tests of grading.
 */
import type { GraderContext } from "@sandtable/core/Grader"
import type { CallStep, Row, Step } from "@sandtable/core/Row"
import type { Tool } from "@sandtable/core/Tool"
import * as ToolKind from "../../../packages/core/src/task/ToolKind.ts"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"

export const tool = (name: string, parameters: Record<string, unknown> = {}, description = ""): Tool => {
  const kind = ToolKind.classify(name, description)
  return {
    name,
    description,
    parameters: { type: "object", properties: parameters },
    kind,
    destructive: ToolKind.isDestructive(kind)
  }
}

export const call = (name: string, args: unknown, result: unknown, more: Partial<CallStep> = {}): CallStep => ({
  tool: name,
  arguments: args,
  result,
  call_id: `call_${name}`,
  status: "ok",
  answered_by: "mock",
  ...more
})

/** A row whose last agent line is its final text. */
export const row = (parts: Partial<Row> = {}): Row => ({
  schema_version: "1",
  row_id: "row_1",
  task_id: "task_1",
  prompt: "Hello",
  steps: [],
  final_text: "Hello, how can I help you?",
  ...parts
})

/** A thread: the ask, what happened, and the agent's last words. */
export const thread = (prompt: string, steps: ReadonlyArray<Step>, finalText: string, parts: Partial<Row> = {}): Row =>
  row({ prompt, steps: [{ user: prompt }, ...steps, { text: finalText }], final_text: finalText, ...parts })

export const context: GraderContext = {
  tools: ToolSet.make([tool("get_order", { order_id: { type: "string" } })]),
  systemPrompt: "",
  privileged: { reference: "42" },
  outcome: { writes: [], state: {} },
  locale: "en"
}
