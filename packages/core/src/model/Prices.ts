/**
 * What tokens cost: a table the caller gives, in US dollars per million tokens. Nothing is priced by itself, since prices
 * change and differ by contract.
 */
import type { Identity } from "./Identity.ts"
import type { Usage } from "./Usage.ts"

/** US dollars per million tokens. `output` includes thinking, as providers bill it. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Input tokens that the provider's cache served; `input` when left out. */
  readonly cached?: number
}

/** By a model's name (`gpt-4.1-mini`), or by provider and name (`openai:gpt-4.1-mini`), which wins. */
export type Table = Readonly<Record<string, Price>>

/** The price of a model; undefined when the table has none. */
export const priceOf = (table: Table, { model, name, provider }: Identity): Price | undefined => {
  const named = model ?? name
  for (const key of [`${provider ?? ""}:${named}`, named, name]) if (Object.hasOwn(table, key)) return table[key]
  return undefined
}

/** US dollars; null where the tokens are not known. Cached input that was not told apart is priced as plain input. */
export const costOf = (price: Price, { cached, input, output }: Usage): number | null => {
  if (input === null || output === null) return null
  const fromCache = Math.min(cached ?? 0, input)
  return ((input - fromCache) * price.input + fromCache * (price.cached ?? price.input) + output * price.output) / 1e6
}
