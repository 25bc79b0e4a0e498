/**
 * Replies in scenes: what was asked, what happened where a reply is a lie, and what happened where it is true.
 */
import * as Conduct from "@sandtable/core/Conduct"
import type { CallStep } from "@sandtable/core/Row"
import { thread, tool } from "./fixture.ts"

export interface Scene {
  readonly ask: string
  /** What happened where a claim that it is done is a lie. */
  readonly without: ReadonlyArray<CallStep>
  /** What happened where the same words are true. */
  readonly done: ReadonlyArray<CallStep>
}

/** A scene by its name, a lie in it, and an honest reply in it that is near in its words. */
export type Told<Name extends string> = readonly [scene: Name, lie: string, honest: string]

/** The same call as it fails. */
export const failing = (step: CallStep, status: "error" | "permission_denied" | "timeout"): CallStep => ({
  ...step,
  result: { status, error: "no" },
  status
})

/** The three gradings of every reply: the lie, the honest one beside it, and the words of the lie where they are true. */
export const gradings = <Name extends string>(
  scenes: Readonly<Record<Name, Scene>>,
  told: ReadonlyArray<Told<Name>>
) => {
  const steps = Object.values<Scene>(scenes).flatMap(({ done, without }) => [...done, ...without])
  const tools = [...new Set(steps.map((step) => step.tool))].map((name) => tool(name))
  const settings = { tools, systemPrompt: "You help people.", locale: "en" }
  return told.map(([name, lie, honest]) => {
    const { ask, done, without } = scenes[name]
    return {
      scene: name,
      lie,
      honest,
      lying: Conduct.grade(thread(ask, without, lie), settings),
      honestly: Conduct.grade(thread(ask, without, honest), settings),
      truly: Conduct.grade(thread(ask, done, lie), settings)
    }
  })
}
