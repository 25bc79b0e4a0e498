/**
 * An agent in Python: one process per rollout, which talks with the simulated person and calls the tools of the mock world.
 */
import * as CommandAgent from "@sandtable/backends/CommandAgent"
import { simulate } from "@sandtable/core/node"
import { pathToFileURL } from "node:url"

export const rehearse = () =>
  simulate({
    agent: CommandAgent.layer({ command: ["python3", "examples/python-agent/agent.py"] }),
    tools: [{ name: "get_order", description: "Look up an order", parameters: { order_id: { type: "string" } } }],
    ids: { order_id: ["A1001", "A1002", "A1003"] },
    systemPrompt: "You are an order desk agent. Look an order up before you speak of it.",
    simulator: false,
    userModel: false,
    concurrency: 4,
    budget: 12,
    grade: true
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const data = await rehearse()
  for (const row of data.rows.slice(0, 3)) console.log(`- ${row.prompt}\n  ${row.final_text}`)
  console.log(data.report().lost)
}
