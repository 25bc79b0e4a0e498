/** What a program pays for one module of the libraries as they are built: bundled and minified by esbuild, as it would be. */
import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The bytes a program that holds a whole module comes to, in all and those of this project, and the files it reads. */
const bundled = async (module: string, treeShaking = true) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `import * as Module from "${module}"\nconsole.log(Module)`, resolveDir: root },
    bundle: true,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "node",
    treeShaking,
    ignoreAnnotations: !treeShaking,
    write: false,
    logLevel: "error"
  })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  const own = inputs.filter(([file]) => file.startsWith("packages/"))
  return {
    total: outputFiles.reduce((sum, file) => sum + file.contents.length, 0),
    own: own.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0),
    files: Object.keys(metafile.inputs).filter((file) => !file.startsWith("<"))
  }
}

describe("a module alone", () => {
  it.each([
    ["core/Statistics", 40],
    ["core/Randomness", 150],
    ["core/ExactJson", 10],
    ["core/Patience", 40],
    ["backends/Retry", 40],
    ["backends/Limits", 40]
  ])("@sandtable/%s costs less than %d KB", async (module, limit) => {
    const { total } = await bundled(`@sandtable/${module}`)
    expect(total).toBeLessThan(limit * 1024)
  })

  it.each([
    ["core/Sizing", 100],
    ["core/Row", 30],
    ["core/Axes", 50],
    ["core/Conduct", 100],
    ["core/PassAt", 110],
    ["backends/OpenAiCompatible", 70]
  ])("@sandtable/%s costs less than %d KB beside Effect", async (module, limit) => {
    const { own } = await bundled(`@sandtable/${module}`)
    expect(own).toBeGreaterThan(0)
    expect(own).toBeLessThan(limit * 1024)
  })

  it("loads little where it needs little", async () => {
    const { files } = await bundled("@sandtable/core/ExactJson", false)
    expect(files).toEqual(["packages/core/dist/json/ExactJson.js"])
  })
})
