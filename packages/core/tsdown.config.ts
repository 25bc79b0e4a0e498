import { readFileSync } from "node:fs"
import { defineConfig } from "tsdown"

interface Entry {
  readonly source: string
}
const { exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as {
  readonly exports: Readonly<Record<string, Entry | null>>
}

/** Every public module, under the path at which `exports` names it. */
const entry = Object.fromEntries(
  Object.values(exports).flatMap((one) =>
    one === null ? [] : [[one.source.replace(/^\.\/src\//, "").replace(/\.ts$/, ""), one.source] as const]
  )
)

const rooms = [
  "random",
  "model",
  "task",
  "row",
  "grade",
  "measure",
  "select",
  "export",
  "world",
  "rollout",
  "situation",
  "search",
  "options",
  ""
]

/**
 * A file per room, and one per public module that only names what it takes of them: a cold start reads a dozen files
 * instead of some hundreds, and whoever imports one module loads no more than its room and those below. Modules that are
 * imported in several ways are there once. Types come from the compiler.
 */
export default defineConfig({
  cwd: import.meta.dirname,
  entry,
  outDir: "dist",
  outExtensions: () => ({ js: ".js" }),
  format: "esm",
  platform: "node",
  target: "node20",
  clean: ["dist/rooms"],
  dts: false,
  sourcemap: true,
  logLevel: "warn",
  // small, and always needed
  deps: { alwaysBundle: [/^@noble\//], onlyBundle: false },
  inputOptions: { resolve: { conditionNames: ["source", "import", "node", "default"] } },
  outputOptions: {
    chunkFileNames: "rooms/[name].js",
    comments: false,
    // The lowest room is filled first, so what rooms above it need of it is found there.
    codeSplitting: {
      groups: rooms.map((name, height) => ({
        name: name === "" ? "front" : name,
        test: new RegExp(`packages/core/src/${name === "" ? "(?:internal/|[A-Z])" : `${name}/`}`),
        priority: rooms.length - height
      }))
    }
  }
})
