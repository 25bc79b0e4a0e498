/**
 * The account of an export: what went in, what came out, what a trainer learns of it, and what was left out and why.
 */
import type { ChatMessage } from "../../row/Row.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Format, Report, Share } from "../Export.ts"
import { lengthOf } from "./thread.ts"

/** What a chat template makes of four characters of English is about one token. */
const charactersPerToken = 4

export class Book {
  rows = 0
  used = 0
  lines = 0
  readonly #asks = new Set<string>()
  readonly #skipped = new Map<string, number>()
  readonly #notes = new Map<string, string>()
  readonly #targets = { messages: 0, characters: 0 }
  readonly #context = { messages: 0, characters: 0 }

  use(row: TraceRow): void {
    this.used += 1
    this.#asks.add(RowSource.askOf(row))
  }

  skip(reason: string, rows = 1): void {
    if (rows > 0) this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + rows)
  }

  /** A message of a line, learnt from or only read. */
  message(message: ChatMessage, learnt: boolean): void {
    const into = learnt ? this.#targets : this.#context
    into.messages += 1
    into.characters += lengthOf(message)
  }

  note(code: string, message: string): void {
    this.#notes.set(code, message)
  }

  report(format: Format, path: string | null): Report {
    return {
      format,
      path,
      rows: this.rows,
      used: this.used,
      lines: this.lines,
      asks: this.#asks.size,
      skipped: Object.fromEntries([...this.#skipped].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))),
      targets: shareOf(this.#targets),
      context: shareOf(this.#context),
      notes: [...this.#notes].map(([code, message]) => ({ code, message }))
    }
  }
}

const shareOf = ({ characters, messages }: { readonly messages: number; readonly characters: number }): Share => ({
  messages,
  characters,
  about_tokens: Math.round(characters / charactersPerToken)
})
