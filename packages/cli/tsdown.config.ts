import { defineConfig } from "tsdown"

/**
 * The command in one file, so that a cold start reads one module instead of some hundreds. What is loaded on first use
 * only (jiti, yaml) stays outside. An agent file gets the copies of `effect` and `@sandtable/*` its own folder resolves
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
  deps: { alwaysBundle: [/^effect/, /^@effect\//, /^@sandtable\//], neverBundle: ["jiti", "yaml"], onlyBundle: false },
  inputOptions: { resolve: { conditionNames: ["source", "import", "node", "default"] } }
})
