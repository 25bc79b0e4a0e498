import { describe, expect, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"

const core = fileURLToPath(new URL("../../packages/core/", import.meta.url))
const { exports } = JSON.parse(readFileSync(`${core}package.json`, "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly "@sandtable/source": string } | null>>
}

/** The rooms from the top down: a module imports from its own room and from those below it, types included. */
const rooms = [
  "",
  "explain",
  "run",
  "resume",
  "result",
  "regrade",
  "evaluate",
  "options",
  "search",
  "situation",
  "rollout",
  "world",
  "export",
  "select",
  "measure",
  "grade",
  "traces",
  "report",
  "row",
  "settings",
  "task",
  "model",
  "language",
  "time",
  "random",
  "json"
]

/** Public modules: exported under their own name. What the other packages share with the core is under `unstable/`. */
const modules = Object.entries(exports).flatMap(([key, entry]) =>
  entry !== null && /^\.\/[A-Z]/.test(key) ? [[key.slice(2), entry["@sandtable/source"]] as const] : []
)

/** The sources of the packages that build on the core. */
const above = ["backends", "cli"].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../../packages/${name}/src/`, import.meta.url))
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(`${folder}${file}`, "utf8"))
})

describe("the house", () => {
  it("exports modules under their own names, and nothing internal", () => {
    for (const [key, entry] of Object.entries(exports)) {
      if (entry === null) continue
      const source = entry["@sandtable/source"]
      expect(existsSync(`${core}${source}`), source).toBe(true)
      expect(source).not.toContain("internal")
      if (/\/[A-Z]/.test(key)) expect(posix.basename(source, ".ts")).toBe(posix.basename(key))
    }
  })

  it("has few public modules, which are those of the barrel", () => {
    const barrel = [...readFileSync(`${core}src/index.ts`, "utf8").matchAll(/^export \* as (\w+) from "(.+)"$/gm)]
    const listed = barrel.map(([, name = "", path = ""]) => [name, path.replace("./", "./src/")])
    expect(listed.sort()).toEqual([...modules].sort())
    expect(modules.length).toBeLessThanOrEqual(51)
  })

  it("shares with the other packages what they import, and no more", () => {
    const shared = Object.keys(exports).filter((key) => key.startsWith("./unstable/"))
    const imported = above.flatMap((text) =>
      [...text.matchAll(/"@sandtable\/core\/(unstable\/\w+)"/g)].map(([, path]) => `./${path}`)
    )
    expect(shared.sort()).toEqual([...new Set(imported)].sort())
  })

  it("knows every folder of the sources as a room", () => {
    const folders = readdirSync(`${core}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const known = [...rooms, "node", "testing"]
    expect(folders.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
  })

  it("has no import that goes up", () => {
    const files = readdirSync(`${core}src`, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts")
    )
    const roomOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? "") : "")
    const upward = files.flatMap((file) => {
      const from = rooms.indexOf(roomOf(file))
      if (from === -1) return []
      const text = readFileSync(`${core}src/${file}`, "utf8")
      return [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].flatMap(([, path = ""]) => {
        const to = posix.join(posix.dirname(file), path)
        const room = rooms.indexOf(roomOf(to))
        // What is for Node or for tests is known at the front door alone.
        return (room === -1 ? from === 0 : room >= from) ? [] : [`${file} -> ${to}`]
      })
    })
    expect(upward).toEqual([])
  })
})
