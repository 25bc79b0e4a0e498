import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough, Writable } from "node:stream"
import * as Interrupts from "../../packages/cli/src/Interrupts.ts"
import * as Stdio from "../../packages/cli/src/Stdio.ts"

/** A process whose streams are kept, and whose signals are given by hand. */
const fake = (options: { readonly tty?: boolean; readonly env?: Record<string, string> } = {}) => {
  const written = { out: "", err: "" }
  const stream = (key: "out" | "err") => {
    const through = new PassThrough()
    through.on("data", (chunk) => {
      written[key] += String(chunk)
    })
    return Object.assign(through, { isTTY: options.tty === true, columns: 80 }) as unknown as NodeJS.WriteStream
  }
  const listeners = new Map<string, Set<(signal: NodeJS.Signals) => void>>()
  const exits: Array<number> = []
  return {
    written,
    exits,
    signal: (name: NodeJS.Signals) => listeners.get(name)?.forEach((listener) => listener(name)),
    listening: () => [...listeners.values()].reduce((n, set) => n + set.size, 0),
    process: {
      stdout: stream("out"),
      stderr: stream("err"),
      stdin: { isTTY: options.tty === true },
      env: options.env ?? {},
      on: (name: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void) =>
        listeners.set(name, (listeners.get(name) ?? new Set()).add(listener)),
      off: (name: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void) => listeners.get(name)?.delete(listener),
      exit: (status: number) => exits.push(status)
    }
  }
}

describe("Ctrl-C", () => {
  it.scoped("asks once, then leaves at once with 130 and the cursor back", () =>
    Effect.gen(function* () {
      const { exits, process, signal, written } = fake({ tty: true })
      let asked = 0
      const interrupts = yield* Effect.provide(
        Interrupts.Interrupts,
        Layer.provide(Interrupts.layer(process), Stdio.layer(process))
      )
      yield* interrupts.onFirst(() => {
        asked += 1
      })
      signal("SIGINT")
      expect([asked, exits]).toEqual([1, []])
      signal("SIGTERM")
      expect([asked, exits]).toEqual([1, [130]])
      expect(written.err).toBe(Stdio.showCursor)
    })
  )

  it.scoped("is asked for by a terminal that is closed, however often it says so", () =>
    Effect.gen(function* () {
      const { exits, process, signal } = fake()
      let asked = 0
      const interrupts = yield* Effect.provide(
        Interrupts.Interrupts,
        Layer.provide(Interrupts.layer(process), Stdio.layer(process))
      )
      yield* interrupts.onFirst(() => {
        asked += 1
      })
      signal("SIGHUP")
      signal("SIGHUP")
      expect([asked, exits]).toEqual([1, []])
      signal("SIGTERM")
      expect([asked, exits]).toEqual([1, [130]])
    })
  )

  it.effect("is Node's own affair again when the run is over", () =>
    Effect.gen(function* () {
      const { listening, process } = fake()
      const interrupts = yield* Effect.provide(
        Interrupts.Interrupts,
        Layer.provide(Interrupts.layer(process), Stdio.layer(process))
      )
      yield* Effect.scoped(
        Effect.andThen(
          interrupts.onFirst(() => {}),
          Effect.sync(() => expect(listening()).toBe(3))
        )
      )
      expect(listening()).toBe(0)
    })
  )
})

describe("the streams", () => {
  it("keep the first failure of the data, and none of a reader that left", async () => {
    for (const [code, kept] of [
      ["ENOSPC", "ENOSPC"],
      ["EIO", "EIO"],
      ["EPIPE", undefined]
    ]) {
      const stdout = new Writable({
        write: (_, __, done) => done(Object.assign(new Error("broken"), { code }))
      })
      const { process } = fake()
      const stdio = Stdio.fromProcess({ ...process, stdout: stdout as unknown as NodeJS.WriteStream })
      stdio.out.write("rows")
      stdio.out.write("more")
      await new Promise((resolve) => setImmediate(resolve))
      expect((stdio.failure() as NodeJS.ErrnoException | null)?.code).toBe(kept)
    }
  })

  it("write a file whole, or keep what kept it from being", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandtable-streams-"))
    const fd = openSync(join(folder, "out"), "w")
    const { process } = fake()
    const stdio = Stdio.fromProcess({ ...process, stdout: Object.assign(process.stdout, { fd }) })
    stdio.out.write("ü".repeat(100_000))
    expect(readFileSync(join(folder, "out"), "utf8")).toBe("ü".repeat(100_000))
    closeSync(fd)
    stdio.out.write("too late")
    expect(stdio.failure()).toMatchObject({ code: "EBADF" })
    rmSync(folder, { recursive: true })
  })

  it.effect("give what the agent prints to the watcher while a run goes on, and are themselves again after it", () =>
    Effect.gen(function* () {
      const { process, written } = fake()
      const stdio = Stdio.fromProcess(process)
      const heard: Array<string> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* stdio.capture((text) => heard.push(text))
          process.stdout.write("debugging\n")
          process.stderr.write("a warning\n")
          stdio.out.write("data\n")
        })
      )
      process.stdout.write("after\n")
      expect(heard).toEqual(["debugging\n", "a warning\n"])
      expect(written).toEqual({ out: "data\nafter\n", err: "" })
    })
  )

  it.effect("are drawn on only on a terminal, and never under NO_COLOR, CI or a dumb terminal", () =>
    Effect.sync(() => {
      const terminal = (env: Record<string, string>, tty = true) =>
        Stdio.fromProcess(fake({ tty, env }).process).err.isTerminal
      expect(terminal({})).toBe(true)
      expect(terminal({}, false)).toBe(false)
      expect(terminal({ NO_COLOR: "1" })).toBe(false)
      expect(terminal({ NO_COLOR: "" })).toBe(true)
      expect(terminal({ CI: "true" })).toBe(false)
      expect(terminal({ CI: "false" })).toBe(true)
      expect(terminal({ TERM: "dumb" })).toBe(false)
    })
  )
})
