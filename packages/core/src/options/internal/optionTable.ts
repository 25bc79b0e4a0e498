/**
 * Every option once: who plays, what is read and written, and the settings of the run beside them.
 */
import type * as AST from "effect/SchemaAST"
import * as ModelSource from "../../model/ModelSource.ts"
import * as Field from "../../settings/fields.ts"
import {
  section,
  type About,
  type Call,
  type Definition,
  type InSection,
  type Setting,
  type Typed,
  type ValuesOf
} from "../../settings/option.ts"
import { advancedSettings, settings } from "../../settings/settingTable.ts"
import { isObject } from "../../settings/values.ts"
import { toolKinds } from "../../task/ToolKind.ts"
import type { Resolved } from "./resolved.ts"
import * as Role from "./roleValues.ts"
import * as Value from "./values.ts"

/** An option that is no setting. */
interface Option<A = unknown, Alias extends string = string> extends Definition<Alias> {
  /**
   * What the report shows, as plain JSON: whether it is given, when left out. Material is counted, not repeated: the profile
   * and the rows hold it.
   */
  report?(value: A | undefined, call: Omit<Resolved, "resolvedOptions">): unknown
}

const option = <A, const Alias extends string = never>(
  value: Field.Field<A>,
  help: string,
  definition: Omit<Option<NoInfer<A>, Alias>, "value" | "help"> = {}
): Typed<A, Option<A, Alias>> => ({ ...definition, value, help })

/** Rows are named by their path. */
const rowsName = (rows: string | object | undefined): string | null =>
  rows === undefined ? null : typeof rows === "string" ? rows : "given"

/** Who is in a role, by name; `layer` and `context` are named on the rows. */
const roleName = (role: {
  readonly _tag: string
  readonly service?: { readonly identity: { readonly name: string } } | { readonly name: string }
  readonly spec?: string
  readonly url?: string
  readonly command?: ReadonlyArray<string>
  readonly name?: string
}): string => {
  if (role.service !== undefined) return "identity" in role.service ? role.service.identity.name : role.service.name
  const named = role.spec ?? role.url ?? role.command?.join(" ")
  return named === undefined ? (role.name ?? snakeCase(role._tag).slice(1)) : ModelSource.shown(named)
}

/**
 * The name of an option as files of options may spell it: `faultRate` is `fault_rate`.
 * @since 0.1.0
 * @category functions
 */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Who plays, and on what. */
const given = {
  ...section(1, {
    agent: option(
      Field.of(
        Role.isAgent,
        'a function, an AgentBackend service or layer, a model such as "openai:gpt-4.1-mini", an http(s) address, or { command: [...] }',
        "text"
      ),
      "The agent: a function, an AgentBackend service or layer, a model spec, an http(s) address, or a command",
      { report: (_, { roles }) => roleName(roles.agent) }
    ),
    backend: option(Field.text, "The agent's model, as a spec", {
      report: (spec) => (spec === undefined ? null : ModelSource.shown(spec))
    }),
    tools: option(
      Field.of(
        (value): value is object => isObject(value) || typeof value === "function",
        "a list of tool definitions",
        "json"
      ),
      "The agent's tools, in any usual dialect",
      { report: (_, call) => call.settings.tools.size, resume: "same", secret: true }
    ),
    spec: option(
      Field.of(
        (value): value is string | object =>
          typeof value === "string" ? value.trim() !== "" : isObject(value) && !Array.isArray(value),
        "a path, an object or prose",
        "spec"
      ),
      "A file, folder or object with tools and a prompt, or plain prose"
    )
  }),
  ...section(3, {
    simulator: option(
      Field.of(Role.isSimulator, 'false, a model spec, "hosted", or a writer: a function, service or layer'),
      "Who writes situations: false (templates), a model spec, hosted, or a writer of your own",
      { report: (_, { roles }) => roleName(roles.simulator) }
    ),
    userModel: option(
      Field.of(Role.isUserModel, "false, a model spec, or a UserSimulator service or layer"),
      "Who plays the person: false (templates), a model spec, or a UserSimulator service or layer",
      { only: "conversation", report: (_, { roles }) => roleName(roles.userModel) }
    ),
    execute: option(
      Field.of(Role.isExecute, "a function (tool, args, rollout) => result, or { open, call, close }", "code"),
      "Your world: answers tool calls"
    ),
    grader: option(
      Field.of(Role.isGrader, "a function of a row, or a Grader service or layer", "code"),
      "Scores rows inside the run and steers it",
      { report: (_, { roles }) => roleName(roles.grader) }
    )
  }),
  ...section(5, {
    seeds: option(Field.listOf(Value.seed, Value.seedList), "Opening asks; each becomes a situation and is run", {
      choosesAsks: true,
      report: (_, call) => call.settings.seeds.filter(({ amplify }) => amplify).length,
      resume: "same",
      secret: true
    })
  }),
  ...section(7, {
    tasks: option(Value.rowsOrPath, "Tasks of an earlier run, to be run again: a run, its rows, or a path", {
      choosesAsks: true,
      report: rowsName,
      resume: "same",
      secret: true
    })
  })
}

/** What goes on around a run. */
const around = {
  ...section(4, {
    signal: option(Field.of(Role.isSignal, "an AbortSignal", "code"), "An AbortSignal that ends the run"),
    stop: option(Field.of(Role.isStop, "an Effect", "code"), "An Effect whose end ends the run")
  }),
  ...section(5, {
    traces: option(Value.rowsOrPath, "Production traces that aim the grid: rows or a path", {
      choosesAsks: true,
      report: rowsName
    }),
    strategy: option(Field.choice("auto", "trace", "targeted", "broad"), "How traces aim the grid", {
      choosesAsks: true,
      report: (strategy) => strategy ?? "auto"
    })
  }),
  ...section(7, {
    output: option(Field.text, "JSONL file that rows are appended to", {
      kind: "path",
      report: (_, { files }) => files.output
    }),
    overwrite: option(Field.flag, "Replace an existing output", { report: (_, { files }) => files.overwrite }),
    checkpoint: option(
      Field.text,
      "JSONL file of the run: started when it is not there, gone on with where it stopped when it is",
      { kind: "path", report: (_, { files }) => files.checkpoint }
    )
  }),
  ...section(9, {
    onEvent: option(Field.of(Role.isOnEvent, "a function of an event", "code"), "Receives progress events")
  })
}

const advancedGiven = section(8, {
  embedder: option(
    Field.of(Role.isEmbedder, "an embedder service or layer", "code"),
    "Embeddings for novelty and near copies",
    {
      unset: "lexical",
      report: (_, { roles: { embedder } }) => (embedder._tag === "Context" ? "lexical" : roleName(embedder))
    }
  ),
  seedPrompts: option(Field.listOf(Field.text, Value.seedList), "Further literal openers, which are not varied", {
    choosesAsks: true,
    report: (prompts) => prompts?.length ?? 0
  }),
  toolKinds: option(
    Field.recordOf(Field.choice(...toolKinds), "an object from tool name to kind"),
    "What tools do, by name, where the names mislead",
    { report: (kinds) => kinds ?? {} }
  ),
  limits: option(Value.limits, "Most model calls at once by role, or limits that runs share", {
    report: (limits) =>
      Object.fromEntries(
        Object.entries(limits ?? {}).map(([role, limit]) => [role, typeof limit === "number" ? limit : "given"])
      )
  })
})

const topLevel = { ...given, ...settings, ...around }
const advanced = { ...advancedSettings, ...advancedGiven }

export interface OptionValues extends ValuesOf<typeof topLevel> {
  readonly advanced?: ValuesOf<typeof advanced> | undefined
}

/**
 * A definition under its name, with all that was left out filled in.
 * @since 0.1.0
 * @category models
 */
export interface Entry extends About, InSection {
  /** As it is given: `hardShare`; `advanced.probe` for one inside `advanced`. */
  readonly name: string
  /** Without `advanced.`: `hardShare`, `probe`. */
  readonly key: string
  /** On a command line: `hard-share`, `probe`. */
  readonly kebab: string
  readonly aliases: ReadonlyArray<string>
  readonly kind: Field.Kind
  readonly flag: Field.Kind
  /** One sentence, with the default in brackets. */
  readonly description: string
  readonly value: Definition["value"]
  /** The words a `choice` or `words` takes; empty for other kinds. */
  readonly choices: ReadonlyArray<string>
  /** What makes it a setting; undefined for what is none. */
  readonly setting: Setting | undefined
  /** Where its value stands in `RunSettings`, if it is there. */
  readonly place: string
  readonly resume: NonNullable<About["resume"]>
  /** What the report shows. */
  readonly report: (value: unknown, call: Omit<Resolved, "resolvedOptions">) => unknown
}

const entryOf = (name: string, key: string, definition: (Option | Setting) & InSection): Entry => {
  const setting = "default" in definition ? definition : undefined
  const place = setting?.place ?? key
  const kind = definition.kind ?? definition.value.kind
  return {
    flag: kind,
    resume: setting === undefined || setting.changesRows === false ? "any" : "same",
    aliases: [],
    ...definition,
    name,
    key,
    kebab: key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    kind,
    description: `${definition.help}${shownDefault(definition, kind, setting)}.`,
    // read from the field when somebody asks: most programs build few
    get choices() {
      return kind === "choice" || kind === "words" ? wordsOf(definition.value().ast) : []
    },
    setting,
    place,
    report: (value, call) => {
      if (!("default" in definition)) {
        return definition.report === undefined ? value !== undefined : definition.report(value, call)
      }
      const settled = settingAt(call.settings, place)
      return definition.report === undefined ? settled : definition.report(settled, value)
    }
  }
}

/** A setting by its place, such as `timeouts.agent`. */
export const settingAt = (settings: object, place: string): unknown =>
  place.split(".").reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>>)[key], settings)

/** A default that is a plain value, in brackets. */
const shownDefault = ({ unset }: Definition, kind: Field.Kind, setting: Setting | undefined): string => {
  if (unset !== undefined) return ` (${unset})`
  if (setting === undefined || kind === "value") return ""
  if (setting.default === true) return " (on unless false)"
  const plain = defaultOf(setting, { mode: "explore", replay: false, graded: false, openers: 0 })
  return typeof plain === "number" || (kind === "text" && typeof plain === "string") ? ` (${plain})` : ""
}

export const defaultOf = (setting: Setting, call: Call): unknown =>
  typeof setting.default === "function" ? (setting.default as (call: Call) => unknown)(call) : setting.default

const wordsOf = (type: AST.AST): ReadonlyArray<string> => {
  if (type._tag === "Union") {
    const words = type.types.flatMap(wordsOf)
    return type.types.some(({ _tag }) => _tag === "BooleanKeyword") ? [...words, "true", "false"] : words
  }
  return type._tag === "Literal" && typeof type.literal === "string" ? [type.literal] : []
}

/**
 * Every option once, by sections; those inside `advanced` last.
 * @since 0.1.0
 * @category functions
 */
export const entries: ReadonlyArray<Entry> = [
  ...Object.entries(topLevel)
    .map(([name, definition]) => entryOf(name, name, definition))
    .sort((a, b) => a.section - b.section),
  ...Object.entries(advanced).map(([key, definition]) => entryOf(`advanced.${key}`, key, definition))
]
