/**
 * An agent that is any model of Vercel's AI SDK. Here it is the SDK's own mock, so that it runs offline; yours is
 * openai("gpt-4.1-mini") or any other model of `ai` 5, 6 or 7.
 */
import * as AiSdk from "@sandtable/backends/AiSdk"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { simulate } from "@sandtable/core/node"
import { MockLanguageModelV2 } from "ai/test"
import * as Layer from "effect/Layer"
import { pathToFileURL } from "node:url"

const usage = { inputTokens: 50, outputTokens: 10, totalTokens: 60 }

const model = new MockLanguageModelV2({
  provider: "mock",
  modelId: "weather-1",
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1)
    const content =
      last?.role === "tool"
        ? { type: "text" as const, text: `The forecast: ${JSON.stringify(last.content[0]?.output)}` }
        : { type: "tool-call" as const, toolCallId: "c1", toolName: "get_forecast", input: '{"city":"Oslo"}' }
    return { content: [content], finishReason: "stop", usage, warnings: [] }
  }
})

export const rehearse = () =>
  simulate({
    agent: AgentBackend.layerModel.pipe(Layer.provide(AiSdk.layer(model))),
    tools: [
      {
        name: "get_forecast",
        description: "Get the weather forecast of a city",
        parameters: { city: { type: "string" } }
      }
    ],
    systemPrompt: "You tell people the weather. Never guess a forecast.",
    simulator: false,
    userModel: false,
    maxTurns: 1,
    budget: 12,
    grade: true
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const data = await rehearse()
  for (const row of data.rows.slice(0, 3)) console.log(`- ${row.prompt}\n  ${row.final_text}`)
  console.log(data.report().models)
}
