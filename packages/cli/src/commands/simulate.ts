/**
 * `sandtable simulate`: the main job.
 */
import * as Effect from "effect/Effect"
import type * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import { codeOptions } from "../OptionFlags.ts"
import * as Rehearsal from "../Rehearsal.ts"
import * as RunFlags from "../RunFlags.ts"
import * as Settings from "../Settings.ts"

export const page: Help.Page = {
  name: "simulate",
  usage: ["sandtable simulate <agent> [options]", "sandtable simulate [options] -- <command>"],
  arguments: [
    [
      "<agent>",
      "a .ts, .js or .mjs module whose default export holds the options, a folder with an agent.ts, a spec (.json, .yaml, or a folder with tools.json and prompt.md), a model such as openai:gpt-4.1-mini, or the http(s) address of an agent"
    ],
    ["<command>", "a program that plays the agent in JSON lines"]
  ],
  examples: [
    [
      "no key and no network: template situations, mock world, conduct grade",
      "sandtable simulate agent.ts --offline --grade"
    ],
    [
      "eight runs of each ask, in the same order every time",
      "sandtable simulate agent.ts --offline --mode rl --reproducible"
    ],
    [
      "a model as the agent, another one as writer and person; keys from the environment",
      "sandtable simulate openai:gpt-4.1-mini --tools tools.json --system-prompt @policy.md --simulator anthropic:claude-haiku-4-5"
    ],
    [
      "against the tools of an MCP server",
      'sandtable simulate openai:gpt-4.1-mini --world mcp:"npx my-server" --system-prompt @policy.md --offline'
    ],
    ["whether the job was done, and not only how", "sandtable simulate agent.ts --offline --grade outcome"],
    ["what a run would do", "sandtable simulate agent.ts --offline --budget 200 --dry-run"],
    [
      "after a change: the same tasks again, three times",
      "sandtable simulate agent.ts --tasks runs/before.jsonl --runs 3"
    ],
    ["in CI: fail under 90% passes", "sandtable simulate agent.ts --offline --grade --gate 0.9 --json"]
  ],
  notes: [
    "Every switch has a --no- form. Lists and objects are JSON, or the path of a .json, .jsonl or .yaml file. Texts can be read from a file: --system-prompt @policy.md. Durations are seconds, or words such as 10 seconds or 2m.",
    "Exit status: 0 done, 1 under --gate, 2 nothing graded to hold against --gate, 64 refused, 69 key or quota, 70 agent or writer failed or every rollout was lost, 130 interrupted."
  ],
  flags: RunFlags.simulate,
  codeOptions
}

export const check = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.flatMap(Settings.read(RunFlags.simulate, given, rest), Rehearsal.problems)

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.flatMap(Settings.read(RunFlags.simulate, given, rest), (settings) => Rehearsal.start("simulate", settings))
