import { defineConfig } from "tsdown"

/**
 * The command in few files, so that a cold start reads a handful of modules instead of some hundreds: one for what every
 * call needs, and chunks for each command and what several share, read when a command is called. Chunks have names
 * without a hash, so that a build replaces those of the one before. What is loaded on first use only (jiti, yaml, ajv) stays
 * outside. An agent file gets the copies of `effect` and `@sandtable/*` its own folder resolves
 * to; test/e2e holds that agents work across the two.
 */
export default defineConfig({
  cwd: import.meta.dirname,
  entry: { sandtable: "src/bin.ts" },
  outDir: "dist",
  outExtensions: () => ({ js: ".js" }),
  format: "esm",
  platform: "node",
  target: "node20",
  clean: false,
  dts: false,
  minify: true,
  logLevel: "warn",
  deps: {
    alwaysBundle: [/^effect/, /^@effect\//, /^@sandtable\//],
    neverBundle: ["jiti", "yaml", /^ajv/],
    onlyBundle: false
  },
  outputOptions: { chunkFileNames: "chunks/[name].js" },
  inputOptions: {
    // The entry holds nothing that chunks need, or those it waits for would wait for it.
    preserveEntrySignatures: "strict",
    resolve: { conditionNames: ["@sandtable/source", "import", "node", "default"] }
  }
})
