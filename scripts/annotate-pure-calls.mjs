/**
 * Marks the top-level calls of the compiled libraries as pure, as Effect's own packages do, so that a bundler drops what a
 * program does not use. Runs after the compiler, which writes only what changed: files older than the last run are done.
 */
import { transformFileAsync } from "@babel/core"
import annotate from "babel-plugin-annotate-pure-calls"
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const root = join(import.meta.dirname, "..")
const cache = join(root, "node_modules/.cache")
mkdirSync(cache, { recursive: true })

for (const name of ["core", "backends"]) {
  const folder = join(root, "packages", name, "dist")
  const stamp = join(cache, `annotated-${name}`)
  const last = modified(stamp)
  const compiled = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .map((file) => join(folder, file))
    .filter((file) => modified(file) >= last)
  for (const file of compiled) {
    const options = { plugins: [annotate], configFile: false, babelrc: false, inputSourceMap: true, sourceMaps: true }
    const { code, map } = await transformFileAsync(file, { ...options, compact: false })
    writeFileSync(file, `${code}\n//# sourceMappingURL=${file.slice(file.lastIndexOf("/") + 1)}.map\n`)
    writeFileSync(`${file}.map`, JSON.stringify(map))
  }
  writeFileSync(stamp, "")
}
