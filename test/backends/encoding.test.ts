/**
 * Servers and gateways that pack their answers all the same, over real HTTP: models, agents behind an address, MCP.
 */
import { FetchHttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as HttpAgent from "@sandtable/backends/HttpAgent"
import { layerUndici } from "@sandtable/backends/node"
import { Effect, FastCheck } from "effect"
import http from "node:http"
import type { AddressInfo } from "node:net"
import * as zlib from "node:zlib"
import * as Kit from "../core/rollout/kit.ts"
import { behind, hi, noted, protocols, wires } from "./asking.ts"
import type * as FakeServer from "./FakeServer.ts"
import * as Shapes from "./fake-shapes.ts"

type Pack = (bytes: Buffer) => Buffer

const packs: ReadonlyArray<readonly [string, Pack]> = [
  ["gzip", zlib.gzipSync],
  ["x-gzip", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  ["deflate", zlib.deflateRawSync],
  ["br", zlib.brotliCompressSync],
  ["identity", (bytes) => bytes],
  ["GZIP, identity", zlib.gzipSync],
  ["gzip, br", (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes))],
  ["deflate,gzip,br", (bytes) => zlib.brotliCompressSync(zlib.gzipSync(zlib.deflateSync(bytes)))]
]

const clients = [
  ["our client", layerUndici],
  ["fetch", FetchHttpClient.layer],
  ["Node's client", NodeHttpClient.layer]
] as const

/** What a reply of the scripted server is on the wire, packed. */
const packed = (request: FakeServer.Received, reply: FakeServer.Said, header: string, pack: Pack): FakeServer.Reply => {
  const streamed = request.body["stream"] === true
  const raw = Shapes.written(request.path, streamed, reply, request.n)
  const plain =
    raw.events === undefined ? (raw.text ?? JSON.stringify(raw.json)) : raw.events.map(Shapes.frame).join("")
  const bytes = pack(Buffer.from(plain))
  const type = raw.events === undefined ? "application/json" : "text/event-stream"
  // In pieces, of which the first says too little.
  const cuts = [1, 2, Math.ceil(bytes.length / 2), bytes.length]
  return {
    raw: {
      headers: { "content-type": type, "content-encoding": header },
      chunks: cuts.map((cut, i) => bytes.subarray(cuts[i - 1] ?? 0, cut)).filter(({ length }) => length > 0)
    }
  }
}

describe("a model server that packs its replies", () => {
  for (const [client, layer] of clients) {
    for (const { make, name } of wires) {
      it.scoped.each(packs)(`is read: ${client}, ${name}, %s`, ([header, pack]) =>
        Effect.gen(function* () {
          const said = { text: `Grüße, 世界! ${"and so on, ".repeat(4000)}done`, usage: { input: 7, output: 3 } }
          // fetch knows the heads it was taught.
          if (client === "fetch" && /identity/i.test(header) && header !== "identity") return
          const { model } = yield* behind((request) => packed(request, said, header, pack), {}, make)
          const completion = yield* model.complete(hi)
          expect(completion.text).toBe(said.text)
          expect(completion.usage).toMatchObject({ input: 7, output: 3 })
        }).pipe(Effect.provide(layer))
      )
    }
  }

  for (const [client, layer] of clients) {
    it.scoped.each(packs)(`${client}: is understood when it refuses, %s`, ([header, pack]) =>
      Effect.gen(function* () {
        const body = JSON.stringify({ error: { message: "no such key, sorry", code: "invalid_api_key" } })
        const { model, server } = yield* behind([
          { raw: { status: 401, headers: { "content-encoding": header }, chunks: [pack(Buffer.from(body))] } }
        ])
        const failed = yield* Effect.flip(model.complete(hi))
        expect(failed.reason).toBe("auth")
        expect(failed.message).toContain("no such key, sorry")
        expect(server.received).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    )
  }

  it.scoped("is believed its bytes rather than its header where somebody on the way has unpacked them", () =>
    Effect.gen(function* () {
      const whole = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] }
      const { model } = yield* behind([{ raw: { headers: { "content-encoding": "gzip" }, json: whole } }])
      expect((yield* model.complete(hi)).text).toBe("ok")
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped.prop(
    "is read whatever it packed, by one or several",
    [
      FastCheck.string({ unit: "grapheme", maxLength: 300 }),
      FastCheck.array(FastCheck.constantFrom(0, 2, 4), { minLength: 1, maxLength: 4 })
    ],
    ([text, order]) =>
      Effect.gen(function* () {
        const chosen = order.map((i) => packs[i] as readonly [string, Pack])
        const header = chosen.map(([name]) => name).join(", ")
        const pack: Pack = (bytes) => chosen.reduce((sofar, [, each]) => each(sofar), bytes)
        const { model } = yield* behind((request) => packed(request, { text: `.${text}` }, header, pack))
        expect((yield* model.complete(hi)).text).toBe(`.${text}`)
      }).pipe(Effect.provide(layerUndici)),
    { fastCheck: { numRuns: 30 } }
  )
})

describe("what cannot be unpacked", () => {
  /** Packed well below a megabyte, and 400 MB of it. */
  const bomb = (() => {
    const piece = Buffer.alloc(400_000_000, 0x20)
    return {
      gzip: zlib.gzipSync(piece),
      br: zlib.brotliCompressSync(piece, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })
    }
  })()

  for (const { make, name } of protocols) {
    it.scoped.each([
      ["gzip", false],
      ["gzip", true],
      ["br", false],
      ["br", true]
    ] as const)(
      `${name}: a bomb of %s, streamed %s, ends at once with what it is`,
      ([encoding, streaming]) =>
        Effect.gen(function* () {
          const type = streaming ? "text/event-stream" : "application/json"
          const { model, server } = yield* behind(
            [{ raw: { headers: { "content-type": type, "content-encoding": encoding }, chunks: [bomb[encoding]] } }],
            { streaming },
            make
          )
          const before = process.memoryUsage().rss
          const failed = yield* Effect.flip(model.complete(hi))
          expect(failed.message).toContain("grows beyond 64 MB as it is unpacked")
          expect(server.received).toHaveLength(1)
          expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
        }).pipe(Effect.provide(layerUndici)),
      90_000
    )
  }

  it.scoped.each([
    ["zstd", 'packed by "zstd"'],
    ["compress", 'packed by "compress"'],
    ["br,br,br,br,br,br", 'packed by "br, br']
  ] as const)("says that nobody here unpacks %s", ([header, words]) =>
    Effect.gen(function* () {
      for (const streaming of [false, true]) {
        const type = streaming ? "text/event-stream" : "application/json"
        const { model, server } = yield* behind(
          [
            { raw: { headers: { "content-type": type, "content-encoding": header }, chunks: [Buffer.from([1, 2, 3])] } }
          ],
          { streaming }
        )
        const failed = yield* Effect.flip(model.complete(hi))
        expect(failed.message).toContain(words)
        expect(failed.message).toContain("switch that off")
        expect(server.received).toHaveLength(1)
      }
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("is asked for again when it broke off", () =>
    Effect.gen(function* () {
      const { model } = yield* behind((request) => {
        const whole = packed(request, { text: "ok" }, "gzip", zlib.gzipSync)
        const { chunks = [], ...rest } = "raw" in whole ? whole.raw : {}
        return request.n > 0
          ? whole
          : { raw: { ...rest, chunks: [Buffer.concat(chunks as Array<Buffer>).subarray(0, 30)] } }
      })
      const { exit, sent } = yield* noted(model.complete(hi))
      expect(exit).toMatchObject({ _tag: "Success", value: { text: "ok" } })
      expect(sent).toBe(2)
    }).pipe(Effect.provide(layerUndici))
  )
})

/** A server that answers everything by these bytes. */
const answering = (headers: http.OutgoingHttpHeaders, bytes: Buffer, status = 200) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly server: http.Server }>((resume) => {
      const server = http.createServer((request, response) => {
        request.resume().on("end", () => response.writeHead(status, headers).end(bytes))
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`, server }))
      )
    }),
    ({ server }) =>
      Effect.async<void>((done) => {
        server.closeAllConnections()
        server.close(() => done(Effect.void))
      })
  )

describe("an agent behind an address that packs its answers", () => {
  const play = (url: string) =>
    Effect.flatMap(HttpAgent.make({ url, attempts: 1 }), (agent) =>
      agent.play(Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }) }))
    )

  for (const [client, layer] of clients) {
    it.scoped.each(packs)(`${client}: is heard, %s`, ([header, pack]) =>
      Effect.gen(function* () {
        for (const [type, body] of [
          ["application/json", '{"text":"It has shipped."}'],
          ["text/plain", "It has shipped."]
        ] as const) {
          const { url } = yield* answering(
            { "content-type": type, "content-encoding": header },
            pack(Buffer.from(body))
          )
          expect((yield* play(url)).finalText).toBe("It has shipped.")
        }
        const broken = yield* answering({ "content-encoding": header }, pack(Buffer.from("out of seats")), 500)
        expect((yield* Effect.flip(play(broken.url))).message).toContain("out of seats")
      }).pipe(Effect.provide(layer))
    )
  }

  it.scoped("is no agent's line when it cannot be unpacked, or is too large", () =>
    Effect.gen(function* () {
      const strange = yield* answering({ "content-encoding": "zstd" }, Buffer.from([40, 181, 47, 253]))
      expect((yield* Effect.flip(play(strange.url))).message).toMatch(/cannot be read: it is packed by "zstd"/)
      const large = yield* answering({ "content-encoding": "gzip" }, zlib.gzipSync(Buffer.alloc(20_000_000, 0x61)))
      expect((yield* Effect.flip(play(large.url))).message).toContain("larger than 16 MB")
      const plain = yield* answering({}, Buffer.alloc(20_000_000, 0x61))
      expect((yield* Effect.flip(play(plain.url))).message).toContain("larger than 16 MB")
    }).pipe(Effect.provide(layerUndici))
  )
})
