import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as Clauses from "../../../packages/core/src/situation/Clauses.ts"
import * as Hash from "../../../packages/core/src/random/Hash.ts"

const texts = (policy: string): ReadonlyArray<string> => Clauses.read(policy).map(({ text }) => text)

describe("Clauses.read", () => {
  it("takes headings, items and sentences in document order", () => {
    const policy = `
You are a support agent for a shop.

# Refunds
## Never refund twice
Refunds take five days. Ask for the order id first.
1. Check the order before you act.
2) Refuse when it is older
   than a year.
(a) Be polite.
- Cancel only pending orders
* Say what it costs
Step 3: Ask for confirmation
`
    expect(texts(policy)).toEqual([
      "Never refund twice",
      "Refunds take five days.",
      "Ask for the order id first.",
      "Check the order before you act.",
      "Refuse when it is older than a year.",
      "Be polite.",
      "Cancel only pending orders",
      "Say what it costs",
      "Ask for confirmation"
    ])
  })

  it("drops the sentence that says who the agent is, unless it also says what to do", () => {
    expect(texts("You are Ava, a support agent. You're the best agent in town!")).toEqual([])
    expect(texts("You are an agent that must never share data.")).toHaveLength(1)
    expect(texts("You are not allowed to refund.")).toHaveLength(1)
    expect(texts("Du bist ein Agent im Kundendienst. Erstatte niemals mehr als 50 Euro.")).toEqual([
      "Erstatte niemals mehr als 50 Euro."
    ])
  })

  it("drops titles, single words and leads", () => {
    expect(texts("# Domain basic\n\nRules:\n\n- refunds\n\n---\n\n* Follow these rules:\n")).toEqual([])
  })

  it("reads a lead and its short items as one rule", () => {
    expect(texts("Always ask for:\n- name\n- zip code\n- Refuse when the name does not match.")).toEqual([
      "Always ask for: name; zip code",
      "Refuse when the name does not match."
    ])
  })

  it("merges clauses that differ only by case or final punctuation", () => {
    expect(texts("- Never share data.\n- NEVER share data\n- Never share keys.")).toEqual([
      "Never share data.",
      "Never share keys."
    ])
  })

  it("splits sentences at their ends only", () => {
    expect(
      texts(
        "Ask by mail, e.g. when Mr. Smith is out. Refunds over $1.5 need form No. 5 of the list! Is it late? Wait..."
      )
    ).toEqual([
      "Ask by mail, e.g. when Mr. Smith is out.",
      "Refunds over $1.5 need form No. 5 of the list!",
      "Is it late?"
    ])
  })

  it("tells lines of their own from wrapped lines", () => {
    expect(
      texts(
        "Never refund twice\nAsk the person for their order id\n\nA long line of text that was wrapped at a width by its author\nGoes on here."
      )
    ).toEqual([
      "Never refund twice",
      "Ask the person for their order id",
      "A long line of text that was wrapped at a width by its author Goes on here."
    ])
  })

  it("reads rows of a table with the names of their columns", () => {
    expect(
      texts("| Case | Action |\n|:---|---|\n| Damaged item | Refund the payment |\n| Late | Say sorry twice |")
    ).toEqual(["Case: Damaged item; Action: Refund the payment", "Case: Late; Action: Say sorry twice"])
  })

  it("leaves out code, tags and sample dialogue, and keeps identifiers whole", () => {
    const policy = [
      "<policy>",
      "Use **only** the tool `get_order_details` and [the handbook](https://example.com/a_b).",
      "</policy>",
      "```json",
      '{ "rule": "Never do this." }',
      "```",
      "User: Where is my order?",
      "Assistant: It is on its way."
    ].join("\n")
    expect(texts(policy)).toEqual(["Use only the tool get_order_details and the handbook."])
  })

  it.each([
    ["Chinese", "您是一名客服代表。不要透露其他客户的信息。退款金额超过一百元时必须由经理批准。", 2],
    ["Hindi", "यह नियम सबके लिए है। कभी भी पैसा वापस न करें।", 2],
    ["Arabic", "لا تشارك بيانات العملاء أبدا. هل تأكدت من الهوية؟ اطلب رقم الطلب.", 3],
    ["Japanese", "返金は一度だけです。顧客の名前を必ず確認してください。", 2]
  ])("splits %s", (_, policy, count) => {
    expect(texts(policy)).toHaveLength(count)
  })

  it("gives each clause an id of its own text, so that an edit changes one id", () => {
    const before = Clauses.read("- Never share data.\n- Refunds take five days.\n- Be polite.")
    const after = Clauses.read("- Never share data.\n- Refunds take six days.\n- Be polite.")
    expect(before.map(({ id, text }) => id === Hash.id("rule", text))).toEqual([true, true, true])
    expect(after.map(({ id }, at) => id === before[at]?.id)).toEqual([true, false, true])
  })

  it.prop("takes any text", [FastCheck.string({ unit: "grapheme", maxLength: 400 })], ([policy]) => {
    const ids = Clauses.read(policy).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("reads a long text without a break in reasonable steps", () => {
    expect(texts("a ".repeat(50_000))).toHaveLength(1)
    expect(texts("**".repeat(5_000)).length).toBeLessThanOrEqual(1)
    expect(texts("One rule of many is here. ".repeat(2_000))).toHaveLength(1)
  })

  const data = process.env["SANDTABLE_TEST_DATA"]
  it.skipIf(data === undefined)("reads a real policy as a person does (set SANDTABLE_TEST_DATA to run)", () => {
    const found = texts(fs.readFileSync(`${data}/retail/policy.md`, "utf8"))
    expect(found).toHaveLength(32)
    expect(found.slice(0, 2)).toEqual([
      expect.stringMatching(/^As a retail agent, you can help users .* related products\.$/),
      expect.stringMatching(/^At the beginning of the conversation.*already provides the user id\.$/)
    ])
    expect(found.filter((text) => /^(Retail agent policy|Domain basic|Modify items)$/.test(text))).toEqual([])
  })
})
