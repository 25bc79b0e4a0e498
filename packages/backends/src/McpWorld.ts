/**
 * Tools and world of an MCP server: what it lists are the agent's tools, and it answers their calls. Planned faults come
 * first, as with every world.
 */
import * as ExecuteWorld from "@sandtable/core/ExecuteWorld"
import * as World from "@sandtable/core/World"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Address from "./internal/address.ts"
import * as McpSession from "./internal/mcpSession.ts"
import * as Program from "./internal/program.ts"
import * as Redaction from "./internal/redaction.ts"
import * as Proxy from "./Proxy.ts"

/**
 * A program that speaks MCP on its input and output, or the address of a server (streamable HTTP).
 * @since 0.1.0
 * @category models
 */
export type Server =
  | Program.Program
  | {
      readonly url: string
      /** Sent with every request; their values are never shown. */
      readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
    }

/**
 * How the sessions of an MCP server are used.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `rollout`: a session (a process, for a program) of its own for each, so that writes do not meet. `shared`: one for all. */
  readonly sessions?: "rollout" | "shared"
  /** Seconds a server may take to be ready (30). */
  readonly connectTimeout?: number
  /** The proxies on the way to an address; straight to it when left out. */
  readonly proxy?: Proxy.Settings
}

/**
 * The server cannot be used: it is not there, does not speak MCP, or has no tools.
 * @since 0.1.0
 * @category errors
 */
export class McpFailed extends Schema.TaggedError<McpFailed>()("McpFailed", {
  server: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `The MCP server ${this.server} cannot be used: ${this.problem}.`
  }
}

/**
 * A tool as the server lists it: `{ name, description, inputSchema, outputSchema, annotations }`.
 * @since 0.1.0
 * @category models
 */
export type ToolDefinition = Readonly<Record<string, unknown>>

/**
 * An MCP server as tools and as a world.
 * @since 0.1.0
 * @category models
 */
export interface Mcp {
  /** For the option `tools`. */
  readonly tools: ReadonlyArray<ToolDefinition>
  /** For the option `execute`. */
  readonly execute: ExecuteWorld.ExecuteObject
  /** For `World.layer`; steps then say that `mcp` answered. */
  readonly kind: World.Kind
}

/**
 * Connects to a server, lists its tools, and keeps the connection only where sessions are shared.
 * @since 0.1.0
 * @category functions
 */
export const connect = (server: Server, options: Options = {}): Effect.Effect<Mcp, McpFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { connectTimeout = 30, sessions = "rollout" } = options
    const failed = (problem: string): McpFailed =>
      new McpFailed({ server: shownOf(server), problem: redactionOf(server)(problem) })
    if (!(Number.isFinite(connectTimeout) && connectTimeout > 0)) {
      return yield* failed(`its connectTimeout of ${connectTimeout} s is no time`)
    }
    const proxies = yield* Proxy.read(options.proxy)
    const place = yield* Effect.mapError(placeOf(server, proxies), failed)
    const opened = Effect.mapError(McpSession.open(place, connectTimeout), failed)
    const listed = (session: McpSession.Session) => Effect.mapError(session.list, failed)
    const shared = sessions === "shared" ? yield* opened : null
    const tools = yield* shared === null ? Effect.scoped(Effect.flatMap(opened, listed)) : listed(shared)
    if (tools.length === 0) return yield* failed("it lists no tools")
    const execute = executeOf(shared === null ? perRollout(opened) : { session: shared, close: Effect.void })
    return { tools, execute, kind: kindOf(execute) }
  })

/**
 * The server as the world of a program; its tools are `Mcp.tools` of `connect`.
 * @since 0.1.0
 * @category layers
 */
export const layer = (server: Server, options?: Options): Layer.Layer<never, McpFailed> =>
  Layer.scoped(
    World.World,
    Effect.map(connect(server, options), ({ kind }) => kind)
  )

/**
 * `connect` as a Promise; `close` ends what it holds. Rejects with `McpFailed`.
 * @since 0.1.0
 * @category functions
 */
export const open = async (
  server: Server,
  options?: Options
): Promise<Mcp & { readonly close: () => Promise<void> }> => {
  const scope = Effect.runSync(Scope.make())
  const exit = await Effect.runPromiseExit(Scope.extend(connect(server, options), scope))
  const close = (): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))
  if (Exit.isSuccess(exit)) return { ...exit.value, close }
  await close()
  throw Cause.squash(exit.cause)
}

/** A session and how it is left. */
interface Held {
  readonly session: McpSession.Session
  readonly close: Effect.Effect<void>
}

const perRollout = (
  opened: Effect.Effect<McpSession.Session, McpFailed, Scope.Scope>
): Effect.Effect<Held, McpFailed> =>
  Effect.flatMap(Scope.make(), (scope) =>
    Scope.extend(opened, scope).pipe(
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      Effect.map((session) => ({ session, close: Scope.close(scope, Exit.void) }))
    )
  )

const executeOf = (held: Held | Effect.Effect<Held, McpFailed>): ExecuteWorld.ExecuteObject =>
  ExecuteWorld.perRollout<Held>({
    open: () => held,
    call: ({ session }, tool, args, { signal }) => session.call(tool, args, signal),
    close: ({ close }) => close,
    exactNumbers: true
  })

const kindOf = (execute: ExecuteWorld.ExecuteObject): World.Kind => ({
  name: "mcp",
  shows: true,
  make: (input) => {
    const service = ExecuteWorld.kind(execute).make(input)
    const named = (answer: World.Answer): World.Answer =>
      answer.answeredBy === "execute" ? { ...answer, answeredBy: "mcp" } : answer
    return {
      name: "mcp",
      open: (task, key) =>
        Effect.mapBoth(service.open(task, key), {
          onFailure: ({ cause, detail }) =>
            new World.WorldFailed({ detail: detail.replace(/^execute\.open failed: /, ""), cause }),
          onSuccess: (session) => ({ ...session, call: (call) => Effect.map(session.call(call), named) })
        })
    }
  }
})

const placeOf = (server: Server, proxies: Proxy.Proxies): Effect.Effect<McpSession.Place, string> => {
  if ("command" in server) {
    return Effect.map(Program.find(server), (file) => ({ _tag: "Program", file, program: server }))
  }
  if (typeof server.url !== "string") return Effect.fail("it is neither { command } nor { url }")
  const url = Address.read(server.url)
  return typeof url === "string"
    ? Effect.fail(url)
    : Effect.succeed({ _tag: "Address", url, headers: server.headers ?? {}, proxies })
}

const shownOf = (server: Server): string => {
  if ("command" in server) return JSON.stringify(Program.shownOf(server.command))
  const given = String(server.url)
  const url = Address.read(given)
  return typeof url === "string" ? JSON.stringify(Redaction.make([])(given)) : Address.shown(url)
}

const redactionOf = (server: Server): Redaction.Redact => {
  const given = "command" in server ? Object.values(server.env ?? {}) : Object.values(server.headers ?? {})
  const query = "url" in server && URL.canParse(server.url) ? Address.valuesOf(new URL(server.url)) : []
  return Redaction.make([
    ...given.map((value) => (typeof value === "string" ? value : Redacted.value(value))),
    ...query
  ])
}
