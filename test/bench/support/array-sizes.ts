/**
 * Published sizes of covering arrays with equal levels: the best known, and those of IPOG-F where they are published.
 */
export interface PublishedSize {
  readonly strength: number
  readonly levels: number
  readonly factors: number
  readonly best: number
  readonly ipogF: number | null
}

const rows = (
  strength: number,
  levels: number,
  ...sizes: ReadonlyArray<readonly [factors: number, best: number, ipogF: number | null]>
): ReadonlyArray<PublishedSize> => sizes.map(([factors, best, ipogF]) => ({ strength, levels, factors, best, ipogF }))

export const publishedSizes: ReadonlyArray<PublishedSize> = [
  ...rows(2, 2, [4, 5, 6], [10, 6, 8], [20, 8, 10], [50, 9, 11], [100, 10, 13]),
  ...rows(2, 3, [4, 9, 12], [5, 11, 13], [10, 14, 19], [13, 15, 20], [20, 15, 21], [50, 20, 26], [100, 22, 30]),
  ...rows(2, 4, [5, 16, 22], [10, 24, 29], [20, 28, 37], [50, 34, 46]),
  ...rows(2, 5, [6, 25, null], [10, 36, 45], [20, 40, 56]),
  ...rows(2, 6, [5, 39, 46], [10, 48, 63], [20, 61, 79]),
  ...rows(2, 10, [4, 100, null], [10, 115, null], [20, 155, null]),
  ...rows(3, 2, [4, 8, 9], [5, 10, 11], [10, 12, 18], [20, 18, 25]),
  ...rows(3, 3, [4, 27, 34], [5, 33, 42], [10, 45, 66], [20, 59, 92]),
  ...rows(4, 2, [5, 16, 22], [10, 24, 41], [20, 39, 65])
]

/** Mixed levels: pairs, the best known size and the range of published greedy tools. */
export const publishedMixed = [
  {
    name: "4^15 3^17 2^29",
    parts: [
      [4, 15],
      [3, 17],
      [2, 29]
    ],
    best: 28,
    greedy: [32, 41]
  },
  {
    name: "4^1 3^39 2^35",
    parts: [
      [4, 1],
      [3, 39],
      [2, 35]
    ],
    best: 20,
    greedy: [23, 30]
  }
] as const

export const uniform = (factors: number, levels: number): ReadonlyArray<number> =>
  Array.from({ length: factors }, () => levels)

export const mixed = (parts: ReadonlyArray<readonly [levels: number, factors: number]>): ReadonlyArray<number> =>
  parts.flatMap(([levels, factors]) => uniform(factors, levels))
