/**
 * How an error reads: what happened and what to do, on stderr, without a stack unless `--debug` asks for it.
 */
import { masked } from "@sandtable/core/unstable/ModelSource"
import * as Cause from "effect/Cause"
import type { Sink } from "./Stdio.ts"
import * as Style from "./Style.ts"

/** One thing that is wrong with a call. */
export interface Issue {
  readonly option: string
  readonly problem: string
  readonly fix: string
}

/** A call that was refused: every issue, each with its fix. */
export const issues = (all: ReadonlyArray<Issue>, sink: Sink): string => {
  const { style } = sink
  const width = Math.min(28, Math.max(...all.map((issue) => issue.option.length)))
  const gap = " ".repeat(width + 4)
  return [
    `${style.red("error:")} ${all.length === 1 ? "the call was refused" : `the call was refused for ${all.length} reasons`}; nothing was run`,
    ...all.flatMap((issue) => [
      `  ${style.bold(Style.strip(masked(issue.option)).padEnd(width))}  ${indented(issue.problem, gap)}`,
      `${gap}${style.dim("fix:")} ${indented(issue.fix, gap)}`
    ]),
    ""
  ].join("\n")
}

/** One error in a sentence, and what to do about it. */
export const sentence = (message: string, fix: string | null, sink: Sink): string => {
  const { style } = sink
  return [
    `${style.red("error:")} ${indented(message, "  ")}`,
    ...(fix === null ? [] : [`  ${style.dim("fix:")} ${indented(fix, "  ")}`]),
    ""
  ].join("\n")
}

/** Something of ours broke. */
export const defect = (cause: Cause.Cause<unknown>, debug: boolean, sink: Sink): string => {
  const error = Cause.squash(cause)
  const message = error instanceof Error ? error.message : String(error)
  return sentence(
    `sandtable itself failed: ${message}`,
    debug ? null : "Run it again with --debug for the stack, and report it with the command that was run.",
    sink
  )
}

/** Where it came from, for `--debug`. */
export const stack = (cause: Cause.Cause<unknown>): string =>
  `${masked(Cause.pretty(cause, { renderErrorCause: true }))}\n`

/** The stack of a foreign error. */
export const trace = (error: unknown): string =>
  masked(error instanceof Error ? (error.stack ?? error.message) : String(error))

const indented = (text: string, gap: string): string => Style.strip(masked(text)).split("\n").join(`\n${gap}`)
