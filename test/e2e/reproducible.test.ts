import { afterAll, describe, expect, it } from "vitest"
import { Desk } from "./killing.ts"

const desks: Array<Desk> = []
const digestOf = async (...words: ReadonlyArray<string>): Promise<string> => {
  const desk = new Desk(["--budget", "100", "--mode", "rl", "--repeats", "4", ...words])
  desks.push(desk)
  expect(await desk.start().ended).toMatchObject({ status: 0 })
  expect(desk.landed()).toHaveLength(100)
  return desk.digest()
}
afterAll(() => desks.forEach((desk) => desk.remove()))

describe("two processes", () => {
  it("give the same rows at other concurrencies, by both orders", { timeout: 300_000 }, async () => {
    const batch = await digestOf("--reproducible", "--concurrency=32")
    expect(await digestOf("--concurrency=1")).toBe(batch)
    const ahead = await digestOf("--lookahead=40", "--concurrency=1")
    expect(await digestOf("--lookahead=40", "--concurrency=32")).toBe(ahead)
  })
})
