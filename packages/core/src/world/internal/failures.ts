/**
 * How the mock world says no.
 */
import * as English from "../../language/English.ts"
import type { CallStatus } from "../../row/Row.ts"
import type { Answer } from "../World.ts"
import { spoken } from "./nouns.ts"
import type { ToolPlan } from "./toolPlans.ts"

export const failure = (status: CallStatus, error: string, elapsedMs: number): Answer => ({
  result: Object.freeze({ status, error }),
  status,
  answeredBy: "mock",
  elapsedMs
})

export const notFound = (plan: ToolPlan, noun: string, field: string, id: unknown): Answer =>
  failure("not_found", `No ${spoken(noun)} found with ${field} ${JSON.stringify(id)}.`, plan.latency)

export const invalid = (plan: ToolPlan, problem: string): Answer =>
  failure("error", `Invalid arguments for ${plan.tool.name}: ${problem}.`, plan.latency)

export const alreadyDone = (plan: ToolPlan, noun: string, id: string, what: string): Answer =>
  failure("already_done", `The ${spoken(noun)} ${JSON.stringify(id)} is already ${spoken(what)}.`, plan.latency)

/** `The receipt for the booking "B1" was already sent.` */
export const alreadySent = (plan: ToolPlan, sent: string, noun: string, id: string): Answer =>
  failure(
    "already_done",
    `The ${spoken(sent)} for the ${spoken(noun)} ${JSON.stringify(id)} was already sent.`,
    plan.latency
  )

/** `A late checkout for the booking "B1" was already requested.` */
export const alreadyAsked = (plan: ToolPlan, noun: string, id: string): Answer => {
  const thing = spoken(plan.type.noun.replace(/_request$/, ""))
  return failure(
    "already_done",
    `${English.article(thing) === "an" ? "An" : "A"} ${thing} for the ${spoken(noun)} ${JSON.stringify(id)} was already requested.`,
    plan.latency
  )
}

export const refused = (plan: ToolPlan, error: string): Answer => failure("error", error, plan.latency)
