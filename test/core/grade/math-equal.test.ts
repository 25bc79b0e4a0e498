import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Verifier from "@sandtable/core/Verifier"
import { context, row } from "./fixture.ts"

const verify = (reply: string, reference: unknown) =>
  Effect.runPromise(Verifier.mathEqual().grade(row({ final_text: reply }), { ...context, privileged: { reference } }))

const same: ReadonlyArray<readonly [reply: string, reference: string | number]> = [
  ["42", 42],
  ["The answer is 42.", "42"],
  ["\\boxed{42}", "42"],
  ["\\boxed{\\frac{1}{2}}", "0.5"],
  ["\\boxed{\\dfrac12}", "1/2"],
  ["$\\frac{3}{4}$", "\\frac{6}{8}"],
  ["75\\%", "0.75"],
  ["1,234", "1234"],
  ["1{,}234.5", "1234.5"],
  ["-\\frac{2}{3}", "\\frac{-2}{3}"],
  ["−5", "-5"],
  ["2\\sqrt{2}", "\\sqrt{8}"],
  ["\\sqrt[3]{27}", "3"],
  ["\\frac{1}{\\sqrt2}", "\\frac{\\sqrt{2}}{2}"],
  ["2^{10}", "1024"],
  ["2**10", "1024"],
  ["x^2 + 2x + 1", "(x+1)^2"],
  ["(x - 1)(x + 1)", "x^2 - 1"],
  ["x(x+1)", "x^2 + x"],
  ["\\frac{x^2-1}{x-1}", "x+1"],
  ["2xy", "2 \\cdot y \\cdot x"],
  ["\\sin^2 x + \\cos^2 x", "1"],
  ["\\sin(2x)", "2\\sin x\\cos x"],
  ["sin 2x", "2 sin(x) cos(x)"],
  ["\\tan x", "\\frac{\\sin x}{\\cos x}"],
  ["\\ln(e^2)", "2"],
  ["\\log_{2} 8", "3"],
  ["\\log 100", "2"],
  ["e^{i\\pi}", "-1"],
  ["\\frac{\\pi}{2}", "0.5\\pi"],
  ["|x|", "\\sqrt{x^2}"],
  ["5!", "120"],
  ["x = 5", "5"],
  ["x=5", "x = 5"],
  ["y = 2x + 1", "2x - y + 1 = 0"],
  ["(1, 2)", "\\left(1, 2\\right)"],
  ["(\\frac12, 3)", "(0.5, 3)"],
  ["[0, \\infty)", "[0,\\infty)"],
  ["\\{1, 2, 3\\}", "\\{3, 1, 2\\}"],
  ["1, 2", "2, 1"],
  ["3 \\pm \\sqrt{2}", "3-\\sqrt2, 3+\\sqrt2"],
  ["90^\\circ", "90"],
  ["12 \\text{ cm}", "12"],
  ["a_1 + a_{2}", "a_2 + a_1"],
  ["\\alpha^2\\beta", "\\beta\\alpha\\alpha"],
  ["So we get\n\n**Answer:** $\\frac{7}{2}$", "3.5"],
  ["First $x = 1$.\nTherefore \\(x^3\\) is what we want", "x \\cdot x^2"],
  ["(x+1)^{100}", "(1+x)^{100}"],
  ["9^{9^9}", "9^{9^9}"]
]

const other: ReadonlyArray<readonly [reply: string, reference: string]> = [
  ["41", "42"],
  ["0.333", "1/3"],
  ["0.5", "0.05"],
  ["x^2 + 1", "(x+1)^2"],
  ["x", "|x|"],
  ["x - y", "y - x"],
  ["\\frac{1}{2x}", "\\frac{1}{2}x"],
  ["1/2x", "\\frac{1}{2x}"],
  ["x^12", "x^{1}2"],
  ["-x^2", "(-x)^2"],
  ["(1, 2)", "(2, 1)"],
  ["(0, 1)", "[0, 1]"],
  ["(0, 1)", "0, 1"],
  ["1, 2", "1, 2, 3"],
  ["1, 1", "1, 2"],
  ["y = 2x", "y = 3x"],
  ["x = 5", "6"],
  ["a", "b"],
  ["1e-13", "0"],
  ["\\sin x", "x"],
  ["I do not know", "42"],
  ["no solution", "on"],
  ["", "0"],
  ["\\boxed{}", "0"],
  ["\\begin{matrix} 1 \\end{matrix}", "1"],
  ['import("fs")', "1"],
  ["constructor", "1"]
]

describe("Verifier.mathEqual", () => {
  it.each(same)("%s is %s", async (reply, reference) => {
    expect(await verify(reply, reference)).toMatchObject({ reward: 1, status: "ok" })
  })

  it.each(other)("%s is not %s", async (reply, reference) => {
    const { reason, reward } = await verify(reply, reference)
    expect({ reward, reason }).toEqual({ reward: 0, reason: expect.not.stringContaining(`${reference} `) })
  })

  it("has no reward without a reference, with one that is no formula, and where nothing can be compared", async () => {
    expect(await verify("1", undefined)).toMatchObject({ reward: null, status: "missing_reward" })
    expect(await verify("1", "a long story")).toMatchObject({ reward: null, status: "error" })
    expect(await verify("\\infty - \\infty", "1")).toMatchObject({ reward: null, status: "error" })
  })

  it("says the same of the same pair every time", async () => {
    const pairs = [...same, ...other].slice(20, 40)
    const verdicts = () => Promise.all(pairs.map(([reply, reference]) => verify(reply, reference)))
    expect(await verdicts()).toEqual(await verdicts())
  })

  it("bears formulas made to be hard", async () => {
    for (const reply of [
      "(".repeat(400),
      "9^9^9^9^9^9",
      "((((x^99)^99)^99)^99)!",
      `${"\\frac{1".repeat(100)}`,
      "x".repeat(5_000)
    ]) {
      expect((await verify(reply, "x+1")).reward ?? 0).toBe(0)
    }
  })
})
