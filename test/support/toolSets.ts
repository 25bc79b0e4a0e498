/**
 * Tool sets of several trades, each with its policy: those of `test/fixtures/toolsets`, and the retail set where
 * `SANDTABLE_TEST_DATA` is there.
 */
import * as fs from "node:fs"
import * as path from "node:path"

export interface ToolSet {
  readonly name: string
  readonly policy: string
  /** As an OpenAI request holds them. */
  readonly tools: ReadonlyArray<unknown>
}

const fixtures = path.join(import.meta.dirname, "..", "fixtures")

const read = (file: string): Omit<ToolSet, "name"> => JSON.parse(fs.readFileSync(file, "utf8")) as Omit<ToolSet, "name">

const setsIn = (folder: string): ReadonlyArray<ToolSet> =>
  fs
    .readdirSync(path.join(fixtures, folder))
    .sort()
    .map((file) => ({ name: path.basename(file, ".json"), ...read(path.join(fixtures, folder, file)) }))

/** The sets of the fixtures, by name. */
export const own: ReadonlyArray<ToolSet> = setsIn("toolsets")

/** Sets that were written after the code and that nothing is tuned to. */
export const heldOut: ReadonlyArray<ToolSet> = setsIn("held-out")

/** The retail set; null where there is no test data. */
export const retail = (): ToolSet | null => {
  const data = process.env["SANDTABLE_TEST_DATA"]
  if (data === undefined) return null
  const at = (name: string): string => fs.readFileSync(path.join(data, "retail", name), "utf8")
  return { name: "retail", policy: at("policy.md"), tools: JSON.parse(at("tools.json")) as ReadonlyArray<unknown> }
}

/** Every set there is. */
export const all = (): ReadonlyArray<ToolSet> => {
  const shop = retail()
  return shop === null ? own : [...own, shop]
}
