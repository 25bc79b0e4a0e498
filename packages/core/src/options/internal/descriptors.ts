/**
 * The options as a command line needs them.
 */
import type * as AST from "effect/SchemaAST"
import type { Kind } from "./definition.ts"
import { advancedLevel, topLevel } from "./reading.ts"

/** One option, with everything a flag is built from. */
export interface Descriptor {
  /** As it is given: `hardShare`; `advanced.probe` for one inside `advanced`. */
  readonly name: string
  /** `hard-share`, `probe`. */
  readonly kebab: string
  readonly kind: Kind
  readonly description: string
  /** Its other names, in camelCase. */
  readonly aliases: ReadonlyArray<string>
  /** Section of the options page. */
  readonly section: number
  /** The words a `choice` takes; empty for other kinds. */
  readonly choices: ReadonlyArray<string>
}

const aliasesOf = (name: string): ReadonlyArray<string> =>
  [...topLevel].filter(([, { about }]) => about.aliasOf === name).map(([alias]) => alias)

const describe = (fields: typeof topLevel, prefix: string): ReadonlyArray<Descriptor> =>
  [...fields]
    .filter(([name, { about }]) => about.aliasOf === undefined && name !== "advanced")
    .map(([name, { about, type }]) => ({
      name: `${prefix}${name}`,
      kebab: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      kind: about.kind,
      description: about.description,
      aliases: prefix === "" ? aliasesOf(name) : [],
      section: about.section,
      choices: about.kind === "choice" ? wordsOf(type()) : []
    }))

const wordsOf = (type: AST.AST): ReadonlyArray<string> => {
  if (type._tag === "Union") return type.types.flatMap(wordsOf)
  return type._tag === "Literal" && typeof type.literal === "string" ? [type.literal] : []
}

/** Every option once, in the order of the page, those inside `advanced` last. */
export const descriptors: ReadonlyArray<Descriptor> = [
  ...describe(topLevel, ""),
  ...describe(advancedLevel, "advanced.")
]
