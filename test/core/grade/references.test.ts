import { describe, expect, it } from "@effect/vitest"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as Grader from "@sandtable/core/Grader"
import * as Simulation from "@sandtable/core/Simulation"
import * as Verifier from "@sandtable/core/Verifier"
import { context, row } from "./fixture.ts"

const gold = (i: number) => ({ answer: `golden-${i}`, n: 770_000 + i })
const seeds = [0, 1, 2, 3, 4, 5].map((i) => ({ prompt: `Ask number ${i} please`, reference: gold(i) }))

/** Says the reference in every place of an answer. */
const tells = (n: number, reference: { readonly answer: string; readonly n: number }): Grader.Given => {
  switch (n) {
    case 0:
      throw new Error(`expected ${reference.answer}`)
    case 1:
      return {
        score: 0,
        reason: `not ${reference.answer}`,
        expected: reference.answer,
        n: reference.n,
        deep: [reference]
      }
    case 2:
      return reference.answer
    case 3:
      return { [reference.answer]: 1 }
    case 4:
      return { score: 1, failure_class: reference.answer, markers: { [reference.answer]: 1 } }
    default:
      return Effect.fail(reference)
  }
}
const numberOf = (prompt: string): number => Number(/\d/.exec(prompt)?.[0])
const isReference = (value: unknown): value is { readonly answer: string; readonly n: number } =>
  typeof value === "object" && value !== null && "answer" in value

describe("a reference", () => {
  it.scopedLive("reaches graders and stands in no row, file or event, wherever their answers put it", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      const graders: Record<string, Grader.Service | Grader.GradeFunction> = {
        verifier: Verifier.make({
          name: "telling",
          verify: (_, reference, { prompt }) => (isReference(reference) ? tells(numberOf(prompt), reference) : null)
        }),
        own: ({ prompt }, { privileged: { reference } }) =>
          isReference(reference) ? tells(numberOf(prompt), reference) : null
      }
      for (const [name, grader] of Object.entries(graders)) {
        const events: Array<unknown> = []
        let told = 0
        const data = yield* Simulation.simulate({
          agent: () => "I do not know.",
          systemPrompt: "You answer.",
          seeds,
          situations: seeds.length,
          simulator: false,
          grader:
            typeof grader === "function"
              ? (row, context) => {
                  told += isReference(context.privileged.reference) ? 1 : 0
                  return grader(row, context)
                }
              : grader,
          output: `${folder}/${name}.jsonl`,
          onEvent: (event) => events.push(event)
        })
        expect(data.rows).toHaveLength(seeds.length)
        if (name === "own") expect(told).toBe(seeds.length)
        expect(data.rows.map(({ reward }) => reward).sort()).toEqual([0, 1, null, null, null, null])
        const again = yield* data.grade(grader)
        const written = yield* Effect.forEach(yield* files.readDirectory(folder), (file) =>
          files.readFileString(`${folder}/${file}`)
        )
        const all = JSON.stringify([events, data.rows, data.meta, again.rows, again.meta, written])
        expect(all).not.toMatch(/golden-|77000/)
        expect(all).toContain("[reference]")
      }
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it("that is a letter or a digit leaves the words around it readable", async () => {
    const grade = (reference: unknown, answer: Grader.Given) =>
      Effect.runPromise(Grader.make(() => answer).grade(row(), { ...context, privileged: { reference } }))
    expect(await grade("A", { score: 0, reason: "Another answer than A." })).toMatchObject({
      reason: "Another answer than [reference]."
    })
    expect(await grade(5, { score: 0.5, reason: "2.5 of 15, not 5" })).toMatchObject({
      reason: "2.5 of 15, not [reference]"
    })
    expect(await grade(1, { score: 1, met: 1, missed: 0 })).toMatchObject({ meta: { met: 1, missed: 0 } })
  })

  it.effect("that is missing is no failure of the grader, and the run says what to do", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        agent: () => "42",
        systemPrompt: "You add.",
        seeds: [{ prompt: "What is 40 + 2?", reference: 42 }, "What is 40 + 3?", "What is 40 + 4?"],
        situations: 3,
        simulator: false,
        grader: Verifier.all(Verifier.numeric(), Verifier.includes())
      })
      expect(data.search.grader).toMatchObject({ scored: 1, unjudged: 2, errors: 0 })
      expect(data.degraded).toEqual([])
      expect(data.warnings.map(({ code }) => code)).toEqual(["no_references"])
      expect(data.warnings[0]?.message).toContain("2 of 3 rows")

      const graded = yield* data.grade(Verifier.numeric(), {
        references: { "What is 40 + 3?": 43, "What is 40 + 4?": "no number" }
      })
      expect(graded.search.grader).toMatchObject({ scored: 1, unjudged: 2, errors: 1 })
      expect(graded.degraded).toEqual(["judge_errors"])
      expect(graded.warnings.map(({ code }) => code)).toEqual(["judge_errors", "no_references"])
      expect(graded.warnings[0]?.message).toContain("the reference is no number")
    })
  )
})
