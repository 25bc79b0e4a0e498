/**
 * docs/cli.md: its list of commands is that of the code, and its examples run, in their order, in one folder.
 * `npx vitest run test/cli/page.test.ts -u` writes the list into the page.
 */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { chdir, cwd } from "node:process"
import { fileURLToPath } from "node:url"
import { entries } from "../../packages/cli/src/Commands.ts"
import * as Folder from "./folder.ts"

const file = fileURLToPath(new URL("../../docs/cli.md", import.meta.url))
const page = readFileSync(file, "utf8")
const at = Folder.make()
const home = cwd()
afterAll(() => {
  chdir(home)
  at.remove()
})

/** The commands of the shell blocks, each with the statuses it may end with. */
const examples = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .flatMap(([, block = ""]) => block.trimEnd().split("\n"))
  .map((line) => {
    const [, command = "", status = "0"] = /^npx sandtable (.*?)(?: # status (.*))?$/.exec(line) ?? []
    return [command.replace(/ \|.*$/, ""), status.split(" or ").map(Number)] as const
  })
  // a tool server of the reader's own is not here
  .filter(([command]) => !command.includes("mcp:"))

describe("docs/cli.md", () => {
  it("lists the commands there are", async () => {
    const rows = entries.map(({ name, summary }) => `| \`${name}\` | ${summary} |\n`)
    const table = `| command | does |\n|---|---|\n${rows.join("")}`
    const current = page.replace(
      /(<!-- commands -->\n)[\s\S]*?(<!-- \/commands -->)/,
      (_, open: string, end: string) => `${open}${table}${end}`
    )
    await expect(current).toMatchFileSnapshot(file)
  })

  it("has an example of every command", () => {
    const shown = examples.map(([command]) => command)
    for (const { name } of entries)
      expect(
        shown.some((command) => command.startsWith(name)),
        name
      ).toBe(true)
  })

  it("shows commands that run", { timeout: 120_000 }, async () => {
    chdir(at.folder)
    for (const [command, status] of examples) {
      const ended = await Effect.runPromise(Folder.sandtable(command.split(" ")))
      expect(status, `${command}: ${ended.stderr}`).toContain(ended.status)
      expect(ended.stdout + ended.stderr, command).not.toBe("")
    }
  })
})
