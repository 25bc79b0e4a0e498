/**
 * The known word nearest to a misspelt one.
 */

/**
 * By optimal string alignment distance (insertions, deletions, substitutions and swaps of neighbours count 1), letter
 * case, `_` and `-` aside; ties go to the earlier word.
 * @since 0.1.0
 * @category functions
 */
export const nearest = (word: string, known: ReadonlyArray<string>): string => {
  let best = known[0] ?? ""
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const apart = distance(plain(word), plain(candidate))
    if (apart < least) {
      best = candidate
      least = apart
    }
  }
  return best
}

/** Whether two words differ only in letter case, `_` and `-`. */
export const sameWord = (a: string, b: string): boolean => plain(a) === plain(b)

const plain = (word: string): string => word.slice(0, longest).toLowerCase().replace(/[_-]/g, "")
/** No key is longer; what comes after cannot make a word nearer. */
const longest = 60

const distance = (a: string, b: string): number => {
  let beforeLast: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
