/**
 * A row as the rules read it: the person's lines, the agent's lines and the calls, each with its place. Rows come from
 * files too, so nothing is taken for granted: what is no step is passed over.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import type { CallStatus, Step } from "../../row/Row.ts"
import type { Tool } from "../../task/Tool.ts"
import type { KnownTool } from "../../task/ToolSet.ts"
import * as ToolSet from "../../task/ToolSet.ts"
import * as Hash from "../../random/Hash.ts"
import { statusOf } from "./toolFailure.ts"
import { squeeze } from "./identifiers.ts"

export type { KnownTool } from "../../task/ToolSet.ts"

/** The tools and texts all rows of a run share. */
export class Surroundings {
  readonly tools: ToolSet.ToolSet
  readonly systemPrompt: string

  constructor({
    tools,
    systemPrompt
  }: {
    readonly tools: ReadonlyArray<Tool> | ToolSet.ToolSet
    readonly systemPrompt: string
  }) {
    this.tools = ToolSet.make(tools)
    this.systemPrompt = systemPrompt
  }

  get declared(): ReadonlyMap<string, KnownTool> {
    return this.tools.byName
  }

  /** Descriptions, enum values and examples: what they name is known to the agent. */
  get toolTexts(): string {
    return this.tools.derived(textsOf)
  }
}

const textsOf = ({ list }: ToolSet.ToolSet): string =>
  jsonOf(list.map((tool) => [tool.name, tool.description, tool.parameters, tool.example ?? null]))

/** A call; its texts are made when a rule asks for them. */
export class Call {
  readonly at: number
  readonly tool: KnownTool
  readonly arguments: unknown
  readonly result: unknown
  readonly status: CallStatus
  /** The planned fault that touched the answer. */
  readonly fault: string | null
  #argumentsText: string | undefined
  #resultText: string | undefined

  constructor(at: number, tool: KnownTool, step: Readonly<Record<string, unknown>>, resultText: string | undefined) {
    this.at = at
    this.tool = tool
    this.arguments = step["arguments"]
    this.result = step["result"]
    this.status = statusOf(step)
    this.fault = typeof step["fault"] === "string" ? step["fault"] : null
    this.#resultText = resultText
  }

  /** Equal for equal arguments, whatever the order of their keys. */
  get argumentsText(): string {
    return (this.#argumentsText ??= jsonOf(this.arguments, Hash.canonical))
  }

  get resultText(): string {
    return (this.#resultText ??= typeof this.result === "string" ? this.result : jsonOf(this.result))
  }

  get ok(): boolean {
    return this.status === "ok"
  }

  get faulted(): boolean {
    return this.fault !== null
  }

  isSameAs(other: Call): boolean {
    return this.tool.name === other.tool.name && this.argumentsText === other.argumentsText
  }
}

/** Something said. */
export interface Line {
  readonly at: number
  readonly text: string
}

/**
 * What of a row is read: rows of traces have no more.
 * @since 0.1.0
 * @category models
 */
export interface Readable {
  readonly prompt: string
  readonly steps: ReadonlyArray<Step>
  readonly final_text: string
  readonly finish_reason?: unknown
}

export class Thread {
  readonly surroundings: Surroundings
  readonly users: ReadonlyArray<Line>
  readonly lines: ReadonlyArray<Line>
  readonly calls: ReadonlyArray<Call>
  readonly finalText: string
  readonly finishReason: unknown
  /** The last turn was cut by the length cap. */
  readonly truncated: boolean

  /** `results`: by step the results of calls as text, where somebody has made them already. */
  constructor(row: Readable, surroundings: Surroundings, results?: ReadonlyArray<string>) {
    this.surroundings = surroundings
    const users: Array<Line> = []
    const lines: Array<Line> = []
    const calls: Array<Call> = []
    let truncated = false
    const steps: unknown = row.steps
    if (typeof row.prompt === "string") users.push({ at: -1, text: row.prompt })
    if (Array.isArray(steps)) {
      for (let at = 0; at < steps.length; at++) {
        const step: unknown = steps[at]
        if (!isObject(step)) continue
        // What a person does with tools of their own is not the agent's to answer for.
        if (step["called_by"] === "user") continue
        if (typeof step["tool"] === "string")
          calls.push(new Call(at, surroundings.tools.known(step["tool"]), step, results?.[at]))
        else if (typeof step["user"] === "string") users.push({ at, text: step["user"] })
        else if (typeof step["text"] === "string") {
          lines.push({ at, text: step["text"] })
          truncated = step["truncated"] === true
        }
      }
    }
    this.finalText = typeof row.final_text === "string" ? row.final_text : ""
    if (this.finalText !== "" && lines.at(-1)?.text !== this.finalText) {
      lines.push({ at: Array.isArray(steps) ? steps.length : 0, text: this.finalText })
    }
    this.users = users
    this.lines = lines
    this.calls = calls
    this.finishReason = row.finish_reason
    this.truncated = truncated
  }

  /** Where the turn a step belongs to ends: at the person's next line. */
  turnEnd(at: number): number {
    for (const user of this.users) if (user.at > at) return user.at
    return Number.POSITIVE_INFINITY
  }

  /** Whether the person spoke between two steps. */
  spokeBetween(from: number, to: number): boolean {
    return this.users.some((user) => user.at > from && user.at < to)
  }

  /** Whether a reference stands in what the agent was told before a step: by the prompt, the tools, the person or a result. */
  isKnown(reference: string, before: number): boolean {
    return this.#told(before, (text) => text.includes(reference)) || this.#toldLoosely(reference, before)
  }

  /** The same for any place of the thread, the agent's own calls included. */
  isAnywhere(reference: string): boolean {
    const end = Number.POSITIVE_INFINITY
    return (
      this.isKnown(reference, end) ||
      this.calls.some((call) => squeeze(call.argumentsText).includes(squeeze(reference)))
    )
  }

  #toldLoosely(reference: string, before: number): boolean {
    const squeezed = squeeze(reference)
    // The number of "order 1001" is the number of "ORD-1001".
    const digits = /^[a-z]*(\d{4,})$/.exec(squeezed)?.[1]
    return this.#told(before, (text) => {
      const told = squeeze(text)
      return told.includes(squeezed) || (digits !== undefined && told.includes(digits))
    })
  }

  #told(before: number, holds: (text: string) => boolean): boolean {
    return (
      this.users.some((user) => user.at < before && holds(user.text)) ||
      this.calls.some((call) => call.at < before && holds(call.resultText)) ||
      holds(this.surroundings.systemPrompt) ||
      holds(this.surroundings.toolTexts)
    )
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** What has no JSON has no text to be found in. */
const jsonOf = (value: unknown, write: (value: unknown) => string | undefined = ExactJson.stringify): string => {
  try {
    return write(value) ?? ""
  } catch {
    return ""
  }
}
