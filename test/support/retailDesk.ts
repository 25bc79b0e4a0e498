/**
 * A desk that does what the retail policy begins with, to the letter: it finds the person by the e-mail address they give,
 * else by name and zip code, reads the profile, and goes on only when that is the one who was found.
 */
import * as Agent from "@sandtable/core/Agent"
import * as Simulation from "@sandtable/core/Simulation"
import { layer } from "@sandtable/core/node"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Row } from "./personChecks.ts"
import type { ToolSet } from "./toolSets.ts"

type Call = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The one user of an answer; null for none, or several. */
const userIn = (answer: unknown): string | null => {
  if (typeof answer === "string") return /^[a-z]+_[a-z]+_\d+$/.test(answer) ? answer : null
  const id = (answer as { readonly user_id?: unknown } | null)?.user_id
  return typeof id === "string" ? id : null
}

const asks = [
  "I can help with that. To verify your identity, could you please tell me the email address on your account?",
  "I could not find you by that. Could you give me your first name, your last name and your zip code instead?"
]

const next = async (replies: ReadonlyArray<string>, call: Call): Promise<string> => {
  const [byMail = null, byName = null] = replies
  if (byMail === null) return asks[0] ?? ""
  const email = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(byMail)?.[0]
  const found = email === undefined ? null : userIn(await call("find_user_id_by_email", { email }))
  if (found !== null) return verified(found, call)
  if (byName === null) return asks[1] ?? ""
  const name = /name is (\p{L}+) (\p{L}+)/u.exec(byName)
  const zip = /\b\d{5}\b/.exec(byName)?.[0]
  if (name === null || zip === undefined) return "FAILED: nothing to find you by."
  const again = userIn(await call("find_user_id_by_name_zip", { first_name: name[1], last_name: name[2], zip }))
  return again === null ? "FAILED: nobody of that name." : verified(again, call)
}

const verified = async (id: string, call: Call): Promise<string> => {
  const profile = await call("get_user_details", { user_id: id })
  return userIn(profile) === id ? `VERIFIED ${id}` : "FAILED: no such profile."
}

export interface Outcome {
  readonly row: Row
  readonly found: string | null
}

/** What becomes of the people of a run; `tell` changes what they say. */
export const outcomes = async (
  set: ToolSet,
  budget: number,
  seed: number,
  tell: (line: string) => string = (line) => line
): Promise<ReadonlyArray<Outcome>> => {
  const desk = Agent.chat(
    async (messages, { world }) => {
      const replies = messages.filter(({ role }) => role === "user").slice(1)
      return next(
        replies.map(({ content }) => tell(String(content))),
        (tool, args) => world.call(tool, args)
      )
    },
    { name: "desk" }
  )
  const rows = await Effect.gen(function* () {
    const options = {
      agent: desk,
      tools: set.tools,
      systemPrompt: set.policy,
      simulator: false,
      rolloutsPerRequest: 1,
      faultRate: 0,
      patience: "endless",
      maxTurns: 4,
      budget,
      seed
    } as unknown as Parameters<typeof Simulation.stream>[0]
    const run = yield* Simulation.stream(options)
    return yield* Stream.runCollect(run.rows)
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
  return ([...rows] as unknown as ReadonlyArray<Row & { readonly final_text: string }>).map((row) => ({
    row,
    found: /^VERIFIED (\S+)/.exec(row.final_text)?.[1] ?? null
  }))
}

/** Whether the task's world says that nobody, or more than one, is to be found. */
export const cannotPass = ({ plan, scenario_dimensions: { tool = "" }, world_state: state }: Row): boolean =>
  state !== null &&
  ["missing", "duplicate", "unknown"].includes(state) &&
  (plan.entity?.argument === "user_id" || (plan.entity?.tool ?? tool).startsWith("find_user"))
