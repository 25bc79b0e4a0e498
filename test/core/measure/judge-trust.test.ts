import { NodeFileSystem } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as JudgeTrust from "@sandtable/core/JudgeTrust"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Judged {
  readonly row_id: string
  readonly reward: number | null
  readonly final_text: string
}

/** Rows and labels of a judge with the given counts. */
const judge = (
  counts: { readonly tp?: number; readonly fp?: number; readonly fn?: number; readonly tn?: number },
  textOf: (kind: string, n: number) => string = () => "A reply."
) => {
  const rows: Array<Judged> = []
  const labels: Array<JudgeTrust.Label> = []
  for (const [kind, n] of Object.entries(counts)) {
    for (let i = 0; i < n; i++) {
      const row_id = `${kind}_${i}`
      rows.push({ row_id, reward: kind.endsWith("p") ? 1 : 0, final_text: textOf(kind, i) })
      labels.push({ row_id, label: kind === "tp" || kind === "fn" })
    }
  }
  return { rows, labels }
}

const check = (trust: JudgeTrust.Trust, name: JudgeTrust.CheckName): JudgeTrust.Check => {
  const found = trust.checks.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no check ${name}`)
  return found
}

const trustIn = (counts: Parameters<typeof judge>[0], options?: JudgeTrust.Options): JudgeTrust.Trust => {
  const { labels, rows } = judge(counts)
  return JudgeTrust.judgeTrust(rows, labels, options)
}

describe("a judge held against labels", () => {
  it("is measured by nothing without labels, whatever it says", () => {
    const { rows } = judge({ tp: 50, tn: 50 })
    const trust = JudgeTrust.judgeTrust(rows, [])
    expect(trust.verdict).toBe("not_measured")
    expect(trust.checks.map(({ status }) => status)).toEqual(trust.checks.map(() => "not_measured"))
    expect(JudgeTrust.render(trust)).toMatch(/^NOT MEASURED/)
  })

  it("needs 16 labels when it never errs: 15 leave Wilson's lower bound under 0.8", () => {
    const fifteen = trustIn({ tp: 8, tn: 7 })
    expect(check(fifteen, "agreement").figure.interval?.[0]).toBeCloseTo(0.7961, 4)
    expect(check(fifteen, "agreement").status).toBe("low_power")
    expect(fifteen.verdict).toBe("not_trusted")
    const sixteen = trustIn({ tp: 8, tn: 8 })
    expect(check(sixteen, "agreement").figure.interval?.[0]).toBeCloseTo(0.8064, 4)
    expect(sixteen.verdict).toBe("trusted")
    expect(JudgeTrust.render(fifteen)).toMatch(/too few labels to tell/)
    expect(JudgeTrust.render(sixteen)).toMatch(/TRUSTED/)
  })

  it("has Cohen's kappa of .798 for tp40 fp5 fn5 tn50, and is trusted", () => {
    const trust = trustIn({ tp: 40, fp: 5, fn: 5, tn: 50 })
    expect(check(trust, "kappa").figure.value).toBeCloseTo(0.798, 3)
    expect(trust.verdict).toBe("trusted")
    expect(trust.confusion).toEqual({ tp: 40, fp: 5, fn: 5, tn: 50 })
  })

  it("has a kappa of 0 when it passes everything, and is not trusted at 90% agreement", () => {
    const trust = trustIn({ tp: 90, fp: 10 })
    expect(check(trust, "kappa").figure.value).toBe(0)
    expect(check(trust, "kappa").status).toBe("failed")
    expect(check(trust, "leak").status).toBe("failed")
    expect(trust.verdict).toBe("not_trusted")
  })

  it("proves nothing where all labels are of one kind", () => {
    for (const counts of [{ tp: 100 }, { tn: 100 }, { tp: 90, fn: 10 }]) {
      const trust = trustIn(counts)
      expect(trust.verdict).toBe("degenerate")
      expect(check(trust, "kappa").status).toBe("degenerate")
      expect(JudgeTrust.render(trust)).toMatch(/^DEGENERATE/)
    }
  })

  it("tells bad rows let through from good rows refused", () => {
    const trust = trustIn({ tp: 60, fp: 2, fn: 30, tn: 58 })
    expect(check(trust, "leak").figure).toMatchObject({ value: 2 / 60, n: 60 })
    expect(check(trust, "leak").status).toBe("passed")
    expect(check(trust, "miss").figure).toMatchObject({ value: 30 / 90, n: 90 })
    expect(check(trust, "miss").status).toBe("failed")
    expect(trust.verdict).toBe("not_trusted")
  })

  it("does not count what a model labelled, unless told to", () => {
    const { labels, rows } = judge({ tp: 20, tn: 20 })
    const byModel = labels.map((label, i) =>
      i % 2 === 0 ? { ...label, by: "model" as const } : { ...label, model: "m-1" }
    )
    const trust = JudgeTrust.judgeTrust(rows, byModel)
    expect(trust.verdict).toBe("not_measured")
    expect(trust.labels).toMatchObject({ used: 0, by_model: 40 })
    expect(JudgeTrust.render(trust)).toContain("40 labels made by a model do not count")
    expect(JudgeTrust.judgeTrust(rows, byModel, { allowModelLabels: true }).verdict).toBe("trusted")
  })

  it("counts labels that are of no use: of no row, of an unjudged row, contradictory, neither yes nor no", () => {
    const { labels, rows } = judge({ tp: 10, tn: 10 })
    const unjudged = { row_id: "unjudged", reward: null, final_text: "" }
    const trust = JudgeTrust.judgeTrust(
      [...rows, unjudged],
      [
        ...labels,
        { row_id: "nowhere", label: true },
        { row_id: "unjudged", label: true },
        { row_id: "tp_0", label: false },
        { row_id: "tp_1", label: 0.5 },
        { label: true }
      ]
    )
    expect(trust.labels).toEqual({ used: 19, by_model: 0, unmatched: 1, unjudged: 1, contradictory: 1, invalid: 2 })
  })

  it("takes labels by row id in an object, and by task and index for logs without ids", () => {
    const { labels, rows } = judge({ tp: 10, tn: 10 })
    const record = Object.fromEntries(labels.map(({ label, row_id }) => [row_id, label]))
    expect(JudgeTrust.judgeTrust(rows, record).labels.used).toBe(20)
    const logs = rows.map((row, i) => ({
      task_id: "constructor",
      rollout_index: i,
      reward: row.reward,
      final_text: "x"
    }))
    const placed = labels.map(({ label }, i) => ({ task_id: "constructor", rollout_index: i, label }))
    expect(JudgeTrust.judgeTrust(logs, placed).verdict).toBe("trusted")
  })

  it("finds a judge that pays for length where the labels are equal, and none that only pays for what is good", () => {
    const padded = (n: number): string => "word ".repeat(n)
    const paysLength = judge({ tp: 30, fn: 30, fp: 30, tn: 30 }, (kind, i) =>
      padded(kind.endsWith("p") ? 60 + i : 10 + i)
    )
    const biased = JudgeTrust.judgeTrust(paysLength.rows, paysLength.labels)
    expect(check(biased, "length_bias").status).toBe("failed")
    const paysWorth = judge({ tp: 50, fn: 5, fp: 5, tn: 50 }, (kind, i) => padded(kind === "tp" ? 80 : 10 + (i % 5)))
    const lengths = judge({ tp: 50, fn: 5, fp: 5, tn: 50 }, (_kind, i) => padded(10 + (i % 5)))
    expect(check(JudgeTrust.judgeTrust(paysWorth.rows, paysWorth.labels), "length_bias").status).toBe("failed")
    expect(check(JudgeTrust.judgeTrust(lengths.rows, lengths.labels), "length_bias").status).toBe("passed")
  })

  it("finds a judge that changes its mind, and one that empty words win over", () => {
    const { labels, rows } = judge({ tp: 40, tn: 40 })
    const flipped = (share: number, from: 0 | 1) =>
      rows.map((row, i) => (row.reward === from && i % 10 < share * 10 ? { ...row, reward: 1 - from } : row))
    const steady = JudgeTrust.judgeTrust(rows, labels, { repeat: rows, filler: rows })
    expect([check(steady, "repeat_flip").status, check(steady, "filler_flip").status]).toEqual(["passed", "passed"])
    const moody = JudgeTrust.judgeTrust(rows, labels, { repeat: flipped(0.5, 1) })
    expect(check(moody, "repeat_flip")).toMatchObject({ status: "failed", figure: { value: 0.25, n: 80 } })
    const gullible = JudgeTrust.judgeTrust(rows, labels, { filler: flipped(0.5, 0) })
    expect(check(gullible, "filler_flip")).toMatchObject({ status: "failed", figure: { value: 0.5, n: 40 } })
    expect(gullible.verdict).toBe("not_trusted")
    // Refusing a padded reply is no fault of this kind.
    expect(check(JudgeTrust.judgeTrust(rows, labels, { filler: flipped(0.5, 1) }), "filler_flip").status).toBe("passed")
  })

  it.prop(
    "the order of rows and of labels changes nothing, and every figure is finite",
    [FastCheck.array(FastCheck.tuple(FastCheck.boolean(), FastCheck.boolean(), FastCheck.nat(400)), { maxLength: 60 })],
    ([all]) => {
      const rows = all.map(([verdict, , length], i) => ({
        row_id: `r${i}`,
        reward: verdict ? 1 : 0,
        final_text: "x".repeat(length)
      }))
      const labels = all.map(([, label], i) => ({ row_id: `r${i}`, label }))
      const trust = JudgeTrust.judgeTrust(rows, labels)
      expect(JudgeTrust.judgeTrust([...rows].reverse(), [...labels].reverse())).toEqual(trust)
      for (const { figure } of trust.checks) {
        for (const value of [figure.value, figure.limit, ...(figure.interval ?? [])]) {
          if (value !== null) expect(Number.isFinite(value)).toBe(true)
        }
      }
      expect(JudgeTrust.render(trust)).not.toMatch(/NaN|Infinity|undefined/)
    }
  )
})

describe("a file of labels", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandtable-labels-"))
  const read = (text: string) => {
    const path = join(folder, "labels.jsonl")
    writeFileSync(path, text)
    return Effect.runPromise(Effect.either(Effect.provide(JudgeTrust.readLabels(path), NodeFileSystem.layer)))
  }

  it("is JSONL with an id or a place and a label", async () => {
    const labels = await read(
      '\ufeff{"row_id":"a","label":true,"by":"human"}\r\n\n{"task_id":"t","rollout_index":2,"label":0,"note":"x"}\n'
    )
    expect(labels).toMatchObject({
      right: [
        { row_id: "a", label: true, by: "human" },
        { task_id: "t", rollout_index: 2, label: 0 }
      ]
    })
  })

  it("names the line that is no label", async () => {
    expect(await read('{"row_id":"a","label":true}\n{"row_id":"b"}\n')).toMatchObject({
      _tag: "Left",
      left: { _tag: "RowFileError", message: expect.stringContaining("line 2 is no label") }
    })
  })
})
