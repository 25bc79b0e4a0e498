/**
 * A rehearsal inside an Effect program: options name the agent, the tools and what is offline; the rows and what is known
 * of the run come back.
 */
import * as Simulation from "@sandtable/core/Simulation"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { pathToFileURL } from "node:url"

const tools = [
  {
    name: "get_order",
    description: "Look up an order by its number",
    parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
  },
  {
    name: "cancel_order",
    description: "Cancel an order that has not shipped",
    parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
  }
]

export const program = Simulation.simulate({
  agent: async (message, { world }) => {
    const id = /A\d{4}/.exec(message)?.[0]
    if (id === undefined) return "Which order is it? I need its number."
    const order = await world.call("get_order", { order_id: id })
    return `This is what I found for order ${id}: ${JSON.stringify(order)}.`
  },
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt: "You are an order desk agent. Look an order up before you change it.",
  simulator: false,
  budget: 40,
  grade: true
})

const main = Effect.gen(function* () {
  const data = yield* program
  const report = data.report()
  yield* Console.log(`${data.rows.length} rows, stopped because of ${data.stoppedBecause}`)
  yield* Console.log(`${report.uniques.situations} situations, ${report.uniques.signatures} behaviours`)
})

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await Effect.runPromise(main)
