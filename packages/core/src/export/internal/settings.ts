/**
 * What an export needs to know, checked and filled in from the run.
 */
import { passMark } from "../../row/PassMark.ts"
import type { RunMeta } from "../../report/RunMeta.ts"
import type { Tool } from "../../task/Tool.ts"
import * as ToolDialect from "../../task/ToolDialect.ts"
import type { Format, Options } from "../Export.ts"

export interface Settings {
  readonly format: Format
  /** Null where nobody told it. */
  readonly systemPrompt: string | null
  readonly tools: ReadonlyArray<Tool> | null
  /** The run's own instructions; null without a run. */
  readonly policy: string | null
  /** Whether the rows were made with guidance beside the instructions. */
  readonly scaffolded: boolean
  readonly failures: boolean
  readonly passAt: number
  readonly margin: number
  readonly perTask: number
  readonly lossMask: boolean
  readonly reasoning: boolean
  readonly passShare: number
}

export interface Problem {
  readonly option: string
  readonly problem: string
  readonly fix: string
}

/** Which formats read an option; those not named are read by all. */
const readBy: Readonly<Partial<Record<keyof Options, ReadonlyArray<Format>>>> = {
  systemPrompt: ["openai", "trl-sft", "trl-dpo", "trl-grpo"],
  tools: ["openai", "trl-sft", "trl-dpo", "trl-grpo"],
  failures: ["openai", "trl-sft"],
  passAt: ["openai", "trl-sft", "junit"],
  margin: ["trl-dpo"],
  perTask: ["trl-dpo"],
  lossMask: ["openai"],
  reasoning: ["jsonl"],
  passShare: ["junit"]
}

export const formats: ReadonlyArray<Format> = ["jsonl", "openai", "trl-sft", "trl-dpo", "trl-grpo", "junit"]

export const problemOf = (options: Options): Problem | null => {
  const { format, margin = 0.5, passAt = passMark, passShare = 1, perTask = 1, tools } = options
  if (!formats.includes(format)) {
    return { option: "format", problem: `is ${JSON.stringify(format)}`, fix: `Give one of ${formats.join(", ")}.` }
  }
  for (const [option, by] of Object.entries(readBy)) {
    if (options[option as keyof Options] !== undefined && !by.includes(format)) {
      return { option, problem: `has no meaning for ${format}`, fix: `Leave it out; ${by.join(", ")} read it.` }
    }
  }
  for (const [option, value] of Object.entries({ passAt, passShare, margin })) {
    if (!(value > 0 && value <= 1)) {
      return { option, problem: `is ${JSON.stringify(value)}`, fix: "Give a number above 0 and up to 1." }
    }
  }
  if (!(Number.isSafeInteger(perTask) && perTask >= 1)) {
    return { option: "perTask", problem: `is ${JSON.stringify(perTask)}`, fix: "Give a whole number of pairs from 1." }
  }
  const [wrong] = tools === undefined ? [] : ToolDialect.read(tools).problems
  return wrong === undefined ? null : { option: wrong.path, problem: wrong.problem, fix: wrong.fix }
}

export const settingsOf = (options: Options, meta: RunMeta | null): Settings => {
  const {
    failures = false,
    format,
    lossMask = true,
    margin = 0.5,
    passAt = passMark,
    passShare = 1,
    perTask = 1
  } = options
  const known = meta?.profile.tools.filter(isTool) ?? []
  return {
    format,
    systemPrompt: options.systemPrompt ?? meta?.profile.policy ?? null,
    tools: options.tools === undefined ? (meta === null ? null : known) : ToolDialect.read(options.tools).tools,
    policy: meta?.profile.policy ?? null,
    scaffolded: meta?.options["scaffold"] === true,
    failures,
    passAt,
    margin,
    perTask,
    lossMask,
    reasoning: options.reasoning ?? false,
    passShare
  }
}

const isTool = (value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & Tool =>
  typeof value["name"] === "string" && typeof value["parameters"] === "object" && value["parameters"] !== null

/** A tool as OpenAI, and chat templates after it, declare one. */
export const declarationOf = ({ description, name, parameters }: Tool): object => ({
  type: "function",
  function: { name, description, parameters }
})
