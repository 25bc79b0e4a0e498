/**
 * What is accepted, but should be said.
 */
import * as ModelCall from "../../model/ModelCall.ts"
import type { Service as AgentService } from "../../rollout/AgentBackend.ts"
import * as Warning from "../../report/Warning.ts"
import { tierOf } from "../../task/Cell.ts"
import type { RunSettings, Seed } from "../../settings/RunSettings.ts"
import * as TaskFile from "../../situation/TaskFile.ts"
import { nearest } from "./nearest.ts"
import { entries } from "./optionTable.ts"
import type { Limits, Roles } from "./resolved.ts"

/** The dials set that do nothing with such an agent. */
export const dialNotes = (
  set: ReadonlySet<string>,
  agent: Pick<AgentService, "identity" | "kind" | "turns">
): ReadonlyArray<Warning.Warning> => {
  const idle = entries
    .filter(
      ({ name, only }) =>
        set.has(name) &&
        (only === "conversation" ? agent.turns === "single" : only === "model" && agent.kind !== "model")
    )
    .map(({ name }) => name)
  if (idle.length === 0) return []
  const one = idle.length === 1
  const why =
    agent.turns === "single"
      ? "is a function, which is played single-turn and samples by itself"
      : `is a ${agent.kind} agent, which samples by itself`
  return [
    Warning.make(
      "dials_without_effect",
      `${idle.join(", ")} ${one ? "does" : "do"} not apply: the agent ${agent.identity.name} ${why}.`,
      `Leave out ${idle.map((name) => `\`${name}\``).join(", ")}, or give an agent ${one ? "it applies" : "they apply"} to.`,
      { options: idle, agent: agent.kind }
    )
  ]
}

export const situationsRaised = (asked: number | undefined, openers: number): ReadonlyArray<Warning.Warning> =>
  asked === undefined || asked >= openers
    ? []
    : [
        Warning.make(
          "situations_raised",
          `\`situations\` was ${asked} and is ${openers}: every seed becomes a situation.`,
          "Give fewer `seeds`, or a `situations` of at least as many.",
          { asked, raised_to: openers }
        )
      ]

/** Equal seeds both run: they may be meant, and may be a slip. */
export const equalSeeds = (seeds: ReadonlyArray<Seed>): ReadonlyArray<Warning.Warning> => {
  const first = new Map<string, number>()
  const equal = seeds.flatMap(({ prompt }, i) => {
    const earlier = first.get(prompt)
    if (earlier === undefined) first.set(prompt, i)
    return earlier === undefined ? [] : [`seeds[${i}] equals seeds[${earlier}]`]
  })
  return equal.length === 0
    ? []
    : [
        Warning.make(
          "equal_seeds",
          `${equal.length === 1 ? "One seed is" : `${equal.length} seeds are`} equal to an earlier one; all of them run: ${equal.slice(0, 5).join(", ")}${equal.length > 5 ? ", ..." : ""}.`,
          "Leave out the doubles of `seeds`, unless they are meant.",
          { equal: equal.length }
        )
      ]
}

/** A pinned stance can leave `hardShare` nothing to choose from. */
export const pinnedStance = ({ dimensions, hardShare }: RunSettings): ReadonlyArray<Warning.Warning> => {
  const stances = Object.hasOwn(dimensions, "stance") ? dimensions.stance : undefined
  if (stances === undefined) return []
  const hard = stances.filter((stance) => tierOf(stance) !== "ordinary").length
  const bound = hard === stances.length && hardShare < 1 ? 1 : hard === 0 && hardShare > 0 ? 0 : undefined
  return bound === undefined
    ? []
    : [
        Warning.make(
          "hard_share_bounded",
          `\`dimensions.stance\` leaves ${bound === 1 ? "only hard" : "no hard"} situations, so \`hardShare\` ${hardShare} cannot be met.`,
          `Set \`hardShare: ${bound}\`, or list ${bound === 1 ? "an ordinary" : "a hard"} stance too.`,
          { asked: hardShare, bound }
        )
      ]
}

/** Identifiers of an argument no tool takes are never used. */
export const idleIds = (
  ids: RunSettings["ids"],
  { list: tools }: RunSettings["tools"]
): ReadonlyArray<Warning.Warning> => {
  const taken = new Set<string>()
  for (const tool of tools) {
    collectNames(tool.parameters, taken)
    collectNames(tool.output, taken)
  }
  const idle = Object.keys(ids).filter((name) => !taken.has(name))
  return idle.length === 0 || taken.size === 0
    ? []
    : [
        Warning.make(
          "ids_without_argument",
          `No tool has an argument or result field called ${idle.join(", ")}.`,
          `Name \`ids\` as the tools do; the nearest is \`${nearest(idle[0] ?? "", [...taken])}\`.`,
          { ids: idle }
        )
      ]
}

const collectNames = (schema: unknown, names: Set<string>): void => {
  if (typeof schema !== "object" || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" && typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) names.add(name)
    }
    collectNames(value, names)
  }
}

/** A rubric is for a judge. */
export const idleRubric = (rubric: string | null, graded: boolean): ReadonlyArray<Warning.Warning> =>
  rubric === null || graded
    ? []
    : [
        Warning.make(
          "rubric_without_judge",
          "The spec has a rubric, and nobody grades by it.",
          "Give a `grader`, or grade the rows later.",
          {}
        )
      ]

/**
 * Limits hold models back that the run makes by their names; a service of the caller's has its own. Limits that runs share
 * come for all roles at once, so that it is enough when one of them holds anybody back.
 */
export const idleLimits = (limits: Limits, roles: Roles): ReadonlyArray<Warning.Warning> => {
  const made = {
    agent: ["Spec", "Hosted"].includes(roles.agent._tag),
    writer: ["Spec", "Hosted", "AgentModel"].includes(roles.simulator._tag),
    user: ["Spec", "Hosted", "WriterModel", "AgentModel"].includes(roles.userModel._tag),
    judge: roles.grader._tag === "Layer"
  }
  const shared = ModelCall.roles.some((role) => typeof limits[role] === "object" && made[role])
  const idle = ModelCall.roles.filter(
    (role) => limits[role] !== undefined && !made[role] && !(shared && typeof limits[role] === "object")
  )
  return idle.length === 0
    ? []
    : [
        Warning.make(
          "limits_without_effect",
          `\`advanced.limits\` names ${idle.join(", ")}, which the run does not make by a model's name.`,
          "Leave the limit out, or give it to the service itself.",
          { roles: idle }
        )
      ]
}

/** What tasks of other makers say that is not read. */
export const unreadParts = (tasks: ReadonlyArray<TaskFile.TaskRecord>): ReadonlyArray<Warning.Warning> => {
  const unread = tasks.map(TaskFile.unreadIn)
  const parts = [...new Set(unread.flat())]
  if (parts.length === 0) return []
  const count = unread.filter((one) => one.length > 0).length
  return [
    Warning.make(
      "task_parts_unread",
      `${count} of ${tasks.length} tasks have parts that are not read: ${parts.map((part) => `\`${part}\``).join(", ")}.`,
      "Give the world they begin in with `execute` or `ids`, and hold their assertions with a judge or a grader of your own.",
      { parts, tasks: count }
    )
  ]
}

export const overwriteNothing = (set: ReadonlySet<string>): ReadonlyArray<Warning.Warning> =>
  set.has("overwrite") && !set.has("output")
    ? [
        Warning.make(
          "overwrite_without_output",
          "`overwrite` replaces an output file, and none is named.",
          "Give `output`, or leave out `overwrite`.",
          {}
        )
      ]
    : []
