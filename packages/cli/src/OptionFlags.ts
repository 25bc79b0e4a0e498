/**
 * The options of `simulate` as flags, read from the library's own list of them.
 */
import { descriptors, sections, type Descriptor } from "@sandtable/core/Options"
import type { CodeOption, Flag } from "./Flags.ts"

const kindOf = ({ choices, flag }: Descriptor): Pick<Flag, "kind" | "words"> | null => {
  switch (flag) {
    case "code":
      return null
    case "count":
      return { kind: "number" }
    case "seconds":
      return { kind: "duration" }
    case "json":
      return { kind: "data" }
    case "choice":
    case "words":
      return { kind: flag, words: choices }
    default:
      return { kind: flag }
  }
}

const groupOf = (section: number): string => sections[section - 1] ?? "More"

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
    const base = { ...kind, group: groupOf(descriptor.section) }
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
    group: groupOf(8)
  }
]
