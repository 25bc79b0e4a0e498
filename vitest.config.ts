import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    // A package among those that the MCP SDK needs has a "source" condition, too, and TypeScript behind it.
    server: { deps: { inline: [/@modelcontextprotocol\/sdk/, /eventsource-parser/] } }
  }
})
