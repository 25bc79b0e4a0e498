/**
 * The options of `simulate` as flags, read from the library's own list of them.
 */
import { descriptors, type Descriptor } from "@sandtable/core/Options"
import type { CodeOption, Flag, Kind } from "./Flags.ts"

/** Sections of the options page, as headings of the help page. */
const headings: ReadonlyMap<number, string> = new Map([
  [1, "The agent"],
  [2, "How many"],
  [3, "Who plays"],
  [4, "Size, clock, stopping"],
  [5, "What to look for"],
  [6, "Conversation (agents that talk in turns)"],
  [7, "Again, and the same again"],
  [8, "Advanced"]
])

/** Where a shell has a better way to write a value than the option's kind alone tells. */
const written: ReadonlyMap<string, { readonly kind: Kind; readonly words?: ReadonlyArray<string> }> = new Map([
  ["systemPrompt", { kind: "prose" }],
  ["scaffold", { kind: "prose" }],
  ["spec", { kind: "spec" }],
  ["traces", { kind: "rows" }],
  ["tasks", { kind: "rows" }],
  ["output", { kind: "path" }],
  ["checkpoint", { kind: "path" }],
  ["reproducible", { kind: "switch" }],
  ["grade", { kind: "words", words: ["conduct", "outcome", "true", "false"] }],
  ["logprobs", { kind: "words", words: ["tokens", "true", "false"] }]
])

const kindOf = ({ choices, kind, name }: Descriptor): Pick<Flag, "kind" | "words"> | null => {
  const special = written.get(name)
  if (special !== undefined) return special
  switch (kind) {
    case "code":
      return null
    case "count":
      return { kind: "number" }
    case "seconds":
      return { kind: "duration" }
    case "json":
      return { kind: "data" }
    case "choice":
      return { kind: "choice", words: choices }
    default:
      return { kind }
  }
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Options that only the agent file can give. */
export const codeOptions: ReadonlyArray<CodeOption> = descriptors
  .filter((descriptor) => kindOf(descriptor) === null)
  .map(({ kebab, name }) => ({ name: kebab, option: name }))

/** Every option that a shell can write, its other names behind it. */
export const optionFlags: ReadonlyArray<Flag> = [
  ...descriptors.flatMap((descriptor) => {
    const kind = kindOf(descriptor)
    if (kind === null) return []
    const base = { ...kind, group: headings.get(descriptor.section) ?? "More" }
    return [
      { ...base, name: descriptor.kebab, option: descriptor.name, description: descriptor.description },
      ...descriptor.aliases.map((alias) => ({
        ...base,
        name: kebab(alias),
        option: alias,
        description: `The same as --${descriptor.kebab}.`,
        aliasOf: descriptor.kebab
      }))
    ]
  }),
  {
    name: "advanced",
    kind: "data",
    option: "advanced",
    description: 'The settings above by their option names, as {"grace": 10}.',
    group: headings.get(8) ?? "More"
  }
]
