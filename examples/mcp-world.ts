/**
 * An MCP server as tools and world: each rollout has a session (a process) of its own, and planned faults come before what
 * the server answers. The server is the reference one, which is installed here.
 */
import * as McpWorld from "@sandtable/backends/McpWorld"
import { simulate } from "@sandtable/core/node"
import { pathToFileURL } from "node:url"

export const rehearse = async () => {
  const server = await McpWorld.open({ command: ["node_modules/.bin/mcp-server-everything", "stdio"] })
  try {
    return await simulate({
      agent: async (message, { world }) => {
        const [a = "1", b = "2"] = message.match(/\d+/g) ?? []
        const sum = await world.call("get-sum", { a: Number(a), b: Number(b) })
        const weather = await world.call("get-structured-content", { location: "Chicago" })
        return `The sum is ${JSON.stringify(sum)}, and in Chicago it is ${JSON.stringify(weather)}.`
      },
      tools: server.tools.filter(({ name }) => name === "get-sum" || name === "get-structured-content"),
      execute: server.execute,
      seeds: ["What is 19 and 23, and how warm is it in Chicago?"],
      situations: 4,
      repeats: 1,
      concurrency: 2,
      simulator: false
    })
  } finally {
    await server.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const data = await rehearse()
  for (const row of data.rows) console.log(`- ${row.prompt}\n  ${row.final_text}`)
}
