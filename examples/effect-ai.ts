/**
 * An agent that is any LanguageModel of @effect/ai. Here it is a provider made up of a few lines, so that it runs offline;
 * yours is OpenAiLanguageModel, AnthropicLanguageModel, or whatever your program provides.
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as EffectAi from "@sandtable/backends/EffectAi"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { pathToFileURL } from "node:url"

/** Looks up the order it is asked for, and says what it found. */
const reply = ({ prompt }: LanguageModel.ProviderOptions): Array<Response.PartEncoded> => {
  const last = prompt.content.at(-1)
  if (last?.role === "tool") {
    return [{ type: "text", text: `This is what I found: ${JSON.stringify(last.content[0]?.result)}` }]
  }
  const order_id = /A\d{4}/.exec(JSON.stringify(last?.content ?? ""))?.[0]
  if (order_id === undefined) return [{ type: "text", text: "What is the number of your order?" }]
  return [{ type: "tool-call", id: `call_${order_id}`, name: "get_order", params: { order_id } }]
}

const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({ generateText: (options) => Effect.sync(() => reply(options)), streamText: () => Stream.empty })
)

const agent = AgentBackend.layerModel.pipe(
  Layer.provide(EffectAi.layer({ model: "order-desk-1" })),
  Layer.provide(model)
)

export const program = Simulation.simulate({
  agent,
  tools: [{ name: "get_order", description: "Look up an order", parameters: { order_id: { type: "string" } } }],
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt: "You are an order desk agent. Look an order up before you speak of it.",
  simulator: false,
  userModel: false,
  budget: 20,
  grade: true
})

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const data = await Effect.runPromise(program)
  for (const row of data.rows.slice(0, 3)) console.log(`- ${row.prompt}\n  ${row.final_text}`)
  console.log(data.report().models)
}
