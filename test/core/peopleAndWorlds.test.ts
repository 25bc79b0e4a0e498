/**
 * People and their worlds are one: nothing that a person knows or says is denied by the world they come to. The long form
 * is the bench `people`.
 */
import { describe, expect, it } from "vitest"
import { contradictionsOf, rehearse } from "../support/personChecks.ts"
import { cannotPass, outcomes } from "../support/retailDesk.ts"
import * as ToolSets from "../support/toolSets.ts"

const told = ({ row, what }: ReturnType<typeof contradictionsOf>[number]): string =>
  `${what} <- ${row.prompt} ${JSON.stringify(row.plan)}`

describe("facts of people against their worlds", () => {
  for (const set of ToolSets.all()) {
    it(`are never denied in the ${set.name} set`, async () => {
      const rehearsed = await rehearse(set, 120, 4)
      expect(rehearsed.rows).toHaveLength(120)
      expect(contradictionsOf(set, rehearsed).map(told)).toEqual([])
      const people = rehearsed.rows.filter(({ plan }) => plan.person !== undefined)
      // Of the back office no tool takes a person's identifier.
      expect(people.length).toBe(set.name === "cryptic" ? 0 : 120)
    })
  }

  it("are found out when a row says what its world does not", async () => {
    const set = ToolSets.own.find(({ name }) => name === "bank") ?? ToolSets.own[0]!
    const { call, rows } = await rehearse(set, 40, 4)
    const lying = rows.map((row) => ({
      ...row,
      plan: { ...row.plan, facts: { ...row.plan.facts, phone: "+1-000-555-0100", name: "Nobody Here" } }
    }))
    expect(contradictionsOf(set, { call, rows: lying }).length).toBeGreaterThanOrEqual(60)
  })
})

const shop = ToolSets.retail()
describe.skipIf(shop === null)(
  "a desk that verifies people as the retail policy says (set SANDTABLE_TEST_DATA)",
  () => {
    it("finds those who come, and nobody who says another name and address", async () => {
      if (shop === null) return
      const all = await outcomes(shop, 150, 6)
      const should = all.filter(({ row }) => !cannotPass(row))
      expect(should.length).toBeGreaterThan(90)
      expect(should.filter(({ found, row }) => found !== row.plan.person?.id).map(({ row }) => row.plan)).toEqual([])
      const others = await outcomes(shop, 60, 7, (line) =>
        line.replace(/[\w.+-]+@/, "nobody.here12@").replace(/name is \p{L}+/u, "name is Zebulon")
      )
      expect(others.filter(({ found }) => found !== null)).toEqual([])
    })
  }
)
