/**
 * Atoms to steps. A result is bound to its call by id, then by name, then by position, and steps keep the order of the
 * calls, so that parallel results that come back in another order still answer their own call.
 */
import type { CallStep, Step } from "../../row/internal/rowSchema.ts"
import { firstOf, objectOf } from "../../json/foreignJson.ts"
import { statusOf } from "./resultStatus.ts"
import type { Atom, Call, Result } from "./traceAtom.ts"

export interface Thread {
  readonly prompt: string
  readonly opener?: string
  readonly steps: ReadonlyArray<Step>
  readonly finalText: string
  /** What else was met and passed over, by its name. */
  readonly others: ReadonlyArray<string>
}

/** A call and what answered it. */
export interface BoundCall {
  readonly call: Call
  result?: Result
}

/** The call a result answers: the one with its id, else the first unanswered of its name, else the first unanswered. */
export const bind = (calls: ReadonlyArray<BoundCall>, result: Result): BoundCall | undefined => {
  if (result.id !== undefined) {
    const same = calls.filter((one) => one.call.id === result.id)
    // Some recorders give every turn the same ids: the call that waits is meant.
    const byId = same.find((one) => one.result === undefined) ?? same.at(-1)
    if (byId !== undefined) return byId
  }
  const open = calls.filter(
    ({ call, result: given }) => given === undefined && (result.by === undefined || result.by === call.by)
  )
  const named = result.name === undefined ? undefined : open.find((one) => one.call.name === result.name)
  return named ?? open[0]
}

interface Entry {
  readonly atom: Extract<Atom, { readonly _tag: "User" | "Agent" | "Call" }>
  readonly turn: number
  readonly bound?: BoundCall
}

/** `turns` holds the atoms of each message: text and calls of one message are one turn of the agent. */
export const threadOf = (turns: ReadonlyArray<ReadonlyArray<Atom>>): Thread => {
  const entries: Array<Entry> = []
  const calls: Array<BoundCall> = []
  const others: Array<string> = []
  let turn = 0
  let thoughts: Array<string> = []
  for (const atoms of turns) {
    let spoke = false
    for (const atom of atoms) {
      switch (atom._tag) {
        case "Other":
          others.push(atom.item)
          break
        case "Thought":
          thoughts.push(atom.text)
          break
        case "Result": {
          thoughts = []
          // What an agent says after an answer is a turn of its own.
          if (spoke) turn += 1
          spoke = false
          const bound = bind(calls, atom)
          if (bound !== undefined) bound.result ??= atom
          // A history that was cut may begin with an answer: the call is known by its name alone.
          else if (atom.name !== undefined) {
            const call: Call = { _tag: "Call", name: atom.name, arguments: {} }
            entries.push({ atom: call, turn, bound: { call, result: atom } })
            spoke = true
          } else others.push("answer to no call")
          break
        }
        case "Call": {
          const bound: BoundCall = { call: atom }
          calls.push(bound)
          entries.push({ atom, turn, bound })
          spoke ||= atom.by === undefined
          break
        }
        case "User":
          thoughts = []
          entries.push({ atom, turn })
          break
        case "Agent": {
          const reasoning = [...thoughts, ...(atom.reasoning === undefined ? [] : [atom.reasoning])].join("\n")
          const said = reasoning === "" ? atom : { ...atom, reasoning }
          thoughts = []
          const last = entries.at(-1)
          const whole = last?.atom._tag === "Agent" ? withCode(last.atom.text, atom.text) : undefined
          if (whole === undefined) entries.push({ atom: said, turn })
          else entries.splice(-1, 1, { atom: { ...said, text: whole }, turn: last?.turn ?? turn })
          spoke ||= whole === undefined
        }
      }
    }
    if (spoke) turn += 1
  }
  const answer = finalAnswer(entries.findLast(({ atom }) => atom._tag !== "User"))
  if (answer !== undefined) entries.push({ atom: { _tag: "Agent", text: answer }, turn })
  return { ...fromEntries(entries), others }
}

/** Some agents give their last word to a tool: it is what the person gets. */
const finalAnswer = (last: Entry | undefined): string | undefined => {
  if (last?.atom._tag !== "Call" || !/^final_?answer(?:_?tool)?$/i.test(last.atom.name)) return undefined
  const given = last.bound?.result?.content ?? firstOf(objectOf(last.atom.arguments), ["answer", "final_answer"])
  return given === undefined || given === null ? undefined : typeof given === "string" ? given : JSON.stringify(given)
}

/**
 * Some recorders write what an agent thought once by itself and once with the code that follows: the longer of two texts
 * of which one goes on with code; undefined when they differ otherwise.
 */
export const withCode = (a: string, b: string): string | undefined => {
  const [short, long] = a.length <= b.length ? [a.trimEnd(), b] : [b.trimEnd(), a]
  if (short === "" || !long.startsWith(short)) return undefined
  return codeAlone.test(long.slice(short.length)) ? long : undefined
}

/** A block of code, its end cut off by a stop word or not, or only the mark of its end. */
const codeAlone = /^\s*(?:(?:(?:code|action)\s*:\s*)?(?:```|<code>)[\s\S]*|(?:<\/?end_code>|<\/code>|```)\s*)$/i

const fromEntries = (entries: ReadonlyArray<Entry>): Omit<Thread, "others"> => {
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
  ...(call.by === "user" ? { answered_by: "user", called_by: "user" } : { answered_by: "agent", turn })
})
