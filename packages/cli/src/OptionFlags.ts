/**
 * The options of `simulate` as flags.
 */
import type { Flag, Kind } from "./Flags.ts"

export const groups = {
  input: "The agent",
  counts: "How many",
  roles: "Who plays",
  size: "Size, clock, stopping",
  search: "What to look for",
  conversation: "Conversation (agents that talk in turns)",
  replay: "Again, and the same again",
  advanced: "Advanced",
  command: "This command"
} as const

const option = (
  group: keyof typeof groups,
  name: string,
  kind: Kind,
  description: string,
  more: { readonly words?: ReadonlyArray<string>; readonly aliases?: ReadonlyArray<string> } = {}
): ReadonlyArray<Flag> => {
  const base = { option: name, kind, group: groups[group], ...(more.words === undefined ? {} : { words: more.words }) }
  const main = kebab(name)
  return [
    { ...base, name: main, description },
    ...(more.aliases ?? []).map((alias) => ({
      ...base,
      name: kebab(alias),
      option: alias,
      description: `the same as --${main}`,
      aliasOf: main
    }))
  ]
}

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const optionFlags: ReadonlyArray<Flag> = [
  ...option("input", "backend", "data or text", "the agent's model, such as openai:gpt-4.1-mini"),
  ...option("input", "tools", "data", "tool definitions, in any usual dialect"),
  ...option("input", "systemPrompt", "prose", "the agent's instructions", { aliases: ["policy"] }),
  ...option("input", "spec", "data or text", "a file, folder or object with tools and a prompt, or plain prose"),
  ...option("input", "ids", "data", `identifiers that exist, as {"order_id": ["A1001"]}`),

  ...option("counts", "mode", "text", "explore, sft, rl or adaptive: presets for what follows"),
  ...option("counts", "situations", "number", "N: distinct worlds; the run stops when all have their rollouts"),
  ...option("counts", "requestsPerSituation", "number", "n: human wordings of one world", {
    aliases: ["phrasings", "n"]
  }),
  ...option("counts", "rolloutsPerRequest", "number", "k: agent runs of one wording", {
    aliases: ["repeats", "rolloutsPerPrompt"]
  }),
  ...option("counts", "repeatPolicy", "text", "none, fixed, successive or adaptive"),
  ...option("counts", "uniqueSituations", "switch", "keep opening new worlds", { aliases: ["unique"] }),

  ...option("roles", "simulator", "data or text", "the situation writer: hosted, a model, or false for templates"),
  ...option("roles", "userModel", "data or text", "the simulated person's model, or false for the template one"),
  ...option("roles", "grade", "switch", "grade every row by conduct"),

  ...option("size", "budget", "number", "rows, at most (1000)"),
  ...option("size", "timeBudget", "duration", "for the whole run"),
  ...option("size", "until", "text", "budget, or saturation: stop when nothing new is found"),
  ...option("size", "timeout", "duration", "of one agent call (300)"),
  ...option("size", "concurrency", "number", "rollouts in flight (32)"),
  ...option("size", "tokenBudget", "number", "tokens of all models, at most"),
  ...option("size", "costBudget", "number", "US dollars, at most"),

  ...option("search", "seeds", "data", "opening asks to build the run around"),
  ...option("search", "hardShare", "number", "share of ambiguous, boundary and adversarial situations (0.4)"),
  ...option("search", "dimensions", "data", `values to keep of an axis, as {"stance": ["hurried"]}`),
  ...option("search", "faultRate", "number", "share of fault situations that keep their fault (0.5; rl 0.8)"),
  ...option("search", "traces", "rows", "production traces that aim the grid"),
  ...option("search", "strategy", "text", "how traces aim: auto, trace, targeted or broad"),

  ...option("conversation", "maxTurns", "number", "turns of the agent, at most"),
  ...option("conversation", "avgTurns", "number", "turns aimed at on average (12)"),
  ...option("conversation", "minUserTurns", "number", "lines of the person, at least (1)"),
  ...option("conversation", "patience", "data or text", "normal, short, endless, or a fitted table"),
  ...option("conversation", "userTemperature", "number", "the person's sampling temperature"),
  ...option("conversation", "temperature", "number", "the agent's sampling temperature (0.8)"),
  ...option("conversation", "agentMaxTokens", "number", "tokens of an agent's reply, at most"),
  ...option("conversation", "logprobs", "words", "keep log probabilities", { words: ["tokens", "true", "false"] }),
  ...option("conversation", "scaffold", "prose", "guidance the agent's model sees during the run only"),
  ...option("conversation", "sampling", "data", "how your own agent samples, for the record"),

  ...option("replay", "tasks", "rows", "run the tasks of an earlier run again"),
  ...option("replay", "runs", "number", "run the task set that many times"),
  ...option("replay", "seed", "number", "everything drawn derives from it (0)"),
  ...option("replay", "reproducible", "switch", "the same rows at any concurrency"),
  ...option("replay", "output", "text", "where rows go (runs/<run id>.jsonl)"),
  ...option("replay", "overwrite", "switch", "replace an existing output"),
  ...option("replay", "checkpoint", "text", "rows file to start or to resume"),

  ...option("advanced", "advanced", "data", `further settings, as {"grace": 10}`)
]
