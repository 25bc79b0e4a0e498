/**
 * Where models come from that a caller only names: `openai:gpt-4.1-mini`, or `hosted` for the endpoint that the environment
 * names. Core reaches no provider; `@sandtable/backends` provides this service.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as ChatModel from "./ChatModel.ts"
import type { Role } from "./ModelCall.ts"

/** A name nobody can be made of; found before anything is called. */
export class SpecRefused extends Schema.TaggedError<SpecRefused>()("SpecRefused", {
  /** As it was given, without what may be secret in it. */
  spec: Schema.String,
  /** The rest of a sentence that begins with what was named. */
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `${this.spec} ${this.problem}. ${this.fix}`
  }
}

/** A number is the most calls at once; anything else is a limit as the source makes them, shared by whoever is given it. */
export type Limit = number | object

export interface Use {
  readonly role: Role
  /** Holds the calls back; the source's own default when left out. */
  readonly limit?: Limit
}

/** The spec of the endpoint that `SANDTABLE_BASE_URL`, `SANDTABLE_MODEL` and `SANDTABLE_API_KEY` name. */
export const hosted = "hosted"

export interface Service {
  /** A model by its spec. Calls nobody: a misspelt provider and a missing key are told here. */
  readonly model: (spec: string, use: Use) => Effect.Effect<ChatModel.Service, SpecRefused, Scope.Scope>
}

/** Refuses every spec unless a source is provided. */
export class ModelSource extends Context.Reference<ModelSource>()("@sandtable/core/ModelSource", {
  defaultValue: (): Service => ({
    model: (spec) => Effect.fail(unreachable(spec, "names a model"))
  })
}) {}

/** A model by its spec, from the source in context. */
export const model = (spec: string, use: Use): Effect.Effect<ChatModel.Service, SpecRefused, Scope.Scope> =>
  Effect.flatMap(ModelSource, (source) => source.model(spec, use))

/** The source with the limits of a call, by role, where no other is asked for. */
export const limited = (source: Service, limits: { readonly [role in Role]?: Limit | undefined }): Service => ({
  model: (spec, use) => {
    const limit = use.limit ?? limits[use.role]
    return source.model(spec, limit === undefined ? use : { ...use, limit })
  }
})

/** Nobody is there who could answer for the name. */
export const unreachable = (spec: string, what: string): SpecRefused =>
  new SpecRefused({
    spec: masked(shown(spec)),
    problem: `${what}, and nothing here can reach one`,
    fix: "Provide `layer` of `@sandtable/backends/node` (or `Backends.layer` with an HttpClient of yours), or give a service."
  })

/** A name as it may be written to rows and messages: addresses in it without their user, password and query. */
export const shown = (spec: string): string =>
  spec.includes("://")
    ? spec.replace(/(https?:\/\/)(?:[^\s/?#]*@)?([^\s?#]*)(?:[?#]\S*)?/gi, "$1$2")
    : spec.replace(/(@\S*?)[?#]\S*/, "$1")

/** Any address in a text: scheme, user, host and path, query, fragment. */
const address =
  /([a-z][a-z0-9+.-]*:\/\/)((?:<redacted>|[^\s/?#"'<>`]*)@)?([^\s?#"'<>`]*)(\?[^\s#"'<>`]*)?(#[^\s"'<>`]*)?/gi

/** A text as it may be shown: of the addresses in it neither the user nor what a query holds, whose names stay. */
export const masked = (text: string): string =>
  text.includes("://")
    ? text.replace(
        address,
        (_, scheme: string, user: string | undefined, place: string, query: string = "", fragment: string = "") =>
          `${scheme}${user === undefined ? "" : `${mask}@`}${place}${valuesMasked(query)}${
            fragment.includes("=") ? valuesMasked(fragment) : fragment
          }`
      )
    : text

const mask = "<redacted>"

/** `?key=abc&page` as `?key=<redacted>&<redacted>`: a field without a name is a value. */
const valuesMasked = (query: string): string => {
  if (query.length < 2) return query
  const fields = query.slice(1).split("&")
  return `${query.charAt(0)}${fields
    .map((field) => {
      const equals = field.indexOf("=")
      const value = field.slice(equals + 1)
      return value === "" ? field : `${field.slice(0, equals + 1)}${mask}`
    })
    .join("&")}`
}
