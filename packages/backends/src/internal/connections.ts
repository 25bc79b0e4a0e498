/**
 * Connections by undici, one per request under way. Its own pool looks through all of them for a free one, so that a
 * thousand requests in flight cost a million looks.
 */
import { buildConnector, Client } from "@effect/platform-node/Undici"

/** Longest time to a connection, in milliseconds: a thousand at once take their time. */
const connectTimeout = 30_000

/** A connection, and whether somebody has it. */
class Line extends Client {
  taken = false
}

export class Connections {
  private readonly connect = buildConnector({ timeout: connectTimeout })
  private readonly all: Array<Line> = []
  /** By origin, the one used last on top: it is the least likely to have been closed meanwhile. */
  private readonly free = new Map<string, Array<Line>>()

  /** A connection for one request, after which it is free again. */
  take(origin: string): Client {
    const line = this.free.get(origin)?.pop() ?? this.open(origin)
    line.taken = true
    return line
  }

  async close(): Promise<void> {
    const closed = new Error("the connections were closed")
    await Promise.all(this.all.map((line) => line.destroy(closed)))
  }

  private open(origin: string): Line {
    const free = this.free.get(origin) ?? []
    this.free.set(origin, free)
    const line = new Line(origin, { pipelining: 1, connect: this.connect })
    line.on("drain", () => {
      if (line.taken) free.push(line)
      line.taken = false
    })
    this.all.push(line)
    return line
  }
}
