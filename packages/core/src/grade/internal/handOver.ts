/**
 * Tools that hand the person over to somebody else. They change nothing of what was asked for: handing over is a way to
 * refuse.
 */
import type { KnownTool } from "./thread.ts"

export const handsOver = ({ words }: KnownTool): boolean =>
  words.has("escalate") ||
  words.has("escalation") ||
  words.has("handoff") ||
  words.has("handover") ||
  (hands.some((word) => words.has(word)) && people.some((word) => words.has(word)))

const hands = [
  "transfer",
  "hand",
  "connect",
  "route",
  "forward",
  "refer",
  "page",
  "notify",
  "contact",
  "call",
  "request"
]
const people = ["human", "humans", "agent", "agents", "person", "representative", "colleague", "supervisor", "operator"]
