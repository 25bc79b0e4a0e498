/**
 * The roles of a run, ready to play tasks of its rows again.
 */
import * as Effect from "effect/Effect"
import type { Options } from "../../options/Options.ts"
import type { Row } from "../../row/Row.ts"
import * as Running from "../../run/run.ts"
import * as TaskPlayer from "../../run/taskPlayer.ts"
import type { Expected } from "../../task/Expected.ts"
import * as TaskFile from "../../situation/TaskFile.ts"
import type { Privileged } from "../../task/Task.ts"
import { seedScenarioId } from "../../task/Task.ts"

/** The run's options with the rows' tasks pinned; no file is made. What only graders know of a seed stays with its tasks. */
export const ofRows = (rows: ReadonlyArray<Row>, run: Options) => {
  const { advanced, checkpoint: _c, output: _o, seeds: _s, ...options } = run
  const { seedPrompts: _p, ...others } = advanced ?? {}
  const tasks = { rows, goldAnswers: goldAnswersOf(rows, run) }
  return Effect.flatMap(
    Running.begin({ ...options, ...(advanced === undefined ? {} : { advanced: others }), tasks }),
    ({ prepared }) => TaskPlayer.make(prepared)
  )
}

interface Gold {
  readonly prompt: string
  readonly id?: string | undefined
  readonly reference?: unknown
  readonly expected?: Expected | undefined
}

const goldAnswersOf = (rows: ReadonlyArray<Row>, { seeds = [] }: Options): ReadonlyMap<string, Privileged> => {
  const known = new Map<string, Privileged>()
  for (const given of seeds) {
    const { expected, id, prompt, reference }: Gold =
      typeof given === "string" ? { prompt: given } : TaskFile.isTask(given) ? TaskFile.seedOf(given) : given
    known.set(seedScenarioId({ id, prompt }, 0), {
      ...(reference === undefined ? {} : { reference }),
      ...(expected === undefined ? {} : { expected })
    })
  }
  return new Map(
    rows.flatMap(({ scenario_id, task_id }) => {
      const gold = known.get(scenario_id ?? "")
      return gold === undefined ? [] : [[task_id, gold] as const]
    })
  )
}
