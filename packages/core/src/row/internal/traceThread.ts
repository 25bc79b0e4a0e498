/**
 * Atoms to steps. A result is bound to its call by id, then by name, then by position, and steps keep the order of the
 * calls, so that parallel results that come back in another order still answer their own call.
 */
import type { CallStep, Step } from "./rowSchema.ts"
import { statusOf } from "./resultStatus.ts"
import type { Atom, Result } from "./traceAtoms.ts"

export interface Thread {
  readonly prompt: string
  readonly opener?: string
  readonly steps: ReadonlyArray<Step>
  readonly finalText: string
}

type Call = Extract<Atom, { _tag: "Call" }>

/** A call and what answered it. */
export interface BoundCall {
  readonly call: Call
  result?: Result
}

/** The call a result answers: the one with its id, else the first unanswered of its name, else the first unanswered. */
export const bind = (calls: ReadonlyArray<BoundCall>, result: Result): BoundCall | undefined => {
  if (result.id !== undefined) {
    const byId = calls.findLast((one) => one.call.id === result.id)
    if (byId !== undefined) return byId
  }
  const open = calls.filter((one) => one.result === undefined)
  const named = result.name === undefined ? undefined : open.find((one) => one.call.name === result.name)
  return named ?? open[0]
}

/** `turns` holds the atoms of each message: text and calls of one message are one turn of the agent. */
export const threadOf = (turns: ReadonlyArray<ReadonlyArray<Atom>>): Thread => {
  const entries: Array<{ readonly atom: Atom; readonly turn: number; readonly bound?: BoundCall }> = []
  const calls: Array<BoundCall> = []
  let turn = 0
  for (const atoms of turns) {
    let spoke = false
    for (const atom of atoms) {
      if (atom._tag === "Result") {
        const bound = bind(calls, atom)
        if (bound !== undefined) bound.result ??= atom
        // A history that was cut may begin with an answer: the call is known by its name alone.
        else if (atom.name !== undefined) {
          const call: Call = { _tag: "Call", name: atom.name, arguments: {} }
          entries.push({ atom: call, turn, bound: { call, result: atom } })
          spoke = true
        }
        continue
      }
      if (atom._tag === "Call") {
        const bound: BoundCall = { call: atom }
        calls.push(bound)
        entries.push({ atom, turn, bound })
      } else entries.push({ atom, turn })
      spoke ||= atom._tag !== "User"
    }
    if (spoke) turn += 1
  }
  return fromEntries(entries)
}

const fromEntries = (
  entries: ReadonlyArray<{ readonly atom: Atom; readonly turn: number; readonly bound?: BoundCall }>
): Thread => {
  const firstUser = entries.findIndex((entry) => entry.atom._tag === "User")
  const openers: Array<string> = []
  const steps: Array<Step> = []
  let finalText = ""
  entries.forEach(({ atom, bound, turn }, i) => {
    if (atom._tag === "User") steps.push({ user: atom.text })
    else if (atom._tag === "Agent") {
      if (i < firstUser) openers.push(atom.text)
      else {
        const reasoning = atom.reasoning === undefined ? {} : { reasoning: atom.reasoning }
        steps.push({ text: atom.text, ...reasoning, turn })
        finalText = atom.text
      }
    } else if (bound !== undefined) steps.push(callStep(bound, turn, steps.length))
  })
  const first = entries[firstUser]?.atom
  return {
    prompt: first?._tag === "User" ? first.text : "",
    ...(openers.length === 0 ? {} : { opener: openers.join("\n") }),
    steps,
    finalText
  }
}

/** A call that nothing answered has no result and, as far as anybody knows, did not fail. */
const callStep = ({ call, result }: BoundCall, turn: number, at: number): CallStep => ({
  tool: call.name,
  arguments: call.arguments,
  result: result?.content ?? null,
  call_id: call.id ?? `call_${at}`,
  status: result === undefined ? "ok" : statusOf(result.content, result.failed),
  answered_by: "agent",
  turn
})
