/** Programs for the tests of what runs beside this process, and whether they are still there. */
import { Effect } from "effect"
import fs from "node:fs"
import process from "node:process"

/** What the line-speaking programs below begin with: `said` gives the next line read, `say` writes one. */
const preamble = `
const lines = require("node:readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const said = async () => { const next = await lines.next(); return next.done ? process.exit(0) : JSON.parse(next.value) }
const say = (value) => process.stdout.write(typeof value === "string" ? value : JSON.stringify(value) + "\\n")
`

/** The command of a program that runs `body`, an async function body with `said` and `say`. */
export const speaking = (body: string): ReadonlyArray<string> => [
  process.execPath,
  "-e",
  `${preamble};(async () => { ${body} })()`
]

/** Whether a process runs; one that ended and was not waited for yet does not. */
export const runs = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Returns once the process is gone. */
export const gone = (pid: number): Effect.Effect<void> =>
  Effect.async<void>((done) => {
    const look = (): unknown => (runs(pid) ? setImmediate(look) : done(Effect.void))
    look()
  })
