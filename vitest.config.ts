import { defineConfig } from "vitest/config"

/** Tests that start processes, browsers or compilers: each file in a process of its own. */
const process = [
  "test/*.test.ts",
  "test/e2e/**/*.test.ts",
  "test/core/node/**/*.test.ts",
  "test/cli/{advice,binary,bundle,page,run-files,shell}.test.ts",
  "test/cli/page/browser.test.ts",
  "test/backends/{command-agent,effect-ai,mcp-world}.test.ts"
]

export default defineConfig({
  resolve: { conditions: ["@sandtable/source"] },
  ssr: { resolve: { conditions: ["@sandtable/source"] } },
  test: {
    testTimeout: 30_000,
    // Much of the suite waits for processes and connections, so no core is left to the main process alone.
    maxWorkers: "100%",
    minWorkers: 1,
    projects: [
      {
        extends: true,
        test: { name: "process", include: process, globalSetup: "test/support/build.ts" }
      },
      {
        extends: true,
        // Modules are loaded once per worker, which is half of what these tests would cost otherwise.
        test: { name: "unit", include: ["test/**/*.test.ts"], exclude: process, isolate: false }
      }
    ]
  }
})
