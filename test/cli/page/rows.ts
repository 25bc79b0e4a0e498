/**
 * Rows that the tests of the page are told with.
 */
import type { RunMeta } from "../../../packages/core/src/report/RunMeta.ts"
import type { Row } from "@sandtable/core/Row"
import * as PassAt from "@sandtable/core/PassAt"
import * as SearchReport from "../../../packages/core/src/report/SearchReport.ts"
import * as Facts from "../../../packages/cli/src/page/Facts.ts"
import type { Findings } from "../../../packages/cli/src/page/Findings.ts"
import * as Model from "../../../packages/cli/src/page/Model.ts"
import * as Harness from "../harness.ts"

/** A rollout of a task, with a timeout planned for its tool and met by its first call. */
export const row = (task: number, rollout: number, reward: number | null, more: Partial<Row> = {}): Row =>
  Harness.row(task, {
    row_id: `row_${task}_${rollout}`,
    rollout_index: rollout,
    reward,
    prompt: `Please refund order A10${task}.`,
    tier: task % 2 === 0 ? "ordinary" : "adversarial",
    arm: "grid",
    world_state: "already_acted_on",
    stance: "hurried",
    faults: task === 2 ? [{ tool: "refund_order", mode: "timeout", count: 1 }] : [],
    scenario_dimensions: {
      tool: task < 3 ? "refund_order" : "get_order",
      tool_condition: task === 2 ? "timeout" : "success"
    },
    steps: [
      { user: `Please refund order A10${task}.` },
      {
        tool: "refund_order",
        arguments: { order_id: `A10${task}` },
        result: task === 2 ? { error: "timed out" } : { refunded: true },
        call_id: "call_1",
        status: task === 2 ? "timeout" : "ok",
        answered_by: task === 2 ? "fault" : "mock",
        ...(task === 2 ? { fault: "timeout" as const } : {})
      },
      { text: "It is refunded." }
    ],
    world_writes:
      task === 2
        ? []
        : [{ tool: "refund_order", arguments: { order_id: `A10${task}` }, entity: "order", id: `A10${task}` }],
    final_text: "It is refunded.",
    ...(reward === 0 ? { failure_class: "claimed_success", reason: "It said refunded, and the call had failed." } : {}),
    ...more
  })

/** Four tasks with four rollouts each: two always pass, one never does, one does so half the time. */
export const rows: ReadonlyArray<Row> = [
  ...[0, 1, 2, 3].map((i) => row(1, i, 1)),
  ...[0, 1, 2, 3].map((i) => row(2, i, 0)),
  ...[0, 1, 2, 3].map((i) => row(3, i, i % 2)),
  ...[0, 1, 2, 3].map((i) => row(4, i, 1))
]

export const meta = (of: ReadonlyArray<Row>, more: Partial<RunMeta> = {}): RunMeta => ({
  schema_version: "1",
  run_id: "run_1",
  invocation_id: "call_1",
  status: "done",
  started_at: "2026-01-31T14:05:06.789Z",
  finished_at: "2026-01-31T14:06:06.789Z",
  options: { rollouts_per_request: 4 },
  profile: { tools: [], tools_sha: "", policy: "- Never refund an order twice.", policy_sha: null, agent: "desk" },
  counts: { rows: of.length, requested: of.length, completed: of.length, lost: 0, resumed: 0 },
  stopped_because: "budget",
  degraded: [],
  warnings: [],
  search: SearchReport.empty,
  report: Harness.report(of, {
    coverage: { strength: 2, planned: 10, covered: 7, fraction: 0.7, debt: { missing: [], missing_count: 3, rows: 2 } },
    tools: { refund_order: { calls: 16, ok: 12, faults_planned: 4, faults_fired: 4 } }
  }),
  rows_digest: null,
  group_cut: [],
  ...more
})

export const findings = (of: ReadonlyArray<Row>, more: Partial<Findings> = {}): Findings => ({
  path: "runs/before.jsonl",
  meta: meta(of),
  pass: PassAt.passAt({ rows: of, meta: meta(of) }),
  variance: null,
  failures: [],
  blame: null,
  structuralOnly: 0,
  graders: {},
  ...more
})

export const model = (of: ReadonlyArray<Row> = rows, more: Partial<Model.Input> = {}): Model.Model =>
  Model.make({
    findings: findings(of),
    rows: of.map((each) => Facts.of(each, 1)),
    causes: new Map(),
    exclude: [],
    ...more
  })
