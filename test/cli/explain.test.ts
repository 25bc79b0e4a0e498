import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import * as Folder from "./folder.ts"

const at = Folder.make()
afterAll(at.remove)

/** File names are of the folder. */
const run = (...words: ReadonlyArray<string>) =>
  Effect.runPromise(Folder.sandtable(words.map((word) => (/\.(?:jsonl|mjs)$/.test(word) ? at.path(word) : word))))
const read = (file: string): ReadonlyArray<Record<string, unknown>> =>
  readFileSync(at.path(file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Claims what a call that was refused did not do; sees it through otherwise. */
const agent = `
  export default {
    agent: async (message, { world }) => {
      const order_id = /A\\d+/.exec(message)?.[0] ?? "A1001"
      await world.call("cancel_order", { order_id })
      return "I have cancelled the order " + order_id + "."
    },
    tools: [
      { name: "get_order", description: "Look up an order", parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] } },
      { name: "cancel_order", description: "Cancel an order", parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] } }
    ],
    ids: { order_id: ["A1001", "A1002", "A1003"] }
  }`

const grading = ["--offline", "--grade"]

describe("explain", () => {
  beforeAll(async () => {
    at.write("agent.mjs", agent)
    const words = ["--budget", "200", "--repeats", "1", "-q", "--output", "run.jsonl"]
    const { status, stderr } = await run("simulate", "agent.mjs", ...grading, ...words)
    if (status !== 0) throw new Error(stderr)
  })

  it("reads what goes with each class where no agent is given, and says how to play", async () => {
    const { status, stdout } = await run("explain", "run.jsonl")
    expect(status).toBe(0)
    expect(stdout).toContain("What goes with it")
    expect(stdout).toContain("success_after_failure")
    expect(stdout).toContain("failed ")
    expect(stdout).toContain("find the smallest task that still fails, by playing")
    const one = await run("explain", "run.jsonl", "--class", "success_after_failure", "--budget", "300")
    expect(one.stdout.replace(/\s+/g, " ")).toMatch(/explain .*--class success_after_failure --budget 300/)
    const classes = async (...words: ReadonlyArray<string>) => {
      const { stdout } = await run("explain", "run.jsonl", "--json", ...words)
      const { blame } = JSON.parse(stdout) as { readonly blame: { classes: ReadonlyArray<{ failure_class: string }> } }
      return blame.classes.map(({ failure_class }) => failure_class)
    }
    expect((await classes()).length).toBeGreaterThan(1)
    expect(await classes("--class", "success_after_failure")).toEqual(["success_after_failure"])
  })

  it("finds a minimal task, which replays and fails", async () => {
    const words = ["--class", "success_after_failure", "--json"]
    const { status, stdout } = await run("explain", "run.jsonl", "agent.mjs", ...grading, ...words)
    expect(status).toBe(0)
    const found = JSON.parse(stdout) as {
      readonly sentence: string
      readonly minimal: string
      readonly rollouts: number
      readonly minimised: { readonly outcome: string; readonly needed: ReadonlyArray<{ readonly kind: string }> }
    }
    expect(found.minimised.outcome).toBe("minimal")
    expect(found.minimised.needed.length).toBeGreaterThan(0)
    expect(found.sentence).toContain("In this task the agent fails by success_after_failure with")
    expect(found.rollouts).toBeLessThanOrEqual(200)
    expect(found.minimal).toMatch(/run\.row_[0-9a-f]+\.minimal\.jsonl$/)
    const file = basename(found.minimal)
    const [minimal] = read(file)
    expect(minimal).toMatchObject({ arm: "fork", failure_class: "success_after_failure", reward: 0 })
    const again = await run("replay", file, "agent.mjs", ...grading, "-q", "--output", "again.jsonl")
    expect(again.status).toBe(0)
    expect(read("again.jsonl").map(({ failure_class }) => failure_class)).toEqual(["success_after_failure"])
  })

  it("shows the sentence, the ask and the plan, and where the row is", async () => {
    const words = ["--budget", "60", "--output", "small.jsonl"]
    const { stdout } = await run("explain", "run.jsonl", "agent.mjs", ...grading, ...words)
    for (const label of ["why", "row", "rollouts", "ask", "plan"]) expect(stdout).toContain(`  ${label} `)
    expect(stdout).toContain("after a change of the agent, play the minimal task again")
    expect(read("small.jsonl")).toHaveLength(1)
  })

  it("refuses what cannot be explained, with what to do", async () => {
    const unknown = await run("explain", "run.jsonl", "--class", "nope")
    expect(unknown.status).toBe(2)
    expect(unknown.stderr).toContain("no row failed by nope")
    expect(unknown.stderr).toContain("success_after_failure")
    const row = await run("explain", "run.jsonl", "--row", "row_0")
    expect(row.status).toBe(2)
    expect(row.stderr).toContain("no row has the id row_0")
    const passed = read("run.jsonl").find(({ reward }) => reward === 1)
    const fine = await run("explain", "run.jsonl", "--row", String(passed?.["row_id"]))
    expect(fine.status).toBe(2)
    expect(fine.stderr).toContain("passed")
    const few = await run("explain", "run.jsonl", "agent.mjs", ...grading, "--budget", "5")
    expect(few.status).toBe(64)
    expect(few.stderr).toContain("--budget")
    const taken = await run("explain", "run.jsonl", "agent.mjs", ...grading, "--output", "small.jsonl")
    expect(taken.status).toBe(64)
    expect(taken.stderr).toContain("is already there")
    const own = await run("explain", "run.jsonl", "agent.mjs", ...grading, "--output", "run.jsonl", "--overwrite")
    expect([own.status, own.stderr]).toEqual([64, expect.stringContaining("it would be lost")])
    const ungraded = await run("explain", "run.jsonl", "agent.mjs", "--offline")
    expect([ungraded.status, ungraded.stderr]).toEqual([64, expect.stringContaining("nobody could tell")])
    expect((await run("explain")).status).toBe(64)
    expect((await run("explain", "absent.jsonl")).status).toBe(64)
    const nobody = await run("explain", "run.jsonl", "absent.mjs", ...grading)
    expect(nobody.status).toBe(64)
    expect(nobody.stderr).toContain("absent.mjs")
  })

  it("says so when another grader grades than the run's, and when it is interrupted", async () => {
    at.write("severe.mjs", `${agent.trimEnd().slice(0, -1)}, grader: () => 0 }`)
    const { stderr } = await run("explain", "run.jsonl", "severe.mjs", "--offline", "--budget", "20", "--overwrite")
    expect(stderr).toMatch(/the run was graded by conduct, and the rollouts here by /)
    const stopped = await Effect.runPromise(
      Folder.sandtable(["explain", at.path("run.jsonl"), at.path("agent.mjs"), ...grading], { interrupt: true })
    )
    expect([stopped.status, stopped.stderr]).toEqual([130, expect.stringMatching(/interrupted: .* was not written/)])
  })

  it("writes into the run's own folder, whatever the id of a row says", async () => {
    const failed = read("run.jsonl").find(({ reward }) => reward === 0)
    at.write("foreign.jsonl", `${JSON.stringify({ ...failed, row_id: `../../evil/${"x".repeat(400)}` })}\n`)
    const { status, stdout } = await run("explain", "foreign.jsonl", "agent.mjs", ...grading, "--json")
    expect(status).toBe(0)
    const { minimal } = JSON.parse(stdout) as { readonly minimal: string }
    expect(dirname(minimal)).toBe(at.folder)
    expect(basename(minimal)).toMatch(/^foreign\._evil_x+\.minimal\.jsonl$/)
    expect(read(basename(minimal))).toHaveLength(1)
  })

  it("says so when the agent gives no row at all", async () => {
    at.write("down.mjs", agent.replace("await world.call", "throw new Error('down'); await world.call"))
    const { status, stderr, stdout } = await run("explain", "run.jsonl", "down.mjs", ...grading)
    expect(status).toBe(70)
    expect(stdout.replace(/\s+/g, " ")).toContain("gave a row with a reward: the first was lost by agent_error: down")
    expect(stderr).toContain("no rollout gave a row with a reward")
  })

  it("says so when the failure does not come again", async () => {
    at.write("better.mjs", agent.replace("I have cancelled the order", "I tried to cancel the order"))
    const { status, stderr, stdout } = await run(
      "explain",
      "run.jsonl",
      "better.mjs",
      ...grading,
      "--class",
      "success_after_failure"
    )
    expect(status).toBe(2)
    expect(stdout).toContain("The row did not fail again")
    expect(stderr).toContain("the failure did not come again")
  })
})
