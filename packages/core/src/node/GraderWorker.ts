/**
 * A grader that runs in worker threads, for work that would hold up everybody else: a grader of ten milliseconds of plain
 * computation stalls every rollout of a run for as long. The module's function gets the row and the context as copies,
 * in which a number that JavaScript would round is its digits as text.
 */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"
import * as ExactJson from "../json/ExactJson.ts"
import { make as makeGrader, type Options as GraderOptions, type Service } from "../grade/Grader.ts"

/**
 * How a grader's module is run in threads of its own.
 * @since 0.1.0
 * @category models
 */
export interface Options extends Omit<GraderOptions, "name" | "grade"> {
  /** The module's path when left out. */
  readonly name?: string
  /** Rows graded at once, each in a thread of its own (1). */
  readonly threads?: number
}

/**
 * A grader of a module (a path from the working folder, or a file URL) whose default export, or export `grade`, is a
 * function `(row, context) => answer`, sync or async, as any grader's. It is JavaScript, or what the process is set up to
 * load. Threads start with the first row and keep no process alive that has nothing else to do. A row that is late or
 * whose run stops ends its thread, and the next row gets a new one; a module that cannot be loaded is an `error` of each row.
 * @since 0.1.0
 * @category constructors
 */
export const make = (modulePath: string | URL, { name, threads = 1, ...options }: Options = {}): Service => {
  if (!(Number.isInteger(threads) && threads > 0)) {
    throw new RangeError(`threads of a grader in a worker is ${threads}: give a whole number from 1.`)
  }
  const url =
    typeof modulePath === "string" && !modulePath.startsWith("file:") ? pathToFileURL(resolve(modulePath)) : modulePath
  const idle: Array<Worker> = []
  const permits = Effect.unsafeMakeSemaphore(threads)
  const turns = Effect.unsafeMakeSemaphore(threads)
  const answer = (work: Work): Effect.Effect<unknown, unknown> =>
    permits.withPermits(1)(
      Effect.async((resume) => {
        const worker = idle.pop() ?? start(url, idle)
        const settle = (result: Effect.Effect<unknown, unknown>): void => {
          worker.off("message", answered).off("error", failed).off("exit", ended).unref()
          resume(result)
        }
        const answered = (reply: Reply): void => {
          idle.push(worker)
          settle("answer" in reply ? Effect.succeed(reply.answer) : Effect.fail(failureOf(reply.failure)))
        }
        const failed = (cause: unknown): void => settle(Effect.fail(cause))
        const ended = (status: number): void => failed(new Error(`the thread ended with status ${status}`))
        worker.on("message", answered).on("error", failed).on("exit", ended)
        // While it works the process waits for it.
        worker.ref()
        worker.postMessage(work)
        return Effect.promise(async () => {
          settle(Effect.interrupt)
          await worker.terminate()
        })
      })
    )
  const grader = makeGrader({
    ...options,
    name: name ?? (typeof modulePath === "string" ? modulePath : modulePath.pathname),
    grade: (row, { locale, outcome, privileged, systemPrompt, tools }) =>
      answer({ row: ExactJson.mapExact(row, String), context: { locale, outcome, privileged, systemPrompt, tools } })
  })
  return { ...grader, admit: turns.withPermits(1) }
}

interface Work {
  readonly row: unknown
  readonly context: object
}

interface Failure {
  readonly name: string
  readonly message: string
}

type Reply = { readonly answer: unknown } | { readonly failure: Failure }

const failureOf = ({ message, name }: Failure): Error => Object.assign(new Error(message), { name })

const start = (url: string | URL, idle: Array<Worker>): Worker => {
  const worker = new Worker(program, { eval: true, workerData: String(url) })
  // What fails between two rows is told by the end of the thread, and fails nothing here.
  worker.on("error", () => undefined)
  worker.on("exit", () => {
    const at = idle.indexOf(worker)
    if (at >= 0) idle.splice(at, 1)
  })
  return worker
}

/**
 * What runs in a thread: plain JavaScript in a text, so that it starts from sources and from a build alike. An answer that
 * cannot be sent is a failure of its row.
 */
const program = `
const { parentPort, workerData } = require("node:worker_threads")
const failureOf = (thrown) => {
  try {
    if (thrown instanceof Error) return { name: String(thrown.name), message: String(thrown.message) }
    return { name: "Error", message: "it failed with " + String(thrown) }
  } catch {
    return { name: "Error", message: "an error that cannot be read" }
  }
}
const loading = import(workerData).then((module) => {
  const grade = typeof module.default === "function" ? module.default : module.grade
  if (typeof grade !== "function") throw new TypeError("the module exports no function as default or grade")
  return grade
}).catch((thrown) => {
  const { name, message } = failureOf(thrown)
  throw new Error("the module could not be loaded: " + name + ": " + message)
})
loading.catch(() => {})
parentPort.on("message", async ({ row, context }) => {
  try {
    const grade = await loading
    parentPort.postMessage({ answer: await grade(row, context) })
  } catch (thrown) {
    parentPort.postMessage({ failure: failureOf(thrown) })
  }
})
`
