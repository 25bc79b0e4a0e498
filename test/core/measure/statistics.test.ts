import { describe, expect, it } from "@effect/vitest"
import * as Statistics from "@sandtable/core/Statistics"
import * as FastCheck from "effect/FastCheck"

const close = (value: number | null | undefined, expected: number, digits = 4): void =>
  expect(value ?? Number.NaN).toBeCloseTo(expected, digits)

describe("known figures", () => {
  it.each([
    [5, 10, 0.2366, 0.7634],
    [45, 50, 0.7864, 0.9565]
  ])("Wilson of %d in %d", (passes, n, low, high) => {
    close(Statistics.wilson(passes, n)?.[0], low)
    close(Statistics.wilson(passes, n)?.[1], high)
  })

  it.each([
    [0, 8, 0.3244],
    [0, 9, 0.2992],
    [1, 21, 0.2267],
    [4, 612, 0.0167]
  ])("Wilson upper of %d in %d", (passes, n, high) => close(Statistics.wilson(passes, n)?.[1], high))

  it.each([
    [15, 15, 0.7961],
    [16, 16, 0.8064]
  ])("Wilson lower of %d in %d", (passes, n, low) => close(Statistics.wilson(passes, n)?.[0], low))

  it.each([
    [4, 3, 2, 0.5, 1],
    [4, 2, 4, 0, 1],
    [8, 6, 4, 0.2143, 1]
  ])("pass^k and pass@k of n %d, c %d, k %d", (n, c, k, all, any) => {
    close(Statistics.passHatK(n, c, k), all)
    close(Statistics.passAtK(n, c, k), any)
  })

  it("two shares", () => {
    close(Statistics.twoProportion(95, 100, 80, 100)?.p, 0.00134, 5)
    close(Statistics.twoProportion(50, 50, 45, 50)?.p, 0.02178, 5)
  })

  it.each([
    [5, 0.0625],
    [6, 0.03125],
    [8, 0.0078125]
  ])("sign flips of %d differences that all go one way", (n, p) => {
    expect(Statistics.signFlip(Array.from({ length: n }, (_, i) => 0.1 + i / 7))).toBe(p)
  })

  it("kappa", () => {
    close(Statistics.kappa({ tp: 40, fp: 5, fn: 5, tn: 50 }), 0.798, 3)
    expect(Statistics.kappa({ tp: 90, fp: 10, fn: 0, tn: 0 })).toBe(0)
  })

  // Tables of Abramowitz and Stegun 26.10, and R's qt and qnorm.
  it.each([
    [0.975, 1, 12.7062047],
    [0.975, 2, 4.3026527],
    [0.975, 3, 3.1824463],
    [0.975, 4, 2.7764451],
    [0.995, 29, 2.7563859],
    [0.95, 14, 1.7613101],
    [0.975, 1000, 1.9623391],
    [0.975, 5000, 1.9604386],
    [0.025, 4, -2.7764451]
  ])("Student's t at %d with %d df", (p, df, t) => close(Statistics.studentQuantile(p, df), t, 6))

  it.each([
    [0.8, 0.8416212336],
    [0.975, 1.959963985],
    [0.995, 2.575829304],
    [0.5, 0],
    [1e-9, -5.997807015]
  ])("the normal quantile of %d", (p, z) => close(Statistics.normalQuantile(p), z, 8))

  it.each([
    [1, 0.1586552539],
    [3, 0.001349898032],
    [10, 7.619853024e-24],
    [-1.5, 0.9331927987]
  ])("the normal tail beyond %d", (z, tail) => expect(Statistics.normalTail(z) / tail).toBeCloseTo(1, 8))

  it("Holm's correction keeps the order of the p-values it is given", () => {
    expect(Statistics.holm([0.04, null, 0.01, 0.03])).toEqual([0.06, null, 0.03, 0.06])
  })
})

describe("what cannot be told is null, never a number", () => {
  it("has no interval without values", () => {
    expect(Statistics.estimate([])).toEqual({ n: 0, mean: null, interval: null, method: "too_few", sd: null })
    expect(Statistics.wilson(0, 0)).toBeNull()
    expect(Statistics.signFlip([])).toBeNull()
    expect(Statistics.twoProportion(3, 3, 5, 5)).toBeNull()
    expect(Statistics.twoProportion(0, 0, 5, 5)).toBeNull()
    expect(Statistics.kappa({ tp: 5, fp: 0, fn: 0, tn: 0 })).toBeNull()
    expect(Statistics.passHatK(3, 3, 4)).toBeNull()
  })

  it("has no interval under three tasks, nor where all are equal, and bounds the latter by the rule of three", () => {
    expect(Statistics.estimate([0, 1]).method).toBe("too_few")
    expect(Statistics.estimate([0, 1]).interval).toBeNull()
    expect(Statistics.estimate(Array.from({ length: 30 }, () => 1))).toMatchObject({
      interval: null,
      method: "all_equal"
    })
    expect(Statistics.ruleOfThree(1, 30)).toEqual([0.9, 1])
    expect(Statistics.ruleOfThree(0, 30)).toEqual([0, 0.1])
    expect(Statistics.ruleOfThree(1, 3)).toBeNull()
  })

  it("refuses a probability or degrees of freedom that are none", () => {
    expect(() => Statistics.normalQuantile(1)).toThrow("p is 1")
    expect(() => Statistics.studentQuantile(0.975, 0)).toThrow("df is 0")
  })
})

describe("intervals of a mean over tasks", () => {
  it("are Student's t under 15 tasks", () => {
    const values = [0.2, 0.4, 0.4, 0.6, 0.9]
    // mean 0.5, sd 0.2646, t 2.7764
    const { interval, method } = Statistics.estimate(values)
    expect(method).toBe("t")
    close(interval?.[0], 0.1715)
    close(interval?.[1], 0.8285)
  })

  it("are a percentile bootstrap from 15 on, near the normal interval where it holds", () => {
    const values = Array.from({ length: 400 }, (_, i) => ((i * 37) % 101) / 100)
    const { interval, mean, method, sd } = Statistics.estimate(values)
    expect(method).toBe("bootstrap")
    const half = (Statistics.z95 * (sd ?? 0)) / 20
    close(interval?.[0], (mean ?? 0) - half, 2)
    close(interval?.[1], (mean ?? 0) + half, 2)
  })

  // Many tasks of few rates are resampled by counts, others value by value: both are the same bootstrap.
  it("are as wide whichever way tasks are drawn", () => {
    const few = Array.from({ length: 5000 }, (_, i) => (i % 5) / 4)
    const many = few.map((value, i) => value + i * 1e-12)
    const [a, b] = [Statistics.estimate(few), Statistics.estimate(many)]
    close(a.interval?.[0], b.interval?.[0] ?? 0, 2)
    close(a.interval?.[1], b.interval?.[1] ?? 0, 2)
    expect(a.interval).not.toEqual(b.interval)
  })

  it("are the same for a seed, and others for another", () => {
    const values = Array.from({ length: 40 }, (_, i) => (i % 7) / 6)
    expect(Statistics.estimate(values)).toEqual(Statistics.estimate(values))
    expect(Statistics.estimate(values, { seed: 1 }).interval).not.toEqual(Statistics.estimate(values).interval)
  })

  it.prop(
    "do not depend on the order of tasks",
    [
      FastCheck.array(FastCheck.constantFrom(0, 0.25, 0.5, 1 / 3, 1), { minLength: 1, maxLength: 60 }),
      FastCheck.integer()
    ],
    ([values, seed]) => {
      const shuffled = values
        .map((value, i) => [value, ((i + 1) * (Math.abs(seed) + 7919)) % 104729] as const)
        .sort(([, a], [, b]) => a - b)
        .map(([value]) => value)
      expect(Statistics.estimate(shuffled)).toEqual(Statistics.estimate(values))
      expect(Statistics.signFlip(shuffled)).toBe(Statistics.signFlip(values))
    },
    { fastCheck: { numRuns: 40 } }
  )
})

describe("the sign-flip p", () => {
  it("agrees with itself where exact counting ends", () => {
    const sixteen = Array.from({ length: 16 }, (_, i) => Math.sqrt(i + 1) * (i % 3 === 0 ? -0.3 : 0.2))
    const exact = Statistics.signFlip(sixteen) ?? 0
    // One difference too small to matter makes it a matter of draws.
    const drawn = Statistics.signFlip([...sixteen, 1e-6]) ?? 0
    expect(Math.abs(exact - drawn)).toBeLessThan(0.015)
  })

  it("is 1 where nothing differs and does not depend on which side is first", () => {
    expect(Statistics.signFlip([0, 0, 0])).toBe(1)
    const differences = Array.from({ length: 30 }, (_, i) => ((i * 7) % 11) / 10 - 0.3)
    expect(Statistics.signFlip(differences.map((x) => -x))).toBe(Statistics.signFlip(differences))
  })
})
