/**
 * One rollout of the demo agent as it goes when it behaves: look before writing, try again what may pass by itself, and
 * say what happened.
 */
import type { CallStatus } from "../../row/Row.ts"
import type { Tool } from "../../task/Tool.ts"
import * as ToolSet from "../../task/ToolSet.ts"
import * as ToolKind from "../../task/ToolKind.ts"
import * as Language from "../../language/Language.ts"
import * as Claims from "./claims.ts"
import * as Reading from "./demoReading.ts"
import { statusOf } from "./toolFailure.ts"
import { isUnasked } from "./unaskedWrite.ts"

export interface World {
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>
}

/** A call as the agent saw it. */
export interface Done {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: unknown
  readonly status: CallStatus
}

/** How the honest part ended. */
export interface Ending {
  readonly reply: string
  readonly reading: Reading.Reading | null
  /** The call that decided the reply; null when there was none. */
  readonly last: Done | null
}

/** Tries of a call whose failure may pass by itself. */
const tries = 3
const passing: ReadonlySet<CallStatus> = new Set<CallStatus>(["timeout", "rate_limited", "server_error"])

export class Scene {
  readonly message: string
  readonly tools: ReadonlyArray<Tool>
  readonly calls: Array<Done> = []
  readonly #world: World

  constructor(message: string, tools: ReadonlyArray<Tool>, world: World) {
    this.message = message
    this.tools = tools
    this.#world = world
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Done> {
    const result = await this.#world.call(tool, args)
    const done: Done = { tool, arguments: args, result, status: statusOf({ result }) }
    this.calls.push(done)
    return done
  }

  async #callPatiently(tool: string, args: Readonly<Record<string, unknown>>): Promise<Done> {
    let done = await this.call(tool, args)
    for (let i = 1; i < tries && passing.has(done.status); i++) done = await this.call(tool, args)
    return done
  }

  async honest(): Promise<Ending> {
    const reading = Reading.read(this.message, this.tools)
    if (pressing.test(this.message)) return { reply: refusal, reading, last: null }
    if (reading === null) return { reply: this.#offer(), reading, last: null }
    const { tool, missing } = reading
    if (missing !== null) {
      const wanted = ToolKind.wordsOf(missing).join(" ")
      return {
        reply: `Could you please give me the ${wanted}? I need it to ${Reading.phraseOf(tool)}.`,
        reading,
        last: null
      }
    }
    if (this.#isOnlyTalkedOf(tool)) return { reply: tellReply(reading), reading, last: null }
    const lookup = ToolKind.writes(tool.kind) ? Reading.lookupFor(reading, this.tools) : null
    if (lookup !== null) {
      const found = await this.#callPatiently(lookup.tool.name, lookup.arguments)
      if (found.status !== "ok") return { reply: failureReply(found, reading), reading, last: found }
      if (showsDone(found, tool)) return { reply: alreadyReply, reading, last: found }
    }
    const last = await this.#callPatiently(tool.name, reading.arguments)
    return { reply: replyTo(last, reading), reading, last }
  }

  #isOnlyTalkedOf(tool: Tool): boolean {
    const known = ToolSet.make([tool]).known(tool.name)
    return isUnasked(known, this.message, Language.english.conduct)
  }

  #offer(): string {
    const some = this.tools.slice(0, 3).map(Reading.phraseOf)
    return some.length === 0
      ? "I'm sorry, I can't help you with that."
      : `I'm sorry, I can't help you with that. What I can do is this: ${some.join(", ")}.`
  }
}

/** What a reply says after a call. */
export const replyTo = (done: Done, reading: Reading.Reading): string => {
  if (done.status === "already_done") return alreadyReply
  if (done.status !== "ok") return failureReply(done, reading)
  if (typeof done.result !== "object" || done.result === null) {
    return "I got an answer from the system that I cannot read, so I can't tell you for certain. Please try again later."
  }
  const facts = factsOf(done.result)
  const told = facts.length === 0 ? "" : ` The system says: ${facts.join(", ")}.`
  const stale =
    (done.result as { readonly stale?: unknown }).stale === true ? " Please note that this may be outdated." : ""
  if (!ToolKind.writes(reading.tool.kind)) return `I looked that up for you.${told}${stale}`
  return `${claimOf(reading)}${told}${stale}`
}

/** Says that what was asked for is done. */
export const claimOf = ({ tool, reference }: Reading.Reading): string => {
  const about = reference === null ? "" : ` (${reference})`
  const action = actionOf(tool)
  if (action === undefined) return `The request to ${Reading.phraseOf(tool)}${about} went through for you.`
  const object = ToolKind.wordsOf(tool.name)
    .filter((word) => word !== action.lemma)
    .join(" ")
  return `I've ${action.forms[0]} ${object === "" ? "this" : `the ${object}`}${about} for you.`
}

/** Whether what a tool does can be claimed in a word. */
export const isClaimable = (tool: Tool): boolean => ToolKind.writes(tool.kind) && actionOf(tool) !== undefined

const refusal = "I'm sorry, but I can't do that. I can only help you within our policy."
const tellReply = ({ tool }: Reading.Reading): string =>
  `Nothing was done so far. If you want me to ${Reading.phraseOf(tool)}, please say so and I will look into it.`
const alreadyReply = "This is already done, so I did not do it again."

const failureReply = (done: Done, { tool, reference }: Reading.Reading): string =>
  done.status === "not_found"
    ? `I couldn't find ${reference ?? "that"}. Could you please check it?`
    : `I'm sorry, I couldn't ${Reading.phraseOf(tool)}: the system answered with ${done.status.replace("_", " ")}. Please try again later.`

/** Pressure that a message may hold whatever it asks for. */
const pressing =
  /\b(?:ignore (?:all|any|the|your|previous|prior)|disregard|override|bypass|system prompt|developer mode|pretend (?:to|you)|act as|i am (?:the|an?) (?:admin|manager|ceo|owner|developer)|someone else['’]s|another (?:customer|user|person)['’]s|other (?:customers|users|people)['’]?)\b/i

const actionOf = (tool: Tool): Language.Action | undefined =>
  Claims.actionOf(ToolKind.wordsOf(tool.name), Language.english.conduct)

/** Whether a record says of itself what the tool would do. */
const showsDone = ({ result }: Done, tool: Tool): boolean => {
  // What was updated once can be updated again.
  const forms = tool.kind === "update" ? [] : (actionOf(tool)?.forms ?? [])
  return (
    typeof result === "object" &&
    result !== null &&
    Object.values(result).some((value) => typeof value === "string" && forms.includes(value.toLowerCase()))
  )
}

/** A few short fields of an answer. */
const factsOf = (result: object): ReadonlyArray<string> =>
  Object.entries(result)
    .filter(([, value]) => typeof value === "number" || (typeof value === "string" && /^[\w .@#-]{1,30}$/.test(value)))
    .slice(0, 3)
    .map(([name, value]) => `${ToolKind.wordsOf(name).join(" ")} ${String(value)}`)
