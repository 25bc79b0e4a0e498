import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import * as Evaluation from "@sandtable/core/Evaluation"
import * as Grader from "@sandtable/core/Grader"
import * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as TaskFile from "../../../packages/core/src/situation/TaskFile.ts"
import * as Effect from "effect/Effect"
import * as NodeFs from "node:fs"

const bench = {
  annotator: "a",
  user_id: "noor_weber_4411",
  instruction:
    "You are Noor Weber in 55012. You received your order #W77001 and wish to exchange the kettle for a bigger one. If the agent asks for confirmation, say yes. You are brief, and polite. You don't want to reveal your e-mail.",
  actions: [
    { name: "find_user", kwargs: { first_name: "Noor", last_name: "Weber", zip: "55012" } },
    { name: "exchange_item", arguments: { order_id: "#W77001", item_id: "9911", payment: "gift_card_1" } }
  ],
  outputs: ["12.50", 3]
}

const tau2 = {
  id: "0",
  description: { purpose: "..." },
  user_scenario: {
    persona: "You speak slowly.",
    instructions: {
      domain: "airline",
      reason_for_call: "You want to cancel reservation QK7ZP1.\n\nIt may be more than 24 hours after booking.",
      known_info: "You are Ada Kim.\nYour user id is ada_kim_2201. Your email is ada@example.com.",
      unknown_info: "You do not remember the flight number.",
      task_instructions: "If the agent refuses, insist once."
    }
  },
  initial_state: null,
  evaluation_criteria: {
    actions: [
      { action_id: "0_0", name: "get_reservation", arguments: { reservation_id: "QK7ZP1" } },
      { action_id: "0_1", requestor: "user", name: "toggle_data", arguments: {} },
      {
        action_id: "0_2",
        name: "cancel_reservation",
        arguments: { reservation_id: "QK7ZP1", note: "n" },
        compare_args: ["reservation_id"]
      }
    ],
    communicate_info: ["327"],
    nl_assertions: ["Agent is kind."]
  }
}

describe("tasks of other makers", () => {
  it("come in a list, or in a file with something around the list", async () => {
    const file = { timestamp: "2025-06-01", tasks: [tau2, bench] }
    expect(TaskFile.listed(file)).toBe(file.tasks)
    for (const other of [{ tasks: [] }, { tasks: [{ prompt: "An ask of ours" }] }, [tau2], "words", null]) {
      expect(TaskFile.listed(other)).toBe(other)
    }
    const data = await Effect.runPromise(
      Simulation.simulate({ agent: () => "One moment.", seeds: file as never, budget: 2, simulator: false })
    )
    expect(data.rows.map(({ prompt }) => prompt).sort()).toEqual(
      [tau2, bench].map((task) => TaskFile.seedOf(task).prompt).sort()
    )
  })

  it("say of a task what is not read of it", async () => {
    expect(TaskFile.unreadIn(tau2)).toEqual(["nl_assertions"])
    expect(TaskFile.unreadIn(bench)).toEqual([])
    const set = { ...tau2, initial_state: { initialization_data: { agent_data: { users: {} } } } }
    expect(TaskFile.unreadIn(set)).toEqual(["initial_state", "nl_assertions"])
    const preview = await Effect.runPromise(
      Simulation.simulate({ agent: () => "One moment.", seeds: [set, bench], budget: 2, simulator: false })
    )
    expect(preview.warnings).toContainEqual(
      expect.objectContaining({
        code: "task_parts_unread",
        message: expect.stringMatching(/1 of 2 tasks .*initial_state.*nl_assertions/)
      })
    )
  })

  it("of tau-bench are an ask in the person's words, what they know, and what is expected", () => {
    expect(TaskFile.seedOf(bench)).toEqual({
      prompt: "I received my order #W77001 and wish to exchange the kettle for a bigger one.",
      plan: {
        need: "I received my order #W77001 and wish to exchange the kettle for a bigger one.",
        facts: { first_name: "Noor", last_name: "Weber", zip: "55012", order_id: "#W77001", name: "Noor Weber" },
        traits: {
          manner: "You are brief, and polite.",
          rules: "If the agent asks for confirmation, say yes. You don't want to reveal your e-mail."
        }
      },
      expected: {
        writes: [
          { tool: "find_user", arguments: { first_name: "Noor", last_name: "Weber", zip: "55012" } },
          { tool: "exchange_item", arguments: { order_id: "#W77001", item_id: "9911", payment: "gift_card_1" } }
        ],
        tells: ["12.50", "3"]
      }
    })
  })

  it("of tau2 too, whose actions may be the person's and whose arguments may not all matter", () => {
    expect(TaskFile.seedOf(tau2)).toEqual({
      id: "0",
      prompt: "I want to cancel reservation QK7ZP1.",
      plan: {
        need: "I want to cancel reservation QK7ZP1. It may be more than 24 hours after booking.",
        facts: {
          reservation_id: "QK7ZP1",
          name: "Ada Kim",
          user_id: "ada_kim_2201",
          email: "ada@example.com"
        },
        traits: {
          manner: "You speak slowly.",
          rules: "If the agent refuses, insist once.",
          unknown: "You do not remember the flight number."
        }
      },
      expected: {
        writes: [
          { tool: "get_reservation", arguments: { reservation_id: "QK7ZP1" } },
          { tool: "cancel_reservation", arguments: { reservation_id: "QK7ZP1" } }
        ],
        tells: ["327"]
      }
    })
  })

  it("may leave out what they like, and are told from asks of our own", () => {
    expect(TaskFile.seedOf({ instruction: "You want a refund." })).toEqual({
      prompt: "I want a refund.",
      plan: { need: "I want a refund.", facts: {}, traits: {} },
      expected: {}
    })
    expect(TaskFile.seedOf({ id: 7, user_scenario: { instructions: "You want a refund." } })).toMatchObject({ id: "7" })
    expect(TaskFile.seedOf({ instruction: "You want a refund.", actions: [] }).expected).toEqual({ writes: [] })
    for (const other of ["You want a refund.", { prompt: "Hi", instruction: "You want it." }, { instruction: " " }])
      expect(TaskFile.isTask(other)).toBe(false)
    expect(TaskFile.isTask({ instruction: "You want it.", actions: [{ tool: 1 }] })).toBe(false)
  })

  it("say in the first person what was said of them", () => {
    const opening = (instruction: string): string => TaskFile.seedOf({ instruction }).prompt
    const said: ReadonlyArray<readonly [string, string]> = [
      ["You are li_wu_1203 (zip code 10001) and you want to return your lamp.", "I want to return my lamp."],
      [
        "Your name is Eva Roth. You're in a hurry. You want them to send you a new one.",
        "I am in a hurry. I want them to send me a new one."
      ],
      ["You name is Eva Roth. You wonder if the agent can help you.", "I wonder if you can help me."],
      [
        "You want to cancel the grill, but if the agent asks you to confirm, you keep it.",
        "I want to cancel the grill."
      ],
      [
        "You were charged twice and are angry. You want your money back.",
        "I was charged twice and am angry. I want my money back."
      ],
      [
        "You want to see for yourself what you paid (do not mention the amount).",
        "I want to see for myself what I paid."
      ]
    ]
    for (const [instruction, expected] of said) expect(opening(instruction)).toBe(expected)
  })
})

const tools = [
  {
    name: "find_user",
    description: "Find a user",
    parameters: { first_name: { type: "string" }, zip: { type: "string" } }
  },
  {
    name: "exchange_item",
    description: "Exchange an item of an order",
    parameters: { order_id: { type: "string" }, item_id: { type: "string" } }
  }
]

describe("a run with such tasks", () => {
  const heard: Array<unknown> = []
  const grader = Grader.make({
    name: "expects",
    grade: (_row, { privileged }) => {
      heard.push(privileged)
      return Effect.succeed(privileged.expected?.writes?.length === 1)
    }
  })
  const agent = Agent.chat((messages) =>
    messages.filter(({ role }) => role === "assistant").length === 0
      ? "Sure. What is your zip code?"
      : "Thank you, that is all I need. Goodbye!"
  )

  it.effect("lets the person say, want and know what the scenario says; what is expected reaches graders alone", () =>
    Effect.gen(function* () {
      heard.length = 0
      const { rows } = yield* Simulation.simulate({
        agent,
        tools,
        seeds: [bench, "Where is my lamp?"],
        situations: 2,
        simulator: false,
        grader
      })
      const row = rows.find((each) => each.prompt.includes("kettle"))
      expect(row).toMatchObject({
        prompt: "I received my order #W77001 and wish to exchange the kettle for a bigger one.",
        plan: { facts: { zip: "55012", order_id: "#W77001" } },
        reward: 1
      })
      expect(row?.steps.map((step) => ("user" in step ? step.user : null))).toContain("My zip is 55012.")
      // The lookup is left out: the tools say that it writes nothing.
      expect(heard).toContainEqual({
        expected: { writes: [{ tool: "exchange_item", arguments: bench.actions[1]?.arguments }], tells: ["12.50", "3"] }
      })
      expect(rows.map(Row.encode).join("")).not.toMatch(/gift_card_1|12\.50/)
    })
  )

  it.effect("takes them as a list to measure by, run or held against rows", () =>
    Effect.gen(function* () {
      heard.length = 0
      const evalSet = [bench, { ...tau2, id: "cancel" }]
      const evaluated = yield* Evaluation.run({ agent, tools, evalSet, grader })
      expect(evaluated.asks.map(({ ask, id, pass_share }) => [id, ask, pass_share])).toEqual([
        [null, "I received my order #W77001 and wish to exchange the kettle for a bigger one.", 1],
        ["cancel", "I want to cancel reservation QK7ZP1.", 0]
      ])
      heard.length = 0
      const again = yield* Evaluation.evaluate({ rows: evaluated.rows, evalSet, grader })
      expect([again.totals.asks_ran, again.totals.other_rows]).toEqual([2, 0])
      expect(heard).toContainEqual({ expected: TaskFile.seedOf(tau2).expected })
    })
  )

  it.effect("refuses what is neither an ask nor a task", () =>
    Effect.gen(function* () {
      const seeds = [{ scenario: "You want it." }] as never
      const { issues } = yield* Effect.flip(Simulation.simulate({ agent, seeds, simulator: false })).pipe(
        Effect.map((error) => ("issues" in error ? error : { issues: [] }))
      )
      expect(issues.map(({ option }) => option)).toContain("seeds[0].scenario")
    })
  )
})

const data = process.env["SANDTABLE_TEST_DATA"]
const goals = `${data}/retail/user-goals.json`
const here = data !== undefined && NodeFs.existsSync(goals)

describe("115 recorded scenarios", () => {
  it.skipIf(!here)("open with what the person wants, in their own words and without who or how they are", () => {
    const instructions = JSON.parse(NodeFs.readFileSync(goals, "utf8")) as ReadonlyArray<string>
    const asks = instructions.map((instruction) => TaskFile.seedOf({ instruction }))
    const odd = asks.filter(
      ({ prompt }) => /\b(?:you are|your name|yourself|zip code)\b/i.test(prompt) || !/\b(?:I|my)\b/.test(prompt)
    )
    // Three are lists of orders to an agent and speak of nobody.
    expect(odd.length).toBeLessThanOrEqual(6)
    expect(asks.filter(({ prompt }) => /@|\breveal\b|\bif the agent\b/i.test(prompt))).toEqual([])
    expect(asks.filter(({ plan }) => Object.keys(plan.facts).length > 0).length).toBeGreaterThanOrEqual(112)
    expect(asks.every(({ plan }) => (plan.need ?? "") !== "")).toBe(true)
  })
})
