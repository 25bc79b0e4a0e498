/**
 * What a page holds for its script: packed, since threads repeat themselves and a page of ten thousand has to open.
 */
import { gzipSync } from "node:zlib"
import type * as Facts from "./Facts.ts"

/** Where a thread is: which block, and which of its threads. */
export type Place = readonly [block: number, index: number]

export interface Blocks {
  readonly add: (thread: string) => Place
  /** All blocks, each packed. */
  readonly end: () => ReadonlyArray<string>
}

/** Threads in blocks that are unpacked one by one, when one of theirs is opened. */
export const blocks = (): Blocks => {
  const packed: Array<string> = []
  let held: Array<string> = []
  let size = 0
  const close = (): void => {
    if (held.length === 0) return
    packed.push(pack(held))
    held = []
    size = 0
  }
  return {
    add: (thread) => {
      if (size > blockSize) close()
      held.push(thread)
      size += thread.length
      return [packed.length, held.length - 1]
    },
    end: () => {
      close()
      return packed
    }
  }
}

/** A value as gzip in base64, which no HTML parser can take for a tag. */
export const pack = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64")

/** Characters of HTML in a block: unpacked at once when a thread is opened. */
const blockSize = 300_000

/** How many threads a page keeps: as many as were asked for, or those that make a page that opens at once. */
export type Limit = { readonly _tag: "Usual" } | { readonly _tag: "Threads"; readonly most: number }

/** Characters of steps that a page usually keeps: packed, some 3 to 8 MB. */
const usualSize = 24_000_000

/**
 * The rows whose threads are kept: those that did not pass first, then the passes; of each task one before a second of
 * any, so that what is kept tells of all tasks.
 */
export const kept = (rows: ReadonlyArray<Facts.Facts>, limit: Limit): ReadonlySet<number> => {
  const rounds = new Map<string, number>()
  const queue = rows.map(({ size, task, verdict }, at) => {
    const passed = verdict === "pass" ? 1 : 0
    const key = `${passed} ${task}`
    const round = rounds.get(key) ?? 0
    rounds.set(key, round + 1)
    return { at, passed, round, size }
  })
  queue.sort((a, b) => a.passed - b.passed || a.round - b.round || a.at - b.at)
  const chosen = new Set<number>()
  let left = limit._tag === "Usual" ? usualSize : limit.most
  for (const { at, size } of queue) {
    left -= limit._tag === "Usual" ? size : 1
    if (left < 0) break
    chosen.add(at)
  }
  return chosen
}
