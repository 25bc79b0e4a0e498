/**
 * When a search stops.
 */
import type { StopReason } from "./protocol.ts"
import * as Recall from "./recall.ts"
import type { Draft } from "./state.ts"

/** Nothing is begun from here on; the first reason counts. */
export const stop = (draft: Draft, reason: StopReason): void => {
  if (draft.stopped !== null) return
  draft.stopped = reason
  draft.ready = []
  draft.commands.push({ _tag: "Stop", reason })
}

/** Whether nothing new shows any more, in a run that lasts until then. */
export const isSaturated = (draft: Draft): boolean => {
  const { budget, until } = draft.input.settings
  return until === "saturation" && Recall.isThrough(draft) && draft.quietRows >= saturationWindow(budget)
}

/** Rows without a new signature or covered tuple after which a run counts as saturated. */
const saturationWindow = (budget: number): number => Math.max(50, Math.ceil(budget / 10))

/** Why nothing is left to do, if nothing is. */
export const ending = (draft: Draft): StopReason | undefined => {
  const { pinned, settings } = draft.input
  if (draft.running.size > 0 || draft.waiting.size > 0 || draft.ready.length > 0) return undefined
  if (pinned && draft.pinnedOpened >= pinned.tasks.length) return "tasks_done"
  if (draft.landed >= settings.budget) return "budget"
  if (draft.writing.size > 0 || draft.credit === 0) return undefined
  if (settings.situations !== null && draft.situations >= settings.situations) return "situations_exhausted"
  return "writer_exhausted"
}

/** Losses in a row after which going on is pointless. */
export const lossLimit = ({ input }: Draft): number => Math.max(10, input.settings.concurrency)
