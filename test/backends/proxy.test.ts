/**
 * Proxies that are told or named by the environment, over real HTTP: who is asked, as whom, and for what.
 */
import { describe, expect, it } from "@effect/vitest"
import * as HttpAgent from "@sandtable/backends/HttpAgent"
import * as McpWorld from "@sandtable/backends/McpWorld"
import { layerUndici, layerUndiciWith } from "@sandtable/backends/node"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import * as Proxy from "@sandtable/backends/Proxy"
import { ConfigProvider, Effect } from "effect"
import http from "node:http"
import type { AddressInfo } from "node:net"
import * as Kit from "../core/rollout/kit.ts"
import { hi } from "./asking.ts"
import * as FakeServer from "./FakeServer.ts"

interface Seen {
  /** As a proxy is asked: `POST http://host/path`, `CONNECT host:443`. */
  readonly line: string
  readonly user: string | undefined
}

/** A proxy that hands everything on to one server, or answers by itself with a status. */
const proxy = (to: string | number) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly seen: ReadonlyArray<Seen>; readonly server: http.Server }>(
      (resume) => {
        const seen: Array<Seen> = []
        const note = (request: http.IncomingMessage): void =>
          void seen.push({ line: `${request.method} ${request.url}`, user: request.headers["proxy-authorization"] })
        const server = http.createServer((request, response) => {
          note(request)
          if (typeof to === "number")
            return void request.resume().on("end", () => response.writeHead(to).end("by the proxy"))
          const { pathname, search } = new URL(request.url ?? "")
          const headers = { ...request.headers }
          delete headers["proxy-authorization"]
          const on = http.request(`${to}${pathname}${search}`, { method: request.method, headers }, (answer) => {
            response.writeHead(answer.statusCode ?? 500, answer.headers)
            answer.pipe(response)
          })
          on.on("error", () => response.destroy())
          request.pipe(on)
        })
        server.on("connect", (request: http.IncomingMessage, socket: NodeJS.WritableStream) => {
          note(request)
          socket.end(`HTTP/1.1 ${typeof to === "number" ? to : 502} No\r\n\r\n`)
        })
        server.listen(0, "127.0.0.1", () =>
          resume(Effect.succeed({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server }))
        )
      }
    ),
    ({ server }) =>
      Effect.async<void>((done) => {
        server.closeAllConnections()
        server.close(() => done(Effect.void))
      })
  )

const environment = (variables: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

const asked = (baseUrl: string, settings?: Proxy.Settings, streaming = false) =>
  Effect.flatMap(OpenAiCompatible.make({ model: "m", baseUrl, streaming, retry: { attempts: 1 } }), (model) =>
    model.complete(hi)
  ).pipe(Effect.provide(settings === undefined ? layerUndici : layerUndiciWith({ proxy: settings })))

describe("a model behind a proxy", () => {
  for (const streaming of [false, true]) {
    it.scoped(`is reached through it, as its user, by a name that only the proxy knows (streamed: ${streaming})`, () =>
      Effect.gen(function* () {
        const server = yield* FakeServer.make([{ text: "ok" }])
        const { seen, url } = yield* proxy(server.url)
        const completion = yield* asked("http://models.example/v1", url.replace("//", "//me:p%40ss@"), streaming)
        expect(completion.text).toBe("ok")
        expect(seen).toEqual([
          { line: "POST http://models.example/v1/chat/completions", user: `Basic ${btoa("me:p@ss")}` }
        ])
        expect(server.received[0]?.headers["host"]).toBe("models.example")
      })
    )
  }

  it.scoped("is reached by what the variables say, small letters first", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([{ text: "ok" }])
      const { seen, url } = yield* proxy(server.url)
      const dead = "http://127.0.0.1:9"
      for (const variables of [
        { HTTP_PROXY: url },
        { http_proxy: url },
        { http_proxy: url.slice("http://".length), HTTP_PROXY: dead },
        { http_proxy: "", HTTP_PROXY: url },
        { HTTP_PROXY: url, NO_PROXY: "other.example" }
      ]) {
        const call = environment(variables)(asked("http://models.example/v1", "environment"))
        expect((yield* call).text).toBe("ok")
      }
      expect(seen).toHaveLength(5)
    })
  )

  it.scoped("is asked straight where the library is told nothing, or the host is left out", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([{ text: "ok" }])
      const { seen, url } = yield* proxy(418)
      const variables = environment({ HTTP_PROXY: url, NO_PROXY: "127.0.0.1" })
      expect((yield* variables(asked(`${server.url}/v1`, "environment"))).text).toBe("ok")
      expect((yield* environment({ HTTP_PROXY: url })(asked(`${server.url}/v1`))).text).toBe("ok")
      expect((yield* asked(`${server.url}/v1`, { http: url, except: "*" })).text).toBe("ok")
      expect(seen).toEqual([])
    })
  )

  it.scoped("is asked for a tunnel where it speaks TLS", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* proxy(502)
      const failed = yield* Effect.flip(asked("https://models.example/v1", { https: url.replace("//", "//me@") }))
      expect(seen).toEqual([{ line: "CONNECT models.example:443", user: `Basic ${btoa("me:")}` }])
      expect(failed.message).toContain(`through the proxy ${url.replace("//", "//<redacted>@")}: Proxy response (502)`)
    })
  )

  it.scoped.each(["http://models.example/v1", "https://models.example/v1"])(
    "is not asked again for %s when the proxy wants a user",
    (address) =>
      Effect.gen(function* () {
        const { seen, url } = yield* proxy(407)
        const failed = yield* Effect.flip(asked(address, url))
        expect(failed).toHaveProperty("reason", "auth")
        expect(failed.message).toContain("user and password before its host in HTTP_PROXY")
        expect(seen).toHaveLength(1)
      })
  )

  it.scoped.each([
    [
      "http://me:secret-word@127.0.0.1:9",
      /through the proxy http:\/\/<redacted>@127\.0\.0\.1:9: .*ECONNREFUSED.* HTTP_PROXY/
    ],
    [
      "socks5://me:secret-word@127.0.0.1:9",
      /the proxy is socks5:\/\/<redacted>@127\.0\.0\.1:9, and only http: and https:/
    ],
    ["http://", /the proxy is an address that is none/]
  ] as const)("says what is wrong with %s", ([settings, words]) =>
    Effect.gen(function* () {
      for (const streaming of [false, true]) {
        const failed = yield* Effect.flip(asked("http://models.example/v1", settings, streaming))
        expect(failed.message).toMatch(words)
        expect(failed.message).not.toContain("secret-word")
      }
    })
  )
})

describe("others behind a proxy", () => {
  it.scoped("an agent behind an address", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([{ raw: { text: "It has shipped." } }])
      const { seen, url } = yield* proxy(server.url)
      const agent = yield* Effect.provide(
        HttpAgent.make({ url: "http://agent.example/chat" }),
        layerUndiciWith({ proxy: url })
      )
      const trajectory = yield* agent.play(Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }) }))
      expect(trajectory.finalText).toBe("It has shipped.")
      expect(seen.map(({ line }) => line)).toEqual(["POST http://agent.example/chat"])
    })
  )

  it.scoped("an MCP server", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* proxy(503)
      const failed = yield* Effect.flip(McpWorld.connect({ url: "http://tools.example/mcp" }, { proxy: url }))
      expect(failed.message).toContain("by the proxy")
      expect(seen[0]?.line).toBe("POST http://tools.example/mcp")
      const dead = { proxy: "http://me:secret-word@127.0.0.1:9" }
      const none = yield* Effect.flip(McpWorld.connect({ url: "http://tools.example/mcp" }, dead))
      expect(none.message).toContain("through the proxy http://<redacted>@127.0.0.1:9")
    })
  )
})

describe("who is reached without a proxy", () => {
  it.effect.each([
    ["example.com", "http://example.com/", true],
    ["example.com", "http://api.example.com/v1", true],
    ["example.com", "http://badexample.com/", false],
    [".example.com", "http://api.example.com/", true],
    ["*.example.com", "https://api.example.com/", true],
    ["EXAMPLE.com", "http://Api.Example.COM./", true],
    ["localhost, 127.0.0.1", "http://127.0.0.1:8000/v1", true],
    ["localhost 127.0.0.1", "http://localhost:8000/v1", true],
    ["example.com:8080", "http://example.com:8080/", true],
    ["example.com:8080", "http://example.com/", false],
    ["example.com:443", "https://example.com/", true],
    ["10.0.0.0/8", "http://10.3.4.5/", true],
    ["10.0.0.0/8", "http://11.3.4.5/", false],
    ["192.168.1.128/25", "http://192.168.1.200/", true],
    ["192.168.1.128/25", "http://192.168.1.100/", false],
    ["::1", "http://[::1]:8000/", true],
    ["[::1]:8000", "http://[::1]:8000/", true],
    ["*", "https://anybody.example/", true],
    ["", "http://example.com/", false],
    [" , ", "http://example.com/", false]
  ] as const)("%j for %s: %s", ([except, address, straight]) =>
    Effect.gen(function* () {
      const proxies = yield* Proxy.read({ http: "proxy.example:3128", except })
      expect(Proxy.of(proxies, address)).toBe(straight ? null : "http://proxy.example:3128")
    })
  )

  it.effect("takes one for TLS from the other where it is not named", () =>
    Effect.gen(function* () {
      const one = yield* environment({ HTTP_PROXY: "http://a:1" })(Proxy.read("environment"))
      expect([Proxy.of(one, "http://x.example"), Proxy.of(one, "https://x.example")]).toEqual([
        "http://a:1",
        "http://a:1"
      ])
      const two = yield* environment({ HTTPS_PROXY: "http://b:2" })(Proxy.read("environment"))
      expect([Proxy.of(two, "http://x.example"), Proxy.of(two, "https://x.example")]).toEqual([null, "http://b:2"])
      expect(Proxy.of(yield* environment({})(Proxy.read("environment")), "http://x.example")).toBeNull()
    })
  )
})
