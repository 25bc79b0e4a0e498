/**
 * Packages the command brings that an agent file may import though nothing is installed beside it, so that a lone file
 * can be rehearsed. What its own folder resolves comes first.
 */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const brought = ["effect", "@effect/platform", "@sandtable/core", "@sandtable/backends"] as const

/** From each import that the file's folder cannot resolve to a file of the command's own packages. */
export const aliases = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    brought.flatMap((name) => {
      const own = manifestOf(name, import.meta.url)
      return own === undefined || manifestOf(name, file) !== undefined ? [] : entries(name, own)
    })
  )

/** The manifest of a package as a file's folder sees it, whatever the package exports. */
const manifestOf = (name: string, from: string): string | undefined =>
  (createRequire(from).resolve.paths(name) ?? [])
    .map((folder) => `${folder}/${name}/package.json`)
    .find((path) => existsSync(path))

/** Every entry of a package, by the words that import it. */
const entries = (name: string, manifest: string): ReadonlyArray<readonly [string, string]> => {
  const { exports = {} } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly exports?: Readonly<Record<string, unknown>>
  }
  return Object.entries(exports).flatMap(([entry, conditions]) => {
    const target = imported(conditions)
    return target === undefined ? [] : [[`${name}${entry.slice(1)}`, join(dirname(manifest), target)] as const]
  })
}

/** What an `import` of an entry gets. */
const imported = (conditions: unknown): string | undefined => {
  if (typeof conditions === "string") return conditions
  if (typeof conditions !== "object" || conditions === null) return undefined
  const by: { readonly import?: unknown; readonly default?: unknown } = conditions
  return imported(by.import ?? by.default)
}
