/**
 * What a model is asked once per run, before it writes: who talks to this agent, what results look like, and which tools
 * a prompt alone would come with.
 */
import type { Message } from "../../../model/Message.ts"
import type { Tool } from "../../../task/Tool.ts"
import * as ToolDialect from "../../../task/ToolDialect.ts"
import * as ResultStatus from "../../../world/ResultStatus.ts"
import type { RunInput } from "../../SituationWriter.ts"
import * as Replies from "./replies.ts"

export interface Pass<A> {
  readonly messages: ReadonlyArray<Message>
  readonly schema?: Readonly<Record<string, unknown>>
  /** What the reply says, or why it cannot be used. */
  readonly read: (reply: string) => { readonly value: A } | { readonly problem: string }
}

/** Characters of a prompt and of one description that are shown. */
const mostPrompt = 12_000
const mostDescription = 400

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)} ...` : text)

const toolLines = (tools: ReadonlyArray<Tool>): string =>
  tools.map(({ description, name }) => `- ${name}: ${cut(description, mostDescription)}`).join("\n")

const asked = (system: string, parts: ReadonlyArray<string>): ReadonlyArray<Message> => [
  { role: "system", content: system },
  { role: "user", content: parts.filter((part) => part !== "").join("\n\n") }
]

/** Characters of a brief that says something. */
const shortestBrief = 80

/** Private notes on the people who write in. The guidance given to the agent is shown here too. */
export const brief = ({
  settings: {
    scaffold,
    systemPrompt,
    tools: { list: tools }
  }
}: RunInput): Pass<string> => ({
  messages: asked(
    "You prepare a rehearsal of an assistant. Write private notes, at most 250 words, on the people who write to it: who they are, what brings them, in which moods and in which language they write, what they know and what they wrongly take for granted, what they would never know of its inner workings. Do not write messages, and do not describe the assistant.",
    [
      systemPrompt === "" ? "" : `What the assistant was told:\n${cut(systemPrompt, mostPrompt)}`,
      tools.length === 0 ? "" : `What it can do:\n${toolLines(tools)}`,
      scaffold === null ? "" : `Guidance for this rehearsal:\n${cut(scaffold, mostPrompt)}`
    ]
  ),
  read: (reply) => {
    const value = reply.replace(/<(think|thinking)>[\s\S]*?<\/\1>/gi, "").trim()
    return value.length < shortestBrief ? { problem: "the model wrote no brief" } : { value }
  }
})

/** Examples kept per tool, and characters of one. */
const mostExamples = 3
const largestExample = 20_000

/** Example results of tools; those of which none could be used are left out. */
export const shapes = (tools: ReadonlyArray<Tool>): Pass<ReadonlyMap<string, ReadonlyArray<unknown>>> => ({
  messages: asked(
    "You know how the systems behind assistants answer. For each tool give two different results of a call that went well, as the JSON text such a system would return: realistic fields and values, no comments, no errors. Answer with JSON alone.",
    [
      tools
        .map(
          ({ description, name, parameters }) =>
            `${name}: ${cut(description, mostDescription)}\narguments: ${cut(JSON.stringify(parameters), 2000)}`
        )
        .join("\n\n"),
      'Answer as {"results": [{"tool": "...", "examples": ["<JSON text>", "<JSON text>"]}]}.'
    ]
  ),
  schema: Replies.strict({
    results: Replies.list(Replies.strict({ tool: Replies.text, examples: Replies.list(Replies.text) }))
  }),
  read: (reply) => {
    const json = Replies.jsonOf(reply)
    if (json === undefined) return { problem: "the reply holds no JSON" }
    const wanted = new Set(tools.map(({ name }) => name))
    const value = new Map<string, ReadonlyArray<unknown>>()
    for (const entry of Replies.listOf(json, "results")) {
      const tool = Replies.textOf(entry, "tool")
      if (!wanted.has(tool) || value.has(tool) || !Replies.isRecord(entry)) continue
      const examples = Replies.listOf(entry["examples"], "examples").flatMap(exampleOf).slice(0, mostExamples)
      if (examples.length > 0) value.set(tool, examples)
    }
    return { value }
  }
})

const exampleOf = (given: unknown): ReadonlyArray<unknown> => {
  const value = typeof given === "string" ? Replies.jsonOf(given) : given
  const usable = typeof value === "object" && value !== null && Object.keys(value).length > 0
  return usable && ResultStatus.of(value) === "ok" && JSON.stringify(value).length <= largestExample ? [value] : []
}

const mostTools = 12

/** Tools for an agent of which only the prompt is known. */
export const tools = (systemPrompt: string): Pass<ReadonlyArray<Tool>> => ({
  messages: asked(
    "You are shown what an assistant was told. List the tools it would need to do its work, between 2 and 10, as an engineer would declare them: a name in snake_case, one sentence on what it does, its parameters. Invent none that the text gives no reason for. Answer with JSON alone.",
    [
      cut(systemPrompt, mostPrompt),
      'Answer as {"tools": [{"name": "...", "description": "...", "parameters": [{"name": "...", "type": "string | number | integer | boolean", "description": "...", "required": true}]}]}.'
    ]
  ),
  schema: Replies.strict({
    tools: Replies.list(
      Replies.strict({
        name: Replies.text,
        description: Replies.text,
        parameters: Replies.list(
          Replies.strict({
            name: Replies.text,
            type: { type: "string", enum: ["string", "number", "integer", "boolean"] },
            description: Replies.text,
            required: { type: "boolean" }
          })
        )
      })
    )
  }),
  read: (reply) => {
    const json = Replies.jsonOf(reply)
    if (json === undefined) return { problem: "the reply holds no JSON" }
    const drafts = Replies.listOf(json, "tools").flatMap(definitionOf).slice(0, mostTools)
    const read = ToolDialect.read(drafts)
    return read.tools.length === 0
      ? { problem: "the reply names no tool that could be declared" }
      : { value: read.tools }
  }
})

const scalarTypes: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean"])

const definitionOf = (entry: unknown): ReadonlyArray<object> => {
  const name = Replies.textOf(entry, "name")
  if (!/^[a-zA-Z_][\w-]{0,63}$/.test(name)) return []
  const given = Replies.isRecord(entry) ? Replies.listOf(entry["parameters"], "parameters") : []
  const properties = Object.create(null) as Record<string, unknown>
  const required: Array<string> = []
  for (const parameter of given) {
    const own = Replies.textOf(parameter, "name")
    if (!/^[a-zA-Z]\w{0,63}$/.test(own)) continue
    const type = Replies.textOf(parameter, "type")
    properties[own] = {
      type: scalarTypes.has(type) ? type : "string",
      description: Replies.textOf(parameter, "description")
    }
    if (Replies.isRecord(parameter) && parameter["required"] === true) required.push(own)
  }
  return [
    {
      name,
      description: Replies.textOf(entry, "description"),
      parameters: { type: "object", properties: { ...properties }, required }
    }
  ]
}
