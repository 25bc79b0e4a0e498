/**
 * The options that choose what is asked. Where the asks are given otherwise (a replay, a fixed list), they have no place:
 * neither as flags nor in what an agent file says for its other runs.
 */
import { descriptors } from "@sandtable/core/Options"
import type * as Engine from "./Engine.ts"
import type { Flag } from "./Flags.ts"

const choosing: ReadonlySet<string> = new Set(
  descriptors.flatMap(({ aliases, choosesAsks, name }) => (choosesAsks === true ? [name, ...aliases] : []))
)

/** The flags without those that choose, and without the given ones. */
export const without = (flags: ReadonlyArray<Flag>, others: ReadonlySet<string>): ReadonlyArray<Flag> =>
  flags.filter(({ option }) => option === null || !(choosing.has(option) || others.has(option)))

/** An agent file's options without those that choose, and without the given ones. */
export const dropped = (options: Engine.Options, others: ReadonlySet<string>): Engine.Options => {
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !choosing.has(name) && !others.has(name)))
  const { advanced } = kept
  if (typeof advanced !== "object" || advanced === null) return kept
  const inside = Object.entries(advanced).filter(([name]) => !choosing.has(`advanced.${name}`))
  return { ...kept, advanced: Object.fromEntries(inside) }
}
