/**
 * What the agent's file held when it was read: a run that is gone on with has to be of the same agent.
 */
import * as Context from "effect/Context"
import { createHash } from "node:crypto"

/** The file and a hash of its text; null for an agent that is in no file. */
export class AgentCode extends Context.Reference<AgentCode>()("@sandtable/cli/AgentCode", {
  defaultValue: (): string | null => null
}) {}

/** The name without its folder: the same file is the same agent wherever the command is given. */
export const of = (path: string, text: string): string =>
  `${path.replace(/^.*[/\\]/s, "")} ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`
