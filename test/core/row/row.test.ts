import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as Hash from "../../../packages/core/src/random/Hash.ts"
import * as Row from "@sandtable/core/Row"
import { anyRow, row } from "./sample.ts"

const parsed = (line: string): Row.Row => Either.getOrThrow(Row.parse(line))
const problem = (line: string): Row.RowProblem => Either.getOrThrow(Either.flip(Row.parse(line)))
/** What a line may hold of a value: its text made well-formed. */
const wellFormed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, v: unknown) => (typeof v === "string" ? toWellFormed(v) : v)))
const toWellFormed = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text))

describe("a row as a line", () => {
  it.prop("comes back as it was, with keys nobody knows, whatever its text", [anyRow], ([one]) => {
    expect(parsed(Row.encode(one))).toEqual(wellFormed(one))
  })

  it("keeps the digits of what tools were asked and answered, and has plain measures", () => {
    const step = `{"tool":"get_order","arguments":{"order_id":1152921504606846977},"result":[9007199254740993,0.12345678901234567891],"call_id":"c","status":"ok","answered_by":"mock","logprob":-0.10000000000000000001}`
    const whole = { ...row(), steps: "@", reward: "#", more: "%" }
    const line = JSON.stringify(whole)
      .replace('"@"', `[${step}]`)
      .replace('"#"', "0.50000000000000000001")
      .replace('"%"', "18446744073709551615")
    const read = parsed(line)
    expect(read.reward).toBe(0.5)
    expect(read.steps[0]).toMatchObject({ logprob: -0.1 })
    const again = Row.encode(read)
    expect(again).toContain(
      '"arguments":{"order_id":1152921504606846977},"result":[9007199254740993,0.12345678901234567891]'
    )
    expect(again).toContain('"more":18446744073709551615')
    expect(parsed(again)).toEqual(read)
    expect(Row.digest([read])).not.toBe(Row.digest([parsed(again.replace("846977", "846976"))]))
  })

  it.prop("ends with its lineage and timings, wherever the row holds them", [anyRow], ([one]) => {
    const { lineage, timings, ...rest } = one
    const ends = { ...(lineage && { lineage }), ...(timings && { timings }) }
    const [first, last] = [{ ...ends, ...rest } as Row.Row, { ...rest, ...ends } as Row.Row]
    expect(Row.encode(first)).toBe(Row.encode(last))
    expect(parsed(Row.encode(last))).toEqual(wellFormed(one))
    expect(Row.digest([first])).toBe(Row.digest([last]))
  })

  it.prop("is one line for every reader, and well-formed even inside nested JSON", [anyRow], ([one]) => {
    const line = Row.encode(one)
    expect(line).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
    expect(toWellFormed(JSON.stringify(parsed(line)))).toBe(JSON.stringify(parsed(line)))
  })

  it("replaces half a surrogate pair, and leaves text that only looks like its escape", () => {
    const line = Row.encode(row({ final_text: "a\ud800b \\ud800 \\\\ud800 😀" }))
    expect(parsed(line).final_text).toBe("a\ufffdb \\ud800 \\\\ud800 😀")
  })

  it("keeps keys named like those of objects", () => {
    const line = Row.encode(row()).replace("{", '{"__proto__":{"a":1},"constructor":2,')
    const again = Row.encode(parsed(line))
    expect(again).toContain('"__proto__":{"a":1}')
    expect(again).toContain('"constructor":2')
  })

  it("is read with a byte order mark before it and a carriage return after it", () => {
    expect(parsed(`\ufeff${Row.encode(row())}\r`)).toEqual(row())
  })
})

describe("a line that is no row", () => {
  it("says what is wrong and where", () => {
    expect(problem('{"a":').reason).toBe("not_json")
    expect(problem("[1]").reason).toBe("not_an_object")
    expect(problem(JSON.stringify({ ...row(), schema_version: "9" }))).toMatchObject({
      reason: "other_version",
      message: 'The row has schema_version "9"; this version reads "1".'
    })
    const step = { tool: "t", arguments: {}, result: 1, call_id: "c", status: "fine", answered_by: "mock" }
    expect(problem(JSON.stringify({ ...row(), prompt: 1 })).message).toContain("prompt: Expected string, actual 1")
    expect(problem(JSON.stringify({ ...row(), reward: "1" })).message).toContain("reward")
    expect(problem(JSON.stringify(row({ steps: [step as never] }))).message).toContain("steps.0")
  })

  const mutated = FastCheck.tuple(
    Arbitrary.make(Row.Row),
    FastCheck.array(FastCheck.tuple(FastCheck.nat(), FastCheck.option(FastCheck.jsonValue())), { maxLength: 2 })
  ).map(([one, changes]) => {
    const value = JSON.parse(JSON.stringify(one)) as Record<string, unknown>
    for (const [n, to] of changes) change(value, n, to)
    return value
  })

  it.prop(
    "is found by the generated check exactly when the Schema finds it",
    [mutated],
    ([value]) => {
      const found = Row.fromJson({ ...value, schema_version: "1" })
      expect(Either.isRight(found)).toBe(Schema.is(Row.Row)({ ...value, schema_version: "1" }))
    },
    { fastCheck: { numRuns: 200 } }
  )
})

/** Replaces or removes the n-th value found in depth. */
const change = (root: Record<string, unknown>, n: number, to: unknown): void => {
  const places: Array<readonly [Record<string, unknown>, string]> = []
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key])
      visit((value as Record<string, unknown>)[key])
    }
  }
  visit(root)
  const place = places[n % places.length]
  if (place === undefined) return
  if (to === null && !Array.isArray(place[0])) delete place[0][place[1]]
  else place[0][place[1]] = to
}

describe("rows_digest", () => {
  const rows = FastCheck.array(anyRow, { maxLength: 8 })
  const shuffled = rows.chain((all) =>
    FastCheck.tuple(FastCheck.constant(all), FastCheck.shuffledSubarray(all, { minLength: all.length }))
  )

  it.prop("does not depend on the order rows landed in", [shuffled], ([[all, other]]) => {
    expect(Row.digest(other)).toBe(Row.digest(all))
  })

  it.prop("is the same for rows that were written and read", [rows], ([all]) => {
    expect(Row.digest(all.map((one) => parsed(Row.encode(one))))).toBe(Row.digest(all))
  })

  it("sees every difference but the clock and the scoring pass", () => {
    const base = row({ lineage: { ...row().lineage!, scoring_run_id: "score_a" } })
    const later = row({
      timings: { started_at: "2030-01-01T00:00:00.000Z", elapsed: 9 },
      lineage: { ...row().lineage!, scoring_run_id: "score_b" }
    })
    expect(Row.digest([later])).toBe(Row.digest([base]))
    expect(Row.digest([row({ reward: 1 })])).not.toBe(Row.digest([row({ reward: 0 })]))
    expect(Row.digest([row({ lineage: { ...row().lineage!, run_id: "run_2" } })])).not.toBe(Row.digest([row()]))
    expect(Row.perInvocationPaths).toEqual([["timings"], ["lineage", "scoring_run_id"]])
  })

  it("is made bit by bit as it is made at once", () => {
    const all = Array.from({ length: 200 }, (_, i) => row({ task_id: `task_${i % 7}`, rollout_index: i }))
    const digest = Row.makeDigest()
    Row.addToDigest(digest, [...all].reverse())
    expect(digest.hex()).toBe(Row.digest(all))
  })
})

describe("rows_digest, by its definition", () => {
  const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest()

  it("is the SHA-256 of the SHA-256s of the rows' lines", () => {
    const { lineage, timings: _, ...rest } = row()
    expect(Row.digest([row()])).toBe(sha256(sha256(JSON.stringify({ ...rest, lineage }))).toString("hex"))
  })
})

describe("the order of rows", () => {
  const at = (evalRun: number, task: string, index: number) =>
    row({ task_id: task, rollout_index: index, lineage: { ...row().lineage!, eval_run: evalRun } })
  const places = (rows: ReadonlyArray<Row.Row>) =>
    rows.map((r) => `${r.lineage?.eval_run} ${r.task_id} ${r.rollout_index}`)

  it("is eval run, task, index; tasks as they were asked when that is known", () => {
    const rows = [at(1, "a", 0), at(0, "b", 1), at(0, "b", 0), at(0, "a", 0), at(0, "c", 0)]
    expect(places([...rows].sort(Row.compare()))).toEqual(["0 a 0", "0 b 0", "0 b 1", "0 c 0", "1 a 0"])
    const asked = new Map([
      ["c", 0],
      ["b", 1]
    ])
    expect(places([...rows].sort(Row.compare(asked)))).toEqual(["0 c 0", "0 b 0", "0 b 1", "0 a 0", "1 a 0"])
  })
})

describe("rowId", () => {
  it("hashes run, task, eval run and index", () => {
    expect(Row.rowId("run", "task", 0, 1)).toBe(Hash.id("row", "run", "task", 0, 1))
    expect(new Set([0, 1, 2].flatMap((run) => [0, 1].map((i) => Row.rowId("r", "t", run, i)))).size).toBe(6)
  })
})

describe("messages", () => {
  const call = (id: string, fields: Partial<Row.CallStep> = {}): Row.CallStep => ({
    tool: "get_order",
    arguments: { id },
    result: { id },
    call_id: id,
    status: "ok",
    answered_by: "mock",
    ...fields
  })
  const shape = (messages: ReadonlyArray<Row.ChatMessage>): ReadonlyArray<string> =>
    messages.map((m) =>
      m.role === "tool"
        ? `tool ${m.tool_call_id}`
        : m.role === "assistant"
          ? `assistant ${m.content} [${(m.tool_calls ?? []).map((c) => c.id).join(" ")}]`
          : `${m.role} ${m.content}`
    )

  it("has the calls of one turn in one message, each answered in order", () => {
    const steps: ReadonlyArray<Row.Step> = [
      { user: "Where are A and B?" },
      { text: "Let me look.", turn: 0 },
      call("a", { turn: 0 }),
      call("b", { turn: 0 }),
      call("c", { turn: 1 }),
      { text: "Here.", turn: 2 }
    ]
    expect(shape(Row.toMessages(steps))).toEqual([
      "user Where are A and B?",
      "assistant Let me look. [a b]",
      "tool a",
      "tool b",
      "assistant null [c]",
      "tool c",
      "assistant Here. []"
    ])
  })

  it("has one message a call when turns are not known", () => {
    const steps: ReadonlyArray<Row.Step> = [{ user: "?" }, { text: "Well." }, call("a"), call("b"), { text: "Done." }]
    expect(shape(Row.toMessages(steps, "Hello!"))).toEqual([
      "assistant Hello! []",
      "user ?",
      "assistant Well. [a]",
      "tool a",
      "assistant null [b]",
      "tool b",
      "assistant Done. []"
    ])
  })

  const anyCall = FastCheck.record({
    tool: FastCheck.string(),
    call_id: FastCheck.oneof(FastCheck.string(), FastCheck.constantFrom("call_0", "call_1", "dup", "__proto__")),
    arguments: FastCheck.anything(),
    result: FastCheck.jsonValue(),
    turn: FastCheck.nat(2)
  }).map((fields): Row.CallStep => ({
    ...fields,
    arguments: fields.arguments ?? null,
    status: "ok",
    answered_by: "agent"
  }))
  const plain = (value: unknown): boolean => {
    try {
      return value === undefined || JSON.stringify(value) !== undefined
    } catch {
      return false
    }
  }

  it.prop(
    "is a thread chat APIs take: ids and names valid, ids unique, every call answered, arguments an object",
    [
      FastCheck.array(
        anyCall.filter((c) => plain(c.arguments)),
        { maxLength: 6 }
      )
    ],
    ([calls]) => {
      const messages = Row.toMessages([{ user: "?" }, ...calls])
      const asked: Array<string> = []
      for (const message of messages) {
        if (message.role === "assistant") {
          for (const { function: fn, id } of message.tool_calls ?? []) {
            asked.push(id)
            expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
            expect(fn.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
            expect(JSON.parse(fn.arguments)).toBeTypeOf("object")
            expect(Array.isArray(JSON.parse(fn.arguments))).toBe(false)
          }
        } else if (message.role === "tool") expect(message.content).not.toBe("")
      }
      expect(new Set(asked).size).toBe(calls.length)
      expect(messages.flatMap((m) => (m.role === "tool" ? [m.tool_call_id] : []))).toEqual(asked)
    }
  )

  it("keeps broken arguments readable without breaking the thread", () => {
    const [, message] = Row.toMessages([{ user: "?" }, call("a", { arguments: '{"id": ' })])
    expect(message).toMatchObject({ tool_calls: [{ function: { arguments: '{"input":"{\\"id\\": "}' } }] })
  })
})
