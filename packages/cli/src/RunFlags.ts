/**
 * The flags of the commands that play an agent. `simulate` has them all; the others leave out what their asks settle.
 */
import * as Choosing from "./Choosing.ts"
import * as Flags from "./Flags.ts"
import { optionFlags } from "./OptionFlags.ts"

/** All there are: options of the library and those of the command itself. */
export const simulate: ReadonlyArray<Flags.Flag> = [
  ...optionFlags,
  Flags.own(
    "world",
    "text",
    'An MCP server that has the tools and answers their calls: mcp:"npx my-server --flag", or mcp:https://host/mcp.',
    { group: "Who plays" }
  ),
  Flags.own("offline", "switch", "No writer model: situations from templates, no key, no network."),
  Flags.own("batch", "number", "Reproducible, in batches of that many rollouts."),
  Flags.own("lookahead", "number", "Reproducible, each choice made that many rollouts behind."),
  Flags.own(
    "config",
    "path",
    "A file of options (.json, .yaml, .ts, .js); flags win over it, it wins over the agent file."
  ),
  Flags.own("dry-run", "switch", "Show what a run would do, and call nothing."),
  Flags.own("gate", "number", "Exit with 1 when the pass rate, lost rollouts as failures, is below this (0 to 1)."),
  Flags.own("pass-at", "number", "The least reward of a pass (1): what is graded below it is none."),
  Flags.own("progress", "choice", "How progress is shown (a window on a terminal, lines elsewhere).", {
    words: ["window", "lines", "json", "none"]
  }),
  ...Flags.common
]

/** A command whose asks are given. */
export interface Fixed {
  /** Options that say nothing here: an agent file's own are dropped. */
  readonly leftOut: ReadonlySet<string>
  readonly flags: ReadonlyArray<Flags.Flag>
}

const fixed = (...leftOut: ReadonlyArray<string>): Fixed => {
  const names = new Set(leftOut)
  return { leftOut: names, flags: Choosing.without(simulate, names) }
}

/** A replay has its tasks' faults, too. */
export const replay = fixed("mode", "faultRate", "advanced.faultPlan")

/** Every ask has all its repeats: the list leaves nothing to choose. */
export const evaluate = fixed("mode", "repeatPolicy")

const explained = fixed(
  "mode",
  "faultRate",
  "advanced.faultPlan",
  "budget",
  "output",
  "overwrite",
  "checkpoint",
  "runs",
  "repeats",
  "rolloutsPerRequest",
  "repeatPolicy",
  "timeBudget",
  "reproducible"
)
const notExplained: ReadonlySet<string> = new Set(["batch", "lookahead", "dry-run", "gate", "progress"])

/** An explanation says itself how much it plays and where that goes. */
export const explain: Fixed = {
  ...explained,
  flags: explained.flags.filter(
    ({ aliasOf, name }) =>
      !notExplained.has(name) && (aliasOf === undefined || explained.flags.some((flag) => flag.name === aliasOf))
  )
}
