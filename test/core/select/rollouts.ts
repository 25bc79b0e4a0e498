import * as FastCheck from "effect/FastCheck"
import type * as Row from "@sandtable/core/Row"
import { row } from "../row/sample.ts"

/** A rollout of `ask` with a reply of its own. */
export const rollout = (ask: string, index: number, fields: Partial<Row.Row> = {}): Row.Row => {
  const prompt = fields.prompt ?? `Please help me with ${ask}.`
  const reply = fields.final_text ?? `This is reply number ${index} about ${ask}.`
  return row({
    row_id: `row_${ask}_${index}`,
    task_id: ask,
    prompt,
    rollout_index: index,
    steps: [
      { user: prompt },
      {
        tool: "get_order",
        arguments: { order_id: `A${index}` },
        result: { id: `A${index}` },
        call_id: `call_${index}`,
        status: "ok",
        answered_by: "mock",
        turn: 0
      },
      { text: reply, turn: 1 }
    ],
    final_text: reply,
    ...fields
  })
}

/** Rollouts of one ask with the given rewards. */
export const group = (
  ask: string,
  rewards: ReadonlyArray<number | null>,
  fields: Partial<Row.Row> = {}
): ReadonlyArray<Row.Row> => rewards.map((reward, index) => rollout(ask, index, { reward, ...fields }))

/** Mostly the first ones: rows that no gate stops are the rule. */
const mostly = <A>(usual: ReadonlyArray<A>, odd: ReadonlyArray<A>): FastCheck.Arbitrary<A> =>
  FastCheck.oneof(
    { weight: 9, arbitrary: FastCheck.constantFrom(...usual) },
    { weight: 1, arbitrary: FastCheck.constantFrom(...odd) }
  )

const anyFate = FastCheck.record({
  ask: FastCheck.constantFrom("one", "two", "three", "constructor", "__proto__"),
  evalRun: FastCheck.nat(1),
  index: FastCheck.nat(5),
  reward: mostly<number | null>([0, 1, 1, 0.5, 0.3], [null, Number.NaN, 7]),
  reply: mostly(
    ["It has shipped.", "it has SHIPPED!", "I cannot do that.", "Which order is it?", "Your order is on its way now."],
    ["", "null", "<think>a"]
  ),
  reason: mostly(["stop"], ["length", "error"]),
  mode: FastCheck.constantFrom("timeout", "stale", "none"),
  privileged: mostly([false], [true])
})

/** Rows as they may come: equal ones, cut ones, ungraded ones, without order. */
export const anyRows: FastCheck.Arbitrary<ReadonlyArray<Row.Row>> = FastCheck.array(anyFate, {
  maxLength: 40,
  size: "max"
}).map((all) =>
  all.map(({ ask, evalRun, index, mode, privileged, reason, reply, reward }, n) =>
    rollout(ask, index, {
      row_id: `row_${n}`,
      final_text: reply,
      reward,
      finish_reason: reason as "stop",
      ...(mode === "none" ? {} : { faults: [{ tool: "get_order", mode: mode as "stale", count: 1 }] }),
      ...(privileged ? { privileged: { reference: "x" } } : {}),
      lineage: { run_id: "run_1", system_prompt_sha: null, eval_run: evalRun, repeat_policy: "fixed", probe: 2 }
    })
  )
)

/** A shuffle that hangs on a number, so that a failing case can be told. */
export const shuffled = <A>(values: ReadonlyArray<A>, seed: number): ReadonlyArray<A> =>
  values
    .map((value, i) => ({ value, rank: Math.imul(i + 1, 0x9e3779b1 ^ seed) >>> 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)
