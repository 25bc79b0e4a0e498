/**
 * People and their worlds: facts of tasks against what their worlds answer, for each tool set, and a scripted agent that
 * verifies people as the retail policy says.
 *
 * `HELD_OUT=1` takes the sets that nothing was tuned to. `ROWS=500 npm run bench -- people` for fewer rows; `SANDTABLE_TEST_DATA` adds the retail set.
 */
import { contradictionsOf, rehearse } from "../support/personChecks.ts"
import { cannotPass, outcomes } from "../support/retailDesk.ts"
import * as ToolSets from "../support/toolSets.ts"

const rows = Number(process.env["ROWS"] ?? 2000)
const only = process.env["SET"]
const sets = process.env["HELD_OUT"] === "1" ? ToolSets.heldOut : ToolSets.all()
for (const set of sets) {
  if (only !== undefined && set.name !== only) continue
  const rehearsed = await rehearse(set, rows, 11)
  const found = contradictionsOf(set, rehearsed)
  const people = rehearsed.rows.filter(({ plan }) => plan.person !== undefined).length
  console.log(`${set.name}: ${rehearsed.rows.length} rows, ${people} with a person, ${found.length} contradictions`)
  const kinds = new Map<string, number>()
  for (const { what } of found) {
    const kind = what.replace(/[#\w.+-]*\d[\w@.-]*/g, "N")
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  for (const [kind, count] of [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 12)) console.log(`  ${count} ${kind}`)
  if (process.env["SHOW"] !== undefined)
    for (const { row, what } of found.slice(0, Number(process.env["SHOW"])))
      console.log(
        what,
        JSON.stringify({ prompt: row.prompt, dims: row.scenario_dimensions, state: row.world_state, plan: row.plan }),
        "\n"
      )
}

const shop = ToolSets.retail()
if (shop !== null && only === undefined && sets !== ToolSets.heldOut) {
  const all = await outcomes(shop, rows, 12)
  const should = all.filter(({ row }) => row.plan.person !== undefined && !cannotPass(row))
  const right = should.filter(({ found, row }) => found === row.plan.person?.id)
  console.log(
    `verified: ${right.length} of ${should.length} who should be, others ${all.filter(({ found, row }) => found !== null && found !== row.plan.person?.id).length}`
  )
  for (const { row } of should.filter((one) => !right.includes(one)).slice(0, Number(process.env["SHOW"] ?? 0)))
    console.log(JSON.stringify(row.plan), JSON.stringify((row as { steps?: unknown }).steps))
  const lying = await outcomes(shop, Math.min(rows, 500), 13, (line) =>
    line
      .replace(/[\w.+-]+@/, "nobody.here12@")
      .replace(/\b(\d{4})\d\b/, (_, kept: string) => `${kept}x`.replace("x", "0"))
      .replace(/name is \p{L}+/u, "name is Zebulon")
  )
  console.log(
    `verified of ${lying.length} who give somebody else's name and address: ${lying.filter(({ found }) => found !== null).length}`
  )
}
