/**
 * How the mock answers each tool of a run, read once from its name and schemas.
 */
import * as English from "../../language/English.ts"
import type { Tool } from "../../task/Tool.ts"
import type { CompiledTool, ToolSet } from "../../task/ToolSet.ts"
import { wordsOf } from "../../task/ToolKind.ts"
import * as Arguments from "../Arguments.ts"
import type * as Contents from "./contents.ts"
import * as EntityTypes from "./entityTypes.ts"
import * as Fields from "./fields.ts"
import { stateAfter, subjectOf, type Subject } from "./nouns.ts"
import { isRecord } from "./records.ts"
import * as PolicyChecks from "./policyChecks.ts"
import * as ResultShapes from "./resultShapes.ts"
import * as Roles from "./roles.ts"
import { endOf } from "./searchDates.ts"
import * as Templates from "./templates.ts"
import * as Words from "./vocabulary.ts"

/**
 * `get` reads one record by its identifier, `lookup` one by anything else, `list` several; `act` is an update that
 * makes the record what the verb says (cancelled, refunded); `note` keeps a thought and does nothing.
 */
export type Mode = "get" | "lookup" | "list" | "create" | "update" | "act" | "remove" | "compute" | "note"

export interface ToolPlan {
  readonly tool: CompiledTool
  readonly mode: Mode
  readonly subject: Subject
  readonly type: EntityTypes.EntityType
  readonly arguments: ReadonlyArray<EntityTypes.Argument>
  /** Whether a successful call changes the world. */
  readonly writes: boolean
  /** The argument that locates the record. */
  readonly primary: EntityTypes.Argument | null
  /** Arguments that name other records. */
  readonly references: ReadonlyArray<{ readonly argument: EntityTypes.Argument; readonly noun: string }>
  /** What arguments that name no record do in a search. */
  readonly roles: ReadonlyMap<string, Roles.Role>
  /** Arguments that give an end of a range of dates. */
  readonly ranges: ReadonlyArray<string>
  /** Arguments that locate the record of a write without an identifier: a path, a name. */
  readonly locating: ReadonlyArray<string>
  /** The field that the tool's name asks for: the balance of `get_account_balance`. */
  readonly attribute: { readonly name: string; readonly make: Fields.Make } | null
  /** The state the record has to be in, and the one it is in afterwards. */
  readonly needs: string | null
  readonly becomes: string | null
  /** The status of a record on which the tool's work is done. */
  readonly after: string
  readonly check: Arguments.Check
  readonly shape: ResultShapes.ResultShape
  /** Logical milliseconds of a call. */
  readonly latency: number
}

export interface RunPlan {
  /** Identifiers known to exist, whatever they name. */
  readonly existing: ReadonlySet<string>
  readonly tools: ReadonlyMap<string, ToolPlan>
  readonly types: EntityTypes.Collector
  /** Fields of a person's record that the policy has the agent compare. */
  readonly checks: ReadonlySet<string>
  /** The writes that work on records of a kind, in the order of the tools. */
  readonly writesOn: (noun: string) => ReadonlyArray<ToolPlan>
}

export const compile = (
  tools: ToolSet,
  ids: Readonly<Record<string, ReadonlyArray<string>>>,
  payloads: ReadonlyMap<string, ReadonlyArray<unknown>>,
  existing: ReadonlySet<string>,
  policy = ""
): RunPlan => {
  const named = [...tools.byName.values()].map((tool) => {
    const subject = subjectOf(tool.name, tool.kind, Words.stateWords)
    return { tool, subject, noun: phrase(subject.nouns) || subject.verb || "record" }
  })
  const login = EntityTypes.loginOf(named)
  const read = named.map((one) => ({
    ...one,
    arguments: EntityTypes.argumentsOf(one.tool, one.subject.nouns, login)
  }))
  const checks = PolicyChecks.fieldsOf(policy)
  const types = EntityTypes.collect(read, ids, existing, checks)
  for (const { tool } of read) {
    for (const example of tool.example === undefined ? (payloads.get(tool.name) ?? []) : [tool.example]) {
      for (const [noun, id] of ResultShapes.identifiersIn(example)) types.declare(noun, id)
    }
  }
  const drafts = read.map((one) => draft(one, types))
  for (const one of drafts) {
    // A status for a read tool comes from the tools that demand one.
    if (one.needs !== null) types.statuses(one.noun, one.needs)
    for (const parent of parentsOf(one, types)) types.belongs(one.noun, parent)
    for (const status of statusesListed(one)) types.listed(one.noun, status)
  }
  const rank: ReadonlyArray<Mode> = ["get", "lookup", "list", "create", "update", "act"]
  const shapes = new Map(
    drafts.map((one) => [
      one,
      ResultShapes.compile(one.tool, payloads.get(one.tool.name) ?? [], one.noun, one.mode === "list")
    ])
  )
  for (const mode of rank) {
    for (const one of drafts) {
      const shape = shapes.get(one)
      if (one.mode !== mode || shape === undefined) continue
      for (const source of shape.sources) types.source(one.noun, source, true)
    }
  }
  for (const one of drafts) {
    const described = describing(one)
    if (described.length > 0) types.source(one.noun, EntityTypes.ofArguments(described), false)
  }
  for (const one of drafts) {
    const asked = attributeOf(one, types)
    if (asked !== null) types.source(one.noun, asked, true)
  }
  const plans = drafts.map((one) => finish(one, types, shapes.get(one)))
  const writesByNoun = new Map<string, ReadonlyArray<ToolPlan>>()
  const writesOn = (noun: string): ReadonlyArray<ToolPlan> => {
    const known = writesByNoun.get(noun) ?? plans.filter((plan) => plan.writes && concerns(plan, noun))
    writesByNoun.set(noun, known)
    return known
  }
  return { existing, checks, tools: new Map(plans.map((plan) => [plan.tool.name, plan])), types, writesOn }
}

/** Whether a tool works on records of the kind. */
const concerns = (plan: ToolPlan, noun: string): boolean =>
  plan.mode === "create" ? plan.references.some((one) => one.noun === noun) : plan.type.noun === noun

interface Read {
  readonly tool: CompiledTool
  readonly subject: Subject
  readonly arguments: ReadonlyArray<EntityTypes.Argument>
  readonly noun: string
}

interface Draft extends Read {
  readonly mode: Mode
  readonly primary: EntityTypes.Argument | null
  readonly needs: string | null
}

const draft = (read: Read, types: EntityTypes.Collector): Draft => {
  const { tool, subject } = read
  const scalars = read.arguments.filter((one) => one.reference !== null && !one.many && !one.reference.incoming)
  const nounOf = (one: EntityTypes.Argument): string => one.reference?.noun || read.noun
  const named = knownNoun(subject.nouns, types)
  const noun = named ?? read.noun
  const required = [...scalars.filter((one) => one.required), ...scalars.filter((one) => !one.required)]
  const own = required.find((one) => nounOf(one) === noun)
  const inName = required.find((one) =>
    subject.nouns.map(English.singular).includes(nounOf(one).split("_").pop() ?? "")
  )
  const needs = subject.needs ?? stateIn(tool.description)
  const at = (
    mode: Mode,
    primary: EntityTypes.Argument | null = null,
    about = primary === null ? noun : nounOf(primary)
  ): Draft => ({
    ...read,
    mode,
    primary,
    noun: about,
    needs
  })
  if (noteVerbs.has(subject.verb) || (read.arguments.length === 1 && read.arguments[0]?.name === "thought"))
    return at("note")
  switch (tool.kind) {
    case "compute":
      return at("compute")
    case "read": {
      const many =
        listVerbs.has(subject.verb) || subject.plural || wordsOf(tool.name).some((word) => listWords.has(word))
      const things = subject.nouns.at(-1) ?? ""
      if (own !== undefined && subject.plural && English.singular(things) !== noun.split("_").pop()) {
        // `get_service_providers(service_id)`: several of something else that belong to it.
        return at("list", null, phrase(subject.nouns))
      }
      if (own !== undefined && !many) return at("get", own)
      const other = own === undefined && (many || (named !== null && subject.plural))
      if (own !== undefined) {
        // `search_orders(order_id)` reads one; `get_users(user_id?)` lists.
        return own.required ? at("get", own) : at("list")
      }
      if (other) return at("list")
      if (findVerbs.has(subject.verb) && scalars.length === 0) {
        // `find_user_by_email` is for one, `artwork.find` for what there is.
        return at(subject.plural || (named === null && !wordsOf(tool.name).includes("by")) ? "list" : "lookup")
      }
      return required[0] === undefined ? at("lookup") : at("get", required[0])
    }
    case "create":
    case "send":
      // What is asked for is not there yet: the record is the request.
      if (subject.verb === "request" && named === null && !/(?:^|_)request$/.test(noun))
        return at("create", null, `${noun}_request`)
      return at("create", null, bookingNoun(subject, noun, types) ?? sentNoun(tool, subject, noun))
    default: {
      const primary = inName ?? required[0] ?? null
      if (tool.kind === "pay" && (primary === null || inName === undefined)) {
        return at("create", null, paid.get(subject.verb) ?? (named === null ? "payment" : noun))
      }
      if (tool.kind === "delete" && removalVerbs.has(subject.verb)) return at("remove", primary)
      if (primary === null && tool.kind === "other") return at("create")
      return at(becomesOf(read) === null ? "update" : "act", primary)
    }
  }
}

/** `get_crime_rate` of a city is a rate, where nothing says what else is known of crime. */
const attributeOf = (one: Draft, types: EntityTypes.Collector): Contents.Source | null => {
  const { nouns, tail } = one.subject
  if (one.mode !== "lookup" || types.known(one.noun) || types.described(one.noun) || Templates.isKnown(one.noun))
    return null
  const name = [...nouns.slice(-2), ...(tail === "history" ? ["history"] : [])].join("_")
  const make = one.arguments.some((argument) => argument.name === name) ? null : Fields.named(name)
  return make === null ? null : (of) => ({ [name]: make(of) })
}

const finish = (one: Draft, types: EntityTypes.Collector, shape: ResultShapes.ResultShape | undefined): ToolPlan => {
  const type = types.type(one.noun)
  const last = one.subject.nouns.at(-1)
  const asked = last === undefined || one.subject.plural || last === type.head ? null : Fields.named(last)
  const becomes = one.mode === "act" || one.mode === "update" ? becomesOf(one) : null
  return {
    tool: one.tool,
    mode: one.mode,
    subject: one.subject,
    type,
    arguments: one.arguments,
    writes: ["create", "update", "act", "remove"].includes(one.mode),
    primary: one.primary,
    references: one.arguments.flatMap((argument) => {
      const noun = argument.reference === null ? null : argument.reference.noun || one.noun
      return noun === null || argument === one.primary || !types.known(noun) ? [] : [{ argument, noun }]
    }),
    roles: new Map(
      one.arguments
        .filter((argument) => argument.reference === null)
        .map((argument) => [argument.name, Roles.of(argument)])
    ),
    ranges: one.mode === "list" ? one.arguments.map(({ name }) => name).filter((name) => endOf(name) !== null) : [],
    locating: one.primary === null ? Roles.locating(one.arguments, one.noun, one.mode === "update") : [],
    attribute: last === undefined || asked === null ? null : { name: last, make: asked },
    needs: one.needs,
    becomes,
    after: becomes ?? (one.mode === "remove" ? "deleted" : stateAfter(one.subject.verb)),
    check: Arguments.compile(one.tool, one.tool.check),
    shape: shape ?? ResultShapes.none,
    latency: latencyOf(one.tool)
  }
}

/** Nouns joined: at most the last two say what a record is. */
const phrase = (nouns: ReadonlyArray<string>): string =>
  nouns
    .slice(-2)
    .map((word, i, all) => (i === all.length - 1 ? English.singular(word) : word))
    .join("_")

/** The longest run of a name's nouns that tools have identifiers for, the later the better. */
const knownNoun = (nouns: ReadonlyArray<string>, types: EntityTypes.Collector): string | null => {
  for (let end = nouns.length; end > 0; end--) {
    for (let start = 0; start < end; start++) {
      const joined = [...nouns.slice(start, end - 1), English.singular(nouns[end - 1] ?? "")].join("_")
      if (types.known(joined)) return joined
    }
  }
  return null
}

/** "Cancel a scheduled appointment": the state that the first words of a description have the record in. */
const stateIn = (description: string): string | null => {
  const word = /^\w+ (?:an?|the|one) (\w+) \w/.exec(description)?.[1]?.toLowerCase()
  return word !== undefined && Words.stateWords.has(word) ? word : null
}

/** The kinds by whose records a tool lists what belongs to them. */
const parentsOf = (one: Draft, types: EntityTypes.Collector): ReadonlyArray<string> =>
  one.mode !== "list" || !types.known(one.noun)
    ? []
    : one.arguments.flatMap(({ many, reference }) => {
        const noun = reference?.noun ?? ""
        return many || noun === "" || noun === one.noun || !types.known(noun) ? [] : [noun]
      })

/** The statuses that a tool lists records by. */
const statusesListed = (one: Draft): ReadonlyArray<string> =>
  one.arguments.flatMap(({ name, schema }) => {
    const { enum: listed } = schema
    return name === "status" && Array.isArray(listed) ? listed.filter((value) => typeof value === "string") : []
  })

const findVerbs = new Set(["find", "finder", "locate"])
const noteVerbs = new Set(["think", "reflect", "reason"])
const listVerbs = new Set(["list", "search", "browse", "query", "filter", "recommend", "suggest", "discover"])
const listWords = new Set(["nearby", "all", "list", "search", "top", "available", "upcoming"])
const removalVerbs = new Set(["delete", "remove", "purge", "clear", "erase", "destroy", "drop", "uninstall"])
/** Verbs that leave a record in the state it was in. */
const plainUpdates = new Set(
  "update modify change set edit rename move add apply adjust assign merge replace patch extend put turn switch toggle reset play check opt note".split(
    " "
  )
)
const paid: ReadonlyMap<string, string> = new Map([
  ["refund", "refund"],
  ["charge", "charge"],
  ["donate", "donation"],
  ["deposit", "deposit"],
  ["withdraw", "withdrawal"],
  ["transfer", "transfer"],
  ["purchase", "purchase"],
  ["buy", "purchase"]
])

const bookable = new Set(["reservation", "booking", "appointment", "meeting", "ticket", "session", "visit"])
const bookingNoun = (subject: Subject, noun: string, types: EntityTypes.Collector): string | null => {
  if (!["book", "booking", "reserve", "reservation", "rent", "rental"].includes(subject.verb)) return null
  if (bookable.has(noun)) return null
  return (
    ["reservation", "booking", "rental"].find((one) => types.known(one)) ??
    (subject.verb.startsWith("rent") ? "rental" : "booking")
  )
}

const sentNoun = (tool: Tool, subject: Subject, noun: string): string => {
  if (tool.kind !== "send") return noun
  if (["transfer", "forward", "call"].includes(subject.verb)) return subject.verb
  if (subject.verb === "escalate") return "escalation"
  const named = messages.find((one) => noun.includes(one))
  // What is sent is what the name says, unless that is who it is sent to.
  const head = noun.split("_").pop() ?? noun
  return (
    named ?? (subject.verb === "send" && subject.nouns.length > 0 && !Words.personNouns.has(head) ? noun : "message")
  )
}
const messages = ["email", "message", "sms", "notification", "invitation", "reply", "post", "alert", "reminder"]

/** The status a description promises, else what the verb says of the record. */
const becomesOf = ({ tool, subject, arguments: args }: Read): string | null => {
  // A tool that is told the status sets that one.
  if (args.some((argument) => argument.name === "status")) return null
  const promised = /\bstatus\b[^.]{0,80}?\b(?:to|becomes?|as)\s+['"‘“`]([^'"’”`]{2,40})['"’”`]/i.exec(
    tool.description
  )?.[1]
  if (promised !== undefined) return promised
  if (subject.verb === "" || plainUpdates.has(subject.verb)) return null
  return stateAfter(subject.verb)
}

/** Arguments of writes that say what such a record has, where nothing else describes it. */
const describing = (one: Draft): ReadonlyArray<EntityTypes.Argument> => {
  if (one.mode !== "create" && one.mode !== "update") return []
  return one.arguments.filter(
    ({ name, reference, schema, many }) =>
      reference === null &&
      !many &&
      !isRecord(schema["properties"]) &&
      !remarks.has(name) &&
      (Array.isArray(schema["enum"]) || !everyday.has(one.noun.split("_").pop() ?? ""))
  )
}
const remarks = new Set("reason note notes comment comments message summary confirm confirmed force dry_run".split(" "))
const everyday = new Set(["order", "user", "customer", "product", "item", "reservation", "booking"])

/** Reads answer within a third of a second, writes within two thirds. */
const latencyOf = (tool: Tool): number => {
  let sum = 0
  for (let i = 0; i < tool.name.length; i++) sum = (sum * 31 + tool.name.charCodeAt(i)) % 200
  return (tool.kind === "read" || tool.kind === "compute" ? 100 : 250) + sum
}
