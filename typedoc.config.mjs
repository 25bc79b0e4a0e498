/**
 * The API pages: every public module of the packages, each under the name that programs import it by.
 * `npm run docs:api` writes them to docs/api; they are made from the sources and kept nowhere.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Converter, ReflectionKind } from "typedoc"

const root = import.meta.dirname

/**
 * Public modules by the path of their source: what the `exports` of the packages name, but the two that only gather the
 * others and what the packages share among themselves.
 */
const modules = new Map(
  ["core", "backends", "cli"].flatMap((folder) => {
    const { exports, name } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"))
    return Object.entries(exports).flatMap(([key, target]) =>
      target === null || key.startsWith("./unstable/") || (key === "." && folder !== "cli")
        ? []
        : [[join(root, "packages", folder, target["@sandtable/source"]), name + key.slice(1)]]
    )
  })
)

/** @param {import("typedoc").Application} app */
const namedAsImported = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const source = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName
    reflection.name = (source && modules.get(source)) ?? reflection.name
  })
}

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "Sandtable",
  plugin: [namedAsImported],
  tsconfig: "typedoc.tsconfig.json",
  // `npm run check` has checked them.
  skipErrorChecking: true,
  disableSources: true,
  entryPoints: [...modules.keys()],
  out: "docs/api",
  readme: "README.md",
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true
}
