/**
 * Spans to threads. All spans of one conversation (or trace) are one thread. Its words are those of the model calls of the
 * outermost agent, what the person asked and was answered those of the agent's own span; its calls are all tool runs,
 * those of agents that were themselves called as tools included, each once however many spans tell of it.
 */
import * as Hash from "../../random/Hash.ts"
import { objectOf, textOf, unpacked } from "../../json/foreignJson.ts"
import { argumentsOf, type Atom, type Call, type Result } from "./traceAtom.ts"
import * as Exchange from "./traceExchange.ts"
import { at, firstAt, merged, tellingsOf, type Span, type SpanMessage } from "./traceSpan.ts"
import { withCode } from "./traceThread.ts"

export { isSpanRecord, spansOf, type Span } from "./traceSpan.ts"

/** Spans that belong to one conversation, in the order their first spans came. */
export const conversationsOf = (all: ReadonlyArray<Span>): ReadonlyArray<ReadonlyArray<Span>> => {
  const spans = merged(all)
  const conversation = new Map<string, string>()
  for (const span of spans) {
    const id = textOf(at(span, "gen_ai.conversation.id") ?? at(span, "session.id"))
    if (id !== undefined && id !== "" && !conversation.has(span.trace))
      conversation.set(span.trace, `conversation ${id}`)
  }
  const groups = new Map<string, Array<Span>>()
  for (const span of spans) {
    const key = conversation.get(span.trace) ?? `trace ${span.trace}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [span])
    else group.push(span)
  }
  return [...groups.values()]
}

/** The thread of one conversation, message by message. */
export const turnsOf = (spans: ReadonlyArray<Span>): ReadonlyArray<ReadonlyArray<Atom>> => {
  const ordered = [...spans].sort((a, b) => a.start - b.start || b.end - a.end)
  const above = ancestry(ordered)
  const tools = ordered.filter(isTool)
  const outside = ordered.filter((span) => !isTool(span) && !above(span).some(isTool) && !isWithin(span, tools))
  const speaking = speakersOf(outside, above)
  const history: Array<Entry> = []
  for (const { span, tellings } of speaking) for (const telling of tellings) addTelling(history, span, telling)
  const made = new Set<Call>()
  for (const run of runsOf(tools, above)) addToolRun(history, run, made)
  for (const agent of outermost(outside.filter(isAgent), above)) addAgent(history, agent, above)
  return history.map((entry) => entry.atoms)
}

interface Speaker {
  readonly span: Span
  readonly tellings: Span["tellings"]
}

/**
 * The spans whose words are the thread's. Where model calls are recorded, agents and chains around them only say the same
 * again; where no span lists messages, what went in and came out of the outermost is the thread.
 */
const speakersOf = (spans: ReadonlyArray<Span>, above: Ancestry): ReadonlyArray<Speaker> => {
  const telling = (read: (span: Span) => Span["tellings"]): ReadonlyArray<Speaker> =>
    spans.map((span) => ({ span, tellings: read(span) })).filter(({ tellings }) => tellings.length > 0)
  const messages = telling(tellingsOf)
  const values = messages.length > 0 ? [] : telling(valuesOf)
  const found = messages.length > 0 ? messages : values
  const models = found.filter(({ span }) => !isAround(span))
  const agents = found.filter(({ span }) => isAgent(span))
  const candidates = messages.length > 0 && models.length > 0 ? models : agents.length > 0 ? agents : found
  return candidates.filter(({ span }) => !above(span).some((one) => candidates.some((each) => each.span === one)))
}

/** What went in and came out of a span that lists no messages. */
const valuesOf = (span: Span): Span["tellings"] => {
  const told = (askedIn(span) ?? []).map((atoms) => ({ output: false, atoms }))
  const said = (repliedIn(span) ?? []).map((atoms) => ({ output: true, atoms }))
  return told.length + said.length === 0 ? [] : [[...told, ...said]]
}

const askedIn = (span: Span): Exchange.Turns | undefined => {
  const input = firstAt(span, ["input.value", "traceloop.entity.input", "gen_ai.input", "input"])
  return input === undefined ? undefined : Exchange.askedOf({ input })
}

const repliedIn = (span: Span): Exchange.Turns | undefined => {
  const output = firstAt(span, ["output.value", "final_result", "traceloop.entity.output", "gen_ai.output", "output"])
  const read = unpacked(output)
  const reply =
    output === undefined
      ? undefined
      : Exchange.replyOf(typeof read === "object" && read !== null ? { output: read } : { output })
  return reply?.length === 0 && typeof output === "string" ? [[{ _tag: "Agent", text: output }]] : reply
}

/** One message of the thread; `time` places tool runs that no message speaks of. */
interface Entry {
  readonly atoms: Array<Atom>
  readonly time: number
  /** The span whose words they are. */
  readonly from?: Span
}

/**
 * A model call tells the thread so far and adds to it. What is known already is passed over, atom by atom, since recorders
 * put the same calls into one message or into several. Ids say nothing of words, and a call that was told with an id is
 * that call however often it is told; without the same id it is known by its name and arguments.
 */
const addTelling = (history: Array<Entry>, span: Span, telling: ReadonlyArray<SpanMessage>): void => {
  let known = 0
  for (const { atoms, output } of telling) {
    const flat = history.flatMap((entry) => entry.atoms)
    const rest: Array<Atom> = []
    for (const atom of atoms) {
      const place = output ? -1 : flat.findIndex((one, i) => i >= known && isSame(one, atom))
      if (place >= 0) known = place + 1
      else if (!flat.some((one) => isSameCall(one, atom))) rest.push(atom)
    }
    if (rest.length === 0) continue
    history.push({ atoms: rest, time: output ? span.end : span.start, from: span })
    known = flat.length + rest.length
  }
}

const isSame = (a: Atom, b: Atom): boolean =>
  keyOf(a) === keyOf(b) || (a._tag === "Agent" && b._tag === "Agent" && withCode(a.text, b.text) !== undefined)

/** One call or one answer by its id, whatever the order it is told in. */
const isSameCall = (a: Atom, b: Atom): boolean =>
  (a._tag === "Call" || a._tag === "Result") &&
  a._tag === b._tag &&
  a.id !== undefined &&
  a.id === b.id &&
  keyOf(a) === keyOf(b)

const keyOf = (atom: Atom): string => {
  switch (atom._tag) {
    case "User":
      return `user ${atom.text}`
    case "Agent":
      return `agent ${atom.text}`
    case "Thought":
      return `thought ${atom.text}`
    case "Other":
      return `other ${atom.item}`
    case "Call":
      return `call ${atom.name} ${Hash.canonical(atom.arguments)}`
    case "Result":
      return `result ${Hash.canonical(atom.content)}`
  }
}

/** A tool run, of one span or of several around each other. */
interface Run {
  readonly name: string
  readonly id: string | undefined
  /** Undefined when no span says with what it was called. */
  readonly args: unknown
  readonly output: unknown
  readonly failed: boolean
  readonly error: string | undefined
  readonly start: number
}

/** Tool runs, each once: a client's span within that of the tool it calls tells the same call, as does one of its id. */
const runsOf = (tools: ReadonlyArray<Span>, above: Ancestry): ReadonlyArray<Run> => {
  const runs = new Map<Span, Run>()
  const byId = new Map<string, Span>()
  for (const span of tools) {
    const run = runOf(span)
    if (run === undefined) continue
    const around = above(span).find((one) => {
      const other = runs.get(one)
      return other !== undefined && other.name === run.name && isAlike(other.args, run.args)
    })
    const sameId = run.id === undefined ? undefined : byId.get(run.id)
    const same = around ?? (sameId !== undefined && isAlike(runs.get(sameId)?.args, run.args) ? sameId : undefined)
    const before = same === undefined ? undefined : runs.get(same)
    if (same === undefined || before === undefined) {
      runs.set(span, run)
      if (run.id !== undefined) byId.set(run.id, span)
    } else {
      runs.set(same, {
        ...before,
        id: before.id ?? run.id,
        args: before.args ?? run.args,
        output: before.output ?? run.output,
        failed: before.failed || run.failed,
        error: before.error ?? run.error
      })
    }
  }
  return [...runs.values()]
}

const isAlike = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined || Hash.canonical(a) === Hash.canonical(b)

const runOf = (span: Span): Run | undefined => {
  const named = textOf(firstAt(span, ["gen_ai.tool.name", "tool.name", "mcp.tool.name", "traceloop.entity.name"]))
  const name = named ?? /^(?:execute_tool|tools\/call)\s+(\S+)$/.exec(span.name)?.[1]
  if (name === undefined) return undefined
  const output = unpacked(
    firstAt(span, [
      "gen_ai.tool.call.result",
      "gcp.vertex.agent.tool_response",
      "output.value",
      "traceloop.entity.output"
    ])
  )
  const input = firstAt(span, [
    "gen_ai.tool.call.arguments",
    "gcp.vertex.agent.tool_call_args",
    "input.value",
    "traceloop.entity.input"
  ])
  return {
    name,
    id: textOf(
      firstAt(span, ["gen_ai.tool.call.id", "tool_call.id", "tool.call.id"]) ?? objectOf(output)["tool_call_id"]
    ),
    args: input === undefined ? undefined : argumentsOf(input),
    output,
    failed: span.failed,
    error: textOf(firstAt(span, ["error.message", "exception.message", "error.type"])),
    start: span.start
  }
}

/** What a tool run says of its call goes before what the thread was told of it; a call the thread lacks is added. */
const addToolRun = (history: Array<Entry>, run: Run, taken: Set<Call>): void => {
  const { args, error, failed, name, output, start } = run
  const made = findCall(history, run, taken)
  if (made !== undefined) taken.add(made)
  const id = made?.id ?? run.id
  const idField = id === undefined ? {} : { id }
  if (made !== undefined && output === undefined && !failed) return
  const content = output ?? (failed ? (error ?? "error") : null)
  const result: Result = { _tag: "Result", ...idField, name, content, failed }
  if (made === undefined) {
    const call: Call = { _tag: "Call", ...idField, name, arguments: args ?? {} }
    const place = history.findLastIndex((entry) => entry.time <= start)
    history.splice(place + 1, 0, { atoms: [call, result], time: start })
    taken.add(call)
    return
  }
  // Bound first: a thread takes the first answer a call gets.
  const place = history.findIndex(({ atoms }) => atoms.includes(made))
  history.splice(place + 1, 0, { atoms: [result], time: start })
}

const findCall = (history: ReadonlyArray<Entry>, { args, id, name }: Run, taken: Set<Call>): Call | undefined => {
  const open = history.flatMap(({ atoms }) =>
    atoms.filter((atom): atom is Call => atom._tag === "Call" && !taken.has(atom))
  )
  const byId = id === undefined ? undefined : open.find((call) => call.id === id)
  if (byId !== undefined) return byId
  const named = open.filter((call) => call.name === name)
  return args === undefined ? named[0] : named.find((call) => isAlike(call.arguments, args))
}

/**
 * What an agent's own span says went in and came out, where the model calls below it say otherwise: the ask may stand in a
 * prompt of the harness's, and the answer may be what a last tool gave.
 */
const addAgent = (history: Array<Entry>, span: Span, above: Ancestry): void => {
  const within = history.filter(({ from }) => from !== undefined && above(from).includes(span))
  if (within.length === 0) return
  const ask = askOf(span)
  if (
    ask !== undefined &&
    !history.some(({ atoms }) => atoms.some((atom) => isUser(atom) && atom.text.trim() === ask))
  ) {
    const wrapped = within.find(({ atoms }) => atoms.some((atom) => isUser(atom) && atom.text.includes(ask)))
    const at = wrapped?.atoms.findIndex((atom) => isUser(atom) && atom.text.includes(ask)) ?? -1
    if (wrapped !== undefined) wrapped.atoms[at] = { _tag: "User", text: ask }
    else
      history.splice(history.indexOf(within[0] as Entry), 0, { atoms: [{ _tag: "User", text: ask }], time: span.start })
  }
  const answer = (repliedIn(span) ?? [])
    .flat()
    .findLast((atom) => atom._tag === "Agent")
    ?.text.trim()
  const last = within.flatMap(({ atoms }) => atoms).findLast((atom) => atom._tag === "Agent")
  if (answer === undefined || answer === "" || last?.text.trim() === answer) return
  history.splice(history.findLastIndex(({ time }) => time <= span.end) + 1, 0, {
    atoms: [{ _tag: "Agent", text: answer }],
    time: span.end
  })
}

const isUser = (atom: Atom): atom is Extract<Atom, { readonly _tag: "User" }> => atom._tag === "User"

/** The person's newest line in what went into an agent. */
const askOf = (span: Span): string | undefined => {
  const told = tellingsOf(span).flatMap((telling) => telling.flatMap(({ atoms, output }) => (output ? [] : atoms)))
  const atoms = told.length > 0 ? told : (askedIn(span) ?? []).flat()
  const text = atoms.findLast(isUser)?.text.trim()
  return text === "" ? undefined : text
}

const operationOf = (span: Span): string =>
  (
    textOf(
      at(span, "gen_ai.operation.name") ?? at(span, "openinference.span.kind") ?? at(span, "traceloop.span.kind")
    ) ?? ""
  ).toLowerCase()

const isTool = (span: Span): boolean =>
  ["execute_tool", "tool"].includes(operationOf(span)) || at(span, "mcp.method.name") === "tools/call"
const isAgent = (span: Span): boolean => ["invoke_agent", "agent"].includes(operationOf(span))
const isAround = (span: Span): boolean =>
  isAgent(span) || ["create_agent", "chain", "workflow", "task"].includes(operationOf(span))

type Ancestry = (span: Span) => ReadonlyArray<Span>

/** The spans above each span. */
const ancestry = (spans: ReadonlyArray<Span>): Ancestry => {
  const byId = new Map(spans.map((span) => [span.id, span]))
  return (span) => {
    const found: Array<Span> = []
    for (let up = byId.get(span.parent); up !== undefined && !found.includes(up); up = byId.get(up.parent))
      found.push(up)
    return found
  }
}

const outermost = (spans: ReadonlyArray<Span>, above: Ancestry): ReadonlyArray<Span> =>
  spans.filter((span) => !above(span).some((one) => spans.includes(one)))

/** Wholly within the time of a tool run: recorders of agents that are called as tools do not all keep the parent. */
const isWithin = (span: Span, tools: ReadonlyArray<Span>): boolean =>
  tools.some(
    (tool) => tool.trace === span.trace && tool.end > tool.start && tool.start <= span.start && span.end <= tool.end
  )
