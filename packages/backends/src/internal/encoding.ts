/**
 * Content-Encoding undone: what a server, or a gateway before it, packed. Requests to models ask for none, and some are
 * packed all the same. What is unpacked may grow to `largest` and no further.
 */
import { Buffer } from "node:buffer"
import { Transform, type Readable, type TransformCallback } from "node:stream"
import * as zlib from "node:zlib"

/** Most bytes of an answer, packed or not: no reply of a model comes near, and a few kilobytes can be packed gigabytes. */
export const largest = 64_000_000

/** An answer came, and nothing can be made of its bytes. */
export class Unreadable extends Error {
  /** Whether another try may do better. */
  readonly again: boolean

  constructor(message: string, again: boolean) {
    super(message)
    this.again = again
  }
}

export const tooLarge = (most: number): Unreadable =>
  new Unreadable(`it is larger than ${Math.round(most / 1_000_000)} MB`, false)

export const grows = (): Unreadable =>
  new Unreadable(`it grows beyond ${Math.round(largest / 1_000_000)} MB as it is unpacked`, false)

const damaged = (name: string, { message }: Error): Unreadable =>
  new Unreadable(`it says that it is packed by ${name}, and is damaged or cut off (${message})`, true)

const unknown = (name: string): Unreadable =>
  new Unreadable(
    `it is packed by ${JSON.stringify(name.slice(0, 40))}, and only gzip, deflate and br are unpacked; switch that off at the server or the gateway before it`,
    false
  )

/** Encodings that are undone one after the other: more are nobody's honest answer. */
const mostEncodings = 5

/** What a header names, in the order in which it is undone; nothing for an answer as it is. */
export const namesIn = (header: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> => {
  if (header === undefined || header === "") return none
  const names = (typeof header === "string" ? header : header.join(",")).toLowerCase().split(",")
  return names
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity")
    .reverse()
}

const none: ReadonlyArray<string> = []

type Kind = "gzip" | "zlib" | "raw" | "br"

/** How bytes that begin like this are unpacked; null for bytes that somebody on the way has unpacked before. */
const kindOf = (name: string, first: number, second: number): Kind | null | undefined => {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return first === 0x1f && second === 0x8b ? "gzip" : null
    case "deflate":
      // Named after the format with a head, and sent without one by some.
      return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0 ? "zlib" : "raw"
    case "br":
      return "br"
    default:
      return undefined
  }
}

/** Unpacks bytes; `end` is called once. */
export const unpack = (
  names: ReadonlyArray<string>,
  bytes: Buffer,
  end: (unpacked: Buffer | Unreadable) => void
): void => {
  const [name, ...rest] = names
  if (name === undefined || bytes.length === 0) return end(bytes)
  if (names.length > mostEncodings) return end(unknown(names.join(", ")))
  const kind = kindOf(name, bytes[0] ?? 0, bytes[1] ?? 0)
  if (kind === undefined) return end(unknown(name))
  if (kind === null) return unpack(rest, bytes, end)
  whole[kind](bytes, { maxOutputLength: largest }, (error, unpacked) => {
    if (error === null) return unpack(rest, unpacked, end)
    end((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? grows() : damaged(name, error))
  })
}

type Whole = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number },
  end: (error: Error | null, unpacked: Buffer) => void
) => void

const whole: Readonly<Record<Kind, Whole>> = {
  gzip: zlib.gunzip,
  zlib: zlib.inflate,
  raw: zlib.inflateRaw,
  br: zlib.brotliDecompress
}

/** A body unpacked as it comes; its errors are `Unreadable` where it cannot be. */
export const unpacking = (names: ReadonlyArray<string>, body: Readable): Readable => {
  const steps = names.length > mostEncodings ? [names.join(", ")] : names
  return steps.reduce<Readable>((packed, name) => {
    const unpacked = kindOf(name, 0, 0) === undefined ? new Refusing(unknown(name)) : new Unpacking(name)
    packed.on("error", (error) => unpacked.destroy(error))
    unpacked.on("close", () => packed.destroy())
    return packed.pipe(unpacked)
  }, body)
}

/** Fails whoever reads it, and not before. */
class Refusing extends Transform {
  private readonly error: Unreadable

  constructor(error: Unreadable) {
    super()
    this.error = error
  }

  override _transform(_chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    done(this.error)
  }

  override _flush(done: TransformCallback): void {
    done(this.error)
  }
}

const stream: Readonly<Record<Kind, () => zlib.Gunzip | zlib.BrotliDecompress>> = {
  gzip: () => zlib.createGunzip(),
  zlib: () => zlib.createInflate(),
  raw: () => zlib.createInflateRaw(),
  br: () => zlib.createBrotliDecompress()
}

class Unpacking extends Transform {
  private readonly by: string
  /** Undefined until the first two bytes say how; null for bytes that are handed on. */
  private inner: zlib.Gunzip | zlib.BrotliDecompress | null | undefined
  private begun: Buffer = Buffer.alloc(0)
  private bytes = 0

  constructor(by: string) {
    super()
    this.by = by
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (this.inner !== undefined) return this.feed(chunk, done)
    this.begun = Buffer.concat([this.begun, chunk])
    if (this.begun.length < 2) return done()
    this.begin(done)
  }

  override _flush(done: TransformCallback): void {
    if (this.inner === undefined && this.begun.length > 0) return this.begin(() => this._flush(done))
    const { inner } = this
    if (inner === undefined || inner === null) return done()
    inner.once("end", () => done())
    inner.end()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.inner?.destroy()
    done(error)
  }

  private begin(done: TransformCallback): void {
    const { begun } = this
    const kind = kindOf(this.by, begun[0] ?? 0, begun[1] ?? 0) ?? null
    this.inner = kind === null ? null : stream[kind]()
    this.begun = Buffer.alloc(0)
    this.inner?.on("data", (chunk: Buffer) => this.give(chunk))
    this.inner?.on("error", (error: Error) => this.destroy(damaged(this.by, error)))
    this.feed(begun, done)
  }

  private feed(chunk: Buffer, done: TransformCallback): void {
    const { inner } = this
    if (inner !== undefined && inner !== null) return void inner.write(chunk, () => done())
    this.give(chunk)
    done()
  }

  private give(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.bytes > largest) this.destroy(grows())
    else this.push(chunk)
  }
}
