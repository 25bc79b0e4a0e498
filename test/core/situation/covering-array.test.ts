import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as CoveringArray from "../../../packages/core/src/situation/CoveringArray.ts"
import { mixed, publishedMixed, publishedSizes, uniform } from "../../bench/support/array-sizes.ts"

const right = { missing: [], broken: [], malformed: [] }

/** Small models of every shape: levels 1..6, 2..8 factors, constraints of any size, fixed rows valid or not. */
const models: FastCheck.Arbitrary<CoveringArray.Model> = FastCheck.tuple(
  FastCheck.array(FastCheck.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 8 }),
  FastCheck.constantFrom(1, 2, 2, 2, 3, 3, 4)
)
  .filter(([levels, strength]) => strength < 4 || levels.length <= 5)
  .chain(([levels, strength]) => {
    const pair = FastCheck.integer({ min: 0, max: levels.length - 1 }).chain((factor) =>
      FastCheck.tuple(FastCheck.constant(factor), FastCheck.integer({ min: 0, max: levels[factor]! - 1 }))
    )
    return FastCheck.record({
      levels: FastCheck.constant(levels),
      strength: FastCheck.constant(strength),
      forbidden: FastCheck.array(FastCheck.array(pair, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
      fixedRows: FastCheck.array(
        FastCheck.tuple(...levels.map((count) => FastCheck.integer({ min: -1, max: count - 1 }))),
        { maxLength: 3 }
      )
    })
  })

describe("CoveringArray.generate", () => {
  it.prop("covers every tuple that can occur and breaks no constraint, whatever the model", [models], ([model]) => {
    for (const effort of ["quick", "brief"] as const) {
      const array = CoveringArray.generate(model, { effort })
      expect(CoveringArray.check(model, array.rows)).toEqual(right)
      const refused = new Set(array.refused.map(({ index }) => index))
      const kept = (model.fixedRows ?? []).filter((_, index) => !refused.has(index))
      kept.forEach((row, n) => {
        row.forEach((value, factor) => {
          if (value !== CoveringArray.open) expect(array.rows[n]?.[factor]).toBe(value)
        })
      })
      expect(CoveringArray.coverage(model, array.rows)).toMatchObject({
        planned: array.planned,
        fraction: 1,
        missing: []
      })
    }
  })

  it.prop("gives the same rows for the same model", [models], ([model]) => {
    expect(CoveringArray.generate(model, { effort: "brief" })).toEqual(
      CoveringArray.generate(model, { effort: "brief" })
    )
  })

  it("gives other rows under another seed", () => {
    const model = { levels: [5, 4, 3, 3, 3], strength: 2 }
    const rows = [0, 1].map((seed) => CoveringArray.generate(model, { effort: "quick", seed }).rows)
    expect(rows[0]).not.toEqual(rows[1])
  })

  it("requires no tuple that only constraints together rule out", () => {
    // Value 0 of the first factor goes with no value of the second, so it goes with nothing at all.
    const model: CoveringArray.Model = {
      levels: [2, 2, 3],
      strength: 2,
      forbidden: [
        [
          [0, 0],
          [1, 0]
        ],
        [
          [0, 0],
          [1, 1]
        ]
      ]
    }
    const { planned, rows } = CoveringArray.generate(model)
    expect(rows.every((row) => row[0] === 1)).toBe(true)
    expect(planned).toBe(2 + 3 + 6)
  })

  it("follows a chain of constraints to the end", () => {
    // 0 here forces 0 in the next factor, and the last factor forbids its own 0.
    const factors = 6
    const chain = Array.from({ length: factors - 1 }, (_, f): CoveringArray.Assignment => [
      [f, 0],
      [f + 1, 1]
    ])
    const model = { levels: uniform(factors, 2), strength: 2, forbidden: [...chain, [[factors - 1, 0] as const]] }
    expect(CoveringArray.generate(model).rows).toEqual([uniform(factors, 1)])
  })

  it("keeps fixed rows first and as they are, and says which it cannot keep", () => {
    const model: CoveringArray.Model = {
      levels: [3, 3, 3],
      strength: 2,
      forbidden: [
        [
          [0, 0],
          [1, 0]
        ]
      ],
      fixedRows: [
        [2, 2, 2],
        [0, 0, 1],
        [1, -1, 0],
        [1, 1],
        [2, 2, 2]
      ]
    }
    const { refused, rows } = CoveringArray.generate(model)
    expect(refused).toEqual([
      { index: 1, reason: "forbidden" },
      { index: 3, reason: "malformed" }
    ])
    expect([rows[0], rows[2]]).toEqual([
      [2, 2, 2],
      [2, 2, 2]
    ])
    expect(rows[1]).toEqual([1, expect.any(Number), 0])
    expect(CoveringArray.check(model, rows)).toEqual(right)
  })

  it("has no rows when constraints leave none", () => {
    const { planned, rows } = CoveringArray.generate({ levels: [2, 2], strength: 2, forbidden: [[[0, 0]], [[0, 1]]] })
    expect({ planned, rows }).toEqual({ planned: 0, rows: [] })
  })

  it("takes the strength down to the number of factors", () => {
    expect(CoveringArray.generate({ levels: [2, 3], strength: 4 }).rows).toHaveLength(6)
    expect(CoveringArray.generate({ levels: [4], strength: 2 }).rows).toHaveLength(4)
  })

  it.each([
    { levels: [2, 2], strength: 0 },
    { levels: [2, 0], strength: 2 },
    { levels: [2, 2], strength: 2, forbidden: [[]] },
    { levels: [2, 2], strength: 2, forbidden: [[[0, 2] as const]] }
  ])("refuses a model that is none: %j", (model) => {
    expect(() => CoveringArray.generate(model)).toThrow(RangeError)
  })

  // 13 of the 25 rows of the dense array could cover 0.81 at best; arrays of a run's shape have more room.
  it.each<[string, number, CoveringArray.Model]>([
    ["a run's axes", 0.75, { levels: [18, 10, 6, 5, 5], strength: 2 }],
    [
      "constrained",
      0.75,
      {
        levels: [8, 10, 6, 5, 5],
        strength: 2,
        forbidden: [1, 2, 3, 4].map((v) => [
          [0, 7],
          [3, v]
        ])
      }
    ],
    ["binary triples", 0.75, { levels: uniform(12, 2), strength: 3 }],
    ["dense", 0.65, { levels: uniform(10, 4), strength: 2 }]
  ])("orders rows so that half of them cover most: %s", (_, share, model) => {
    const { rows } = CoveringArray.generate(model, { effort: "brief" })
    const covered = rows.map((_, n) => CoveringArray.coverage(model, rows.slice(0, n + 1)).covered)
    const gains = covered.map((count, n) => count - (covered[n - 1] ?? 0))
    const half = CoveringArray.coverage(model, rows.slice(0, Math.ceil(rows.length / 2)))
    expect(half.fraction).toBeGreaterThanOrEqual(share)
    expect(gains).toEqual([...gains].sort((a, b) => b - a))
  })
})

describe("the size of arrays", () => {
  it.each(publishedSizes)(
    "strength $strength, $levels levels, $factors factors: no more rows than IPOG-F ($ipogF)",
    ({ best, factors, ipogF, levels, strength }) => {
      const { length } = CoveringArray.generate({ levels: uniform(factors, levels), strength }).rows
      expect(length).toBeGreaterThanOrEqual(best)
      if (ipogF !== null) expect(length).toBeLessThanOrEqual(ipogF)
      if (strength === 2 && factors <= 20) expect(length).toBeLessThanOrEqual(Math.floor(1.25 * best))
    }
  )

  it.each(publishedMixed)("$name: fewer rows than the published greedy tools", ({ best, greedy, parts }) => {
    const { length } = CoveringArray.generate({ levels: mixed(parts), strength: 2 }).rows
    expect(length).toBeGreaterThanOrEqual(best)
    expect(length).toBeLessThanOrEqual(greedy[0])
  })

  it("needs no row more than the two largest axes of a run do", () => {
    for (const effort of ["quick", "brief"] as const) {
      expect(CoveringArray.generate({ levels: [18, 10, 6, 5, 5], strength: 2 }, { effort }).rows).toHaveLength(180)
    }
  })
})

describe("CoveringArray.check", () => {
  const model: CoveringArray.Model = {
    levels: [3, 3, 2],
    strength: 2,
    forbidden: [
      [
        [0, 0],
        [2, 1]
      ]
    ]
  }
  const { rows } = CoveringArray.generate(model)

  it("names what a missing row leaves uncovered", () => {
    const { broken, missing } = CoveringArray.check(model, rows.slice(1))
    expect(broken).toEqual([])
    expect(missing.length).toBeGreaterThan(0)
    for (const cells of missing) expect(cells.every(([factor, value]) => rows[0]?.[factor] === value)).toBe(true)
  })

  it("names broken constraints and malformed rows", () => {
    expect(CoveringArray.check(model, [...rows, [0, 0, 1], [0, 0], [0, 3, 0]])).toEqual({
      missing: [],
      broken: [{ row: rows.length, constraint: 0 }],
      malformed: [rows.length + 1, rows.length + 2]
    })
  })
})

describe("CoveringArray.coverage", () => {
  it("says what is missing and what it would cost", () => {
    const model = { levels: uniform(4, 3), strength: 2 }
    const { rows } = CoveringArray.generate(model)
    const part = CoveringArray.coverage(model, rows.slice(0, 6))
    expect(part).toMatchObject({ planned: 54, covered: 36, fraction: 36 / 54 })
    expect(part.missing).toHaveLength(18)
    expect(part.rowsMissing).toBe(3)
    expect(CoveringArray.coverage(model, rows)).toMatchObject({ fraction: 1, missing: [], rowsMissing: 0 })
  })

  it("counts open cells as nothing", () => {
    expect(CoveringArray.coverage({ levels: [2, 2, 2], strength: 2 }, [[0, -1, 1]]).covered).toBe(1)
  })
})
