import { afterAll, describe, expect, it } from "vitest"
import { readFileSync } from "node:fs"
import { Desk, faultsOf, killAt } from "./killing.ts"

const rollouts = 400
const words = ["--budget", String(rollouts), "--mode", "rl", "--repeats", "4", "--concurrency", "8"]
/** Calls after which the process is killed, and milliseconds more. Many kills, at random: `npm run bench -- kill`. */
const cases = [
  ["--reproducible", 140, 7],
  ["--lookahead=48", 90, 5],
  ["--concurrency=8", 133, 11]
] as const

const desks: Array<Desk> = []
const desk = (...more: ReadonlyArray<string>): Desk => {
  const made = new Desk([...words, ...more])
  desks.push(made)
  return made
}
afterAll(() => desks.forEach((made) => made.remove()))

describe("a command that is killed", () => {
  it.each(cases)(
    "keeps every row, runs none twice, and ends as if nothing had been (%s)",
    { timeout: 300_000 },
    async (order, calls, after) => {
      const killed = desk(order)
      const running = killed.start()
      expect(await killAt(running, calls, after)).toBe(true)
      await running.ended
      expect(faultsOf([], running.called(), killed.landed())).toEqual([])
      const before = killed.landed()
      expect(before.length).toBeGreaterThan(50)
      const last = killed.start()
      expect(await last.ended).toMatchObject({ status: 0 })
      const whole = killed.landed()
      expect(faultsOf(before, last.called(), whole)).toEqual([])
      expect(whole).toHaveLength(rollouts)
      expect(last.called()).toHaveLength(rollouts - before.length)
      const meta = JSON.parse(readFileSync(killed.meta, "utf8")) as { counts: object; rows_digest: string }
      expect(meta.counts).toEqual({
        rows: rollouts,
        requested: rollouts,
        completed: rollouts,
        lost: 0,
        resumed: before.length
      })
      expect(meta.rows_digest).toBe(killed.digest())
      if (order !== "--concurrency=8") {
        const spared = desk(order)
        expect(await spared.start().ended).toMatchObject({ status: 0 })
        expect(killed.digest()).toBe(spared.digest())
      }
    }
  )

  it("goes on after Ctrl-C too, which ends it with whole files and 130", { timeout: 300_000 }, async () => {
    const stopped = desk("--reproducible")
    const running = stopped.start()
    await killAt(running, 150, 0, "SIGINT")
    expect(await running.ended).toMatchObject({ status: 130 })
    const meta = JSON.parse(readFileSync(stopped.meta, "utf8")) as { status: string; counts: { rows: number } }
    const before = stopped.landed()
    expect(meta).toMatchObject({ status: "interrupted", counts: { rows: before.length } })
    const last = stopped.start()
    expect(await last.ended).toMatchObject({ status: 0 })
    expect(faultsOf(before, last.called(), stopped.landed())).toEqual([])
    const whole = desk("--reproducible")
    await whole.start().ended
    expect(stopped.digest()).toBe(whole.digest())
  })

  it("is refused with another prompt, and leaves the run as it is", { timeout: 300_000 }, async () => {
    const killed = desk("--reproducible")
    const running = killed.start()
    await killAt(running, 20, 0)
    await running.ended
    const text = readFileSync(killed.rows)
    const other = killed.start({ POLICY: "Be curt." })
    const { status, stderr } = await other.ended
    expect(status).toBe(64)
    expect(stderr).toContain("systemPrompt")
    expect(stderr).toContain("begun with another")
    expect(other.called()).toEqual([])
    expect(readFileSync(killed.rows).equals(text)).toBe(true)
  })
})
