import { describe, expect, it } from "@effect/vitest"
import * as Patience from "@sandtable/core/Patience"
import * as Randomness from "@sandtable/core/Randomness"

/** Remission times in weeks under 6-MP (Freireich et al. 1963, as in Gehan 1965). */
const relapsed = [6, 6, 6, 7, 10, 13, 16, 22, 23]
const censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]

describe("Patience.survival", () => {
  it("gives the published estimates of the 6-MP arm", () => {
    const estimates = Patience.survival([
      ...relapsed.map((time) => ({ time, left: true })),
      ...censored.map((time) => ({ time, left: false }))
    ])
    expect(estimates.map((one) => [one.time, one.atRisk, one.left, Number(one.stays.toFixed(4))])).toEqual([
      [6, 21, 3, 0.8571],
      [7, 17, 1, 0.8067],
      [10, 15, 1, 0.7529],
      [13, 12, 1, 0.6902],
      [16, 11, 1, 0.6275],
      [22, 7, 1, 0.5378],
      [23, 6, 1, 0.4482]
    ])
    // Published Greenwood standard errors.
    expect(estimates.map((one) => Number(one.error.toFixed(4)))).toEqual([
      0.0764, 0.0869, 0.0963, 0.1068, 0.1141, 0.1282, 0.1346
    ])
    for (const one of estimates) {
      expect(one.interval[0]).toBeLessThan(one.stays)
      expect(one.interval[1]).toBeLessThanOrEqual(1)
    }
  })

  it("ends at zero when everybody left", () => {
    const estimates = Patience.survival([
      { time: 1, left: true },
      { time: 2, left: true }
    ])
    expect(estimates.at(-1)).toMatchObject({ stays: 0, error: 0, interval: [0, 0] })
  })
})

describe("patience levels", () => {
  const randomness = Randomness.make(11)
  const threads = Array.from({ length: 2000 }, (_, i) => i)
  const leftAt = (patience: Patience.Patience, thread: number, questions = 6): number | null => {
    const draws = Patience.forThread(patience, randomness, { taskId: `task_${thread >> 2}`, rolloutIndex: thread % 4 })
    for (let q = 1; q <= questions; q++) if (draws.leaves(q, false)) return q
    return null
  }

  const rateAt = (patience: Patience.Patience, question: number) => {
    const ends = threads.map((thread) => leftAt(patience, thread))
    const reached = ends.filter((end) => end === null || end >= question).length
    return { reached, rate: ends.filter((end) => end === question).length / reached }
  }

  it("are kept by 2,000 seeded threads within binomial error", () => {
    for (const [patience, second, later] of [
      ["normal", 0.35, 0.6],
      ["short", 0.6, 0.9]
    ] as const) {
      expect(rateAt(patience, 1).rate).toBe(0)
      for (const [question, odds] of [
        [2, second],
        [3, later]
      ] as const) {
        const { rate, reached } = rateAt(patience, question)
        expect(Math.abs(rate - odds)).toBeLessThan(3 * Math.sqrt((odds * (1 - odds)) / reached))
      }
    }
  })

  it("endless never leaves", () => {
    expect(threads.every((thread) => leftAt("endless", thread, 50) === null)).toBe(true)
  })

  it("are drawn again the same, and differently for the rollouts of one ask", () => {
    const ends = threads.map((thread) => leftAt("normal", thread))
    expect(threads.map((thread) => leftAt("normal", thread))).toEqual(ends)
    const groups = threads.filter((thread) => thread % 4 === 0).map((thread) => new Set(ends.slice(thread, thread + 4)))
    expect(groups.filter((group) => group.size > 1).length).toBeGreaterThan(400)
  })

  it("may leave a question they cannot answer at once, under normal and short alone", () => {
    const leavers = (patience: Patience.Patience): number =>
      threads.filter((thread) =>
        Patience.forThread(patience, randomness, { taskId: "t", rolloutIndex: thread }).leaves(1, true)
      ).length
    expect(leavers("normal") / 2000).toBeCloseTo(0.35, 1)
    expect(leavers("short") / 2000).toBeCloseTo(0.6, 1)
    expect(leavers("endless")).toBe(0)
    expect(leavers([0, 0.5])).toBe(0)
  })
})

describe("Patience.fit", () => {
  const user = { user: "Hi." }
  const question = { text: "What is your order number?" }
  const statement = { text: "It is on its way." }

  it("counts answered, left and censored questions", () => {
    const fit = Patience.fit([
      // Left at the first, at the second, answered one, answered two and cut by the cap at the third.
      { steps: [user, question], ended_by: "user_left" },
      { steps: [user, question, user, question] },
      { steps: [user, question, user, statement], ended_by: "user_done" },
      { steps: [user, question, user, question, user, question], ended_by: "max_turns" },
      // Nobody was asked anything.
      { steps: [user, statement], ended_by: "user_done" }
    ])
    expect(fit.threads).toBe(4)
    expect(fit.table).toEqual([1 / 4, 1 / 2])
    expect(fit.estimates.map((one) => [one.time, one.atRisk, one.left])).toEqual([
      [1, 4, 1],
      [2, 2, 1]
    ])
    expect(Patience.oddsAt(fit, 9)).toBe(1 / 2)
  })

  it("recovers the odds that threads were drawn with", () => {
    const table = [0.1, 0.3, 0.5]
    const randomness = Randomness.make(3)
    const threads = Array.from({ length: 4000 }, (_, i) => {
      const draws = Patience.forThread(table, randomness, { taskId: "t", rolloutIndex: i })
      const steps: Array<Record<string, unknown>> = [user]
      for (let q = 1; q <= 3; q++) {
        steps.push(question)
        if (draws.leaves(q, false)) return { steps, ended_by: "user_left" }
        steps.push(user)
      }
      return { steps: [...steps, statement], ended_by: "user_done" }
    })
    const fit = Patience.fit(threads)
    for (const [i, odds] of table.entries()) expect(Math.abs((fit.table[i] ?? 0) - odds)).toBeLessThan(0.03)
  })

  it("is usable where nothing was seen", () => {
    expect(Patience.fit([])).toEqual({ table: [0], estimates: [], threads: 0 })
  })
})
