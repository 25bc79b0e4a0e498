/**
 * How long a conversation may be, and how long this one aims to be.
 */
import type * as Randomness from "../../random/Randomness.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { ToolSet } from "../../task/ToolSet.ts"

/** Turns that every conversation may have, that ordinary contexts are held to, and that large ones may reach. */
const least = 8
const most = 40
const mostOfLarge = 120
/** Tokens from which a context is large, and what is assumed when nobody knows. */
const large = 100_000
const assumedContext = 32_768
/** Characters per token, on the low side of what tokenizers make of English and JSON. */
const charactersPerToken = 4
/** Tokens of a turn beside the reply: the person's line and two calls with their results. */
const besideReply = 600
/** Tokens a reply takes on average at most, whatever it may take. */
const ordinaryReply = 1024

/** Most pairs of a line of the person and a line of the agent. */
export const capOf = (settings: RunSettings, contextSize: number | undefined): number => {
  const { maxTurns, agentMaxTokens } = settings.conversation
  if (maxTurns !== null) return maxTurns
  const context = contextSize ?? assumedContext
  const fixed =
    (settings.systemPrompt.length + (settings.scaffold?.length ?? 0) + settings.tools.derived(lengthOf)) /
    charactersPerToken
  const perTurn = Math.min(agentMaxTokens ?? ordinaryReply, ordinaryReply) + besideReply
  const fitting = Math.floor((context - fixed) / perTurn)
  return Math.min(Math.max(fitting, least), context >= large ? mostOfLarge : most)
}

/**
 * The turns a thread aims at: even around the mean asked for, as wide as the cap and the least allow on both sides, so
 * that the mean over threads is what was asked for.
 */
export const targetOf = (settings: RunSettings, cap: number, draws: Randomness.Draws): number => {
  const low = Math.min(settings.conversation.minUserTurns, cap)
  const mean = Math.min(Math.max(settings.conversation.avgTurns, low), cap)
  const width = Math.min(mean - low, cap - mean, mean / 2)
  return mean + (draws.next() * 2 - 1) * width
}

const lengthOf = ({ list }: ToolSet): number =>
  list.reduce(
    (sum, tool) => sum + tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length,
    0
  )
