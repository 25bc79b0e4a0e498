import * as FileSystem from "@effect/platform/FileSystem"
import * as Error from "@effect/platform/Error"
import * as Path from "@effect/platform/Path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Options from "@sandtable/core/Options"
import * as SpecFile from "../../../packages/core/src/options/SpecFile.ts"

const notFound = (path: string) =>
  new Error.SystemError({ module: "FileSystem", method: "any", reason: "NotFound", pathOrDescriptor: path })

/** Files by path; folders are what stands before a slash. */
const disk = (files: Readonly<Record<string, string>>) =>
  Layer.merge(
    FileSystem.layerNoop({
      stat: (path) =>
        Object.hasOwn(files, path)
          ? Effect.succeed({ type: "File" } as FileSystem.File.Info)
          : Object.keys(files).some((file) => file.startsWith(`${path}/`))
            ? Effect.succeed({ type: "Directory" } as FileSystem.File.Info)
            : Effect.fail(notFound(path)),
      readDirectory: (path) =>
        Effect.succeed(
          Object.keys(files)
            .filter((file) => file.startsWith(`${path}/`))
            .map((file) => file.slice(path.length + 1))
        ),
      readFile: (path) =>
        Object.hasOwn(files, path) ? Effect.succeed(new TextEncoder().encode(files[path])) : Effect.fail(notFound(path))
    }),
    Path.layer
  )

const tools = '[{"name": "get_order"}]'
const seeds = '["Where is my order?", {"prompt": "Cancel A1", "tier": "boundary"}]'
const folder = {
  "shop/tools.json": tools,
  "shop/policy.md": "Be kind.\n",
  "shop/user-goals.json": seeds,
  "shop/rubric.md": "Kind?",
  "shop/notes.txt": "nothing to do with it"
}

const read = (spec: string | object, files: Readonly<Record<string, string>> = {}, options?: SpecFile.ReadOptions) =>
  Effect.provide(SpecFile.read(spec, options), disk(files))

describe("SpecFile.read", () => {
  it.effect("reads a folder", () =>
    Effect.gen(function* () {
      expect(yield* read("shop", folder)).toEqual({
        spec: {
          tools: [{ name: "get_order" }],
          prompt: "Be kind.\n",
          situations: ["Where is my order?", { prompt: "Cancel A1", tier: "boundary" }],
          rubric: "Kind?"
        },
        issues: []
      })
    })
  )

  it.effect("prefers prompt.md to policy.md, and situations.json to user-goals.json", () =>
    Effect.gen(function* () {
      const files = { ...folder, "shop/prompt.md": "First.", "shop/situations.json": '["One"]' }
      expect((yield* read("shop", files)).spec).toMatchObject({ prompt: "First.", situations: ["One"] })
    })
  )

  it.effect("reads files: an object, a list of tools, a text", () =>
    Effect.gen(function* () {
      const files = {
        "a.json": `{"tools": ${tools}, "system_prompt": "Be kind.", "situations": ${seeds}}`,
        "b.json": `\uFEFF${tools}`,
        "c.md": "Be kind."
      }
      expect((yield* read("a.json", files)).spec).toMatchObject({ prompt: "Be kind.", tools: [{ name: "get_order" }] })
      expect((yield* read("b.json", files)).spec).toEqual({ tools: [{ name: "get_order" }] })
      expect((yield* read(" c.md ", files)).spec).toEqual({ prompt: "Be kind." })
    })
  )

  it.effect("reads YAML with the reader it is given, and refuses it without one", () =>
    Effect.gen(function* () {
      const files = { "a.yaml": "prompt: Be kind." }
      const parseYaml = (text: string) => ({ prompt: text.slice("prompt: ".length) })
      expect(yield* read("a.yaml", files, { parseYaml })).toEqual({ spec: { prompt: "Be kind." }, issues: [] })
      expect((yield* read("a.yaml", files)).issues).toMatchObject([
        { option: "spec", problem: expect.stringMatching(/YAML/) }
      ])
    })
  )

  it.effect("reads objects and prose", () =>
    Effect.gen(function* () {
      expect(yield* read({ policy: "Be kind.", tools: [] })).toEqual({
        spec: { prompt: "Be kind.", tools: [] },
        issues: []
      })
      const prose = "An agent that handles returns and/or refunds.\nIt is polite."
      expect(yield* read(prose)).toEqual({ spec: { prompt: prose }, issues: [] })
    })
  )

  it.effect.each(["./missing.json", "missing/folder", "/nowhere", "~/spec", "my spec.yaml", "C:\\spec", "retail"])(
    "refuses the path %s, where nothing is",
    (path) =>
      Effect.gen(function* () {
        const { issues } = yield* read(path)
        expect(issues).toMatchObject([{ option: "spec", problem: expect.stringContaining(path) }])
      })
  )

  it.effect.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
    ["broken JSON", { "x/tools.json": "[{" }, "spec/tools.json", /not valid JSON/],
    ["a folder of something else", { "x/readme.md": "hi" }, "spec", /none of tools.json/],
    ["an unknown part", { x: "", "x.json": '{"tolls": []}' }, "spec.tolls", /not a part/]
  ])("says what is wrong with %s", ([, files, option, problem]) =>
    Effect.gen(function* () {
      const { issues } = yield* read(Object.hasOwn(files, "x.json") ? "x.json" : "x", files)
      expect(issues).toHaveLength(1)
      expect(issues[0]!.option).toBe(option)
      expect(issues[0]!.problem).toMatch(problem)
    })
  )

  it.effect("refuses an object that says one thing twice, text for nothing, and nothing at all", () =>
    Effect.gen(function* () {
      expect((yield* read({ prompt: "a", policy: "b" })).issues).toMatchObject([{ option: "spec.policy" }])
      expect((yield* read({ prompt: 3 })).issues).toMatchObject([{ option: "spec.prompt" }])
      expect((yield* read({})).issues).toMatchObject([{ option: "spec", problem: "is empty" }])
    })
  )
})

describe("Options.load", () => {
  const agent = () => "Done."

  it.effect("reads the spec under the caller's own options, situations as seeds", () =>
    Effect.gen(function* () {
      const { settings, rubric, notes } = yield* Options.load({
        agent,
        simulator: false,
        spec: "shop",
        systemPrompt: "Mine."
      })
      expect(settings.systemPrompt).toBe("Mine.")
      expect(settings.tools.list.map(({ name }) => name)).toEqual(["get_order"])
      expect(settings.seeds.map(({ prompt }) => prompt)).toEqual(["Where is my order?", "Cancel A1"])
      expect(rubric).toBe("Kind?")
      expect(notes.map(({ code }) => code)).toEqual(["rubric_without_judge"])
    }).pipe(Effect.provide(disk(folder)))
  )

  it.effect("reports a spec that is not there together with everything else", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Options.load({ agent, simulator: false, spec: "./nowhere", budget: 0 }))
      expect(error.issues.map(({ option }) => option).sort()).toEqual(["budget", "spec"])
    }).pipe(Effect.provide(disk({})))
  )

  it.effect("says what it lacks where there is no file system", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Options.load({ agent, simulator: false, spec: "./shop" }))
      expect(error.issues).toMatchObject([{ option: "spec", fix: expect.stringContaining("FileSystem") }])
      const { settings } = yield* Options.load({ agent, simulator: false, spec: "Answers about orders, briefly." })
      expect(settings.systemPrompt).toBe("Answers about orders, briefly.")
    })
  )
})
