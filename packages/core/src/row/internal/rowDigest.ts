/**
 * `rows_digest`: one hash for a set of rows, whatever order they landed in. Each row is hashed when it is seen and then
 * let go, so a streamed run is digested in 32 bytes a row.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"

/** What a digest keeps of a row beside its hash: the place it is sorted to. */
export interface Place {
  readonly evalRun: number
  readonly taskId: string
  readonly index: number
}

export interface RowDigest {
  /** `hash` is the SHA-256 (64 hex digits) of all of the row that two equal runs share. */
  readonly add: (place: Place, hash: string) => void
  /** SHA-256 (hex) of the rows' hashes in the order (eval run, task id, index). */
  readonly hex: () => string
}

export const make = (): RowDigest => {
  const places: Array<Place> = []
  let hashes = new Uint8Array(32 * 64)
  const hashAt = (i: number): Uint8Array => hashes.subarray(32 * i, 32 * i + 32)
  return {
    add: (place, hash) => {
      const at = 32 * places.length
      if (at === hashes.length) {
        const grown = new Uint8Array(2 * hashes.length)
        grown.set(hashes)
        hashes = grown
      }
      for (let i = 0; i < 32; i++) {
        hashes[at + i] = (digitOf(hash.charCodeAt(2 * i)) << 4) | digitOf(hash.charCodeAt(2 * i + 1))
      }
      places.push(place)
    },
    hex: () => {
      const order = places
        .map((_, i) => i)
        .sort((a, b) => comparePlaces(places[a] as Place, places[b] as Place) || compareBytes(hashAt(a), hashAt(b)))
      const whole = sha256.create()
      for (const i of order) whole.update(hashAt(i))
      return bytesToHex(whole.digest())
    }
  }
}

export const comparePlaces = (a: Place, b: Place): number =>
  a.evalRun - b.evalRun || compareText(a.taskId, b.taskId) || a.index - b.index

/** Of a lower-case hex digit. */
const digitOf = (code: number): number => (code < 58 ? code - 48 : code - 87)

/** By code unit, so that it is the same everywhere. */
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return 0
}
