import { describe, expect, it } from "@effect/vitest"
import * as Decontaminate from "../../../packages/core/src/select/Decontaminate.ts"
import * as Embedder from "@sandtable/core/Embedder"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { anyRows, rollout, shuffled } from "./rollouts.ts"

const ask = (name: string, prompt: string, fields = {}) => rollout(name, 0, { prompt, ...fields })

const take = (
  rows: ReadonlyArray<ReturnType<typeof ask>>,
  against: Decontaminate.Against,
  options?: Decontaminate.Options
): Decontaminate.Decontaminated => Effect.runSync(Decontaminate.decontaminate(rows, against, options))

const rule = ({ report }: Decontaminate.Decontaminated, name: Decontaminate.RuleName): Decontaminate.Rule => {
  const found = report.rules.find((one) => one.rule === name)
  if (found === undefined) throw new Error(`no rule ${name}`)
  return found
}

const long = "I would like to return the blue kettle that I bought last month because the lid does not close"

describe("decontamination", () => {
  it("takes rows of the same situation or task, whatever the words", () => {
    const result = take(
      [ask("a", "One thing", { scenario_id: "s1" }), ask("b", "Another thing"), ask("c", "A third thing")],
      [
        { scenario_id: "s1", prompt: "x" },
        { task_id: "b", prompt: "y" }
      ]
    )
    expect(result.rows.map((row) => row.task_id)).toEqual(["c"])
    expect(rule(result, "same_task")).toMatchObject({ status: "ran", rows: 2 })
  })

  it("takes the same words up to case and punctuation, and asks alone are enough to hold against", () => {
    const result = take([ask("a", "Where is my ORDER?"), ask("b", "Where is it?")], ["where is my order"])
    expect(result.rows.map((row) => row.task_id)).toEqual(["b"])
    expect(rule(result, "exact").rows).toBe(1)
    expect(rule(result, "same_task")).toMatchObject({ status: "not_run", why: "the other set names no tasks" })
  })

  it("takes asks that hold four fifths of one text, whatever stands around it, and pieces of one", () => {
    const copied = `${long} at all`
    const half = `${long.split(" ").slice(0, 12).join(" ")} it is simply not what I had hoped it would turn out to be`
    const result = take([ask("copied", copied), ask("half", half), ask("short", "Return the kettle")], [long])
    expect(result.rows.map((row) => row.task_id)).toEqual(["half", "short"])
    expect(rule(result, "n_gram")).toMatchObject({ status: "partly", rows: 1 })
    expect(rule(result, "n_gram").why).toContain("1 of 3 rows")
    expect(take([ask("half", half)], [long], { coverage: 0.2 }).rows).toEqual([])
    expect(take([ask("piece", half.split(" ").slice(2, 11).join(" "))], [long]).rows).toEqual([])
    // It has enough of neither, though of both together.
    const parts = ["I need it by noon.", "My sister has one."].map(
      (own, i) =>
        `${long
          .split(" ")
          .slice(10 * i, 10 * i + 10)
          .join(" ")} ${own}`
    )
    expect(take([ask("whole", long)], parts).rows).toHaveLength(1)
    // All of what is held out is in it.
    const buried = `Hi there! ${"I have a question that I hope you can answer. ".repeat(8)}${long}. ${"Thanks a lot! ".repeat(20)}`
    expect(take([ask("buried", buried)], [long]).report.rules.find(({ rows }) => rows > 0)?.rule).toBe("n_gram")
  })

  it("reads scripts without spaces, and what cannot be seen does not count", () => {
    const others = [
      "我上周买的蓝色水壶盖子关不上，想退货退款",
      "先週買った青いやかんの蓋が閉まらないので返品したいです",
      "กาต้มน้ำสีฟ้าที่ซื้อเมื่อสัปดาห์ก่อนปิดฝาไม่ได้ ขอคืนสินค้า",
      "Where is the order that I paid on Monday?"
    ]
    const copies = [`您好！${others[0]}`, `こんにちは。${others[1]}お願いします`, `สวัสดีค่ะ ${others[2]}`]
    const unseen = [...(others[3] ?? "")].join("\u200b").replace("order", "or\u00adder")
    const fresh = ["我想改一下下周二的配送地址", "明日の配達時間を変更できますか", "ขอเปลี่ยนที่อยู่จัดส่งเป็นวันอังคารหน้า"]
    const rows = [...copies, unseen, ...fresh].map((prompt, i) => ask(`t${i}`, prompt))
    const result = take(rows, others)
    expect(result.rows.map(({ prompt }) => prompt)).toEqual(fresh)
    expect(rule(result, "n_gram")).toMatchObject({ status: "ran", rows: 3, why: null })
    expect(rule(result, "exact").rows).toBe(1)
  })

  it("says what its runs of words could not tell", () => {
    const short = take([ask("a", "退货"), ask("b", "return it")], ["我想退货退款谢谢", "refund me"])
    expect(rule(short, "n_gram")).toMatchObject({
      status: "not_run",
      why: "2 of 2 rows have asks, and 1 of 2 texts of the other set are of fewer than 4 words"
    })
    expect(Decontaminate.render(short.report)).toContain("n_gram        0  NOT RUN: 2 of 2 rows have asks")
    const partly = take([ask("a", long), ask("b", "return it")], [long.toUpperCase(), "refund me now"])
    expect(rule(partly, "n_gram").status).toBe("partly")
  })

  it("takes the same meaning with an embedder, and says that the rule did not run without one", () => {
    const meaning = Embedder.dense({ name: "toy" }, (texts) =>
      Effect.succeed(texts.map((text) => (/money|refund/.test(text) ? [1, 0] : [0, 1])))
    )
    const rows = [ask("a", "Give me my money back"), ask("b", "Where is it?")]
    const result = take(rows, ["I want a refund"], { embedder: meaning })
    expect(result.rows.map((row) => row.task_id)).toEqual(["b"])
    expect(rule(result, "semantic")).toMatchObject({ status: "ran", rows: 1 })
    const without = take(rows, ["I want a refund"])
    expect(rule(without, "semantic")).toMatchObject({ status: "not_run", rows: 0, why: "no embedder was given" })
    expect(Decontaminate.render(without.report)).toContain("NOT RUN: no embedder was given")
  })

  it("lets the other rules stand when the embedder fails, and says why its own did not run", () => {
    const broken = Embedder.dense({ name: "broken" }, () => Effect.fail("no key"))
    const result = take([ask("a", "Where is it?"), ask("b", "Else")], ["where is it"], { embedder: broken })
    expect(result.rows).toHaveLength(1)
    expect(rule(result, "semantic").why).toContain("broken gave no vectors")
  })

  it.prop(
    "what the rules took and what is kept add up, in any order of rows",
    [anyRows, FastCheck.integer()],
    ([rows, seed]) => {
      const against = ["Please help me with one.", { task_id: "two", prompt: "" }, { task_id: "__proto__" }]
      const result = take(rows, against)
      expect(result.report.rules.reduce((sum, { rows: n }) => sum + n, 0) + result.report.kept).toBe(rows.length)
      expect(new Set(take(shuffled(rows, seed), against).rows)).toEqual(new Set(result.rows))
      expect(result.rows.filter((row) => ["one", "two", "__proto__"].includes(row.task_id ?? ""))).toEqual([])
    }
  )

  it("refuses thresholds that make no sense", () => {
    for (const options of [{ coverage: 0 }, { similarity: 1.5 }, { coverage: Number.NaN }]) {
      expect(Effect.runSync(Effect.flip(Decontaminate.decontaminate([], [], options)))._tag).toBe(
        "InvalidDecontamination"
      )
    }
  })
})
