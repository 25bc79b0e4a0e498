/**
 * The order of an aimed grid: tools that traces show to fail come up first, and none waits for all of another.
 */
import { type Cell, tierOf } from "../../task/Cell.ts"

/**
 * The cells so that, within each tier, every round goes through the tools by rank: the first cell of each, then the
 * second of each. The cells of a tool keep their order, and the first `kept` cells their places.
 */
export const byRank = (cells: ReadonlyArray<Cell>, ranks: ReadonlyArray<string>, kept: number): ReadonlyArray<Cell> => {
  const rankOf = new Map(ranks.map((tool, rank) => [tool, rank]))
  const rounds = new Map<string, number>()
  const placed = cells.slice(kept).map((cell, at) => {
    const { stance, tool = "" } = cell.dimensions
    const key = JSON.stringify([tierOf(stance), tool])
    const round = rounds.get(key) ?? 0
    rounds.set(key, round + 1)
    return { cell, at, round, rank: rankOf.get(tool) ?? ranks.length }
  })
  placed.sort((a, b) => a.round - b.round || a.rank - b.rank || a.at - b.at)
  return [...cells.slice(0, kept), ...placed.map(({ cell }) => cell)]
}
