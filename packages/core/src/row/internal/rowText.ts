/**
 * A row as text. The line of a row holds most of its words more than once: a result stands in the steps and, as text, in
 * the messages; what was said stands in three places. Whoever makes a row keeps its `Transcript` until the row is
 * written, and each of those texts is made once.
 */
import { resultTexts, toMessages } from "./chatThread.ts"
import { jsonText, quoted, wellFormed } from "./jsonText.ts"
import { AgentStep, CallStep, Row, UserStep, type ChatMessage, type Lineage, type Step } from "./rowSchema.ts"

/** A line in two parts, so that most of its text serves twice. */
export interface EncodedRow {
  /** The line is `head + tail`. */
  readonly head: string
  readonly tail: string
  /** What two equal seeded runs share is `head + sharedTail`: `perInvocationPaths` are left out. `digest` hashes it. */
  readonly sharedTail: string
}

/** The steps of a row, their thread, and the texts of both. */
export class Transcript {
  readonly steps: ReadonlyArray<Step>
  /** The results of calls as text, by step: a text as it is, everything else as JSON. */
  readonly results: ReadonlyArray<string>
  readonly messages: ReadonlyArray<ChatMessage>
  readonly #long: Array<string> = []
  readonly #longQuoted: Array<string> = []

  constructor(steps: ReadonlyArray<Step>, opener?: string) {
    this.steps = steps
    this.results = resultTexts(steps)
    this.messages = toMessages(steps, opener, this.results)
  }

  /** JSON of a value of the row; undefined for what JSON leaves out. */
  textOf(value: unknown): string | undefined {
    if (typeof value === "string") return this.#quoted(value)
    if (value === this.steps) return this.#stepsText()
    if (value === this.messages) return this.#messagesText()
    return valueText(value)
  }

  #stepsText(): string {
    let out = ""
    for (let i = 0; i < this.steps.length; i++) {
      const step = this.steps[i] as Readonly<Record<string, unknown>>
      let members = ""
      for (const key of Object.keys(step)) {
        const value = step[key]
        const isJson = key === "result" && typeof value === "object" && this.results[i] !== ""
        const text = isJson ? wellFormed(this.results[i] as string) : this.textOf(value)
        if (text !== undefined) members += `${members === "" ? "" : ","}${named(key)}${text}`
      }
      out += `${i === 0 ? "" : ","}{${members}}`
    }
    return `[${out}]`
  }

  /** The keys of a message in the order in which `toMessages` writes them. */
  #messagesText(): string {
    let out = ""
    for (const message of this.messages) {
      const before = out === "" ? "{" : ",{"
      const content = message.content === null ? "null" : this.#quoted(message.content)
      if (message.role === "tool") {
        out += `${before}"role":"tool","tool_call_id":${quoted(message.tool_call_id)},"content":${content}}`
      } else if (message.role !== "assistant" || message.tool_calls === undefined) {
        out += `${before}"role":"${message.role}","content":${content}}`
      } else {
        let calls = ""
        for (const { function: called, id } of message.tool_calls) {
          const named = `"name":${quoted(called.name)},"arguments":${this.#quoted(called.arguments)}`
          calls += `${calls === "" ? "" : ","}{"id":${quoted(id)},"type":"function","function":{${named}}}`
        }
        out += `${before}"role":"assistant","content":${content},"tool_calls":[${calls}]}`
      }
    }
    return `[${out}]`
  }

  #quoted(text: string): string {
    if (text.length < longText) return quoted(text)
    for (let i = 0; i < this.#long.length; i++) if (this.#long[i] === text) return this.#longQuoted[i] as string
    const made = quoted(text)
    if (this.#long.length < mostLong) {
      this.#long.push(text)
      this.#longQuoted.push(made)
    }
    return made
  }
}

/** From so many characters on it costs less to look for a text among those already written than to write it again. */
const longText = 60
/** Texts that are looked for: more would cost a long thread more than they save. */
const mostLong = 16

/**
 * A row as the parts of its line; `lineage` and `timings` come last. Its transcript only saves time: the text is the same
 * without.
 */
export const encodeParts = (row: Row, transcript?: Transcript): EncodedRow => {
  const { lineage, timings } = row
  const head = transcript === undefined ? plainHead(row) : headOf(row, transcript)
  const clock = timings === undefined ? "}" : `,"timings":${jsonText(timings)}}`
  if (lineage === undefined) return { head, tail: clock, sharedTail: "}" }
  const origin = lineageText(lineage)
  if (lineage.scoring_run_id === undefined) return { head, tail: origin + clock, sharedTail: `${origin}}` }
  const { scoring_run_id: _, ...sharedLineage } = lineage
  return { head, tail: origin + clock, sharedTail: `${lineageText(sharedLineage)}}` }
}

const plainHead = (row: Row): string => {
  const { lineage: _, timings: __, ...rest } = row
  return jsonText(rest).slice(0, -1)
}

const headOf = (row: Row, transcript: Transcript): string => {
  let members = ""
  for (const key of Object.keys(row)) {
    if (key === "lineage" || key === "timings") continue
    const text = transcript.textOf(row[key])
    if (text !== undefined) members += `${members === "" ? "" : ","}${named(key)}${text}`
  }
  return `{${members}`
}

const lineageText = (lineage: Lineage): string => `,"lineage":${jsonText(lineage)}`

/** JSON of a value; undefined for what JSON leaves out of an object. */
const valueText = (value: unknown): string | undefined => {
  if (typeof value === "string") return quoted(value)
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null"
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : wellFormed(text)
}

/** A key and its colon. */
const named = (key: string): string => names.get(key) ?? `${quoted(key)}:`

const names: ReadonlyMap<string, string> = new Map(
  [Row, CallStep, AgentStep, UserStep].flatMap(({ fields }) => Object.keys(fields).map((key) => [key, `"${key}":`]))
)
