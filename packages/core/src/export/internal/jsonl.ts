/**
 * Rows as they are, without what only a replay needs (`plan`) and, unless asked for, without what the agent thought.
 */
import { jsonText } from "../../json/jsonText.ts"
import { isAgentStep } from "../../row/Row.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { MakeEncoder } from "./encoder.ts"
import { refusalOf } from "./training.ts"

export const make: MakeEncoder = (settings, book) => ({
  add: (row) => {
    // Rows stand for themselves: nothing of a run is added to them, so there is nothing to know of it.
    const refusal = refusalOf(row, { ...settings, tools: [] })
    if (refusal !== null) return refusal
    if (Object.hasOwn(row, "plan")) {
      book.note(
        "plan_left_out",
        "The rows are without `plan`: they can be measured and trained on, and not be replayed."
      )
    }
    // In the order in which files of rows have their keys, so that memory and disk export the same bytes.
    const { plan: _, lineage, timings, ...rest } = row
    const steps = settings.reasoning ? row.steps : row.steps.map(spoken)
    book.use(row)
    return [jsonText({ ...rest, steps, lineage, timings })]
  },
  end: () => []
})

const spoken = (step: TraceRow["steps"][number]): TraceRow["steps"][number] => {
  if (!isAgentStep(step) || step.reasoning === undefined) return step
  const { reasoning: _, ...rest } = step
  return rest
}
