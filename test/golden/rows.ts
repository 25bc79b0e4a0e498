/**
 * Golden rows: what a few small runs give, to the byte, on every machine and every version of Node. Run by itself it compares
 * them with `rows.jsonl` (`--write` renews that file); `on-nodes.sh` does so on several versions of Node.
 */
import * as Agent from "@sandtable/core/Agent"
import * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("rows.jsonl", import.meta.url))

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const refund = {
  type: "object",
  properties: {
    order_id: { type: "string" },
    amount: { type: "number" },
    reason: { enum: ["late", "broken", "other"] }
  },
  required: ["order_id", "amount"]
}
const desk = {
  tools: [
    { name: "get_order", description: "Look up an order", parameters: order },
    { name: "refund_order", description: "Refund an order", parameters: refund }
  ],
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt:
    "You are an order desk agent.\n- Look an order up before you refund it.\n- Never refund more than 50 EUR.",
  simulator: false,
  seed: 11
} as const

const lookUp: Agent.AgentFunction = async (message, { world }) => {
  const order_id = /A\d{4}/.exec(message)?.[0]
  if (order_id === undefined) return "Which order is it? I need its number."
  const found = await world.call("get_order", { order_id })
  const paid = /refund/i.test(message) ? await world.call("refund_order", { order_id, amount: 12.5 }) : null
  return `Order ${order_id}: ${JSON.stringify(found)}${paid === null ? "" : `, refund ${JSON.stringify(paid)}`}.`
}

const chat = Agent.chat(
  async (messages, { world }) => {
    const said = messages.flatMap(({ content, role }) => (role === "user" ? [content] : [])).join(" ")
    const order_id = /A\d{4}/.exec(said)?.[0]
    if (order_id === undefined) return "Which order is it? I need its number."
    return `Order ${order_id}: ${JSON.stringify(await world.call("get_order", { order_id }))}. Anything else?`
  },
  { name: "chat" }
)

const runs: ReadonlyArray<Simulation.InMemory> = [
  { ...desk, agent: lookUp, budget: 8, faultRate: 1, grade: true, reproducible: true },
  {
    ...desk,
    agent: chat,
    mode: "rl",
    repeats: 3,
    budget: 7,
    seeds: ["Where is my order A1002?"],
    grader: (row) => row.final_text.length % 2,
    reproducible: { lookahead: 4 }
  }
]

/** Every row without what two equal runs may differ in. */
export const lines: Effect.Effect<ReadonlyArray<string>, unknown> = Effect.map(
  Effect.forEach(runs, (options) => Simulation.simulate(options)),
  (all) =>
    all.flatMap(({ rows }) =>
      rows.map((row) => {
        const { head, sharedTail } = Row.encodeParts(row)
        return head + sharedTail
      })
    )
)

export const golden = (): ReadonlyArray<string> => readFileSync(file, "utf8").trimEnd().split("\n")

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const now = await Effect.runPromise(lines)
  if (process.argv.includes("--write")) writeFileSync(file, `${now.join("\n")}\n`)
  const kept = golden()
  const wrong = now.findIndex((line, i) => line !== kept[i])
  const same = wrong < 0 && now.length === kept.length
  console.log(`node ${process.version}: ${now.length} rows, ${same ? "as they should be" : `row ${wrong + 1} differs`}`)
  process.exitCode = same ? 0 : 1
}
