/**
 * A verifier that runs the code of a reply with tests against it, in a process of its own. It keeps honest mistakes in
 * bounds: endless loops, runaway memory, floods of output. It is NO SANDBOX: the code can read and write what this user can
 * and reach the network. Run replies you do not trust in a container.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env, execPath, kill, platform } from "node:process"
import { make as makeGrader, type Service } from "../grade/Grader.ts"
import { withoutReference } from "../grade/internal/answer.ts"
import * as Hash from "../random/Hash.ts"

/**
 * How code of a language is run.
 * @since 0.1.0
 * @category models
 */
export interface Language {
  readonly name: string
  /** Words after the fence of a code block of this language. */
  readonly fences: ReadonlyArray<string>
  /** Name of the file the code and the tests go to, one after the other. */
  readonly file: string
  /**
   * The harness: a file that runs `file` in its own process and then, only when that came to its end, prints the nonce.
   * It removes itself first, so that the nonce is not lying about.
   */
  readonly harness: { readonly file: string; readonly text: (nonce: string) => string }
  /** The program and its arguments. `memory` is in MB, `time` in seconds. */
  readonly command: (
    harness: string,
    limits: { readonly memory: number; readonly time: number }
  ) => readonly [string, ...ReadonlyArray<string>]
}

/**
 * How the code of a reply is run.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `javascript` (an ES module that also has `require`), `python`, or one of your own. */
  readonly language: "javascript" | "python" | Language
  /** Code that fails when the reply's code is wrong; the reference of the seed or eval item when left out. */
  readonly tests?: string
  readonly name?: string
  /** Seconds (10). */
  readonly time?: number
  /** MB (512). */
  readonly memory?: number
  /** Bytes the code may print (1,000,000). */
  readonly output?: number
}

/**
 * 1 when the code came to its end with all tests passed, 0 when not: that is known by a nonce which the harness prints after
 * the tests, so code that ends the process early does not pass. Tests must come to their end as well: call
 * `unittest.main(exit=False)`. The reply's code is its last fenced block of the language, else its last block, else all of
 * it. Reasons hold nothing of the tests. A language that cannot be started is an `error`; without tests there is no reward.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Service => {
  const language = typeof options.language === "string" ? languages[options.language] : options.language
  const limits = { time: options.time ?? 10, memory: options.memory ?? 512, output: options.output ?? 1_000_000 }
  for (const [limit, value] of Object.entries(limits)) {
    if (!(Number.isFinite(value) && value > 0))
      throw new RangeError(`${limit} of CodeExec is ${value}: give a number above 0.`)
  }
  const { tests } = options
  const grader = makeGrader({
    name: options.name ?? `code_exec(${language.name})`,
    version: Hash.sha256Hex(Hash.canonical([1, language.name, tests ?? null, limits])).slice(0, 12),
    grade: (row, { privileged: { reference } }) => verify(row.final_text, tests ?? String(reference), language, limits)
  })
  return {
    ...grader,
    grade: (row, context) => {
      const { reference } = context.privileged
      return tests === undefined && (reference === undefined || reference === null)
        ? Effect.succeed(withoutReference("there are no tests to run the code against"))
        : grader.grade(row, context)
    }
  }
}

/**
 * The code of a reply: see `make`.
 * @since 0.1.0
 * @category functions
 */
export const codeOf = (reply: string, language: Language): string => {
  const blocks = [...reply.matchAll(/```([\w+-]*)[^\S\n]*\n([^]*?)(?:```|$)/g)]
  const own = blocks.filter(([, word]) => language.fences.includes((word ?? "").toLowerCase()))
  return (own.at(-1) ?? blocks.at(-1))?.[2] ?? reply
}

/**
 * Programs in JavaScript, run by Node.
 * @since 0.1.0
 * @category constants
 */
export const javascript: Language = {
  name: "javascript",
  fences: ["javascript", "js", "mjs", "node"],
  file: "program.mjs",
  harness: {
    file: "harness.mjs",
    text: (nonce) => `import { unlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
unlinkSync(fileURLToPath(import.meta.url))
const print = process.stdout.write.bind(process.stdout)
globalThis.require = createRequire(import.meta.url)
await import("./program.mjs")
print("\\n${nonce}\\n")
`
  },
  command: (harness, { memory, time }) => withinCpuTime([execPath, `--max-old-space-size=${memory}`, harness], time)
}

/**
 * Programs in Python.
 * @since 0.1.0
 * @category constants
 */
export const python: Language = {
  name: "python",
  fences: ["python", "py", "python3"],
  file: "program.py",
  harness: {
    file: "harness.py",
    text: (nonce) => `import os, runpy, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.unlink(os.path.abspath(__file__))
runpy.run_path(os.path.join(sys.path[0], "program.py"), run_name="__main__")
sys.stdout.flush()
os.write(1, b"\\n${nonce}\\n")
`
  },
  // Address space is what Python's memory can be limited by; where the shell cannot, what is measured below holds.
  command: (harness, { memory, time }) =>
    withinCpuTime(["sh", "-c", `ulimit -v ${memory * 1024} 2>/dev/null; exec python3 -B "$0"`, harness], time)
}

const languages = { javascript, python } as const

interface Limits {
  readonly time: number
  readonly memory: number
  readonly output: number
}

/** How a process ended. */
type Ending =
  | { readonly _tag: "Ended"; readonly status: number | null; readonly printed: string }
  | { readonly _tag: "Stopped"; readonly limit: keyof Limits }

const verify = (reply: string, tests: string, language: Language, limits: Limits) => {
  const code = codeOf(reply, language)
  if (code.trim() === "") return Effect.succeed({ reward: 0, reason: "The reply holds no code." })
  const nonce = randomBytes(16).toString("hex")
  return Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "sandtable-code-"))),
    (folder) =>
      Effect.gen(function* () {
        const harness = join(folder, language.harness.file)
        yield* Effect.promise(() => writeFile(join(folder, language.file), `${code}\n${tests}\n`))
        yield* Effect.promise(() => writeFile(harness, language.harness.text(nonce)))
        const ending = yield* run(language.command(harness, limits), folder, limits)
        return verdictOf(ending, nonce, limits)
      }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  )
}

const verdictOf = (
  ending: Ending,
  nonce: string,
  limits: Limits
): { readonly reward: 0 | 1; readonly reason: string } => {
  if (ending._tag === "Stopped") {
    const said = { time: `${limits.time} s`, memory: `${limits.memory} MB`, output: `${limits.output} bytes of output` }
    return { reward: 0, reason: `The code went over its limit of ${said[ending.limit]}.` }
  }
  if (ending.printed.trimEnd().endsWith(nonce) && ending.status === 0) return { reward: 1, reason: "The tests passed." }
  return ending.status === 0
    ? { reward: 0, reason: "The code ended before the tests were through." }
    : { reward: 0, reason: `The code or its tests failed (exit status ${ending.status ?? "none: it was killed"}).` }
}

/** How often memory is looked at. */
const watchEvery = "50 millis"

/** Only what a program needs to start: no key of this process reaches it. */
const passedOn = ["PATH", "HOME", "LANG", "SYSTEMROOT", "TEMP", "TMP"]

const run = (
  [command, ...args]: readonly [string, ...ReadonlyArray<string>],
  folder: string,
  limits: Limits
): Effect.Effect<Ending, Error> =>
  Effect.gen(function* () {
    const given = Object.fromEntries(passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
    const child = spawn(command, args, { cwd: folder, env: given, stdio: ["ignore", "pipe", "pipe"], detached: true })
    const ended = yield* Deferred.make<Ending, Error>()
    const done = (ending: Effect.Effect<Ending, Error>): void => Deferred.unsafeDone(ended, ending)
    let printed = ""
    let bytes = 0
    const read = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > limits.output) done(Effect.succeed({ _tag: "Stopped", limit: "output" }))
    }
    child.stdout.on("data", (chunk: Buffer) => {
      read(chunk)
      // The nonce comes last.
      printed = (printed + chunk.toString("latin1")).slice(-200)
    })
    child.stderr.on("data", read)
    child.once("error", (error) => done(Effect.fail(error)))
    child.once("close", (status) => done(Effect.succeed({ _tag: "Ended", status, printed })))
    const late = Effect.delay(Effect.succeed<Ending>({ _tag: "Stopped", limit: "time" }), limits.time * 1000)
    const hoards = Effect.sync(() => residentMegabytes(child.pid) > limits.memory).pipe(
      Effect.repeat({ until: (over) => over, schedule: Schedule.spaced(watchEvery) }),
      Effect.as<Ending>({ _tag: "Stopped", limit: "memory" })
    )
    return yield* Deferred.await(ended).pipe(
      Effect.raceFirst(late),
      Effect.raceFirst(hoards),
      // What it left running goes with it.
      Effect.ensuring(Effect.sync(() => killGroup(child)))
    )
  })

/** So that a program whose parent was killed does not run on for ever: the system ends it by its own processor time. */
const withinCpuTime = (
  command: readonly [string, ...ReadonlyArray<string>],
  seconds: number
): readonly [string, ...ReadonlyArray<string>] =>
  platform === "win32"
    ? command
    : ["sh", "-c", 'ulimit -t "$0" 2>/dev/null; exec "$@"', String(Math.ceil(seconds) + 1), ...command]

/** Kills the process and all it started. */
const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  try {
    kill(-child.pid, "SIGKILL")
  } catch {
    // Not a group any more, or a platform without groups.
    child.kill("SIGKILL")
  }
}

/** Memory of a process, where the system tells it; 0 elsewhere. */
const residentMegabytes = (pid: number | undefined): number => {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]
    return (Number(pages) * 4096) / 1048576
  } catch {
    return 0
  }
}
