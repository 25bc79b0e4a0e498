/**
 * Rows that passed what is asked of each alone, and their groups.
 */
import * as RowSource from "../../traces/RowSource.ts"
import * as NearCopies from "../../language/NearCopies.ts"
import * as Signature from "../../row/Signature.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Tally } from "./gateTally.ts"

export interface Candidate<R extends TraceRow = TraceRow> {
  readonly row: R
  readonly reward: number
  readonly signature: string
  readonly penalised: boolean
}

/** The rollouts of one ask in one eval run that are still in. */
export interface Group<R extends TraceRow = TraceRow> {
  readonly key: string
  readonly ask: string
  /** Mean reward of its rollouts before equal ones were dropped: how hard the ask is. */
  readonly rate: number
  readonly members: ReadonlyArray<Candidate<R>>
}

export const signatureOf = (row: TraceRow): string =>
  typeof row["behavior_signature"] === "string" ? row["behavior_signature"] : Signature.of(row.steps, row.final_text)

/** In the order of the rows. Equal rollouts (prompt, behaviour and normalised reply) stay once, the first of them. */
export const groupsOf = <R extends TraceRow>(
  candidates: ReadonlyArray<Candidate<R>>,
  tally: Tally
): ReadonlyArray<Group<R>> => {
  const all = new Map<string, Array<Candidate<R>>>()
  for (const candidate of candidates) {
    const key = RowSource.groupOf(candidate.row)
    const members = all.get(key)
    if (members === undefined) all.set(key, [candidate])
    else members.push(candidate)
  }
  const seen = new Map<string, number>()
  return [...all].map(([key, members]) => ({
    key,
    ask: RowSource.askOf((members[0] as Candidate<R>).row),
    rate: members.reduce((sum, { reward }) => sum + reward, 0) / members.length,
    members: members.filter((candidate) => {
      const { final_text: reply, prompt } = candidate.row
      const same = JSON.stringify([NearCopies.normalise(prompt), candidate.signature, NearCopies.normalise(reply)])
      const reward = seen.get(same)
      if (reward === undefined) seen.set(same, candidate.reward)
      else tally.drop("duplicate", candidate.row, reward === candidate.reward ? "equal rollout" : "graded otherwise")
      return reward === undefined
    })
  }))
}
