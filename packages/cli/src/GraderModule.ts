/**
 * A grader from a module: what `--grader` names.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Grader from "@sandtable/core/Grader"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createHash } from "node:crypto"
import * as AgentModule from "./AgentModule.ts"

/**
 * The grader of a module's default export: a function of a row, a grader (a verifier, a judge), a layer of one, or an
 * agent file's options with one. A function declares no version; a hash of its file is one, so that rows graded before
 * and after an edit are told apart. An agent file's grader gets none: most edits there are of the agent.
 */
export const load = (path: string) =>
  Effect.gen(function* () {
    const exported = yield* AgentModule.defaultExport(path)
    const service = yield* isObject(exported) && "grader" in exported
      ? serviceOf(exported.grader, path, null)
      : serviceOf(exported, path, yield* versionOf(path))
    if (service !== null) return service
    return yield* new AgentModule.AgentUnreadable({
      agent: path,
      problem: "exports no grader",
      fix: "Export one by default: export default (row) => row.final_text.includes(...), a verifier, or a judge."
    })
  })

const versionOf = (path: string): Effect.Effect<string | null, never, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFile(path)).pipe(
    Effect.map((bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12)),
    Effect.orElseSucceed(() => null)
  )

const serviceOf = (
  given: unknown,
  path: string,
  version: string | null
): Effect.Effect<Grader.Service | null, AgentModule.AgentUnreadable> => {
  if (typeof given === "function") {
    // the caller's function, held to the contract by `Grader.make` whatever it answers
    const grade = given as Grader.GradeFunction
    const name = nameless.has(grade.name) ? path : grade.name
    return Effect.succeed(Grader.make({ name, grade, ...(version === null ? {} : { version }) }))
  }
  if (isLayer(given)) {
    return Effect.provide(Grader.Grader, given).pipe(
      Effect.map(Option.getOrNull),
      Effect.catchAllCause((cause) => {
        const error = Cause.squash(cause)
        const problem = `exports a layer that cannot be built: ${error instanceof Error ? error.message : String(error)}`
        return Effect.fail(new AgentModule.AgentUnreadable({ agent: path, problem, fix: "Correct it.", cause: error }))
      })
    )
  }
  return Effect.succeed(isService(given) ? given : null)
}

/** What a function without a name is called, by the language and by what loads TypeScript. */
const nameless: ReadonlySet<string> = new Set(["", "default", "_default", "default_1"])

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isService = (value: unknown): value is Grader.Service =>
  isObject(value) && "grade" in value && typeof value.grade === "function" && "name" in value

/** What a layer needs and fails with is not visible here: whatever goes wrong is told of its module. */
const isLayer = (value: unknown): value is Layer.Layer<never> => Layer.isLayer(value)
