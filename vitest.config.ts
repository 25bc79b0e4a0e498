import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    // Much of the suite waits for processes and connections, so no core is left to the main process alone.
    maxWorkers: "100%",
    minWorkers: 1,
    // A package that the MCP SDK and the AI SDK need has a "source" condition, too, and TypeScript behind it.
    server: {
      deps: { inline: [/@modelcontextprotocol\/sdk/, /@ai-sdk\//, /node_modules\/ai\//, /eventsource-parser/] }
    }
  }
})
