/**
 * What a caller should know of a run before its first rollout.
 */
import { counted } from "../language/counted.ts"
import * as Warning from "../report/Warning.ts"
import * as Search from "../search/Search.ts"
import type * as Axes from "../situation/Axes.ts"
import type * as IdPool from "../situation/IdPool.ts"
import type { RunSettings } from "../settings/RunSettings.ts"

export const droppedSeeds = (settings: RunSettings): ReadonlyArray<Warning.Warning> => {
  const dropped = settings.seeds.slice(Search.seedsKept(settings)).map(({ prompt }) => prompt)
  if (dropped.length === 0) return []
  const needed = settings.seeds.length * settings.repeats
  return [
    Warning.make(
      "seeds_dropped",
      `A budget of ${settings.budget} does not pay for ${counted(settings.repeats, "row")} of each of ${counted(settings.seeds.length, "seed")}; ` +
        `${dropped.length} are not run, from ${JSON.stringify(shortened(dropped[0] ?? ""))} on.`,
      `Raise \`budget\` to ${needed}, or lower \`repeats\`.`,
      { dropped, needed }
    )
  ]
}

export const cappedRules = ({ rules: { used, found } }: Axes.Axes): ReadonlyArray<Warning.Warning> =>
  used < found
    ? [
        Warning.make(
          "rules_capped",
          `The policy has ${found} clauses, and ${used} of ${found} are on the rule axis.`,
          "Raise `advanced.ruleCap` to cover the others too.",
          { used, found }
        )
      ]
    : []

/** Characters of an ask that are enough to know it by. */
const longestAsk = 80

const shortened = (ask: string): string => (ask.length > longestAsk ? `${ask.slice(0, longestAsk)}...` : ask)

/** Names of tools shown. */
const toolsShown = 5

export const guessedKinds = ({ tools: { list: tools } }: RunSettings): ReadonlyArray<Warning.Warning> => {
  const guessed = tools.filter(({ kindGuessed }) => kindGuessed === true).map(({ name }) => name)
  const [first] = guessed
  if (first === undefined) return []
  const named = guessed.slice(0, toolsShown).join(", ")
  return [
    Warning.make(
      "tool_kinds_guessed",
      `Neither name nor description of ${guessed.length} of ${counted(tools.length, "tool")} says what it does ` +
        `(${named}${guessed.length > toolsShown ? ", ..." : ""}): they are taken to read, so the mock world changes nothing when they are called.`,
      `Say what they do with \`advanced.toolKinds\`, such as { ${JSON.stringify(first)}: "update" }.`,
      { tools: guessed }
    )
  ]
}

export const inventedIds = (pool: IdPool.IdPool): Warning.Warning =>
  Warning.make(
    "ids_invented",
    `Asks name invented identifiers (${pool.inventedArguments.join(", ")}): nothing says which exist.`,
    "Name identifiers that exist in the agent's world with `ids`, or put them in `seeds`.",
    { arguments: [...pool.inventedArguments] }
  )

/** Of a world of the caller's nobody is known. */
export const peopleUnknown: Warning.Warning = Warning.make(
  "people_unknown",
  "Nothing says who there is in your world, so people know what their asks name and nothing else of themselves: an agent that has to verify them cannot.",
  "Name identifiers that exist with `ids` (such as user and order ids): reads are called with them before the first task, and people are those they show.",
  {}
)
