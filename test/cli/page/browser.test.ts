/**
 * The page in a browser: with and without scripts, on a phone and on a desk, in light and in dark. Skipped where no
 * Chromium is installed.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Rows from "@sandtable/core/Row"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core"
import * as Folder from "../folder.ts"
import { meta, row, rows } from "./rows.ts"

const executablePath = ["chromium", "chromium-browser", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync)

const hostile = `Where is </script><img src="https://example.invalid/x" onerror="document.title='run'"> order ${"A".repeat(300)}?`

describe.skipIf(executablePath === undefined)(
  executablePath === undefined ? "skipped: no Chromium is installed" : "the page in a browser",
  { timeout: 60_000 },
  () => {
    const at = Folder.make()
    let browser: Browser
    let address = ""

    beforeAll(async () => {
      const many = Array.from({ length: 60 }, (_, i) =>
        row(10 + i, 0, 1, { prompt: `Cancel order B${i}, please.`, steps: [] })
      )
      const all = [
        ...rows,
        ...many,
        row(90, 0, 0, { prompt: hostile, final_text: hostile, reason: hostile, steps: [{ user: hostile }] })
      ]
      const path = at.write("run.jsonl", all.map((each) => `${Rows.encode(each)}\n`).join(""))
      const warnings = [
        {
          code: "dead_tools",
          message: "These tools almost never answered: refund_order.",
          fix: "Make them answer in `execute`.",
          figures: {}
        }
      ]
      at.write("run.meta.json", JSON.stringify(meta(all, { warnings, degraded: ["dead_tools"] })))
      const { status, stderr } = await Effect.runPromise(
        Folder.sandtable(["report", path, "--html", at.path("run.html")])
      )
      if (status !== 0) throw new Error(stderr)
      address = pathToFileURL(at.path("run.html")).href
      browser = await chromium.launch({
        ...(executablePath === undefined ? {} : { executablePath }),
        args: ["--no-sandbox"]
      })
    }, 120_000)
    afterAll(async () => {
      await browser.close()
      at.remove()
    })

    /** Opens the page; whatever it complains of or asks the network for is kept. */
    const visit = async (
      options: BrowserContextOptions,
      hash = ""
    ): Promise<{ page: Page; troubles: Array<string> }> => {
      const troubles: Array<string> = []
      const page = await (await browser.newContext(options)).newPage()
      page.on("console", (message) => troubles.push(message.text()))
      page.on("pageerror", (error) => troubles.push(error.message))
      page.on("request", (request) => void (request.url().split("#")[0] === address || troubles.push(request.url())))
      await page.goto(address + hash)
      if (options.javaScriptEnabled !== false) await page.locator("#list tr").first().waitFor()
      return { page, troubles }
    }
    const said = (page: Page, text: string | RegExp) => page.locator("#said").filter({ hasText: text }).waitFor()

    it("tells all of its summary with scripts blocked", async () => {
      const { page, troubles } = await visit({ javaScriptEnabled: false })
      for (const words of [
        "Pass rates",
        "pass^4",
        "What lost reward",
        "claimed_success",
        "These tools almost never answered"
      ]) {
        expect(await page.getByText(words).first().isVisible(), words).toBe(true)
      }
      await page.getByText("A thread of it, step by step").first().click()
      expect(await page.getByText("as planned").first().isVisible()).toBe(true)
      expect(await page.locator("noscript tr").count()).toBe(31)
      // nothing that could be pressed and does nothing
      expect(await page.getByRole("button").count()).toBe(0)
      expect(await page.locator("#find").isVisible()).toBe(false)
      expect(troubles).toEqual([])
    })

    it("finds rows by words and filters, and turns pages", async () => {
      const { page, troubles } = await visit({})
      await said(page, "Rows 1 to 50 of 77")
      await page.getByRole("button", { name: "More rows" }).click()
      await said(page, "Rows 51 to 77 of 77")
      await page.getByLabel("Search").fill("a102 REFUND")
      await said(page, "Rows 1 to 4 of 4 found, of 77 in all")
      expect(await page.locator("#list tr").allInnerTexts()).toHaveLength(4)
      await page.getByLabel("Verdict").selectOption("verdict=pass")
      await said(page, "No row of 77")
      expect(await page.getByText("Nothing here has all of that").isVisible()).toBe(true)
      await page.getByRole("button", { name: "Clear" }).click()
      await page.locator("select", { hasText: "timeout (4)" }).selectOption("fault=timeout")
      await said(page, "Rows 1 to 4 of 4 found")
      await page.getByRole("button", { name: "Show them" }).first().click()
      await said(page, "Rows 1 to 7 of 7 found")
      await page.locator("#tasks").getByRole("button", { name: "A103" }).click()
      await said(page, "Rows 1 to 4 of 4 found")
      expect(troubles).toEqual([])
    })

    it("opens a thread by keyboard, with fault and verdict beside the step, and gives the focus back", async () => {
      const { page, troubles } = await visit({})
      await page.getByLabel("Search").fill("row_2_0")
      await said(page, "1 of 1 found")
      const open = page.locator("#list button")
      await open.focus()
      await page.keyboard.press("Enter")
      const thread = page.getByRole("dialog")
      await thread.waitFor()
      const step = thread.locator(".step", { hasText: "timed out" })
      const [words, beside] = [await step.locator(".said").boundingBox(), await step.locator(".beside").boundingBox()]
      expect(await step.locator(".beside").innerText()).toContain("fault: timeout, as planned")
      expect((beside?.x ?? 0) > (words?.x ?? 0) && Math.abs((beside?.y ?? 0) - (words?.y ?? 0)) < 4).toBe(true)
      expect(await thread.locator(".step").last().innerText()).toContain("verdict: ✗ fail")
      expect(await thread.locator(".bar").innerText()).toContain("fail")
      expect(page.url()).toBe(`${address}#row_2_0`)
      await page.keyboard.press("Escape")
      expect(await thread.isVisible()).toBe(false)
      expect(await open.evaluate((element) => element.matches(":focus"))).toBe(true)
      expect(troubles).toEqual([])
    })

    it("opens the row its address names, and goes through the others", async () => {
      const { page, troubles } = await visit({}, "#row_3_0")
      const thread = page.getByRole("dialog")
      await thread.getByText("row_3_0").waitFor()
      await thread.getByRole("button", { name: "Next" }).click()
      await thread.getByText("row_3_2").waitFor()
      await page.keyboard.press("ArrowLeft")
      await thread.getByText("row_3_0").waitFor()
      expect(troubles).toEqual([])
    })

    it("shows what a row says and runs none of it", async () => {
      const { page, troubles } = await visit({}, "#row_90_0")
      await page.getByRole("dialog").getByText("<img").first().waitFor()
      expect(await page.title()).toBe("run.jsonl: sandtable report")
      expect(await page.locator("img").count()).toBe(0)
      expect(troubles).toEqual([])
    })

    for (const [name, viewport] of [
      ["phone", { width: 390, height: 844 }],
      ["desk", { width: 1280, height: 900 }]
    ] as const) {
      for (const colorScheme of ["light", "dark"] as const) {
        it(`fits a ${name}, ${colorScheme}, and can be read there`, async () => {
          const { page, troubles } = await visit({ viewport, colorScheme })
          const wide = () => page.locator("html").evaluate((html) => html.scrollWidth)
          for (const closed of await page.locator("main details:not([open]) > summary").all()) {
            if (await closed.isVisible()) await closed.click()
          }
          expect(await wide()).toBe(viewport.width)
          const drawn = page.locator("#parts svg:visible").first()
          expect((await drawn.boundingBox())?.width).toBeLessThanOrEqual(viewport.width)
          const [ground, ink] = await page.locator("body").evaluate((body) => {
            const { backgroundColor, color } = body.ownerDocument.defaultView.getComputedStyle(body)
            return [backgroundColor, color].map((colour) => Number(/\d+/.exec(colour)?.[0]))
          })
          expect((ground ?? 0) > (ink ?? 0)).toBe(colorScheme === "light")
          await page.locator("#list button").first().click()
          await page.getByRole("dialog").waitFor()
          expect(await page.getByRole("dialog").evaluate((dialog) => dialog.scrollWidth <= dialog.clientWidth)).toBe(
            true
          )
          expect(await wide()).toBe(viewport.width)
          expect(troubles).toEqual([])
        })
      }
    }
  }
)
