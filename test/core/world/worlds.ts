/** A small shop, its tasks, and worlds of it: what the tests of this room share. */
import * as Effect from "effect/Effect"
import * as MockWorld from "@sandtable/core/MockWorld"
import * as Randomness from "@sandtable/core/Randomness"
import type { Task } from "@sandtable/core/Task"
import type { Tool } from "@sandtable/core/Tool"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"
import type { Answer, WorldInput } from "@sandtable/core/World"

type Properties = Record<string, object>

/** A tool definition whose arguments are all required, but for those in `optional`. */
export const define = (name: string, properties: Properties, more: object = {}, optional: Properties = {}) => ({
  name,
  description: "",
  parameters: {
    type: "object",
    properties: { ...properties, ...optional },
    required: Object.keys(properties)
  },
  ...more
})

export const tools = (...definitions: ReadonlyArray<object>): ReadonlyArray<Tool> => {
  const { tools, problems } = ToolDialect.read(definitions)
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return tools
}

const text = { type: "string" }
const orderId = { type: "string", description: "The order id, such as '#W0000000'." }

export const shop = tools(
  define("get_order_details", { order_id: orderId }),
  define("cancel_pending_order", {
    order_id: orderId,
    reason: { type: "string", enum: ["no longer needed", "ordered by mistake"] }
  }),
  define("modify_pending_order_address", { order_id: orderId, street: text, city: text }),
  define("modify_pending_order_items", {
    order_id: orderId,
    item_ids: { type: "array", items: { type: "string", description: "such as '1008292230'" } },
    new_item_ids: { type: "array", items: { type: "string" } }
  }),
  define("return_delivered_order_items", { order_id: orderId, item_ids: { type: "array", items: text } }),
  define("get_user_details", { user_id: { type: "string", description: "The user id, such as 'sara_doe_496'." } }),
  define("find_user_id_by_email", { email: text }),
  define("list_user_orders", { user_id: text }, {}, { status: text, limit: { type: "integer" } }),
  define("search_products", { query: text }, {}, { max_price: { type: "number" } }),
  define("get_product", { product_id: { type: "string", description: "such as '6086499569'" } }),
  define("create_support_ticket", { subject: text, order_id: orderId }, {}, { priority: { enum: ["low", "high"] } }),
  define("get_support_ticket", { support_ticket_id: text }),
  define(
    "update_support_ticket",
    { support_ticket_id: text },
    {},
    { subject: text, priority: { enum: ["low", "high"] } }
  ),
  define("list_support_tickets", {}),
  define("delete_support_ticket", { support_ticket_id: text }),
  define("calculate", { expression: text })
)

export const task = (changes: Partial<Omit<Task, "plan">> & { readonly plan?: Partial<Task["plan"]> } = {}): Task => ({
  id: "task_1",
  scenarioId: "sit_1",
  prompt: "Hello, I need help.",
  dimensions: {},
  tier: null,
  shown: {},
  arm: "grid",
  phrasing: 0,
  writer: "template",
  worldState: null,
  faults: [],
  privileged: {},
  ...changes,
  plan: { world_seed: 7, need: null, facts: {}, traits: {}, entity: null, ...changes.plan }
})

export const key = { taskId: "task_1", index: 0, evalRun: 0 }

export const input = ({
  tools = shop,
  ...changes
}: Partial<Omit<WorldInput, "tools">> & {
  readonly tools?: ReadonlyArray<Tool>
  readonly declared?: Record<string, ReadonlyArray<string>>
} = {}): WorldInput => ({
  tools: ToolSet.make(tools),
  randomness: Randomness.make(0),
  settings: { ids: changes.declared ?? {}, realDelays: false, timeouts: { tool: 60 } },
  ...changes
})

export const begin = (of: Task = task(), changes?: Parameters<typeof input>[0]): MockWorld.State =>
  (changes === undefined ? shopMock : Effect.runSync(MockWorld.load(input(changes)))).begin(of)

/** `begin` for tools that declare results: what checks those is loaded first. */
export const beginDeclared = async (of: Task, changes: Parameters<typeof input>[0]): Promise<MockWorld.State> =>
  (await Effect.runPromise(MockWorld.load(input(changes)))).begin(of)

const shopMock = Effect.runSync(MockWorld.load(input()))

export type Call = readonly [tool: string, args?: Record<string, unknown>]

/** A result read without ceremony, as `JSON.parse` gives it. */
export type Loose = ReturnType<typeof JSON.parse>

export interface Playing {
  readonly call: (...call: Call) => Answer
  /** The result of a call that has to succeed, as a record. */
  readonly ok: (...call: Call) => Record<string, Loose>
  readonly now: () => MockWorld.State
}

/** A world one calls and that goes on from what was called. */
export const playing = (from: MockWorld.State): Playing => {
  let state = from
  return {
    call: (...[tool, args = {}]) => {
      const [next, answer] = MockWorld.step(state, { tool, arguments: args })
      state = next
      return answer
    },
    ok: (...[tool, args = {}]) => {
      const [next, answer] = MockWorld.step(state, { tool, arguments: args })
      state = next
      if (answer.status !== "ok") throw new Error(`${tool} answered ${JSON.stringify(answer.result)}`)
      return answer.result as Record<string, Loose>
    },
    now: () => state
  }
}
