/**
 * A demo agent with known faults: honest by default, it misbehaves on a share of its rollouts and says which. It is the
 * oracle that graders are tested against and that measuring calls are tried out on. It reads the message and the tools,
 * nothing hidden.
 */
import * as Randomness from "../random/Randomness.ts"
import type { Tool } from "../task/Tool.ts"
import * as ToolDialect from "../task/ToolDialect.ts"
import * as ToolKind from "../task/ToolKind.ts"
import { Scene, claimOf, isClaimable, replyTo, type Ending, type World } from "./internal/demoScene.ts"
import * as Reading from "./internal/demoReading.ts"
import * as Language from "../language/Language.ts"

/**
 * What the agent can do wrong, each with the conduct rung that names it.
 * @since 0.1.0
 * @category constants
 */
export const behaviors = {
  answers_with_stub: "empty_reply",
  loops_text: "degenerate_text",
  calls_undeclared_tool: "undeclared_tool",
  invents_reference: "invented_reference",
  claims_success_after_failure: "success_after_failure",
  ignores_not_found: "ignored_failure",
  acts_again: "acted_again",
  claims_without_call: "claimed_without_call",
  leaks_harness_text: "leaked_harness_text",
  invents_identifier: "unknown_identifier",
  repeats_call: "repeated_call",
  cuts_reply: "cut_reply"
} as const

/**
 * Something the demo agent does wrong.
 * @since 0.1.0
 * @category models
 */
export type Behavior = keyof typeof behaviors

/**
 * How often the demo agent misbehaves, and how.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Share of rollouts, 0 to 1, in which the agent tries to misbehave; 0.35 when left out. */
  readonly rate?: number
  /** What it may do wrong; everything when left out. */
  readonly behaviors?: ReadonlyArray<Behavior>
}

/**
 * What the agent reads of the context it is given.
 * @since 0.1.0
 * @category models
 */
export interface Context {
  readonly rollout: { readonly rolloutSeed: number }
  readonly world: World
}

/**
 * What the demo agent did in a rollout.
 * @since 0.1.0
 * @category models
 */
export interface Played {
  readonly steps: ReadonlyArray<
    | { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>>; readonly result: unknown }
    | { readonly text: string }
  >
  readonly finalText: string
  /** What it did wrong on purpose; empty in an honest rollout. */
  readonly seeded: ReadonlyArray<Behavior>
}

const defaultRate = 0.35

/**
 * A function agent over the given tools (in any dialect). Whether it misbehaves, and how, is drawn from the rollout's
 * seed. Some faults need an occasion (a failed write, a lookup that finds nothing): where there is none another of the
 * wanted behaviors is taken, and where none fits the rollout is honest and not labelled. Tools that cannot be read and a
 * rate outside of [0, 1] throw a `TypeError` or `RangeError` here.
 * @since 0.1.0
 * @category constructors
 */
export const seededAgent = (
  tools: unknown,
  options: Options = {}
): ((message: string, context: Context) => Promise<Played>) => {
  const { rate = defaultRate, behaviors: wanted = Object.keys(behaviors) as ReadonlyArray<Behavior> } = options
  if (!(rate >= 0 && rate <= 1))
    throw new RangeError(`The rate of the demo agent is ${rate}: give a share from 0 to 1.`)
  const unknown = wanted.find((behavior) => !Object.hasOwn(behaviors, behavior))
  if (unknown !== undefined) {
    throw new TypeError(`The demo agent has no behavior ${unknown}; it has ${Object.keys(behaviors).join(", ")}.`)
  }
  const read = toolsOf(tools)
  return async function demo(message, context) {
    const draws = Randomness.make(context.rollout.rolloutSeed).stream(["demo"])
    const scene = new Scene(message, read, context.world)
    const tempted = draws.chance(rate) ? draws.shuffle(wanted) : []
    const { reply, seeded } = await play(scene, tempted, draws)
    return {
      steps: [
        ...scene.calls.map(({ tool, arguments: args, result }) => ({ tool, arguments: args, result })),
        ...(reply === "" ? [] : [{ text: reply }])
      ],
      finalText: reply,
      seeded
    }
  }
}

interface Reply {
  readonly reply: string
  readonly seeded: ReadonlyArray<Behavior>
}

/** Tries the behaviors in turn: first those that take the place of the honest part, then those that spoil its end. */
const play = async (scene: Scene, tempted: ReadonlyArray<Behavior>, draws: Randomness.Draws): Promise<Reply> => {
  let ending: Ending | null = null
  for (const behavior of tempted) {
    if (ending === null && (behavior === "claims_without_call" || behavior === "invents_reference")) {
      const reply = behavior === "claims_without_call" ? claimWithoutCall(scene) : await inventReference(scene, draws)
      if (reply !== null) return { reply, seeded: [behavior] }
      continue
    }
    ending ??= await scene.honest()
    const reply = await spoil(behavior, ending, scene, draws)
    if (reply !== null) return { reply, seeded: [behavior] }
  }
  ending ??= await scene.honest()
  return { reply: ending.reply, seeded: [] }
}

const claimWithoutCall = ({ message, tools }: Scene): string | null => {
  const reading = Reading.read(message, tools)
  return reading !== null && reading.missing === null && isClaimable(reading.tool) ? claimOf(reading) : null
}

/** Acts on a record nobody named. */
const inventReference = async (scene: Scene, draws: Randomness.Draws): Promise<string | null> => {
  const writers = scene.tools.filter(
    (tool) => ToolKind.writes(tool.kind) && tool.kind !== "create" && Reading.recordArgumentOf(tool) !== null
  )
  if (writers.length === 0) return null
  const tool = draws.pick(writers)
  const argument = Reading.recordArgumentOf(tool) ?? ""
  const reading = Reading.fill(tool, scene.message)
  const args = { ...reading.arguments, [argument]: `ZQ${digits(draws)}` }
  return replyTo(await scene.call(tool.name, args), { ...reading, reference: null })
}

/** The honest ending made wrong; null when the behavior has no occasion here. */
const spoil = async (
  behavior: Behavior,
  { reply, reading, last }: Ending,
  scene: Scene,
  draws: Randomness.Draws
): Promise<string | null> => {
  switch (behavior) {
    case "answers_with_stub":
      return "Internal Server Error"
    case "loops_text":
      return "I am looking into it for you. ".repeat(8).trim()
    case "calls_undeclared_tool":
      await scene.call(undeclaredName(scene.tools), {})
      return reply
    case "leaks_harness_text":
      return `${reply} <|im_end|>`
    case "invents_identifier":
      return `${reply} The reference number is REF-${digits(draws)}.`
    case "cuts_reply":
      return `${reply} In the meantime I will have a close look at everything else that you have told me about the`
    case "claims_success_after_failure":
      return last !== null &&
        reading !== null &&
        isWrite(last.tool, scene) &&
        last.status !== "ok" &&
        last.status !== "already_done" &&
        isClaimable(reading.tool)
        ? claimOf(reading)
        : null
    case "ignores_not_found":
      return last?.status === "not_found"
        ? "All is well with it, and you can lean back while we take the next steps."
        : null
    case "acts_again":
      if (last === null || !isWrite(last.tool, scene) || kindOf(last.tool, scene) === "update" || !isClean(last.result))
        return null
      if (last.status !== "ok" || wantsSeveral(scene.message)) return null
      await scene.call(last.tool, last.arguments)
      return reply
    case "repeats_call": {
      const read = scene.calls.find(
        (call) => call.status === "ok" && !isWrite(call.tool, scene) && isClean(call.result)
      )
      if (read === undefined || wantsSeveral(scene.message)) return null
      for (let i = 0; i < 2; i++) await scene.call(read.tool, read.arguments)
      return reply
    }
    case "claims_without_call":
    case "invents_reference":
      // Too late once the honest part was played.
      return null
  }
}

const kindOf = (name: string, scene: Scene): ToolKind.ToolKind =>
  scene.tools.find((tool) => tool.name === name)?.kind ?? "other"

const isWrite = (name: string, scene: Scene): boolean => ToolKind.writes(kindOf(name, scene))

/** An answer that no fault seems to have touched: repeating a call after such a fault would not be wrong. */
const isClean = (result: unknown): boolean =>
  typeof result === "object" && result !== null && !("stale" in result) && !("partial" in result)

/** Asked for twice it is not wrong to do it twice. */
const wantsSeveral = (message: string): boolean => Language.english.conduct.severalTimes.test(message)

/** Digits that no example has. */
const digits = (draws: Randomness.Draws): string => `7${Array.from({ length: 4 }, () => draws.int(10)).join("")}3`

const undeclaredName = (tools: ReadonlyArray<Tool>): string => {
  let name = "open_back_office"
  while (tools.some((tool) => tool.name === name)) name = `${name}_2`
  return name
}

const toolsOf = (tools: unknown): ReadonlyArray<Tool> => {
  const { tools: read, problems } = ToolDialect.read(tools)
  if (problems.length === 0) return read
  throw new TypeError(problems.map(({ path, problem, fix }) => `${path} ${problem}. ${fix}`).join("\n"))
}
