/**
 * A command's last word: what it found, on stdout as text or as one JSON object, or why there is nothing, on stderr, with
 * the status that says so.
 */
import * as Effect from "effect/Effect"
import * as ExitStatus from "./ExitStatus.ts"
import { Invocation } from "./Invocation.ts"
import { Stdio } from "./Stdio.ts"
import type { Style } from "./Style.ts"
import * as Trouble from "./Trouble.ts"

/** How the text may look where it goes. */
export interface Look {
  readonly style: Style
  readonly width: number
}

/** Prints what a command found; the object has stable keys, for scripts. */
export const give = (
  json: boolean,
  record: Readonly<Record<string, unknown>>,
  text: (look: Look) => string
): Effect.Effect<void, never, Stdio> =>
  Effect.map(Stdio, ({ out }) =>
    out.write(json ? `${JSON.stringify(record)}\n` : ended(text({ style: out.style, width: out.columns() })))
  )

/** Something to know that is no result. */
export const note = (text: string): Effect.Effect<void, never, Stdio> =>
  Effect.map(Stdio, ({ err }) => err.write(ended(text)))

/** The call was refused: nothing was done. */
export const refuse = (issues: ReadonlyArray<Trouble.Issue>): Effect.Effect<never, ExitStatus.Exit, Stdio> =>
  Effect.flatMap(Stdio, ({ err }) => {
    err.write(Trouble.issues(issues, err))
    return new ExitStatus.Exit({ status: ExitStatus.usage })
  })

/** It did not work: what happened, what to do, and with `--debug` where it came from. */
export const fail = (
  status: number,
  message: string,
  fix: string | null,
  cause?: unknown
): Effect.Effect<never, ExitStatus.Exit, Stdio> =>
  Effect.gen(function* () {
    const { err } = yield* Stdio
    const { debug } = yield* Invocation
    err.write(Trouble.sentence(message, fix, err))
    if (debug && cause !== undefined) err.write(`${Trouble.trace(cause)}\n`)
    return yield* new ExitStatus.Exit({ status })
  })

const ended = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`)
