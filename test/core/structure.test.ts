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

/** Public modules are `Pascal.ts` in a room, or at the front door. */
const modules = rooms.flatMap((room) =>
  readdirSync(`${core}src/${room}`)
    .filter((file) => /^[A-Z]\w*\.ts$/.test(file))
    .map((file) => `./src/${room === "" ? "" : `${room}/`}${file}`)
)

describe("the house", () => {
  it("exports every public module under its own name, and nothing internal", () => {
    const exported = Object.values(exports).flatMap((entry) => (entry === null ? [] : [entry["@sandtable/source"]]))
    expect(modules.filter((module) => !exported.includes(module))).toEqual([])
    for (const source of exported) {
      expect(existsSync(`${core}${source}`), source).toBe(true)
      expect(source).not.toContain("internal")
    }
  })

  it("lists every public module in the barrel", () => {
    const barrel = readFileSync(`${core}src/index.ts`, "utf8")
    for (const module of modules) expect(barrel).toContain(`from "${module.replace("./src/", "./")}"`)
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
