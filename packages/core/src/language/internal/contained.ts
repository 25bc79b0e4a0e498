/**
 * How much of some kept text another one holds, whatever stands around it: the share of the kept text's runs of four words
 * that are in the other. A long text is also held against itself the other way round, as a piece of what is kept.
 */
import * as Lexical from "../Lexical.ts"

/** Words in a row. */
export const runLength = 4

/** A text of fewer runs (eight words) is too short to be told for a piece of another. */
const fewestRuns = 5

export interface Held {
  /** In (0, 1]. */
  readonly share: number
  /** Which text, in the order given. */
  readonly index: number
}

export interface Contained {
  /** The text of which most is held, if that share is at least `atLeast`; the earliest of equals. */
  readonly highest: (text: string, atLeast: number) => Held | undefined
  /** Which of the texts are too short to have a run. */
  readonly short: number
}

export const runsOf = (text: string): ReadonlySet<number> => new Set(Lexical.shingles(text, runLength))

/**
 * An index. To reach a share `t`, a text has to hold one of any `n - t n + 1` of the `n` runs of the kept one: its rarest
 * are asked, so the common ones, whose lists are long, are mostly never read.
 */
export const make = (texts: ReadonlyArray<string>): Contained => {
  const kept = texts.map(runsOf)
  const counts = new Map<number, number>()
  for (const runs of kept) for (const run of runs) counts.set(run, (counts.get(run) ?? 0) + 1)
  const places = new Map<number, Array<Place>>()
  kept.forEach((runs, index) => {
    rarestFirst(runs, counts).forEach((run, rank) => {
      const place = { index, most: (runs.size - rank) / runs.size }
      const known = places.get(run)
      if (known === undefined) places.set(run, [place])
      else known.push(place)
    })
  })
  for (const list of places.values()) list.sort((a, b) => b.most - a.most || a.index - b.index)

  const highest = (text: string, atLeast: number): Held | undefined => {
    const runs = runsOf(text)
    const candidates = new Set<number>()
    for (const run of runs) {
      for (const { index, most } of places.get(run) ?? none) {
        if (most < atLeast - rounding) break
        candidates.add(index)
      }
    }
    if (runs.size >= fewestRuns) {
      const asked = runs.size - Math.ceil(atLeast * runs.size - rounding) + 1
      for (const run of rarestFirst(runs, counts).slice(0, asked)) {
        for (const { index } of places.get(run) ?? none) candidates.add(index)
      }
    }
    let found: Held | undefined
    for (const index of candidates) {
      const share = shareOf(kept[index] ?? empty, runs)
      if (share < Math.max(atLeast, rounding)) continue
      if (found === undefined || share > found.share || (share === found.share && index < found.index)) {
        found = { share, index }
      }
    }
    return found
  }
  return { highest, short: kept.filter((runs) => runs.size === 0).length }
}

const rarestFirst = (runs: ReadonlySet<number>, counts: ReadonlyMap<number, number>): ReadonlyArray<number> =>
  Array.from(runs, (run) => ({ run, count: counts.get(run) ?? 0 }))
    .sort((a, b) => a.count - b.count)
    .map(({ run }) => run)

interface Place {
  readonly index: number
  /** The largest share that a text can reach which holds none of the rarer runs. */
  readonly most: number
}

/** The larger of the share of what is kept that is in the text, and of the text that is in it. */
export const shareOf = (kept: ReadonlySet<number>, text: ReadonlySet<number>): number => {
  const [few, many] = kept.size <= text.size ? [kept, text] : [text, kept]
  let shared = 0
  for (const run of few) if (many.has(run)) shared += 1
  if (shared === 0) return 0
  return Math.max(shared / kept.size, text.size >= fewestRuns ? shared / text.size : 0)
}

const none: ReadonlyArray<Place> = []
const empty: ReadonlySet<number> = new Set()
const rounding = 1e-9
