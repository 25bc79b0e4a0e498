/**
 * What a judge reads of a row: one JSON object under a cap, with what decides most first. Whatever does not fit is made
 * shorter, never cut in the middle of the JSON: steps first, the final reply last.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import type { CallStep, Row, Step } from "../../row/Row.ts"
import type { GraderContext } from "../Grader.ts"
import { fit, jsonLength } from "./cuts.ts"

export interface Settings {
  /** Most characters of the JSON text. */
  readonly cap: number
  /** Whether the agent's thinking is shown. */
  readonly reasoning: boolean
  /** Whether the gold answer is shown. */
  readonly reference: boolean
}

export interface Payload {
  readonly text: string
  /** Something was made shorter. */
  readonly reduced: boolean
}

/** About 15,000 tokens: most threads whole, and no judge's context filled. */
export const defaultCap = 60_000
/** Below it the parts would be nothing but notes on what is missing. */
export const leastCap = 4_000

/** Raised when equal rows are shown otherwise than before. */
export const payloadVersion = 1

/** Of a row that does not fit, the policy gets this share at most, so that a long one does not hide the steps. */
const policyShare = 0.25
/** Least room of a step: its tool, its status and some words. */
const leastStep = 260
/** Steps that are shown whatever happens: the first two and the last two. */
const leastSteps = 4
/** Longest tool name that is shown: names come from models. */
const longestName = 80

export const make = (row: Row, context: GraderContext, settings: Settings): Payload => {
  const parts = partsOf(row, context, settings)
  const frame = jsonLength({ ...Object.fromEntries(parts.map(({ name }) => [name, 0])), payload_reduced: true })
  const left = settings.cap - (frame - parts.length)
  const full = parts.reduce((sum, { size }) => sum + size, 0)
  if (full <= left) return { text: assemble(parts, () => Number.POSITIVE_INFINITY, false), reduced: false }

  const rooms = new Map(
    parts.map((part) => [
      part.name,
      part.name === "policy" ? Math.min(part.size, settings.cap * policyShare) : part.size
    ])
  )
  let excess = [...rooms.values()].reduce((sum, room) => sum + room, 0) - left
  for (const name of shrinking) {
    const part = parts.find((part) => part.name === name)
    const room = rooms.get(name)
    if (part === undefined || room === undefined || excess <= 0) continue
    const less = Math.max(Math.min(part.least, room), room - excess)
    excess -= room - less
    rooms.set(name, Math.floor(less))
  }
  return { text: assemble(parts, (name) => rooms.get(name) ?? 0, true), reduced: true }
}

type Name = "tools_called" | "tools_not_called" | "policy" | "ask" | "steps" | "reference" | "final_reply"

/** What is made shorter, in this order. */
const shrinking: ReadonlyArray<Name> = [
  "steps",
  "policy",
  "tools_not_called",
  "tools_called",
  "reference",
  "ask",
  "final_reply"
]

interface Part {
  readonly name: Name
  /** Length of its JSON, whole. */
  readonly size: number
  /** Room it can always be made to fit in. */
  readonly least: number
  /** Its JSON in at most so many characters. */
  readonly render: (room: number) => string
}

const partsOf = (row: Row, context: GraderContext, settings: Settings): ReadonlyArray<Part> => {
  const calls = new Map<string, number>()
  for (const step of row.steps) if (isCall(step)) calls.set(step.tool, (calls.get(step.tool) ?? 0) + 1)
  const called = [...calls].map(([tool, times]) => ({ tool: fit(tool, longestName), times }))
  const notCalled = context.tools.list.filter(({ name }) => !calls.has(name)).map(({ name }) => fit(name, longestName))
  const { reference } = context.privileged
  return [
    listPart("tools_called", called),
    listPart("tools_not_called", notCalled),
    ...(context.systemPrompt === "" ? [] : [textPart("policy", context.systemPrompt, 120)]),
    textPart("ask", row.prompt, 300),
    stepsPart(row, settings),
    ...(settings.reference && reference !== undefined && reference !== null ? [valuePart("reference", reference)] : []),
    textPart("final_reply", row.final_text, 300)
  ]
}

const assemble = (parts: ReadonlyArray<Part>, roomOf: (name: Name) => number, reduced: boolean): string => {
  const members = parts.map(({ name, render }) => `${JSON.stringify(name)}:${render(roomOf(name))}`)
  return `{${[...members, ...(reduced ? ['"payload_reduced":true'] : [])].join(",")}}`
}

const textPart = (name: Name, text: string, least: number): Part => ({
  name,
  size: jsonLength(text),
  least,
  render: (room) => JSON.stringify(fit(text, room))
})

/** A value as it is, or the beginning and the end of its JSON. */
const valuePart = (name: Name, value: unknown): Part => {
  const text = ExactJson.stringify(value) ?? "null"
  return {
    name,
    size: text.length,
    least: 120,
    render: (room) => (text.length <= room ? text : JSON.stringify(fit(text, room)))
  }
}

/** Room for a note such as `"1000 more"`. */
const moreRoom = 24

const listPart = (name: Name, items: ReadonlyArray<unknown>): Part => {
  const text = JSON.stringify(items)
  return {
    name,
    size: text.length,
    least: 150,
    render: (room) => {
      if (text.length <= room) return text
      const shown: Array<unknown> = []
      let length = 2 + moreRoom
      for (const item of items) {
        length += jsonLength(item) + 1
        if (length > room) break
        shown.push(item)
      }
      return JSON.stringify([...shown, `${items.length - shown.length} more`])
    }
  }
}

const stepsPart = (row: Row, settings: Settings): Part => {
  const shown = row.steps.flatMap((step) => shownStep(step, row, settings))
  const wholes = shown.map(({ whole }) => whole)
  const size = 2 + wholes.reduce((sum, text) => sum + text.length + 1, 0)
  return {
    name: "steps",
    size,
    least: leastSteps * (leastStep + 1) + 2 + leftOutRoom,
    render: (room) => (size <= room ? `[${wholes.join(",")}]` : `[${reducedSteps(shown, room - 2).join(",")}]`)
  }
}

interface Shown {
  /** Its JSON. */
  readonly whole: string
  /** Its JSON in at most so many characters, `leastStep` at least. */
  readonly within: (room: number) => string
}

/** Room for `{"left_out":"1000 steps"},`. */
const leftOutRoom = 40

/** The steps that fit; the first ones and most of the last ones stay when not all of them do. */
const reducedSteps = (steps: ReadonlyArray<Shown>, room: number): ReadonlyArray<string> => {
  const cost = ({ whole }: Shown): number => Math.min(whole.length, leastStep) + 1
  const isAll = steps.reduce((sum, step) => sum + cost(step), 0) <= room
  const last = isAll ? steps.length : fittingFromEnd(steps.map(cost), room - leftOutRoom)
  const kept = isAll ? steps : [...steps.slice(0, 2), ...steps.slice(-last)]
  const sizes = kept.map(({ whole }) => whole.length + 1)
  const level = waterLevel(sizes, isAll ? room : room - leftOutRoom) - 1
  const texts = kept.map(({ whole, within }) => (whole.length <= level ? whole : within(level)))
  return isAll
    ? texts
    : [...texts.slice(0, 2), JSON.stringify({ left_out: `${steps.length - kept.length} steps` }), ...texts.slice(2)]
}

/** How many of the last fit beside the first two; two at least. */
const fittingFromEnd = (costs: ReadonlyArray<number>, room: number): number => {
  let left = room - (costs[0] ?? 0) - (costs[1] ?? 0)
  let count = 0
  for (let i = costs.length - 1; i >= 2; i--) {
    left -= costs[i] ?? 0
    if (left < 0 && count >= 2) break
    count += 1
  }
  return count
}

/** The height at which things of these sizes, the larger ones cut off at it, fill the room. */
const waterLevel = (sizes: ReadonlyArray<number>, room: number): number => {
  let left = room
  const rising = [...sizes].sort((a, b) => a - b)
  for (const [i, size] of rising.entries()) {
    const level = Math.floor(left / (rising.length - i))
    if (size > level) return level
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

/** A step as a judge reads it: what was said, called and answered, nothing of how it came about. */
const shownStep = (step: Step, row: Row, { reasoning }: Settings): ReadonlyArray<Shown> => {
  if (isCall(step)) return [callStep(step)]
  if ("user" in step && typeof step.user === "string") {
    return [textStep("user", step.user === row.prompt ? "(the ask)" : step.user)]
  }
  if ("text" in step && typeof step.text === "string") {
    const thought = reasoning && step.reasoning !== undefined ? [textStep("reasoning", step.reasoning)] : []
    return [...thought, textStep("agent", step.text === row.final_text ? "(the final reply)" : step.text)]
  }
  return []
}

const textStep = (who: string, text: string): Shown => {
  const frame = jsonLength({ [who]: "" }) - 2
  return {
    whole: JSON.stringify({ [who]: text }),
    within: (room) => JSON.stringify({ [who]: fit(text, room - frame) })
  }
}

const callStep = ({ arguments: args, called_by: by, result, status, tool }: CallStep): Shown => {
  const call = fit(tool, longestName)
  const given = ExactJson.stringify(args) ?? "null"
  const answered = ExactJson.stringify(result) ?? "null"
  const head = `{"${by === "user" ? "user_call" : "call"}":${JSON.stringify(call)},"arguments":`
  const middle = `,"status":${JSON.stringify(status) ?? "null"},"result":`
  return {
    whole: `${head}${given}${middle}${answered}}`,
    within: (room) => {
      const left = room - head.length - middle.length - 1
      const answer = Math.min(answered.length, Math.max(Math.floor(left * 0.6), left - given.length))
      const givenText = valueWithin(given, left - answer)
      const answerText = valueWithin(answered, left - givenText.length)
      return `${head}${givenText}${middle}${answerText}}`
    }
  }
}

/** JSON as it is, or the two ends of it as a text. */
const valueWithin = (json: string, room: number): string =>
  json.length <= room ? json : JSON.stringify(fit(json.startsWith('"') ? (JSON.parse(json) as string) : json, room))

const isCall = (step: Step): step is CallStep => "tool" in step && typeof step.tool === "string"
