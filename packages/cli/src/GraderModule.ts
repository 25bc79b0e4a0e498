/**
 * A grader from a module: what `--grader` names.
 */
import * as Grader from "@sandtable/core/Grader"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as AgentModule from "./AgentModule.ts"

/**
 * The grader of a module's default export: a function of a row, a grader (a verifier, a judge), a layer of one, or an
 * agent file's options with one.
 */
export const load = (path: string) =>
  Effect.gen(function* () {
    const exported = yield* AgentModule.defaultExport(path)
    const given = isObject(exported) && "grader" in exported ? exported.grader : exported
    const service = yield* serviceOf(given, path)
    if (service !== null) return service
    return yield* new AgentModule.AgentUnreadable({
      agent: path,
      problem: "exports no grader",
      fix: "Export one by default: export default (row) => row.final_text.includes(...), a verifier, or a judge."
    })
  })

const serviceOf = (given: unknown, path: string): Effect.Effect<Grader.Service | null, AgentModule.AgentUnreadable> => {
  if (typeof given === "function") {
    // the caller's function, held to the contract by `Grader.make` whatever it answers
    const grade = given as Grader.GradeFunction
    return Effect.succeed(Grader.make(nameless.has(grade.name) ? { name: path, grade } : grade))
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
