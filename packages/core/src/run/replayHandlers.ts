/**
 * The handlers of a run that is gone on with: what is on disk is answered from there, everything else is done.
 */
import * as Effect from "effect/Effect"
import type { Ask, Slot, WriterFailed } from "../situation/SituationWriter.ts"
import * as AsksFile from "../resume/asksFile.ts"
import type { Handlers, PendingRow, HandlersOf } from "./handlers.ts"
import type { RunCounters } from "./runCounters.ts"
import type { Known, ResumeState } from "../resume/resumeState.ts"

/** A rollout that landed in an earlier call, with its verdict. */
interface Landed {
  readonly _tag: "Landed"
  readonly known: Known
}

export const over = (
  live: Handlers,
  recorded: ResumeState,
  evalRun: number,
  counters: RunCounters
): HandlersOf<PendingRow | Landed> => ({
  write: (slots) => write(live, slots, recorded, counters),
  choose: (task, order) => (recorded.hasTask(task.id) ? Effect.void : live.choose(task, order)),
  roll: (roll, restore) => {
    const found = recorded.take({ taskId: roll.task.id, index: roll.index, evalRun })
    if (found === undefined) return live.roll(roll, restore)
    if ("_tag" in found) return Effect.succeed(found)
    const finished = found.owed === null ? { _tag: "Landed" as const, known: found } : live.landed(found.owed, roll)
    return Effect.succeed({ _tag: "Row", finished, digest: found.digest })
  },
  judge: live.judge === null ? null : judgeWith(live.judge),
  land: (finished) => (finished._tag === "Landed" ? Effect.void : live.land(finished))
})

const judgeWith =
  (judge: NonNullable<Handlers["judge"]>): HandlersOf<PendingRow | Landed>["judge"] =>
  (finished, restore) => {
    if (finished._tag === "Finished") return judge(finished, restore)
    const { failure, reason, reward } = finished.known
    return Effect.succeed([
      finished,
      { reward, ...(reason === undefined ? {} : { reason }), ...(failure === null ? {} : { failure }) }
    ] as const)
  }

/** The writer is asked for what it was not asked for before. */
const write = (
  live: Handlers,
  slots: ReadonlyArray<Slot>,
  recorded: ResumeState,
  counters: RunCounters
): Effect.Effect<ReadonlyArray<Ask>, WriterFailed> => {
  const asks: Array<Ask> = []
  const unasked: Array<Slot> = []
  for (const slot of slots) {
    const ask = recorded.written(AsksFile.slotKey(slot))
    if (ask === undefined) unasked.push(slot)
    else if (ask !== null) asks.push({ ...ask, slot })
  }
  const fallen = asks.filter(({ writer }) => writer === "template").length
  if (fallen > 0) counters.fellBack(fallen, "An earlier call of the run had no usable text for them.")
  if (unasked.length === 0) return Effect.succeed(asks)
  return Effect.map(live.write(unasked), (more) => [...asks, ...more])
}
