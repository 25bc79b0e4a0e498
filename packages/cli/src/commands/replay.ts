/**
 * `sandtable replay`: the tasks of an earlier run once more, so that a change of the agent is all that differs.
 */
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Choosing from "../Choosing.ts"
import type * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import { codeOptions } from "../OptionFlags.ts"
import * as Rehearsal from "../Rehearsal.ts"
import * as RunFlags from "../RunFlags.ts"
import * as Settings from "../Settings.ts"

const { flags, leftOut } = RunFlags.replay

export const page: Help.Page = {
  name: "replay",
  usage: ["sandtable replay <run> <agent> [options]"],
  arguments: [
    ["<run>", "the file of rows whose tasks are run again"],
    ["<agent>", "as for simulate: a module, a folder, ..."]
  ],
  examples: [
    [
      "after a change of the prompt: the same tasks, three times",
      "sandtable replay runs/before.jsonl agent.ts --runs 3 --grade --output runs/after.jsonl"
    ],
    ["then: did it help", "sandtable compare runs/before.jsonl runs/after.jsonl"]
  ],
  notes: [
    "Every task runs again with its own asks, faults, world and person, as often as in the run it comes from unless --repeats says otherwise. The rows say what differs from their source in lineage.changed.",
    "Exit status: as for simulate."
  ],
  flags,
  codeOptions
}

export const check = (given: Flags.Given, [, ...agent]: ReadonlyArray<string>) =>
  Effect.flatMap(Settings.read(flags, given, agent), Rehearsal.problems)

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [source, ...agent] = rest
    if (source === undefined || source === "--") {
      return yield* Answer.refuse([
        { option: "<run>", problem: "is not given", fix: `Usage: ${page.usage.join(" or ")}.` }
      ])
    }
    const settings = yield* Settings.read(flags, given, agent, { tasks: { value: source, spelled: source } })
    const options = { ...Choosing.dropped(settings.options, leftOut), tasks: source }
    yield* Rehearsal.start("replay", { ...settings, options })
  })
