/**
 * A program that is talked to in lines of text. It runs in a process group of its own, and whatever it started is gone
 * with the scope it was opened in, also when it does not listen, and when this process ends without closing scopes.
 *
 * Started by Node's own calls: a platform executor listens to the program's input only while it writes, and an input
 * that breaks at another moment would end this process.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Scope } from "effect/Scope"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process"
import node, { env as environment, kill, platform } from "node:process"
import { StringDecoder } from "node:string_decoder"
import { setImmediate, setTimeout } from "node:timers"
import { hiding, type Program } from "./program.ts"

/** Longest line, in characters: a world's results are cut far below that. */
const longestLine = 8_000_000
/** Lines that wait to be read before the program is made to wait. */
const mostWaiting = 256
/** Characters of its error output that are kept. */
const keptErrors = 2_000
/** Milliseconds in which output may still come after the program's own end: one that it left behind may hold it open. */
const drain = 500
/** How long a killed program may take to be gone. */
const patience = Duration.seconds(2)

/** How it ended, or why it was given up on. */
export interface Ended {
  readonly _tag: "Ended"
  /** Completes the sentence "the program ...". */
  readonly how: string
}

export interface LineProcess {
  readonly pid: number
  /** Writes a line; what is written after its end is lost. */
  readonly send: (line: string) => Effect.Effect<void>
  /** The next line it writes; waits for one. */
  readonly next: Effect.Effect<string, Ended>
  /** The end of what it wrote to its error output. */
  readonly errors: () => string
  readonly hasEnded: () => boolean
  /** Ends its input and gives it so long to end by itself; it is killed with the scope either way. */
  readonly finish: (grace: Duration.Duration) => Effect.Effect<void>
}

/** Starts the program found at `file`. */
export const open = (file: string, program: Program): Effect.Effect<LineProcess, Ended, Scope> =>
  Effect.acquireRelease(start(file, program), (running) => running.stop).pipe(
    Effect.map(({ process }) => process),
    Effect.withSpan("LineProcess.open", { attributes: { "process.executable.path": file } })
  )

interface Running {
  readonly process: LineProcess
  readonly stop: Effect.Effect<void>
}

const start = (file: string, program: Program): Effect.Effect<Running, Ended> =>
  Effect.gen(function* () {
    const child = yield* spawned(file, program)
    const started = yield* Deferred.make<void, Ended>()
    const exited = yield* Deferred.make<void>()
    const lines = new Lines((held) => (held ? child.stdout.pause() : child.stdout.resume()))
    let errors = ""
    const hide = hiding(program)
    let status = "ended"

    // A program that has ended cannot be written to; that it has ended is known from elsewhere.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined)
    const decoder = new StringDecoder("utf8")
    let heard = 0
    child.stdout.on("data", (chunk: Buffer) => {
      heard += 1
      lines.add(decoder.write(chunk))
    })
    /**
     * After its end there is a while for what it wrote, and then until nothing more of it comes: where this process was busy
     * the while can be over before the last lines were read. Keeps no process alive, which a fiber's sleep would.
     */
    const endSoon = (): void => {
      // @effect-diagnostics-next-line globalTimers:off
      setTimeout(() => {
        const before = heard
        // pending reads come between a timer and this
        setImmediate(() => (heard === before && !lines.isHeld() ? lines.end(ended(status)) : endSoon()))
      }, drain).unref()
    }
    const errorDecoder = new StringDecoder("utf8")
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + errorDecoder.write(chunk)).slice(-keptErrors)
    })
    child.once("exit", (code, signal) => {
      status = signal === null ? `ended with exit status ${code}` : `was killed by ${signal}`
      living.delete(child)
      Deferred.unsafeDone(exited, Effect.void)
      endSoon()
    })
    child.once("close", () => {
      lines.add(decoder.end())
      lines.end(ended(status))
    })
    child.once("spawn", () => Deferred.unsafeDone(started, Effect.void))
    child.on("error", (error) => Deferred.unsafeDone(started, Effect.fail(notStarted(error))))
    living.add(child)
    yield* Deferred.await(started)

    const process: LineProcess = {
      pid: child.pid ?? 0,
      send: (line) =>
        Effect.sync(() => {
          if (child.stdin.writable) child.stdin.write(`${line}\n`)
        }),
      next: lines.next,
      errors: () => hide(errors.trim()),
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      finish: (grace) =>
        Effect.sync(() => child.stdin.end()).pipe(Effect.zipRight(atMost(Deferred.await(exited), grace)))
    }
    const stop = Effect.gen(function* () {
      killGroup(child)
      yield* atMost(Deferred.await(exited), patience)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      lines.end(ended("was stopped"))
    })
    return { process, stop }
  })

/** The program with its streams, about to run. */
const spawned = (file: string, { command, cwd, env }: Program): Effect.Effect<ChildProcessWithoutNullStreams, Ended> =>
  Effect.async((resume) => {
    try {
      const child = spawn(file, command.slice(1), {
        stdio: ["pipe", "pipe", "pipe"],
        detached: platform !== "win32",
        windowsHide: true,
        env: { ...environment, ...env },
        ...(cwd === undefined ? {} : { cwd })
      })
      if (child.pid !== undefined) return resume(Effect.succeed(child))
      // It has no streams either, when the system is out of file handles.
      child.once("error", (error) => resume(Effect.fail(notStarted(error))))
    } catch (error) {
      resume(Effect.fail(notStarted(error)))
    }
  })

const notStarted = (error: unknown): Ended => ended(`could not be started (${ErrorText.of(error)})`)

/** Waits so long and no longer, also in a finalizer, where nothing can be interrupted but a fiber of its own. */
export const atMost = (effect: Effect.Effect<unknown>, time: Duration.Duration): Effect.Effect<void> =>
  Effect.flatMap(Effect.fork(Effect.interruptible(Effect.timeoutOption(effect, time))), Fiber.join).pipe(Effect.asVoid)

const ended = (how: string): Ended => ({ _tag: "Ended", how })

/** The lines of an output: handed out one by one, the writer held back while too many wait. */
class Lines {
  private readonly hold: (paused: boolean) => void
  private readonly waiting: Array<string> = []
  private partial: Array<string> = []
  private partialLength = 0
  private over: Ended | null = null
  private held = false
  private wake: (() => void) | null = null

  constructor(hold: (paused: boolean) => void) {
    this.hold = hold
  }

  readonly next: Effect.Effect<string, Ended> = Effect.async((resume) => {
    const give = (): boolean => {
      const line = this.waiting.shift()
      if (line === undefined && this.over === null) return false
      if (this.held && this.waiting.length < mostWaiting / 2) this.setHeld(false)
      resume(line === undefined ? Effect.fail(this.over as Ended) : Effect.succeed(line))
      return true
    }
    if (give()) return
    this.wake = () => {
      if (give()) this.wake = null
    }
    return Effect.sync(() => {
      this.wake = null
    })
  })

  add(text: string): void {
    if (this.over !== null || text === "") return
    const [first = "", ...rest] = text.split("\n")
    this.partial.push(first)
    this.partialLength += first.length
    for (const piece of rest) {
      this.push()
      this.partial = [piece]
      this.partialLength = piece.length
    }
    if (this.partialLength > longestLine) {
      return this.end(ended(`wrote a line of more than ${longestLine} characters`))
    }
    if (!this.held && this.waiting.length >= mostWaiting) this.setHeld(true)
    this.wake?.()
  }

  /** Whether the writer is held back, so that lines of it are unread. */
  isHeld(): boolean {
    return this.held
  }

  end(how: Ended): void {
    if (this.over !== null) return
    if (this.partialLength > 0 && this.partialLength <= longestLine) this.push()
    this.partial = []
    this.over = how
    // What still comes is let through and thrown away.
    if (this.held) this.setHeld(false)
    this.wake?.()
  }

  private push(): void {
    this.waiting.push(this.partial.join("").replace(/\r$/, ""))
    this.partial = []
    this.partialLength = 0
  }

  private setHeld(held: boolean): void {
    this.held = held
    this.hold(held)
  }
}

/** Kills the program and all it started that stayed in its group. */
const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  if (platform === "win32") {
    spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => child.kill())
    return
  }
  try {
    kill(-child.pid, "SIGKILL")
  } catch {
    // No such group any more.
    child.kill("SIGKILL")
  }
}

/** Programs that run, for when this process ends without closing scopes. */
const living = new (class {
  private readonly children = new Set<ChildProcess>()
  private watching = false

  add(child: ChildProcess): void {
    if (child.exitCode !== null || child.signalCode !== null) return
    this.children.add(child)
    if (this.watching) return
    this.watching = true
    node.once("exit", () => this.children.forEach(killGroup))
  }

  delete(child: ChildProcess): void {
    this.children.delete(child)
  }
})()
