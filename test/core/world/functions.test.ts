import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MockWorld from "@sandtable/core/MockWorld"
import type { Tool } from "@sandtable/core/Tool"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"
import { input, task, type Loose } from "./worlds.ts"

const data = process.env["SANDTABLE_TEST_DATA"] ?? ""
const functions = join(data, "schemas/functions.jsonl")
const retail = join(data, "retail/tools.json")

/** A plain value of a schema: what a model that read it would send. */
const valueOf = (schema: Loose, name = "x"): unknown => {
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined && schema.default !== null && typeof schema.default === schema.type)
    return schema.default
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "integer":
      return Math.max(schema.minimum ?? 3, 3)
    case "number":
      return Math.max(schema.minimum ?? 2.5, 2.5)
    case "boolean":
      return true
    case "array":
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => valueOf(schema.items ?? {}, name))
    case "object":
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, one]) => [key, valueOf(one, key)]))
    default:
      return schema.format === "date" ? "2025-01-01" : `${name.replace(/_/g, " ")} one`
  }
}

const args = (tool: Tool) => valueOf(tool.parameters) as Record<string, unknown>

describe.skipIf(!existsSync(functions))("Function schemas of the wild (SANDTABLE_TEST_DATA)", () => {
  const entries = existsSync(functions)
    ? readFileSync(functions, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : []

  it("each answers a call made from its own schema, the same in every rollout", () => {
    const refused: Array<unknown> = []
    for (const entry of entries) {
      const { tools, problems } = ToolDialect.read([entry.function])
      expect(problems).toEqual([])
      const [tool] = tools
      if (tool === undefined) continue
      const mock = Effect.runSync(MockWorld.load(input({ tools })))
      const once = () => MockWorld.step(mock.begin(task()), { tool: tool.name, arguments: args(tool) })
      const [state, answer] = once()
      expect(once()[1]).toEqual(answer)
      expect(JSON.parse(JSON.stringify(answer.result))).toEqual(answer.result)
      if (answer.status !== "ok" && answer.status !== "not_found") refused.push([tool.name, args(tool), answer.result])
      expect(Object.keys(answer.result as object).length).toBeGreaterThan(0)
      expect(MockWorld.step(state, { tool: tool.name, arguments: {} })[1].status === "ok").toBe(
        ((tool.parameters["required"] as ReadonlyArray<string> | undefined) ?? []).length === 0
      )
    }
    expect(entries.length).toBe(300)
    expect(refused).toEqual([])
  })

  it("keeps all retail tools in one world", () => {
    const { tools } = ToolDialect.read(JSON.parse(readFileSync(retail, "utf8")))
    const mock = Effect.runSync(MockWorld.load(input({ tools })))
    for (const tool of tools) {
      const [, answer] = MockWorld.step(mock.begin(task()), { tool: tool.name, arguments: args(tool) })
      expect(["ok", "not_found", "error"]).toContain(answer.status)
    }
  })
})
