/**
 * The body of a chat completion. A thread comes again with each of its calls, and the tools with all of them: what cannot
 * change is written once, and a body is put together of it.
 */
import type { Message, ToolCall } from "@sandtable/core/unstable/Message"
import type { Dialect } from "../ToolSchemas.ts"
import { isStrict } from "../ToolSchemas.ts"
import { at, defined, isRecord, Scribe, write, Written } from "./json.ts"
import type { Call } from "./protocol.ts"
import { argumentsText, noResult, turnsOf } from "./thread.ts"

export interface Accent {
  readonly dialect: Dialect
  /** The name under which the limit of the reply is sent first. */
  readonly maxTokens: "max_tokens" | "max_completion_tokens"
  /** Whether call ids must be nine letters and digits. */
  readonly shortIds: boolean
}

/** Under which the fields a server wants back with its turn are kept. */
export const stateKey = "chat-completions"

export class Writer {
  private readonly accent: Accent
  private readonly scribe = new Scribe()
  private readonly tools = new WeakMap<Call["tools"], Written>()

  constructor(accent: Accent) {
    this.accent = accent
  }

  body(call: Call): Record<string, unknown> {
    const { responseSchema, settings, tools } = call
    return defined({
      model: call.model,
      messages: this.messagesOf(call),
      tools: tools.length === 0 ? undefined : this.toolsOf(tools),
      temperature: settings.temperature ?? undefined,
      top_p: settings.topP ?? undefined,
      [this.accent.maxTokens]: settings.maxTokens ?? undefined,
      stop: settings.stop ?? undefined,
      seed: settings.seed ?? undefined,
      logprobs: settings.logprobs === undefined || settings.logprobs === false ? undefined : true,
      response_format:
        responseSchema === undefined
          ? undefined
          : {
              type: "json_schema",
              json_schema: { name: "reply", schema: responseSchema, strict: isStrict(responseSchema) }
            },
      stream: call.streaming ? true : undefined,
      stream_options: call.streaming ? { include_usage: true } : undefined
    })
  }

  /** The same list is the same text: it was made once for the list that a caller gives. */
  private toolsOf(tools: Call["tools"]): Written {
    let written = this.tools.get(tools)
    if (written === undefined) {
      const listed = tools.map(({ description, name, parameters }) => ({
        type: "function",
        function: { name, description, parameters }
      }))
      this.tools.set(tools, (written = new Written(JSON.stringify(listed))))
    }
    return written
  }

  private messagesOf({ messages, reasoning }: Call): Written {
    const written: Array<string> = []
    for (const turn of turnsOf(messages)) {
      const content = this.content(turn.message, turn.text)
      if (turn.role !== "assistant") {
        written.push(`{"role":"${turn.role}","content":${content}}`)
        continue
      }
      const thoughts =
        reasoning === "all" || (reasoning === "turn" && turn.current) ? thoughtsOf(turn.providerState) : ""
      if (turn.calls.length === 0) {
        written.push(`{"role":"assistant","content":${content}${thoughts}}`)
        continue
      }
      // Nothing said beside a call is null: some servers refuse an empty text.
      const said = turn.text === "" ? "null" : content
      const calls = turn.calls.map(({ call }) => this.call(call)).join(",")
      written.push(`{"role":"assistant","content":${said}${thoughts},"tool_calls":[${calls}]}`)
      for (const { answer, call, result } of turn.calls) {
        const id = JSON.stringify(this.idOf(call))
        written.push(`{"role":"tool","tool_call_id":${id},"content":${this.content(answer, result ?? noResult)}}`)
      }
    }
    return new Written(`[${written.join(",")}]`)
  }

  /** What a message says, as JSON. */
  private content(message: Message | null, text: string): string {
    return message === null ? JSON.stringify(text) : this.scribe.once(message, () => JSON.stringify(text))
  }

  private call(call: ToolCall): string {
    const write = (): string =>
      JSON.stringify({
        id: this.idOf(call),
        type: "function",
        function: { name: call.name, arguments: argumentsText(call.arguments) }
      })
    const { arguments: given } = call
    const whole = typeof given !== "object" || given === null || Object.isFrozen(given)
    return whole ? this.scribe.once(call, write) : write()
  }

  private idOf({ id }: ToolCall): string {
    return this.accent.shortIds ? shortId(id) : id
  }
}

/** More fields of a message, as JSON. */
const thoughtsOf = (state: unknown): string => {
  const kept = at(state, stateKey)
  const fields = isRecord(kept) ? write(kept) : "{}"
  return fields === "{}" ? "" : `,${fields.slice(1, -1)}`
}

/** An id as Mistral takes it: nine letters and digits, the same for the same id. */
const shortId = (id: string): string => {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id
  let hash = 0n
  for (const char of id) hash = BigInt.asUintN(64, hash * 1_099_511_628_211n + BigInt(char.codePointAt(0) ?? 0) + 1n)
  return hash.toString(36).padStart(9, "0").slice(-9)
}
