/**
 * Gold answers kept out of what is written down.
 */
import * as Hash from "../../random/Hash.ts"
import type { Verdict } from "../Grader.ts"

const hidden = "[reference]"

/** A verdict whose words do not give the reference away: its reason and its cause. */
export const wordsWithoutGold = (verdict: Verdict, reference: unknown): Verdict => {
  const { hide } = hiding(reference)
  const cause = verdict.meta["cause"]
  return {
    ...verdict,
    ...(verdict.reason !== undefined && { reason: hide(verdict.reason) }),
    ...(typeof cause === "string" && { meta: { ...verdict.meta, cause: hide(cause) } })
  }
}

/** A verdict that does not give the reference away, wherever a caller's answer may have put it. */
export const withoutGold = (verdict: Verdict, reference: unknown): Verdict => {
  const { hide, isGold } = hiding(reference)
  const cleared = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value)
    if (typeof value === "number") return isGold(value) ? hidden : value
    if (Array.isArray(value)) return value.map(cleared)
    return typeof value === "object" && value !== null ? record(value) : value
  }
  const record = (value: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key), cleared(item)]))
  const { rating, ...meta } = verdict.meta
  return {
    ...verdict,
    meta: { ...record(meta), ...(rating !== undefined && { rating }) },
    ...(verdict.reason !== undefined && { reason: hide(verdict.reason) }),
    ...(verdict.failureClass !== undefined && { failureClass: hide(verdict.failureClass) }),
    ...(verdict.markers !== undefined && {
      markers: Object.fromEntries(Object.entries(verdict.markers).map(([name, value]) => [hide(name), value]))
    })
  }
}

/** Texts up to this length are hidden only where they stand alone: "A" is in every sentence. */
const short = 2

const hiding = (
  reference: unknown
): { readonly hide: (text: string) => string; readonly isGold: (value: number) => boolean } => {
  const golds = goldTexts(reference)
  const patterns = golds.map((gold) => (gold.length > short ? gold : alone(gold)))
  return {
    hide: (text) => patterns.reduce<string>((rest, gold) => rest.replaceAll(gold, hidden), text),
    // 0 and 1 are how everything is scored: they tell nothing
    isGold: (value) => value !== 0 && value !== 1 && golds.includes(String(value))
  }
}

const alone = (gold: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}.])${gold.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}(?![\\p{L}\\p{N}]|\\.\\d)`, "gu")

/** The texts by which a reference could be recognised, longest first. */
const goldTexts = (reference: unknown): ReadonlyArray<string> => {
  const texts = new Set<string>()
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "object" && value !== null && depth < 16) {
      texts.add(Hash.canonical(value))
      for (const item of Object.values(value)) visit(item, depth + 1)
    } else if (typeof value === "string" || typeof value === "number") texts.add(String(value))
  }
  visit(reference, 0)
  return [...texts].filter((text) => text.trim() !== "").sort((a, b) => b.length - a.length)
}
