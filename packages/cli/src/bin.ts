/**
 * Gives the command its process.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import process from "node:process"
import * as Cli from "./Cli.ts"
import * as Engine from "./Engine.ts"
import * as ExitStatus from "./ExitStatus.ts"
import * as Interrupts from "./Interrupts.ts"
import * as Stdio from "./Stdio.ts"
import * as Strays from "./Strays.ts"
import * as Trouble from "./Trouble.ts"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }

/** As it has to be typed again: npm, and npx, have the command at hand where a shell has not, and tell those they run. */
// @effect-diagnostics-next-line processEnv:off
const program = /^(?:exec|run|run-script)$/.test(process.env["npm_command"] ?? "") ? "npx sandtable" : "sandtable"

const debug = process.argv.includes("--debug")
const streams = Stdio.fromProcess(process)
const stdio = Layer.succeed(Stdio.Stdio, streams)
const unwatch = Strays.watch(process, streams, debug)
const leave = (status: number): never => {
  unwatch()
  return process.exit(status)
}
/** The library is read once a command runs an agent, and not before. */
const engine = Engine.lazy(async () => {
  const [library, sources, node] = await Promise.all([
    import("./LibraryEngine.ts"),
    import("./Sources.ts"),
    import("@sandtable/core/node")
  ])
  return Layer.provide(library.layer, Layer.merge(sources.layer, node.layer))
})
const layer = Layer.mergeAll(
  stdio,
  Layer.provide(Interrupts.layer({ on: process.on.bind(process), off: process.off.bind(process), exit: leave }), stdio),
  Layer.succeed(Engine.Engine, engine),
  NodeFileSystem.layer,
  NodePath.layer,
  NodeTerminal.layer
)

/** Ends the process once both streams are written out: an agent may have left something open that would hold it. */
const end = (status: number): void => {
  process.exitCode = status
  process.stdout.write("", () => {
    const failure = streams.failure()
    if (failure !== null) streams.err.write(Trouble.sentence(Stdio.unwritten(failure), null, streams.err))
    const told = failure !== null && status === ExitStatus.done ? ExitStatus.unwritten : status
    process.stderr.write("", () => leave(told))
  })
}

Effect.runPromiseExit(Effect.provide(Cli.main(process.argv.slice(2), version, program), layer)).then((exit) => {
  if (exit._tag === "Success") return end(exit.value)
  process.stderr.write(Trouble.defect(exit.cause, debug, streams.err))
  end(ExitStatus.software)
})
