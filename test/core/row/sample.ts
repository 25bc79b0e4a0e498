import * as FastCheck from "effect/FastCheck"
import type * as Row from "@sandtable/core/Row"

/** A finished rollout of one task. */
export const row = (fields: Partial<Row.Row> = {}): Row.Row => ({
  schema_version: "1",
  row_id: "row_1",
  task_id: "task_1",
  prompt: "Where is order A1001?",
  steps: [
    { user: "Where is order A1001?" },
    {
      tool: "get_order",
      arguments: { order_id: "A1001" },
      result: { id: "A1001", status: "shipped" },
      call_id: "call_0",
      status: "ok",
      answered_by: "mock"
    },
    { text: "It has shipped." }
  ],
  final_text: "It has shipped.",
  rollout_index: 0,
  timings: { started_at: "2024-01-01T00:00:00.000Z", elapsed: 0.5 },
  lineage: { run_id: "run_1", system_prompt_sha: null, eval_run: 0, repeat_policy: "fixed", probe: 2 },
  ...fields
})

/** Text as it may come from anywhere: any code unit, pairs and halves of pairs, line ends of every kind. */
export const anyText: FastCheck.Arbitrary<string> = FastCheck.oneof(
  FastCheck.string({ unit: "binary" }),
  FastCheck.array(
    FastCheck.constantFrom(
      "\ud800",
      "\udc00",
      "\u2028",
      "\u2029",
      "\u0085",
      "\\",
      "\\ud800",
      '"',
      "\n",
      "\r",
      "a",
      "😀"
    ),
    { maxLength: 12 }
  ).map((parts) => parts.join(""))
)

/** Steps of any kind, with their keys in any order and results of any kind. */
export const anySteps: FastCheck.Arbitrary<ReadonlyArray<Row.Step>> = FastCheck.array(
  FastCheck.record({
    kind: FastCheck.nat(3),
    text: FastCheck.oneof(
      anyText,
      FastCheck.constant("Where is order A1001? I would like to know where it is by now.")
    ),
    result: FastCheck.oneof(FastCheck.jsonValue(), anyText, FastCheck.constant(undefined)),
    args: FastCheck.oneof(FastCheck.jsonValue(), FastCheck.constant({ id: "A1001" })),
    turn: FastCheck.option(FastCheck.nat(1), { nil: undefined }),
    mirrored: FastCheck.boolean()
  }).map(({ args, kind, mirrored, result, text, turn }): Row.Step => {
    const turned = turn === undefined ? {} : { turn }
    if (kind === 0) return { user: text }
    if (kind === 1)
      return { text, ...turned, logprob: -0.5, usage: { input: 1, output: null, cached: 0, reasoning: 2 } }
    const step: Row.CallStep = {
      tool: kind === 2 ? "get_order" : text,
      arguments: args,
      result,
      call_id: kind === 2 ? "call_1" : text,
      status: "ok",
      answered_by: "mock",
      at_ms: 12.5,
      ...turned
    }
    return mirrored ? (Object.fromEntries(Object.entries(step).reverse()) as unknown as Row.CallStep) : step
  }),
  { maxLength: 8 }
)

/** Rows with any text, keys of their own, and places in a run. */
export const anyRow: FastCheck.Arbitrary<Row.Row> = FastCheck.record({
  text: anyText,
  result: FastCheck.jsonValue(),
  unknown: FastCheck.dictionary(
    FastCheck.string({ minLength: 1 }).map((key) => `x_${key}`),
    FastCheck.jsonValue()
  ),
  task: FastCheck.constantFrom("task_a", "task_b", "task_c"),
  evalRun: FastCheck.nat(2),
  index: FastCheck.nat(3),
  scoring: FastCheck.option(FastCheck.constantFrom("score_1", "score_2"), { nil: undefined }),
  elapsed: FastCheck.nat()
}).map(({ elapsed, evalRun, index, result, scoring, task, text, unknown }) => ({
  ...unknown,
  ...row({
    task_id: task,
    prompt: text,
    final_text: text,
    rollout_index: index,
    steps: [
      { user: text },
      { tool: "t", arguments: { text }, result, call_id: "c", status: "ok", answered_by: "mock" },
      { text }
    ],
    timings: { started_at: "2024-01-01T00:00:00.000Z", elapsed },
    lineage: {
      run_id: "run_1",
      system_prompt_sha: null,
      eval_run: evalRun,
      repeat_policy: "fixed",
      probe: 2,
      ...(scoring === undefined ? {} : { scoring_run_id: scoring })
    }
  })
}))
