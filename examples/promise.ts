/**
 * A rehearsal in plain TypeScript: the same options, a Promise of the result.
 */
import { simulate } from "@sandtable/core/node"
import { pathToFileURL } from "node:url"

export const rehearse = () =>
  simulate({
    agent: async (message, { world }) => {
      const city = /(?:in|of|for) ([A-Z][a-z]+)/.exec(message)?.[1]
      if (city === undefined) return "For which city would you like the forecast?"
      return `The forecast for ${city}: ${JSON.stringify(await world.call("get_forecast", { city }))}.`
    },
    tools: [
      {
        name: "get_forecast",
        description: "Get the weather forecast of a city",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      }
    ],
    systemPrompt: "You tell people the weather. Never guess a forecast.",
    simulator: false,
    budget: 30,
    grade: true
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const data = await rehearse()
  console.log(`${data.rows.length} rows, stopped because of ${data.stoppedBecause}`)
  for (const row of data.rows.slice(0, 3)) console.log(`- ${row.prompt}\n  ${row.final_text}`)
}
