/**
 * Whether the agent is plainly dead: its first rollouts are all lost, by one error. While they are, nothing more is begun
 * until those under way have ended, since one that lives may be slow where it fails fast.
 */
import type { LossReason } from "../../rollout/AgentBackend.ts"

export interface Loss {
  readonly taskId: string
  readonly reason: LossReason
  /** What was said of it; left out for one of an earlier call. */
  readonly detail?: string
}

export interface Pulse {
  /** A rollout begins. */
  readonly begun: () => void
  /** A rollout under way gave a row. */
  readonly gaveRow: () => void
  readonly lost: (loss: Loss) => void
  /** In doubt nothing more is to be begun until those under way have ended. */
  readonly state: () => "unknown" | "doubtful" | "dead"
}

/** As many rollouts, of two asks at least: one ask alone may be what an agent dies of. */
const fewestLost = 3
const fewestAsks = 2

export const make = (): Pulse => {
  let playing = 0
  let isAlive = false
  let first: string | null = null
  let lost = 0
  const asks = new Set<string>()
  return {
    begun: () => void playing++,
    gaveRow: () => {
      playing -= 1
      isAlive = true
    },
    lost: ({ detail, reason, taskId }) => {
      playing -= 1
      const error = reason === "agent_error" && detail !== undefined ? alike(detail) : null
      first ??= error
      // another error is another matter: what keeps failing in several ways is counted by the search
      if (error === null || error !== first) isAlive = true
      lost += 1
      asks.add(taskId)
    },
    state: () => {
      if (isAlive || lost === 0) return "unknown"
      if (playing > 0) return "doubtful"
      return lost < fewestLost || asks.size < fewestAsks ? "unknown" : "dead"
    }
  }
}

/** One error reads the same but for its numbers: ports, processes, times, ids. */
const alike = (detail: string): string => detail.slice(0, 400).replace(/\b[0-9a-f-]*\d[0-9a-f-]*/gi, "#")
