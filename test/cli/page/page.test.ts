/**
 * `sandtable report --html`: the file that is written, read as text and as a document.
 */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Rows from "@sandtable/core/Row"
import type { Row } from "@sandtable/core/Row"
import { Effect } from "effect"
import { parseHTML } from "linkedom"
import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import * as Opener from "../../../packages/cli/src/page/Opener.ts"
import * as ThreadView from "../../../packages/cli/src/page/ThreadView.ts"
import * as Folder from "../folder.ts"
import { meta, row, rows } from "./rows.ts"

const at = Folder.make()
afterAll(at.remove)

const written = (name: string, of: ReadonlyArray<Row>): string =>
  at.write(`${name}.jsonl`, of.map((each) => `${Rows.encode(each)}\n`).join(""))

/** Reports a file as a page, and reads the page. */
const paged = (path: string, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = path.replace(/\.jsonl?$/, ".html")
    const ended = yield* Folder.sandtable(["report", path, "--html", file, ...words])
    if (ended.status !== 0) throw new Error(ended.stderr)
    const text = readFileSync(file, "utf8")
    const { document } = parseHTML(text)
    const unpacked = (id: string): ReadonlyArray<unknown> =>
      JSON.parse(
        gunzipSync(Buffer.from(document.getElementById(id)?.textContent ?? "", "base64")).toString()
      ) as ReadonlyArray<unknown>
    const said = (id: string): string => (document.getElementById(id)?.textContent ?? "").replace(/\s+/g, " ")
    return { ...ended, file, text, document, unpacked, said }
  })

describe("report --html", () => {
  it.effect("is one file that loads nothing, and says how large it is", () =>
    Effect.gen(function* () {
      const { document, stdout, text } = yield* paged(written("whole", rows))
      expect(stdout).toMatch(/page {8}.*whole\.html \(\d+ kB, 16 rows, with their threads\)/)
      expect(text).not.toMatch(/https?:/)
      expect(document.querySelectorAll("link, iframe, img, object, embed, script[src]")).toHaveLength(0)
      const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute("content")
      expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/]+='/)
    })
  )

  it.effect("says what goes with the failures, and where a row was lost", () =>
    Effect.gen(function* () {
      const failing = Array.from({ length: 60 }, (_, n) => {
        const tool = ["get_order", "cancel_order", "refund_order"][n % 3] ?? ""
        const lost = tool === "refund_order"
        return row(n, 0, lost ? 0 : 1, {
          faults: [],
          ...(lost ? { failure_class: "wrong <amount>" } : {}),
          scenario_dimensions: { tool, stance: n % 2 === 0 ? "ordinary" : "hurried" }
        })
      })
      const path = written("causes", failing)
      const { said, stdout } = yield* paged(path)
      expect(said("causes")).toContain("What goes with it")
      expect(said("causes")).toMatch(/wrong <amount>\s+tool refund_order\s+20 of 20\s+0 of 40/)
      expect(stdout).toContain("tool refund_order")
      expect(
        (yield* paged(
          written(
            "fine",
            rows.filter(({ reward }) => reward === 1)
          )
        )).said("causes")
      ).toBe("")
      const turning = { ...(failing[2] as Row), turning_point: { at: 0, from: 0.875, to: 0 } }
      expect(String(ThreadView.of({ ...turning, steps: [{ text: "No." }] }, 1).text)).toContain("lost here")
    })
  )

  it.effect("shows failures that name no class by their reasons, on the terminal too", () =>
    Effect.gen(function* () {
      const reasons = ["Promised 3 days.", "Promised 5 days.", "Asked nothing."]
      const failing = reasons.map((reason, n) => row(n, 0, n === 2 ? 0.5 : 0.25, { reason }))
      const path = written("reasons", [...failing, row(9, 0, 1)])
      const { stdout } = yield* paged(path)
      expect(stdout).toMatch(/What lost reward\n +2 +no class given\n +Promised 3 days\./)
      expect(stdout).toMatch(/ 1 +no class given\n +Asked nothing\./)
    })
  )

  it.effect("has the figures with their intervals, both readings of what was lost, and every section's own words", () =>
    Effect.gen(function* () {
      const path = written("lost", rows)
      const lost = [0, 1].map((rollout_index) =>
        JSON.stringify({
          task_id: "task_4",
          scenario_id: "sit_4",
          eval_run: 0,
          rollout_index,
          reason: "agent_error",
          detail: "It fell <over>."
        })
      )
      at.write("lost.lost.jsonl", `${lost.join("\n")}\n`)
      const warnings = [
        {
          code: "rollouts_lost",
          message: "2 rollouts gave no row.",
          fix: "Read `run.lost.jsonl`; raise `agentMaxTokens`.",
          figures: {}
        }
      ]
      at.write("lost.meta.json", JSON.stringify(meta(rows, { warnings, degraded: ["rollouts_lost"] })))
      const { said } = yield* paged(path)
      const rates = said("rates")
      for (const words of [
        "62.5%",
        "over 4 tasks",
        "pass^4",
        "pass@4",
        "lost as failures",
        "54.2%",
        "2 lost",
        "16 rows"
      ]) {
        expect(rates).toContain(words)
      }
      expect(said("warnings")).toContain("2 rollouts gave no row. rollouts_lost")
      expect(said("warnings")).toContain("raise --agent-max-tokens")
      expect(said("lost")).toContain("agent_error 2 It fell <over>.")
      expect(said("failures")).toContain("claimed_success 6 rows of 2 tasks.")
      expect(said("coverage")).toContain(
        "7 of 10 pairs of axis values were met. About 2 more rows would cover the 3 that are missing."
      )
      expect(said("tools")).toContain("refund_order 16 12 4 4")
    })
  )

  it.effect("draws every plot with a name, beside its figures as text", () =>
    Effect.gen(function* () {
      const { document } = yield* paged(written("drawn", rows))
      const plots = [...document.querySelectorAll("svg")]
      expect(plots.length).toBeGreaterThanOrEqual(10)
      for (const plot of plots) {
        expect(plot.getAttribute("role")).toBe("img")
        expect(plot.getAttribute("aria-label")).toMatch(/\w+ .*/)
        // the page's colours, so that both schemes work
        expect(plot.outerHTML).not.toMatch(/(fill|stroke)="(#|rgb|black|white)/)
      }
      const figures = document
        .querySelector('[aria-label="Figures by planned fault"]')
        ?.textContent?.replace(/\s+/g, " ")
      expect(figures).toContain("timeout 0.0% no interval 1 4 4")
    })
  )

  it.effect("shows what rows say and runs none of it", () =>
    Effect.gen(function* () {
      const hostile = `</script></template></noscript><img src=x onerror="alert(1)"><script>alert(2)</script>`
      const odd = rows.map((each) => ({
        ...each,
        row_id: `${each.row_id}"><b>`,
        prompt: hostile,
        final_text: hostile,
        arm: each.arm ?? "grid",
        ...(each.reward === 0 ? { failure_class: hostile, reason: hostile } : {}),
        steps: [{ user: hostile }, { text: hostile }],
        scenario_dimensions: { tool: hostile, [hostile]: each.task_id }
      }))
      const { document, text, unpacked } = yield* paged(written("hostile", odd))
      expect(document.querySelectorAll("img")).toHaveLength(0)
      expect(text).not.toContain("<img")
      expect(text.match(/<script>/g)).toHaveLength(1)
      const listed = unpacked("r0") as ReadonlyArray<readonly [string, string]>
      expect(listed).toHaveLength(16)
      for (const [line] of listed) expect(line).not.toMatch(/<(img|script|b>)/)
      for (const thread of unpacked("t0")) expect(thread).not.toMatch(/<(img|script)/)
    })
  )

  it.effect("keeps as many threads as asked for, and says which", () =>
    Effect.gen(function* () {
      const { said, stdout, unpacked } = yield* paged(written("few", rows), "--threads", "7")
      expect(stdout).toContain("16 rows, 7 threads; --threads all keeps every one")
      expect(said("rows")).toContain("7 of 16 threads are in this page, those that did not pass first")
      expect(unpacked("t0")).toHaveLength(7)
      const listed = unpacked("r0") as ReadonlyArray<ReadonlyArray<unknown>>
      expect(listed.filter(([, , , place]) => place === null)).toHaveLength(9)
      const all = yield* paged(written("all", rows), "--threads", "all", "--json")
      expect(Folder.parsed(all)["page"]).toMatchObject({ file: all.file, rows: 16, threads: 16 })
    })
  )

  it.effect("takes a log in another format, and rows that nobody graded", () =>
    Effect.gen(function* () {
      const chat = [0, 1, 0, 0].map((reward, trial) =>
        JSON.stringify({
          task_id: 7,
          trial,
          reward,
          messages: [
            { role: "user", content: "Hello?" },
            { role: "assistant", content: "Hi." }
          ]
        })
      )
      const log = yield* paged(at.write("log.jsonl", chat.join("\n")))
      expect(log.said("rates")).toContain("25.0%")
      expect(log.unpacked("t0")).toHaveLength(4)
      const bare = yield* paged(
        written(
          "bare",
          rows.map((each) => ({ ...each, reward: null }))
        )
      )
      expect(bare.said("rates")).toContain("There is no pass rate")
      expect(bare.unpacked("r0")).toHaveLength(16)
    })
  )

  it.effect("replaces a page of its own, and no file of anybody else", () =>
    Effect.gen(function* () {
      const path = written("again", rows)
      yield* paged(path)
      yield* paged(path)
      const refused = (...words: ReadonlyArray<string>) =>
        Effect.map(Folder.sandtable(["report", path, ...words]), ({ status, stderr }) => [status, stderr] as const)
      const mine = at.write("mine.html", "<!doctype html><p>mine")
      expect(yield* refused("--html", mine)).toEqual([64, expect.stringContaining("no report of ours")])
      expect(readFileSync(mine, "utf8")).toContain("mine")
      expect(yield* refused("--html", path)).toEqual([64, expect.stringContaining("Give a name that ends in .html")])
      expect(readFileSync(path, "utf8").split("\n")).toHaveLength(17)
      expect(yield* refused("--html", at.path("mine.html/page.html"))).toEqual([
        64,
        expect.stringContaining("cannot be written")
      ])
      expect(yield* refused("--threads", "9")).toEqual([64, expect.stringContaining("Add --html report.html.")])
      expect(yield* refused("--html", at.path("x.html"), "--threads", "many")).toEqual([
        64,
        expect.stringContaining("--threads")
      ])
      expect(existsSync(at.path("x.html"))).toBe(false)
    })
  )
})

describe("report --open", () => {
  const opened = (problem: string | null) =>
    Effect.gen(function* () {
      const files: Array<string> = []
      const open: Opener.Open = (file) => Effect.sync(() => (files.push(file), problem))
      const path = written("opened", rows)
      const ended = yield* Effect.provideService(Folder.sandtable(["report", path, "--open"]), Opener.Opener, open)
      return { ...ended, files }
    })

  it.effect("opens the page, which goes beside the run when no place is named", () =>
    Effect.gen(function* () {
      const { files, status, stderr } = yield* opened(null)
      expect([files, status, stderr]).toEqual([[at.path("opened.html")], 0, ""])
      expect(existsSync(at.path("opened.html"))).toBe(true)
    })
  )

  it.effect("says where the page is when nothing opens it", () =>
    Effect.gen(function* () {
      const { status, stderr } = yield* opened("xdg-open: not found")
      expect(status).toBe(0)
      expect(stderr).toContain(`Open ${at.path("opened.html")} in a browser.`)
    })
  )
})

describe("a thread", () => {
  const beside = (of: Row): ReadonlyArray<string> => {
    const { document } = parseHTML(`<!doctype html><html><body>${ThreadView.of(of, 1).text}</body></html>`)
    return [...document.querySelectorAll(".step")].map((step) =>
      (step.querySelector(".beside")?.textContent ?? "").replace(/\s+/g, " ").trim()
    )
  }

  it("has the fault, the state of the world and the verdict beside the steps they belong to", () => {
    const [person, call, end] = beside(row(2, 0, 0))
    expect(person).toBe("stance: hurried")
    expect(call).toContain("status: timeout, answered by the planned fault")
    expect(call).toContain("fault: timeout, as planned")
    expect(call).toContain("world state: already_acted_on")
    expect(end).toContain("verdict: ✗ fail")
    expect(end).toContain("It said refunded, and the call had failed.")
  })

  it("tells what a call changed, and which planned fault no call met", () => {
    const unmet = row(1, 0, 1, { faults: [{ tool: "get_order", mode: "stale", always: true }] })
    expect(beside(unmet)[1]).toContain("the world was changed: order A101")
    expect(ThreadView.of(unmet, 1).text.replace(/\s+/g, " ")).toContain(
      "<code>get_order</code> stale, always: <b>not met</b>"
    )
  })

  it("begins with what was asked and ends with what was answered, though the steps leave them out", () => {
    const { text } = ThreadView.of(row(1, 0, 1, { steps: [] }), 1)
    expect(text).toContain("Please refund order A101.")
    expect(text).toContain("It is refunded.")
  })

  it("cuts what nobody reads to its end, and says how much", () => {
    const { text } = ThreadView.of(row(1, 0, 1, { final_text: "x".repeat(50_000) }), 1)
    expect(text.length).toBeLessThan(12_000)
    expect(text).toContain("44,000 more characters are in the file")
  })
})
