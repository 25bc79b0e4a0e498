/**
 * Every option once: who plays, what is read and written, and the settings of the run beside them.
 */
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as ModelSource from "../../model/ModelSource.ts"
import * as Field from "../../settings/fields.ts"
import type { About, Call, Definition, Setting, Table, Typed, ValuesOf } from "../../settings/option.ts"
import { advancedSettings, settings } from "../../settings/settingTable.ts"
import { isObject } from "../../settings/values.ts"
import { toolKinds } from "../../task/ToolKind.ts"
import type { Resolved } from "./resolved.ts"
import * as Role from "./roleValues.ts"
import * as Value from "./values.ts"

/** An option that is no setting. */
interface Option<A = unknown, Alias extends string = string> extends Definition<Alias> {
  /** What the report shows: plain JSON. Material is counted, not repeated: the profile and the rows hold it. */
  report(value: A | undefined, call: Omit<Resolved, "resolvedOptions">): unknown
}

const option = <A, const Alias extends string = never>(
  value: Field.Field<A>,
  definition: Omit<Option<NoInfer<A>, Alias>, "value">
): Typed<A, Option<A, Alias>> => ({ ...definition, value })

const isGiven = (value: unknown): boolean => value !== undefined

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

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Who plays, and on what. */
const given = {
  agent: option(
    Field.of(
      Role.isAgent,
      'a function, an AgentBackend service or layer, a model such as "openai:gpt-4.1-mini", an http(s) address, or { command: [...] }',
      "text"
    ),
    {
      section: 1,
      help: "The agent: a function, an AgentBackend service or layer, a model spec, an http(s) address, or a command",
      report: (_, { roles }) => roleName(roles.agent)
    }
  ),
  backend: option(Field.text, {
    section: 1,
    help: "The agent's model, as a spec",
    report: (spec) => (spec === undefined ? null : ModelSource.shown(spec))
  }),
  tools: option(
    Field.of(
      (value): value is object => isObject(value) || typeof value === "function",
      "a list of tool definitions",
      "json"
    ),
    {
      section: 1,
      help: "The agent's tools, in any usual dialect",
      report: (_, call) => call.settings.tools.size,
      resume: "same",
      secret: true
    }
  ),
  spec: option(
    Field.of(
      (value): value is string | object =>
        typeof value === "string" ? value.trim() !== "" : isObject(value) && !Array.isArray(value),
      "a path, an object or prose",
      "spec"
    ),
    {
      section: 1,
      help: "A file, folder or object with tools and a prompt, or plain prose",
      report: isGiven
    }
  ),

  simulator: option(
    Field.of(Role.isSimulator, 'false, a model spec, "hosted", or a writer: a function, service or layer'),
    {
      section: 3,
      help: "Who writes situations: false (templates), a model spec, hosted, or a writer of your own",
      report: (_, { roles }) => roleName(roles.simulator)
    }
  ),
  userModel: option(Field.of(Role.isUserModel, "false, a model spec, or a UserSimulator service or layer"), {
    section: 3,
    help: "Who plays the person: false (templates), a model spec, or a UserSimulator service or layer",
    only: "conversation",
    report: (_, { roles }) => roleName(roles.userModel)
  }),
  execute: option(
    Field.of(Role.isExecute, "a function (tool, args, rollout) => result, or { open, call, close }", "code"),
    {
      section: 3,
      help: "Your world: answers tool calls",
      report: isGiven
    }
  ),
  grader: option(Field.of(Role.isGrader, "a function of a row, or a Grader service or layer", "code"), {
    section: 3,
    help: "Scores rows inside the run and steers it",
    report: (_, { roles }) => roleName(roles.grader)
  }),

  seeds: option(Field.listOf(Value.seed, Value.seedList), {
    section: 5,
    help: "Opening asks; each becomes a situation and is run",
    choosesAsks: true,
    report: (_, call) => call.settings.seeds.filter(({ amplify }) => amplify).length,
    resume: "same",
    secret: true
  }),
  tasks: option(Value.rowsOrPath, {
    section: 7,
    help: "Tasks of an earlier run, to be run again: a run, its rows, or a path",
    choosesAsks: true,
    report: (tasks) => (tasks === undefined ? null : typeof tasks === "string" ? tasks : "given"),
    resume: "same",
    secret: true
  })
}

/** What goes on around a run. */
const around = {
  signal: option(Field.of(Role.isSignal, "an AbortSignal", "code"), {
    section: 4,
    help: "An AbortSignal that ends the run",
    report: isGiven
  }),
  stop: option(Field.of(Role.isStop, "an Effect", "code"), {
    section: 4,
    help: "An Effect whose end ends the run",
    report: isGiven
  }),
  traces: option(Value.rowsOrPath, {
    section: 5,
    help: "Production traces that aim the grid: rows or a path",
    choosesAsks: true,
    report: (traces) => (traces === undefined ? null : typeof traces === "string" ? traces : "given")
  }),
  strategy: option(Field.choice("auto", "trace", "targeted", "broad"), {
    section: 5,
    help: "How traces aim the grid",
    choosesAsks: true,
    report: (strategy) => strategy ?? "auto"
  }),
  output: option(Field.text, {
    section: 7,
    help: "JSONL file that rows are appended to",
    kind: "path",
    report: (_, { files }) => files.output
  }),
  overwrite: option(Field.flag, {
    section: 7,
    help: "Replace an existing output",
    report: (_, { files }) => files.overwrite
  }),
  checkpoint: option(Field.text, {
    section: 7,
    help: "JSONL file of the run: started when it is not there, gone on with where it stopped when it is",
    kind: "path",
    report: (_, { files }) => files.checkpoint
  }),
  onEvent: option(Field.of(Role.isOnEvent, "a function of an event", "code"), {
    section: 9,
    help: "Receives progress events",
    report: isGiven
  })
}

const advancedGiven = {
  embedder: option(Field.of(Role.isEmbedder, "an embedder service or layer", "code"), {
    section: 8,
    help: "Embeddings for novelty and near copies",
    unset: "lexical",
    report: (_, { roles: { embedder } }) => (embedder._tag === "Context" ? "lexical" : roleName(embedder))
  }),
  seedPrompts: option(Field.listOf(Field.text, Value.seedList), {
    section: 8,
    help: "Further literal openers, which are not varied",
    choosesAsks: true,
    report: (prompts) => prompts?.length ?? 0
  }),
  toolKinds: option(Field.recordOf(Field.choice(...toolKinds), "an object from tool name to kind"), {
    section: 8,
    help: "What tools do, by name, where the names mislead",
    report: (kinds) => kinds ?? {}
  }),
  limits: option(Value.limits, {
    section: 8,
    help: "Most model calls at once by role, or limits that runs share",
    report: (limits) =>
      Object.fromEntries(
        Object.entries(limits ?? {}).map(([role, limit]) => [role, typeof limit === "number" ? limit : "given"])
      )
  })
}

const topLevel = { ...given, ...settings, ...around }
const advanced = { ...advancedSettings, ...advancedGiven }

export type AdvancedValues = ValuesOf<typeof advanced>
export interface OptionValues extends ValuesOf<typeof topLevel> {
  readonly advanced?: AdvancedValues | undefined
}

/** A definition under its name. */
export interface Entry extends About {
  /** As it is given: `hardShare`; `advanced.probe` for one inside `advanced`. */
  readonly name: string
  /** Without `advanced.`. */
  readonly key: string
  readonly aliases: ReadonlyArray<string>
  readonly kind: Field.Kind
  /** One sentence, with the default in brackets. */
  readonly description: string
  readonly value: Definition["value"]
  /** What makes it a setting; undefined for what is none. */
  readonly setting: Setting | undefined
  /** Where its value stands in `RunSettings`, if it is there. */
  readonly place: string
  readonly resume: "same" | "grows" | "any"
  /** What the report shows. */
  readonly report: (value: unknown, call: Omit<Resolved, "resolvedOptions">) => unknown
}

const entryOf = (name: string, key: string, definition: Option | Setting): Entry => {
  const setting = "default" in definition ? definition : undefined
  const place = setting?.place ?? key
  const resume = setting === undefined || setting.changesRows === false ? "any" : "same"
  return {
    resume,
    ...definition,
    name,
    key,
    aliases: definition.aliases ?? [],
    kind: definition.kind ?? definition.value.kind,
    description: `${definition.help}${shownDefault(definition, setting)}.`,
    setting,
    place,
    report: (value, call) => {
      if (!("default" in definition)) return definition.report(value, call)
      const settled = settingAt(call.settings, place)
      return definition.report === undefined ? settled : definition.report(settled, value)
    }
  }
}

/** A setting by its place, such as `timeouts.agent`. */
export const settingAt = (settings: object, place: string): unknown =>
  place.split(".").reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>>)[key], settings)

/** A default that is a plain value, in brackets. */
const shownDefault = ({ kind, unset, value }: Definition, setting: Setting | undefined): string => {
  if (unset !== undefined) return ` (${unset})`
  if (setting === undefined || (kind ?? value.kind) === "value") return ""
  if (setting.default === true) return " (on unless false)"
  const plain = defaultOf(setting, nothingElse)
  return typeof plain === "number" || (value.kind === "text" && typeof plain === "string") ? ` (${plain})` : ""
}

export const defaultOf = (setting: Setting, call: Call): unknown =>
  typeof setting.default === "function" ? (setting.default as (call: Call) => unknown)(call) : setting.default

/** A call that says nothing. */
const nothingElse: Call = {
  mode: "explore",
  unique: undefined,
  repeatPolicy: undefined,
  concurrency: undefined,
  replay: false,
  graded: false,
  prompt: undefined,
  openers: 0
}

/** Every option once, by sections; those inside `advanced` last. */
export const entries: ReadonlyArray<Entry> = [
  ...Object.entries(topLevel)
    .map(([name, definition]) => entryOf(name, name, definition))
    .sort((a, b) => a.section - b.section),
  ...Object.entries(advanced).map(([key, definition]) => entryOf(`advanced.${key}`, key, definition))
]

const fieldsOf = <T extends Table>(table: T): Field.Fields =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, { aliases, value }]) =>
      [name, ...(aliases ?? [])].map((each) => [each, value])
    )
  )

export const Options: Schema.Schema<OptionValues> = Schema.suspend(
  () =>
    // every field is that of its option, so together they are the options' type
    Field.structOf(
      {},
      { ...fieldsOf(topLevel), advanced: () => Field.structOf({}, fieldsOf(advanced)) }
    ) as unknown as Schema.Schema<OptionValues>
)

/** One option, with everything a flag or a line of a page is built from. */
export interface Descriptor extends Pick<
  Entry,
  "name" | "kind" | "description" | "aliases" | "section" | "only" | "choosesAsks"
> {
  /** `hard-share`, `probe`. */
  readonly kebab: string
  /** As `kind`, on a command line. */
  readonly flag: Field.Kind
  /** The words a `choice` or `words` takes; empty for other kinds. */
  readonly choices: ReadonlyArray<string>
}

const isSwitch = (word: string): boolean => word === "true" || word === "false"

const wordsOf = (type: AST.AST): ReadonlyArray<string> => {
  switch (type._tag) {
    case "Union":
      // the words of a switch come last
      return type.types.flatMap(wordsOf).sort((a, b) => Number(isSwitch(a)) - Number(isSwitch(b)))
    case "BooleanKeyword":
      return ["true", "false"]
    default:
      return type._tag === "Literal" && typeof type.literal === "string" ? [type.literal] : []
  }
}

/** Every option once, in the order of the page, those inside `advanced` last. */
export const descriptors: ReadonlyArray<Descriptor> = entries.map(
  ({ aliases, choosesAsks, description, flag, key, kind, name, only, section, value }) => ({
    name,
    kebab: kebabCase(key),
    kind,
    flag: flag ?? kind,
    description,
    aliases,
    section,
    choices: kind === "choice" || kind === "words" ? wordsOf(value().ast) : [],
    ...(only !== undefined && { only }),
    ...(choosesAsks !== undefined && { choosesAsks })
  })
)
