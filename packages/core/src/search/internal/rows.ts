/**
 * What comes of rollouts: rows, verdicts and losses.
 */
import type { LossReason } from "../../rollout/AgentBackend.ts"
import * as Groups from "./groups.ts"
import * as Learn from "./learn.ts"
import type { Digest, Event } from "./protocol.ts"
import type { Draft } from "./state.ts"
import { lossLimit, stop } from "./stopping.ts"

type Judged = Extract<Event, { readonly _tag: "Judged" }>

/** A lost rollout of a task is tried again this often per task. */
const retriesPerTask = 2
/** A world fault the agent handled badly is mutated this much more often than one it handled well. */
const badlyHandledWeight = 3

export const finished = (draft: Draft, id: number, digest: Digest): void => {
  const place = draft.running.get(id)
  if (place === undefined) return
  draft.running.delete(id)
  draft.landed += 1
  draft.lossesInRow = 0
  const { group } = place
  Learn.observe(draft, group.task, digest)
  if (digest.worldFault) Learn.aim(draft, group, "world_fault", digest.handledBadly ? badlyHandledWeight : 1)
  if (draft.input.judged) draft.waiting.set(id, { group, digest })
  else Groups.settle(draft, group, digest.truncated ? undefined : digest.signature)
}

/** A rollout of a run that stopped was never begun. */
export const unbegun = (draft: Draft, id: number): void => {
  if (draft.running.delete(id)) draft.requested -= 1
}

export const judged = (draft: Draft, { failure, id, reason, reward }: Judged): void => {
  const row = draft.waiting.get(id)
  if (row === undefined) return
  draft.waiting.delete(id)
  const { digest, group } = row
  Learn.tally(draft, group.task, reward)
  if (failure !== undefined) Learn.discover(draft, group.task, failure)
  if (reward !== null && reward < 0.5) Learn.aim(draft, group, "graded_failure", 1, { reason, failure })
  Groups.settle(draft, group, labelOf(digest, reward))
}

/** The reward when it is 0 or 1, the behaviour otherwise; without a verdict, or cut by the length cap, none. */
const labelOf = (digest: Digest, reward: number | null): string | undefined => {
  if (digest.truncated || reward === null) return undefined
  return reward === 0 || reward === 1 ? `reward ${reward}` : digest.signature
}

export const lost = (draft: Draft, id: number, reason: LossReason): void => {
  const place = draft.running.get(id)
  if (place === undefined) return
  draft.running.delete(id)
  draft.lost += 1
  draft.lostBy[reason] = (draft.lostBy[reason] ?? 0) + 1
  if (reason === "auth") stop(draft, "auth_failed")
  if (reason === "quota") stop(draft, "quota_exceeded")
  if (draft.stopped !== null) return
  draft.lossesInRow += 1
  // After a row has landed the agent is known to work, so a longer streak is waited out before giving up.
  const limit = draft.landed === 0 ? lossLimit(draft) : 3 * lossLimit(draft)
  if (draft.lossesInRow >= limit) return stop(draft, reason === "empty_reply" ? "empty_replies" : "agent_failed")
  const { group } = place
  if (group.retries >= retriesPerTask) return Groups.giveUpRollout(draft, group)
  group.retries += 1
  draft.ready.unshift(place)
}
