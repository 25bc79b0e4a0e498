/**
 * Amounts, digits, codes and names as texts.
 */
import * as Keyed from "./keyed.ts"

/** To the cent. */
export const money = (key: Keyed.Key, low: number, high: number): number =>
  Keyed.between(key, low * 100, high * 100) / 100

/** So many digits, the first of them no zero. */
export const digits = (key: Keyed.Key, count: number): string => {
  let out = ""
  for (let left = count, i = 0; left > 0; left -= 9, i++) {
    const size = Math.min(left, 9)
    const low = i === 0 ? (powers[size - 1] ?? 0) : 0
    out += String(Keyed.between(i === 0 ? key : Keyed.nth(key, i), low, (powers[size] ?? 0) - 1)).padStart(size, "0")
  }
  return out
}
const powers = Array.from({ length: 10 }, (_, i) => Number(`1${"0".repeat(i)}`))

export const code = (key: Keyed.Key, count: number): string => {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
  let out = ""
  for (let i = 0; i < count; i++) out += letters[Keyed.int(Keyed.nth(key, i), letters.length)]
  return out
}

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()

export const titled = (noun: string): string => noun.split("_").map(capital).join(" ")

/** Short forms that are not the first three letters, as people know them. */
const usualPrefixes: ReadonlyMap<string, string> = new Map([
  ["booking", "BKG"],
  ["request", "REQ"]
])

/** `TCK` for a ticket: what a made-up identifier begins with. */
export const prefix = (noun: string): string => {
  const last = noun.split("_").pop() ?? ""
  const usual = usualPrefixes.get(last)
  if (usual !== undefined) return usual
  const letters = last.replace(/[^a-z]/g, "")
  return letters === "" ? "REF" : letters.slice(0, 3).toUpperCase()
}
