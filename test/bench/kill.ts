/**
 * B5: runs of 400 rollouts that are killed (-9) at random moments and gone on with, until 100 kills are through. Every row
 * that landed has to be there at the end, once, and no rollout of one may have been run again; in reproducible order the
 * rows have to be those of a run that nobody killed. The first run is killed once, at half.
 */
import * as Randomness from "@sandtable/core/Randomness"
import { Desk, faultsOf, killAt } from "../e2e/killing.ts"
import { print, save, type Result } from "./support/measure.ts"

const rollouts = 400
const wanted = Number(process.env["BENCH_KILLS"] ?? 100)
const orders = ["--reproducible", "--lookahead=48", "--concurrency=8"]
const words = ["--budget", String(rollouts), "--mode", "rl", "--repeats", "4", "--concurrency", "8"]
const draws = Randomness.make(Number(process.env["BENCH_SEED"] ?? 1)).stream(["kills"])

const wholes = new Map<string, string>()
for (const order of orders.slice(0, 2)) {
  const desk = new Desk([...words, order])
  await desk.start().ended
  wholes.set(order, desk.digest())
  desk.remove()
}

const results: Array<Result> = []
let kills = 0
for (let run = 0; kills < wanted; run++) {
  const order = orders[run % orders.length] ?? ""
  const desk = new Desk([...words, order])
  const faults: Array<string> = []
  let killed = 0
  let again = 0
  for (;;) {
    const before = desk.landed()
    const running = desk.start({ LATENCY: "12" })
    const last = kills + killed >= wanted || (run === 0 && killed === 1)
    const calls = run === 0 ? rollouts / 2 : 1 + Math.floor(draws.next() * 60)
    const wasKilled = !last && (await killAt(running, calls, draws.next() * 25))
    const { status, stderr } = await running.ended
    if (wasKilled && status === null) killed += 1
    faults.push(...faultsOf(before, running.called(), desk.landed()))
    again += running.called().length
    if (status === 0) break
    if (status !== null) {
      faults.push(`ended with ${status}: ${stderr}`)
      break
    }
  }
  const rows = desk.landed()
  kills += killed
  results.push({
    run: `${order} ${run}`,
    kills: killed,
    "rows lost or doubled": faults.length,
    rows: rows.length,
    calls: again,
    "same as whole": wholes.has(order) ? String(wholes.get(order) === desk.digest()) : "-"
  })
  for (const fault of faults.slice(0, 5)) console.log(`${order}: ${fault}`)
  desk.remove()
}
print(`${kills} kills of runs of ${rollouts} rollouts (target: 0 rows lost, 0 doubled)`, results)
save("kill", results)
const bad = results.filter((result) => result["rows lost or doubled"] !== 0 || result["same as whole"] === "false")
process.exitCode = bad.length === 0 ? 0 : 1
