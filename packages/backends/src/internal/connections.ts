/**
 * Connections by undici, one per request under way. Its own pool looks through all of them for a free one, so that a
 * thousand requests in flight cost a million looks.
 */
import { buildConnector, Client, type Dispatcher } from "@effect/platform-node/Undici"
import * as Proxy from "../Proxy.ts"
import * as Proxied from "./proxied.ts"

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
  private readonly proxies: Proxy.Proxies
  /** By origin, the proxy on the way to it. */
  private readonly ways = new Map<string, string | null>()
  private readonly dispatchers = new Map<string, Dispatcher>()

  constructor(proxies: Proxy.Proxies = Proxy.none) {
    this.proxies = proxies
  }

  /** A connection for one request, after which it is free again. Throws where its proxy cannot be one. */
  take(origin: string): Dispatcher {
    const proxy = this.proxyOf(origin)
    if (proxy !== null) return this.through(proxy)
    const line = this.free.get(origin)?.pop() ?? this.open(origin)
    line.taken = true
    return line
  }

  /** What went wrong on the way to an origin, in words that name the proxy. */
  told(origin: string, cause: unknown): unknown {
    const proxy = this.proxyOf(origin)
    return proxy === null ? cause : Proxied.along(proxy, cause)
  }

  async close(): Promise<void> {
    const closed = new Error("the connections were closed")
    await Promise.all([...this.all, ...this.dispatchers.values()].map((line) => line.destroy(closed)))
  }

  private proxyOf(origin: string): string | null {
    let proxy = this.ways.get(origin)
    if (proxy === undefined) this.ways.set(origin, (proxy = Proxy.of(this.proxies, origin)))
    return proxy
  }

  private through(proxy: string): Dispatcher {
    const known = this.dispatchers.get(proxy)
    if (known !== undefined) return known
    const made = Proxied.dispatcher(proxy)
    this.dispatchers.set(proxy, made)
    return made
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
