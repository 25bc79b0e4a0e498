import { describe, expect, it } from "@effect/vitest"
import * as HackScan from "../../../packages/core/src/select/HackScan.ts"
import * as Randomness from "@sandtable/core/Randomness"
import * as FastCheck from "effect/FastCheck"
import { anyRows, rollout, shuffled } from "./rollouts.ts"

const draws = (name: string) => Randomness.make(1).stream([name])

/** Rewards drawn for 30 asks of 6 rollouts, and replies made from them. */
const rowsOf = (name: string, reply: (reward: number, noise: number) => string) => {
  const draw = draws(name)
  return Array.from({ length: 30 }, (_, ask) =>
    Array.from({ length: 6 }, (_, i) => {
      const reward = draw.chance(0.5) ? 1 : 0
      const text = reply(reward, draw.int(20))
      return rollout(`ask ${ask}`, i, { reward, steps: [{ user: "Hi" }, { text }], final_text: text })
    })
  ).flat()
}

const predicting = ({ findings }: HackScan.Scan): ReadonlyArray<string> =>
  findings.filter(({ predicts }) => predicts).map(({ feature }) => feature)

describe("a scan for rewards that are paid by mistake", () => {
  it("finds apologies that pay", () => {
    const rows = rowsOf(
      "apologies",
      (reward, noise) => `${reward === 1 ? "I am sorry. " : "Well now. "}${"a".repeat(noise)}`
    )
    const scan = HackScan.hackScan(rows)
    expect(predicting(scan)).toContain("apologies")
    expect(scan.findings[0]).toMatchObject({ predicts: true })
    expect(HackScan.render(scan)).toMatch(/goes with .*apologies/)
  })

  it("finds nothing where nothing pays", () => {
    const found = Array.from({ length: 10 }, (_, i) =>
      predicting(HackScan.hackScan(rowsOf(`noise ${i}`, (_reward, noise) => `Answer ${"word! ".repeat(noise)}`)))
    )
    expect(found.filter((names) => names.length > 0).length).toBeLessThanOrEqual(2)
  })

  it("looks within tasks: long replies to asks that are easy anyway show nothing", () => {
    const draw = draws("between")
    const rows = Array.from({ length: 30 }, (_, ask) =>
      Array.from({ length: 6 }, (_, i) => {
        const easy = ask % 2 === 0
        const text = "a".repeat((easy ? 500 : 50) + draw.int(10))
        return rollout(`ask ${ask}`, i, {
          reward: draw.chance(easy ? 0.8 : 0.2) ? 1 : 0,
          steps: [{ text }],
          final_text: text
        })
      })
    ).flat()
    const scan = HackScan.hackScan(rows)
    expect(predicting(scan)).not.toContain("reply_length")
    const length = scan.findings.find(({ feature }) => feature === "reply_length")
    expect(Math.abs(length?.correlation ?? 1)).toBeLessThan(0.3)
    const alike = Array.from({ length: 4 }, (_, i) => rollout("alike", i, { reward: 1 }))
    expect(HackScan.hackScan([...rows, ...alike])).toMatchObject({ asks: scan.asks, rows: scan.rows })
  })

  it("takes features of the caller's own", () => {
    const rows = rowsOf("own", (reward) => `Reply ${reward === 1 ? "zebra" : "horse"}`)
    const zebra = {
      name: "zebra",
      of: (row: { readonly final_text: string }) => Number(row.final_text.includes("zebra"))
    }
    expect(predicting(HackScan.hackScan(rows, { features: [zebra] }))).toContain("zebra")
  })

  it("measures nothing with fewer than five tasks whose rewards differ, and says so", () => {
    const rows = rowsOf("few", (reward) => (reward === 1 ? "Sorry!" : "No.")).slice(0, 18)
    const scan = HackScan.hackScan(rows)
    expect(scan.floor).toBeNull()
    expect(predicting(scan)).toEqual([])
    expect(HackScan.render(scan)).toMatch(/^NOT MEASURED/)
  })

  it.prop("is the same in any order of rows, with finite figures", [anyRows, FastCheck.integer()], ([rows, seed]) => {
    const scan = HackScan.hackScan(rows)
    expect(HackScan.hackScan(shuffled(rows, seed))).toEqual(scan)
    expect(JSON.stringify(scan)).not.toContain('null,"predicts":true')
    for (const { correlation } of scan.findings)
      if (correlation !== null) expect(Math.abs(correlation)).toBeLessThanOrEqual(1 + 1e-9)
  })
})
