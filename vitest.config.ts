import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["@sandtable/source"] },
  ssr: { resolve: { conditions: ["@sandtable/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    // Much of the suite waits for processes and connections, so no core is left to the main process alone.
    maxWorkers: "100%",
    minWorkers: 1
  }
})
