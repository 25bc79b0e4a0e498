import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { spawnSync } from "node:child_process"
import { CodeExec } from "@sandtable/core/node"
import { context, row } from "../grade/fixture.ts"

const tests = `
import assert from "node:assert"
assert.equal(add(1, 2), 3)
assert.equal(add(-1, 1), 0)
`
const verify = (reply: string, options: Partial<CodeExec.Options> = {}, reference: unknown = undefined) =>
  Effect.runPromise(
    CodeExec.make({ language: "javascript", tests, ...options }).grade(row({ final_text: reply }), {
      ...context,
      privileged: { reference }
    })
  )
const js = (code: string): string => `Here you are:\n\`\`\`js\n${code}\n\`\`\`\nIt adds.`

describe("CodeExec", () => {
  it("passes code that passes the tests, fails code that does not, and shows nothing of the tests", async () => {
    expect(await verify(js("const add = (a, b) => a + b"))).toMatchObject({ reward: 1, reason: "The tests passed." })
    const wrong = await verify(js("const add = (a, b) => a - b"))
    expect(wrong).toMatchObject({ reward: 0 })
    expect(wrong.reason).not.toMatch(/assert|add|3/)
    expect(await verify(js("const add = ("))).toMatchObject({ reward: 0 })
    expect(await verify("const add = (a, b) => a + b")).toMatchObject({ reward: 1 })
    expect(await verify("  ")).toMatchObject({ reward: 0, reason: "The reply holds no code." })
  })

  it("takes the tests from the reference, and has no reward without any", async () => {
    const make = { language: "javascript" as const }
    const judge = (reference: unknown) =>
      Effect.runPromise(
        CodeExec.make(make).grade(row({ final_text: js("const one = 1") }), { ...context, privileged: { reference } })
      )
    expect(await judge("if (one !== 1) throw new Error('GOLD')")).toMatchObject({ reward: 1 })
    const failed = await judge("if (one !== 2) throw new Error('GOLD')")
    expect(failed).toMatchObject({ reward: 0 })
    expect(JSON.stringify(failed)).not.toContain("GOLD")
    expect(await judge(undefined)).toMatchObject({ reward: null, status: "missing_reward" })
  })

  it.each([
    ["an early exit", "process.exit(0)"],
    ["an exit at the first call", "const add = () => process.exit(0)"],
    ["an exit later", "const add = (a, b) => a + b; setTimeout(() => process.exit(0)); await new Promise(() => {})"],
    ["a wait that never ends", "const add = (a, b) => a + b; await new Promise(() => {})"],
    [
      "reading beside it what a pass prints",
      "const { readdirSync, readFileSync } = await import('node:fs'); const all = readdirSync('.').map((file) => readFileSync(file, 'utf8')).join(' '); console.log((/[0-9a-f]{32}/.exec(all) ?? ['no'])[0]); process.exit(0)"
    ],
    ["printing what looks like a pass", "console.log('The tests passed.'); process.exit(0)"]
  ])("does not pass on %s", async (_, code) => {
    expect(await verify(js(code))).toMatchObject({ reward: 0, status: "ok" })
  })

  it("stops what loops, hoards memory, or floods", async () => {
    expect(await verify(js("while (true) {}"), { time: 0.5 })).toMatchObject({
      reward: 0,
      reason: "The code went over its limit of 0.5 s."
    })
    const hoard = await verify(js("const all = []; while (true) all.push(Buffer.alloc(5e6, 1))"), { memory: 200 })
    expect(hoard.reward).toBe(0)
    if (process.platform === "linux") expect(hoard.reason).toBe("The code went over its limit of 200 MB.")
    const flood = await verify(js("while (true) process.stdout.write('x'.repeat(1e5))"), { output: 100_000 })
    expect(flood).toMatchObject({ reward: 0, reason: "The code went over its limit of 100000 bytes of output." })
  })

  it("is interrupted with its process, and leaves no folder behind", async () => {
    const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("sandtable-code-"))
    const before = folders()
    const told = join(mkdtempSync(join(tmpdir(), "sandtable-test-")), "pid")
    const code = `require("fs").writeFileSync(${JSON.stringify(told)}, String(process.pid)); while (true) {}`
    const service = CodeExec.make({ language: "javascript", tests, time: 600 })
    const until = (reached: () => boolean) =>
      Effect.repeat(Effect.sync(reached), { until: (is) => is, schedule: Schedule.spaced("5 millis") })
    const fiber = Effect.runFork(service.grade(row({ final_text: js(code) }), context))
    await Effect.runPromise(until(() => existsSync(told) && readFileSync(told, "utf8") !== ""))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(folders()).toEqual(before)
    const pid = Number(readFileSync(told, "utf8"))
    const lives = () => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await Effect.runPromise(until(() => !lives()))
    rmSync(dirname(told), { recursive: true })
  })

  it("keeps the keys of this process from the code", async () => {
    process.env["SANDTABLE_TEST_KEY"] = "secret"
    const code = "const add = (a, b) => (process.env.SANDTABLE_TEST_KEY === undefined ? a + b : 99)"
    expect(await verify(js(code))).toMatchObject({ reward: 1 })
    delete process.env["SANDTABLE_TEST_KEY"]
  })

  it("makes a language that cannot be started an error", async () => {
    const language: CodeExec.Language = { ...CodeExec.javascript, command: () => ["no-such-program-anywhere"] }
    expect(await verify(js("1"), { language })).toMatchObject({ reward: null, status: "error" })
  })

  const hasPython = spawnSync("python3", ["--version"]).status === 0
  it.skipIf(!hasPython)("runs Python", async () => {
    const options = { language: "python", tests: "assert add(1, 2) == 3" } as const
    const py = (code: string): string => `\`\`\`js\nno\n\`\`\`\n\`\`\`python\n${code}\n\`\`\``
    expect(await verify(py("def add(a, b):\n    return a + b"), options)).toMatchObject({ reward: 1 })
    expect(await verify(py("def add(a, b):\n    return a - b"), options)).toMatchObject({ reward: 0 })
    expect(await verify(py("import sys\ndef add(a, b):\n    sys.exit(0)"), options)).toMatchObject({ reward: 0 })
    expect(await verify(py("import os\nos._exit(0)"), options)).toMatchObject({ reward: 0 })
    const peeking =
      "import glob, os, re\nall = ' '.join(open(f).read() for f in glob.glob('*'))\nfound = re.search('[0-9a-f]{32}', all)\nos.write(1, (found[0] if found else 'no').encode())\nos._exit(0)"
    expect(await verify(py(peeking), options)).toMatchObject({ reward: 0 })
    expect(await verify(py("x = [0] * 10**9\ndef add(a, b):\n    return a + b"), options)).toMatchObject({ reward: 0 })
  })

  it("takes the last block of its language", () => {
    const { javascript } = CodeExec
    expect(CodeExec.codeOf("```js\na\n```\n```python\nb\n```\n```js\nc\n```\n```\nd\n```", javascript).trim()).toBe("c")
    expect(CodeExec.codeOf("```\na\n```\n```ts\nb\n```", javascript).trim()).toBe("b")
    expect(CodeExec.codeOf("```js\nnever closed", javascript).trim()).toBe("never closed")
    expect(() => CodeExec.make({ language: "javascript", time: 0 })).toThrow(RangeError)
  })
})
