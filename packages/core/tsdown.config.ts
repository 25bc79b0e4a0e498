import { readFileSync } from "node:fs"
import { defineConfig } from "tsdown"

const source = "@sandtable/source"

const { exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly [source]: string } | null>>
}

/** Every public module, under the path at which `exports` names it. */
const entry = Object.fromEntries(
  Object.values(exports).flatMap((one) =>
    one === null ? [] : [[one[source].replace(/^\.\/src\//, "").replace(/\.ts$/, ""), one[source]] as const]
  )
)

/** The rooms, in three storeys: what rows are, what is made of finished ones, and what makes them. */
const storeys = {
  ground: "(random|json|time|language|model|task|row|report|traces)/",
  study: "(grade|measure|select|export)/",
  stage: "(world|rollout|situation|search|options|evaluate|regrade|result|resume|run)/|[A-Z]"
}

/**
 * A file per storey, and one per public module that only names what it takes of them: a cold start reads a handful of
 * files and finds Effect's modules a few times, instead of some hundreds of each. Modules that are imported in several
 * ways are there once. Types come from the compiler.
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
  inputOptions: { resolve: { conditionNames: [source, "import", "node", "default"] } },
  outputOptions: {
    chunkFileNames: "rooms/[name].js",
    comments: false,
    // The lowest is filled first, so what storeys above it need of it is found there.
    codeSplitting: {
      groups: Object.entries(storeys).map(([name, rooms], height) => ({
        name,
        test: new RegExp(`packages/core/src/(?:${rooms})`),
        priority: 3 - height
      }))
    }
  }
})
