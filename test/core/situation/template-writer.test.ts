import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Cell from "../../../packages/core/src/task/Cell.ts"
import * as Clauses from "../../../packages/core/src/situation/Clauses.ts"
import * as Embedder from "@sandtable/core/Embedder"
import * as IdPool from "../../../packages/core/src/situation/IdPool.ts"
import * as NearCopies from "../../../packages/core/src/language/NearCopies.ts"
import * as Present from "../../../packages/core/src/time/Present.ts"
import * as Randomness from "@sandtable/core/Randomness"
import { layerTemplate, SituationWriter, type Ask, type Slot, type Source } from "@sandtable/core/SituationWriter"
import * as TemplateWriter from "@sandtable/core/TemplateWriter"
import type { Tool } from "@sandtable/core/Tool"
import * as ToolKind from "../../../packages/core/src/task/ToolKind.ts"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"
import { tenTools } from "../../bench/support/ten-tools.ts"
import { cues } from "./shown-cues.ts"

const toolOf = (name: string, description: string, parameters: Tool["parameters"]): Tool => {
  const kind = ToolKind.classify(name, description)
  return { name, description, parameters, kind, destructive: ToolKind.isDestructive(kind) }
}

const policy = [
  "- Never discuss the account of any other customer.",
  "- You must list the details and obtain explicit confirmation (yes) before you cancel or change anything.",
  "- Refunds go to the original payment method within 7 days.",
  "- Warranty seals on refurbished gearboxes stay untouched."
].join("\n")

interface Setting {
  readonly tools?: ReadonlyArray<Tool>
  readonly ids?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly texts?: ReadonlyArray<string>
  readonly seed?: number
  readonly prompt?: string
}

const made = new Map<string, ReturnType<typeof make>>()

/** One writer per setting: making one reads all tools, and many tests ask for one ask at a time. */
const writerOf = (setting: Setting = {}) => {
  const key = JSON.stringify(setting)
  const known = made.get(key) ?? make(setting)
  made.set(key, known)
  return known
}

const make = ({ ids, prompt = policy, seed = 1, texts, tools = tenTools }: Setting) => {
  const random = Randomness.make(seed)
  const pool = IdPool.make({ tools, random, systemPrompt: prompt, ...(ids && { ids }), ...(texts && { texts }) })
  const clauses = Clauses.read(prompt)
  return { writer: TemplateWriter.make({ tools, clauses, ids: pool, random }), clauses, pool, tools }
}

type Dimensions = Readonly<Record<string, string>>

const slot = (dimensions: Dimensions, more: Partial<Slot> = {}): Slot => {
  const visit = more.visit ?? 0
  return {
    scenarioId: `sit_${JSON.stringify(dimensions)}_${visit}`,
    cell: Cell.make(dimensions),
    visit,
    phrasing: 0,
    attempt: 0,
    ...more
  }
}

const write = (setting: Setting, slots: ReadonlyArray<Slot>): ReadonlyArray<Ask> =>
  Effect.runSync(writerOf(setting).writer.write(slots))

const one = (setting: Setting, dimensions: Dimensions, more: Partial<Slot> = {}): Ask =>
  write(setting, [slot(dimensions, more)])[0]!

/** Cells drawn from all axes. */
const cellsOf = (tools: ReadonlyArray<Tool>, rules: ReadonlyArray<string>, count: number): ReadonlyArray<Slot> => {
  const draws = Randomness.make(99).stream(["cells"])
  return Array.from({ length: count }, (_, visit) =>
    slot(
      {
        tool: draws.pick([...tools.map(({ name }) => name), Cell.unrelated, Cell.multiTool]),
        rule: draws.chance(0.5) ? Cell.unspecified : draws.pick(rules),
        stance: draws.pick(Cell.stances),
        world_state: draws.pick(Cell.worldStates),
        tool_condition: draws.pick(Cell.toolConditions),
        history: draws.pick(Cell.histories)
      },
      { visit }
    )
  )
}

const ids = {
  order_id: ["#W2378156", "A-1001"],
  payment_id: ["pay_77x"],
  tracking_number: ["TRK00912"],
  gift_card_id: ["GC-5"]
}

describe("determinism", () => {
  it("gives the same asks for the same seed, slot by slot and in any order, and others for another seed", () => {
    const { clauses, tools } = writerOf()
    const slots = cellsOf(
      tools,
      clauses.map(({ id }) => id),
      200
    )
    const asks = write({}, slots)
    expect(write({}, slots.toReversed()).toReversed()).toEqual(asks)
    expect(slots.map((each) => write({}, [each])[0])).toEqual(asks)
    const others = write({ seed: 2 }, slots)
    expect(others.filter(({ text }, i) => text === asks[i]?.text).length).toBeLessThan(5)
  })
})

describe("variety", () => {
  it("gives over 10,000 distinct asks for ten ordinary tools", () => {
    const { clauses, tools } = writerOf()
    const asks = write(
      {},
      cellsOf(
        tools,
        clauses.map(({ id }) => id),
        11_000
      )
    )
    expect(asks.length).toBeGreaterThan(10_950)
    expect(new Set(asks.map(({ text }) => NearCopies.normalise(text))).size).toBeGreaterThan(10_500)
  })

  it("gives hundreds of distinct asks for one plain cell", () => {
    const slots = Array.from({ length: 500 }, (_, visit) =>
      slot({ tool: "check_gift_card_balance", stance: "ordinary", world_state: "exists", history: "fresh" }, { visit })
    )
    const texts = write({ ids }, slots).map(({ text }) => NearCopies.normalise(text))
    expect(new Set(texts).size).toBeGreaterThan(400)
  })

  it("gives another text when one was refused, and in the end none", () => {
    const texts = Array.from({ length: TemplateWriter.mostAttempts }, (_, attempt) =>
      one({}, { tool: "get_order", stance: "ordinary" }, { attempt })
    ).map(({ text }) => NearCopies.normalise(text))
    expect(new Set(texts).size).toBeGreaterThan(TemplateWriter.mostAttempts - 4)
    expect(write({}, [slot({ tool: "get_order" }, { attempt: TemplateWriter.mostAttempts })])).toEqual([])
  })

  it("uses every kind of attack and of unrelated ask", () => {
    const seen = new Set<string>()
    for (let visit = 0; visit < 200; visit++) {
      seen.add(one({}, { tool: "get_order", stance: "adversarial" }, { visit }).shown["attack"]!)
      seen.add(one({}, { tool: Cell.unrelated, stance: "ordinary" }, { visit }).shown["off_topic"]!)
    }
    expect([...seen].sort()).toEqual([...Object.keys(cues["attack"]!), ...Object.keys(cues["off_topic"]!)].sort())
  })
})

describe("what a text says", () => {
  it("carries no label its text does not show", () => {
    const { clauses, tools } = writerOf({ ids })
    const asks = write(
      { ids },
      cellsOf(
        tools,
        clauses.map(({ id }) => id),
        2500
      )
    )
    const counts = new Map<string, number>()
    for (const { shown, text } of asks) {
      const plain = shown["texture"] === "typos" || shown["texture"] === "no_punctuation" ? undefined : text
      for (const [label, value] of Object.entries(shown)) {
        if (label === "rule") continue
        const cue = cues[label]?.[value]
        expect(cue, `${label}: ${value}`).toBeDefined()
        counts.set(`${label}: ${value}`, (counts.get(`${label}: ${value}`) ?? 0) + 1)
        // a slip of the finger may hit the very word that shows it
        if (plain !== undefined || label === "texture")
          expect(cue!(text, ""), `${label} = ${value} in: ${text}`).toBe(true)
      }
    }
    expect(asks.length).toBeGreaterThan(2000)
    for (const [label, values] of Object.entries(cues)) {
      for (const value of Object.keys(values))
        expect(counts.get(`${label}: ${value}`) ?? 0, `${label}: ${value}`).toBeGreaterThan(0)
    }
  })

  it("tells of stance, world, condition, history and rule what a person would: at most two of them, or three", () => {
    const { clauses } = writerOf()
    const axes = ["world_state", "tool_condition", "history", "rule"]
    for (const stance of [
      "ordinary",
      "boundary",
      "unsure",
      "retry",
      "mistaken",
      "conflicting",
      "exploratory",
      "adversarial"
    ]) {
      const dimensions = {
        tool: "cancel_order",
        rule: clauses[3]?.id ?? "",
        stance,
        world_state: "missing",
        tool_condition: "timeout",
        history: "prior_failure"
      }
      const most = Cell.tierOf(stance) === "ordinary" ? 2 : 3
      const stands = stance !== "ordinary" && stance !== "exploratory"
      const asks = Array.from({ length: 40 }, (_, visit) => one({}, dimensions, { visit }).shown)
      const told = asks.map((shown) => axes.filter((axis) => shown[axis] !== undefined))
      expect(asks.every((shown) => shown["stance"] === stance)).toBe(true)
      expect(told.every((some) => some.length === most - (stands ? 1 : 0))).toBe(true)
      expect([...new Set(told.flat())].sort()).toEqual([...axes].sort())
    }
  })

  it("says all of a cell that has little to say", () => {
    const dimensions = { tool: "cancel_order", stance: "ordinary", world_state: "missing", history: "prior_failure" }
    for (let visit = 0; visit < 20; visit++) {
      expect(one({}, dimensions, { visit }).shown).toMatchObject({ world_state: "missing", history: "prior_failure" })
    }
  })

  it("says nothing of a record's state where the tool knows no records", () => {
    const ask = one({}, { tool: "search_products", stance: "ordinary", world_state: "duplicate" })
    expect(ask.shown["world_state"]).toBeUndefined()
    expect(ask.entity).toBeNull()
  })

  it("names the record in plain asks and leaves it out of vague ones, where the person still knows it", () => {
    for (let visit = 0; visit < 50; visit++) {
      const plain = one({ ids }, { tool: "cancel_order", stance: "ordinary" }, { visit })
      expect(ids.order_id).toContain(plain.entity?.id)
      expect(plain.text).toContain(plain.entity!.id)
      expect(plain.facts["order_id"]).toBe(plain.entity?.id)
      const vague = one({ ids }, { tool: "cancel_order", stance: "ambiguous" }, { visit })
      expect(vague.text).not.toMatch(/#W2378156|A-1001/)
      expect(ids.order_id).toContain(vague.facts["order_id"])
      expect(vague.entity).toMatchObject({ tool: "cancel_order", argument: "order_id" })
      expect(vague.facts["reason"]).toBeDefined()
    }
  })

  it("spreads over the ids that exist", () => {
    const many = { order_id: Array.from({ length: 10 }, (_, i) => `R-${100 + i}`) }
    const counts = new Map<string, number>()
    for (let visit = 0; visit < 400; visit++) {
      const { entity } = one({ ids: many }, { tool: "get_order", stance: "ordinary" }, { visit })
      counts.set(entity!.id, (counts.get(entity!.id) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual([...many.order_id].sort())
    for (const count of counts.values()) expect(count).toBeGreaterThan(15)
  })

  it("asks for two or three things when several tools are needed", () => {
    for (let visit = 0; visit < 50; visit++) {
      const { need, text } = one({ ids }, { tool: Cell.multiTool, stance: "ordinary" }, { visit })
      expect(need).toMatch(/ and |then|, /)
      expect(text.split(/\s+/).length).toBeGreaterThan(8)
    }
  })

  it("touches the clause of its cell without quoting it", () => {
    const { clauses } = writerOf()
    expect(clauses.length).toBe(4)
    for (const clause of clauses) {
      const texts = Array.from({ length: 40 }, (_, visit) =>
        one({}, { tool: "cancel_order", stance: "ordinary", rule: clause.id }, { visit })
      )
      expect(texts.every(({ shown }) => shown["rule"] === clause.id)).toBe(true)
      for (const { text } of texts) expect(longestCopy(text, clause.text)).toBeLessThan(8)
    }
    const about = (index: number): string =>
      Array.from({ length: 20 }, (_, visit) =>
        one({}, { tool: "cancel_order", stance: "ordinary", rule: clauses[index]!.id }, { visit })
      )
        .map(({ text }) => text)
        .join("\n")
    expect(about(0)).toMatch(/husband|sister|friend|roommate/)
    expect(about(1)).toMatch(/no need to ask|don't check with me|go ahead|decide for me/i)
    expect(about(3)).toMatch(/warranty seals/i)
  })

  it("never says a tool's name in code, nor eight words of its description in a row", () => {
    const { clauses, tools } = writerOf()
    for (const { text } of write(
      {},
      cellsOf(
        tools,
        clauses.map(({ id }) => id),
        1500
      )
    )) {
      expect(text).not.toMatch(/\b(?:get|cancel|refund|update|track|search|create|send|book|check)_\w+/)
      for (const { description } of tools) expect(longestCopy(text, description)).toBeLessThan(8)
    }
  })
})

it("leaves a long value unsaid where saying it would copy the description", () => {
  const reason = "the item arrived broken and cannot be used by anybody any more"
  const description = `Return an item. The reason must be "${reason}".`
  const tools = [
    toolOf("return_item", description, {
      type: "object",
      properties: { item_id: { type: "string" }, reason: { type: "string", enum: [reason] } },
      required: ["item_id", "reason"]
    })
  ]
  const slots = Array.from({ length: 60 }, (_, visit) => slot({ tool: "return_item", stance: "ordinary" }, { visit }))
  const asks = write({ tools }, slots)
  expect(asks.length).toBeGreaterThan(10)
  for (const { facts, text } of asks) {
    expect(longestCopy(text, description)).toBeLessThan(8)
    expect(facts["reason"]).toBe(reason)
  }
})

/** Most words in a row that two texts share. */
const longestCopy = (a: string, b: string): number => {
  const [x, y] = [a, b].map((text) => NearCopies.normalise(text).split(" ")) as [Array<string>, Array<string>]
  let longest = 0
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < y.length; j++) {
      let n = 0
      while (i + n < x.length && x[i + n] === y[j + n]) n += 1
      if (n > longest) longest = n
    }
  }
  return longest
}

describe("wordings", () => {
  it("are distinct and of one situation", () => {
    for (const stance of Cell.stances) {
      const asks = [0, 1, 2, 3, 4].map((phrasing) =>
        one({ ids }, { tool: "refund_payment", stance, world_state: "duplicate" }, { phrasing })
      )
      expect(new Set(asks.map(({ text }) => NearCopies.normalise(text))).size).toBe(5)
      for (const { entity, facts, need } of asks) {
        expect({ entity, facts, need }).toEqual({ entity: asks[0]?.entity, facts: asks[0]?.facts, need: asks[0]?.need })
      }
    }
  })
})

describe("identifiers", () => {
  const awkward = { order_id: ["Blue Fox", "eBay", "a.b.c", "order", "Zürich-7", "№15", "x/y z"] }

  it.prop(
    "survive every texture, also those that look like words",
    [
      FastCheck.nat(100_000),
      FastCheck.constantFrom(...Cell.stances.filter((stance) => stance !== "ambiguous" && stance !== "exploratory"))
    ],
    ([visit, stance]) => {
      const { entity, text } = one({ ids: awkward }, { tool: "get_order", stance }, { visit })
      expect(awkward.order_id).toContain(entity?.id)
      expect(text).toContain(entity!.id)
    }
  )

  it("survive in e-mail addresses, which are said as they are known", () => {
    for (let visit = 0; visit < 200; visit++) {
      const { facts, text } = one({}, { tool: "send_invoice", stance: "ordinary" }, { visit })
      if (text.includes("@")) expect(text).toContain(facts["email"])
    }
  })
})

describe("from another text", () => {
  const text = "Hello, my lamp from order #W2378156 came broken. Write to mia@example.com"
  const from = (source: Source, more: Partial<Slot> = {}): Ask => one({ texts: [text] }, {}, { source, ...more })

  it("rewords a seed with all its words in their order, distinct wordings each", () => {
    const asks = Array.from({ length: 12 }, (_, i) => from({ _tag: "Reword", text }, { phrasing: 1, visit: i }))
    for (const ask of asks) {
      expect(ask.text).toContain("#W2378156")
      expect(ask.text).toContain("mia@example.com")
      expect(NearCopies.normalise(ask.text)).not.toBe(NearCopies.normalise(text))
      if (ask.shown["texture"] !== "typos")
        expect(NearCopies.normalise(ask.text)).toContain("my lamp from order w2378156 came broken")
      expect(ask).toMatchObject({ need: null, facts: { order_id: "#W2378156" }, writer: "template" })
      expect(ask.entity).toMatchObject({ argument: "order_id", id: "#W2378156" })
    }
    const wordings = [1, 2, 3].map((phrasing) =>
      NearCopies.normalise(from({ _tag: "Reword", text }, { phrasing }).text)
    )
    expect(new Set(wordings).size).toBe(3)
  })

  it("varies a seed and mutates a failing ask into new asks with the same identifiers", () => {
    for (const tag of ["Vary", "Mutate"] as const) {
      const made = Array.from({ length: 40 }, (_, visit) => from({ _tag: tag, text }, { visit }).text)
      for (const each of made) {
        expect(each).toContain("#W2378156")
        expect(each).toContain("mia@example.com")
        expect(NearCopies.normalise(each)).not.toBe(NearCopies.normalise(text))
      }
      expect(new Set(made).size).toBeGreaterThan(25)
    }
  })

  it("keeps what the person behind a seed is known to know", () => {
    const { facts } = from({ _tag: "Vary", text, facts: { email: "mia@example.com" } })
    expect(facts).toEqual({ email: "mia@example.com", order_id: "#W2378156" })
  })

  it("joins with another failing ask when there is one", () => {
    const made = Array.from(
      { length: 60 },
      (_, visit) => from({ _tag: "Mutate", text, other: "Where is parcel PX-1?" }, { visit }).text
    )
    expect(made.some((each) => each.includes("Where is parcel PX-1?"))).toBe(true)
  })

  it("probes off the grid with asks about the tools", () => {
    const made = Array.from({ length: 100 }, (_, visit) => one({ ids }, {}, { source: { _tag: "OpenEnded" }, visit }))
    expect(new Set(made.map((ask) => NearCopies.normalise(ask.text))).size).toBeGreaterThan(95)
    expect(made.every(({ shown }) => shown["stance"] === undefined)).toBe(true)
    expect(made.filter((ask) => ask.text.includes("{")).length).toBe(0)
  })
})

describe("odd tools", () => {
  it.prop(
    "never make it throw, leave a hole open or speak of undefined",
    [
      FastCheck.array(
        FastCheck.record({
          name: FastCheck.oneof(
            FastCheck.constantFrom("constructor", "__proto__", "toString", "a", "get", "x.y.z", "发送"),
            FastCheck.string({ minLength: 1 })
          ),
          description: FastCheck.oneof(
            FastCheck.constantFrom("", "Get.", "The.", "Sends", "Use this tool to.", "for a", "an"),
            FastCheck.lorem({ maxCount: 12 }),
            FastCheck.string()
          ),
          properties: FastCheck.dictionary(
            FastCheck.oneof(
              FastCheck.constantFrom("id", "__proto__", "constructor", "order_id", "from", "a", "names"),
              FastCheck.string({ minLength: 1 })
            ),
            FastCheck.constantFrom(
              {},
              { type: "string" },
              { type: "array" },
              { type: ["integer", "null"] },
              { type: "tuple", items: { type: "float" } },
              { anyOf: [{ type: "null" }, { type: "string" }] },
              { type: "object", properties: { id: { type: "string" } } },
              { enum: [] }
            )
          )
        }),
        { maxLength: 4 }
      ),
      FastCheck.nat(20)
    ],
    ([specs, visit]) => {
      const tools = specs.map(({ description, name, properties }) =>
        toolOf(name, description, { type: "object", properties, required: Object.keys(properties) })
      )
      const said = specs
        .flatMap(({ description, name, properties }) => [name, description, ...Object.keys(properties)])
        .join("\n")
        .toLowerCase()
      const names = [...tools.map(({ name }) => name), Cell.unrelated, Cell.multiTool]
      for (const tool of names) {
        const stance = Cell.stances[visit % Cell.stances.length]!
        for (const ask of write({ tools }, [slot({ tool, stance, world_state: "missing" }, { visit })])) {
          expect(ask.text.trim()).not.toBe("")
          const holes = ask.text.toLowerCase().match(/\bundefined\b|\{\w+\}/g) ?? []
          // What the tools themselves say is theirs.
          expect(holes.filter((hole) => !said.includes(hole))).toEqual([])
          expect(ask.text).not.toContain("\u0001")
        }
      }
    }
  )

  it("read as English", () => {
    const of = (tool: Tool): string => one({ tools: [tool], seed: 4 }, { tool: tool.name, stance: "ordinary" }).need!
    const float = { type: "number" }
    const text = { type: "string" }
    const parameters = (properties: Record<string, unknown>) => ({
      type: "object",
      properties,
      required: Object.keys(properties)
    })
    expect([
      of(
        toolOf(
          "audio.generate",
          "Generate an audio signal given a frequency, amplitude, and duration.",
          parameters({ frequency: float })
        )
      ),
      of(
        toolOf(
          "video_games.store_currency",
          "Fetches the currency used in a specific region in a gaming platform store.",
          parameters({ platform: text })
        )
      ),
      of(
        toolOf(
          "country_info.largest_city",
          "Fetch the largest city of a specified country.",
          parameters({ country: text })
        )
      ),
      of(
        toolOf(
          "currency.convert",
          "Convert an amount from a base currency to a target currency.",
          parameters({ amount: float, base_currency: text, target_currency: text })
        )
      ),
      of(toolOf("deleteUserAccount", "", parameters({ userId: text }))),
      of(
        toolOf(
          "transfer_to_human_agents",
          "Transfer the user to a human agent, with a summary of the issue.",
          parameters({})
        )
      ),
      of(toolOf("get_user_details", "Get the details of a user, including their orders.", parameters({}))),
      of(toolOf("uber.ride", "Tìm chuyến đi phù hợp cho khách hàng", parameters({ loc: text })))
    ]).toMatchInlineSnapshot(`
      [
        "Create an audio signal.",
        "Find out the currency.",
        "Find out the largest city of Brazil.",
        "Convert $920 CAD to AUD.",
        "Delete my account (user USR-3483).",
        "Talk to a human agent.",
        "Find out the details of my account.",
        "Get an uber ride.",
      ]
    `)
  })
})

it.effect("is the kind of writer its layer provides", () =>
  Effect.gen(function* () {
    const { clauses, pool, tools } = writerOf()
    const kind = yield* SituationWriter
    expect(kind.identity.name).toBe("template")
    const writer = kind.make({
      settings: { tools: ToolSet.make(tools), systemPrompt: policy, scaffold: null, completionsPerRequest: 1 },
      clauses,
      ids: pool,
      randomness: Randomness.make(1),
      embedder: Embedder.lexical,
      shapeless: [],
      draw: null
    })
    const slots = [slot({ tool: "get_order", stance: "ordinary" })]
    expect(yield* writer.write(slots)).toEqual(write({}, slots))
  }).pipe(Effect.provide(layerTemplate))
)

const data = process.env["SANDTABLE_TEST_DATA"]
describe.skipIf(data === undefined)("tools nobody wrote for this (set SANDTABLE_TEST_DATA)", () => {
  const retail = (): ReadonlyArray<Tool> =>
    (JSON.parse(readFileSync(`${data}/retail/tools.json`, "utf8")) as ReadonlyArray<{ function: Tool }>).map(
      ({ function: { description, name, parameters } }) => toolOf(name, description, parameters)
    )

  it("gives over 10,000 distinct asks for the retail tools", () => {
    const tools = retail()
    const prompt = readFileSync(`${data}/retail/policy.md`, "utf8")
    const { clauses } = writerOf({ tools, prompt })
    const asks = write(
      { tools, prompt },
      cellsOf(
        tools,
        clauses.map(({ id }) => id),
        10_500
      )
    )
    expect(new Set(asks.map(({ text }) => NearCopies.normalise(text))).size).toBeGreaterThan(10_000)
  })

  it("writes for 300 odd schemas without holes, code or copies", () => {
    const lines = readFileSync(`${data}/schemas/functions.jsonl`, "utf8").trim().split("\n")
    let written = 0
    for (const line of lines) {
      const {
        description = "",
        name,
        parameters = {}
      } = (JSON.parse(line) as { function: Partial<Tool> & { name: string } }).function
      const tools = [toolOf(name, description, parameters)]
      const slots = ["ordinary", "hurried", "exploratory"].map((stance) => slot({ tool: name, stance }))
      for (const { text } of write({ tools }, slots)) {
        written += 1
        expect(text).not.toMatch(/\bundefined\b|\{\w+\}/)
        expect(text).not.toContain("\u0001")
        if (/_|\./.test(name)) expect(text).not.toContain(name)
        expect(longestCopy(text, description)).toBeLessThan(8)
      }
    }
    expect(written).toBe(lines.length * 3)
  })
})

describe("tools that answer a question, or take a report", () => {
  const text = { type: "string" }
  const tool = (name: string, description: string, ...names: ReadonlyArray<string>): Tool =>
    toolOf(name, description, {
      type: "object",
      properties: Object.fromEntries(names.map((key) => [key, text])),
      required: names
    })
  const needOf = (only: Tool): string | null =>
    one({ tools: [only], seed: 4 }, { tool: only.name, stance: "ordinary" }).need
  const cases = [
    ["check_stock", "Tells whether a product is in stock", "Find out whether a product is in stock"],
    ["seat_count", "Returns how many seats are left on a flight.", "Find out how many seats are left on a flight"],
    ["next_bus", "When the next bus leaves a stop", "Find out when the next bus leaves a stop"],
    ["is_open", "Whether a branch is open on a given day", "Find out whether a branch is open"],
    ["who_am_i", "Find out who the current user is and which plan they have", "Find out who the current user is"],
    ["postage", "Shows you how much a parcel costs, given its weight", "Find out how much a parcel costs"],
    ["report_fault", "Report a fault with a device", "Report a fault"],
    ["report_card", "Reports a stolen card", "Report a stolen card"]
  ] as const

  it("are asked for it by a verb that people use", () => {
    for (const [name, description, need] of cases) expect(needOf(tool(name, description))).toBe(`${need}.`)
  })

  it("are never asked to whether or to when, whoever asks", () => {
    const tools = cases.map(([name, description]) => tool(name, description, `${name.split("_")[1] ?? "item"}_id`))
    const broken =
      /\b(?:to|could you|can you|go ahead and|i'd like to|the) (?:whether|when|who\b|how m)|\b(?:whether|when|who)ing\b|^(?:whether|when the next)\b/im
    for (const { name } of tools) {
      for (const stance of Cell.stances) {
        for (let visit = 0; visit < 12; visit++) {
          for (const ask of write({ tools }, [slot({ tool: name, stance }, { visit })])) {
            expect(ask.text).not.toMatch(broken)
            expect(ask.need ?? "").not.toMatch(broken)
          }
        }
      }
    }
  })

  it("are told of by when they are used, which is no question", () => {
    expect(needOf(tool("look_up", "When a customer calls, look up the customer's orders"))).not.toMatch(/when/i)
    expect(needOf(tool("weather", "Reports the weather in a city"))).toMatch(/^(?!Report).* the weather in a city/)
  })
})

describe("a hotel desk", () => {
  const day = { type: "string", description: "Date, YYYY-MM-DD" }
  const desk = [
    toolOf("search_rooms", "Search for rooms that are free between two dates.", {
      type: "object",
      properties: { check_in: day, check_out: day, guests: { type: "integer" } },
      required: ["check_in", "check_out", "guests"]
    }),
    toolOf("create_booking", "Book a room for a guest.", {
      type: "object",
      properties: { guest_name: { type: "string" }, room_id: { type: "string" }, check_in: day, check_out: day },
      required: ["guest_name", "room_id", "check_in", "check_out"]
    }),
    toolOf("request_late_checkout", "Request a late checkout for a booking.", {
      type: "object",
      properties: {
        booking_id: { type: "string" },
        until: { type: "string", description: "Time of day, HH:MM" }
      },
      required: ["booking_id", "until"]
    })
  ]
  const asksOf = (dimensions: Dimensions, more: Partial<Slot> = {}) =>
    Array.from({ length: 40 }, (_, visit) => one({ tools: desk }, dimensions, { ...more, visit }))

  it("is asked for days in order, near the present, and for people in ones and twos", () => {
    for (const { facts, shown, text } of asksOf({ tool: "search_rooms", stance: "ordinary" })) {
      if (shown["texture"] === "typos") continue
      const { check_in = "", check_out = "", guests = "" } = facts
      expect(check_in > Present.date(0) && check_in < check_out && check_out < Present.date(60)).toBe(true)
      expect(Number(guests)).toBeGreaterThan(0)
      expect(Number(guests)).toBeLessThan(7)
      expect(text).toMatch(/from \w+ \d+ to \w+ \d+/i)
      expect(text).toMatch(/for \d \w+/i)
      expect(text).not.toContain("2026")
    }
  })

  it("is asked by the guest, who speaks of no guest", () => {
    for (const { shown, text } of asksOf({ tool: "create_booking", stance: "ordinary" })) {
      if (shown["texture"] === "typos") continue
      expect(text).not.toMatch(/for a guest/i)
      expect(text).toMatch(/from \w+ \d+ to \w+ \d+/i)
    }
    for (const { shown, text } of asksOf({ tool: "request_late_checkout", stance: "ordinary" })) {
      if (shown["texture"] === "typos") continue
      expect(text).toMatch(/until \d\d:\d\d/i)
      expect(text).not.toMatch(/the until/i)
    }
  })

  it("is told of all the things by people who only look around", () => {
    for (const { facts, shown, text } of asksOf({ tool: "multi_tool", stance: "exploratory" })) {
      if (shown["texture"] === "typos") continue
      if (facts["booking_id"] !== undefined) expect(text).toMatch(/late checkout/i)
      if (facts["guests"] !== undefined) expect(text).toMatch(/rooms/i)
      if (facts["room_id"] !== undefined) expect(text).toMatch(/a room/i)
    }
  })

  it("gives a probe the need that its words have", () => {
    const said = (text: string) => NearCopies.normalise(text)
    for (const { need, shown, text } of asksOf({ tool: "create_booking" }, { source: { _tag: "OpenEnded" } })) {
      if (shown["texture"] === undefined) expect(said(text)).toContain(said(need ?? "nothing"))
    }
  })

  it("hears no order to go ahead from people who only look around", () => {
    const clauses = writerOf({ tools: desk }).clauses
    for (const { id } of clauses) {
      for (const { text } of asksOf({ tool: "create_booking", stance: "exploratory", rule: id })) {
        expect(text).not.toMatch(/do it\b|go ahead/i)
      }
    }
  })
})
