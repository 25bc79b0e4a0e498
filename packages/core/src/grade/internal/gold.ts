/**
 * Gold answers kept out of what is written down.
 */
import * as Hash from "../../random/Hash.ts"
import type { Verdict } from "../Grader.ts"

/** A verdict whose words do not give the reference away. */
export const withoutGold = (verdict: Verdict, reference: unknown): Verdict => {
  const golds = goldTexts(reference)
  const hide = (text: string): string => golds.reduce((hidden, gold) => hidden.replaceAll(gold, "[reference]"), text)
  const cause = verdict.meta["cause"]
  return {
    ...verdict,
    ...(verdict.reason !== undefined && { reason: hide(verdict.reason) }),
    ...(typeof cause === "string" && { meta: { ...verdict.meta, cause: hide(cause) } })
  }
}

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
