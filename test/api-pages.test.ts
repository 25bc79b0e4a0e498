/**
 * The API pages can be made: `npm run docs:api` meets every public module, and nothing that one of them names is missing.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

it("pages of the public modules are made without a warning", { timeout: 600_000 }, async () => {
  const said = await new Promise<string>((resolve) => {
    const words = ["node_modules/typedoc/bin/typedoc", "--emit", "none", "--logLevel", "Warn"]
    const options = { cwd: root, env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 1 << 26 }
    execFile(process.execPath, words, options, (error, out, err) => resolve(`${out}${err}${error?.code ?? ""}`))
  })
  expect(said).toBe("")
})
