/**
 * The parts of a task that its failure may need, and the task without some of them.
 */
import * as Hash from "../../random/Hash.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import * as Sentences from "../../situation/internal/sentences.ts"
import type { Task } from "../../task/Task.ts"
import type { Changes } from "../../run/taskPlayer.ts"

/**
 * One part of a task: a planned failure, the state of its record, a sentence of the ask, how the ask is typed, a trait of
 * the person, their patience.
 * @since 0.1.0
 * @category models
 */
export interface TaskFactor {
  readonly kind: "fault" | "world_state" | "sentence" | "texture" | "trait" | "patience"
  /** What it is: `timeout of refund_order`, a sentence, `stance: hurried`. */
  readonly text: string
  /** The same left out, to follow "without": `the timeout of refund_order`. */
  readonly without: string
}

/** A factor with what leaving it out does to a draft of the task. */
interface Removable extends TaskFactor {
  readonly leaveOut: (draft: Draft) => Draft
}

interface Draft {
  readonly task: Task
  readonly sentences: ReadonlyArray<string>
  readonly settings: RunSettings
  readonly retype: boolean
}

/** A task with some of its parts, as it is played. */
export interface Variant {
  readonly task: Task
  readonly changes: Changes
}

export interface Factored {
  readonly factors: ReadonlyArray<TaskFactor>
  /** The task with these of its factors and without the others; given all of them it is the task itself. */
  readonly variant: (kept: ReadonlySet<TaskFactor>) => Variant
}

/** `talks`: a person answers the agent, so their traits and patience can matter. */
export const factored = (task: Task, settings: RunSettings, talks: boolean): Factored => {
  const sentences = Sentences.split(task.prompt)
  const factors: ReadonlyArray<Removable> = [
    ...faults(task),
    ...worldState(task),
    ...removable(task, sentences),
    ...texture(task),
    ...(talks ? [...traits(task), ...patience(settings)] : [])
  ]
  return {
    factors,
    variant: (kept) => {
      if (factors.every((factor) => kept.has(factor))) return { task, changes: {} }
      const whole: Draft = { task, sentences, settings, retype: false }
      const draft = factors.reduce((draft, factor) => (kept.has(factor) ? draft : factor.leaveOut(draft)), whole)
      const text = draft.sentences.join(" ")
      const prompt = draft.sentences.length === sentences.length && !draft.retype ? task.prompt : text
      const varied = { ...draft.task, prompt: draft.retype ? retyped(prompt) : prompt }
      const { privileged: _p, id: _i, ...identity } = varied
      return {
        task: {
          ...varied,
          id: Hash.id("task", "minimal", identity, draft.settings.conversation.patience),
          arm: "fork",
          parentTaskId: task.id
        },
        changes: { settings: draft.settings }
      }
    }
  }
}

const faults = ({ faults }: Task): ReadonlyArray<Removable> =>
  faults.map((fault) => ({
    kind: "fault",
    text: `${fault.mode} of ${fault.tool}`,
    without: `the ${fault.mode.replaceAll("_", " ")} of ${fault.tool}`,
    leaveOut: (draft) => ({
      ...draft,
      task: { ...draft.task, faults: draft.task.faults.filter((one) => one !== fault) }
    })
  }))

const worldState = ({ worldState }: Task): ReadonlyArray<Removable> =>
  worldState === null || worldState === "exists"
    ? []
    : [
        {
          kind: "world_state",
          text: `world_state: ${worldState}`,
          without: `the record being ${worldState.replaceAll("_", " ")}`,
          leaveOut: (draft) => ({
            ...draft,
            task: {
              ...draft.task,
              worldState: "exists",
              plan: {
                ...draft.task.plan,
                traits:
                  "world_state" in draft.task.plan.traits
                    ? { ...draft.task.plan.traits, world_state: "exists" }
                    : draft.task.plan.traits
              }
            }
          })
        }
      ]

/** Every sentence but the one that names the request. */
const removable = (task: Task, sentences: ReadonlyArray<string>): ReadonlyArray<Removable> => {
  const request = requestOf(task, sentences)
  return sentences.flatMap((sentence): ReadonlyArray<Removable> => {
    if (sentence === request) return []
    return [
      {
        kind: "sentence",
        text: sentence,
        without: `the words "${sentence}"`,
        leaveOut: (draft) => ({ ...draft, sentences: draft.sentences.filter((one) => one !== sentence) })
      }
    ]
  })
}

/** The sentence with the record's id and most words of the need; the first of equals. */
const requestOf = ({ plan }: Task, sentences: ReadonlyArray<string>): string | undefined => {
  const wanted = new Set(wordsOf(plan.need ?? ""))
  const weight = (sentence: string): number =>
    wordsOf(sentence).filter((word) => wanted.has(word)).length +
    (plan.entity !== null && sentence.includes(plan.entity.id) ? 2 : 0)
  return sentences.reduce<string | undefined>(
    (best, sentence) => (best === undefined || weight(sentence) > weight(best) ? sentence : best),
    undefined
  )
}

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []

/** How it is typed, where plain typing can be had back: slips and lost marks cannot. */
const texture = ({ shown }: Task): ReadonlyArray<Removable> => {
  const value = shown["texture"]
  return value === undefined || !retypable.has(value)
    ? []
    : [
        {
          kind: "texture",
          text: `texture: ${value}`,
          without: `the ${value} typing`,
          leaveOut: (draft) => ({ ...draft, retype: true })
        }
      ]
}
const retypable: ReadonlySet<string> = new Set(["lowercase", "shouting", "exclamations", "dots"])

const retyped = (text: string): string => {
  const letters = text.replace(/[^\p{L}]/gu, "")
  const shouted = letters.length > 8 && letters === letters.toUpperCase()
  const calm = shouted ? text.replace(/\b[\p{Lu}]+\b/gu, (word) => (/\d/.test(word) ? word : word.toLowerCase())) : text
  return calm
    .replace(/([.!?])\1+(?=\s|$)/gu, "$1")
    .replace(/!(?=\s|$)/gu, ".")
    .replace(/(^|[.!?]\s+)(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/\bi\b(?=[' ]|$)/gu, "I")
}

/** Traits that later lines of the person keep; what the text or the world shows is a factor of its own. */
const traits = ({ plan }: Task): ReadonlyArray<Removable> =>
  Object.entries(plan.traits).flatMap(([name, value]): ReadonlyArray<Removable> => {
    if (name === "world_state" || name === "texture" || value === "ordinary" || value === "fresh") return []
    return [
      {
        kind: "trait",
        ...traitWords(name, value.replaceAll("_", " ")),
        leaveOut: (draft) => {
          const { [name]: _, ...rest } = draft.task.plan.traits
          return { ...draft, task: { ...draft.task, plan: { ...draft.task.plan, traits: rest } } }
        }
      }
    ]
  })

/** A tool that fails, and what the person says of it, are two things. */
const traitWords = (name: string, value: string): Pick<TaskFactor, "text" | "without"> =>
  name === "tool_condition"
    ? { text: `what the person says of the tool: ${value}`, without: `the person speaking of ${value}` }
    : { text: `${name.replaceAll("_", " ")} of the person: ${value}`, without: `the person being ${value}` }

const patience = ({ conversation }: RunSettings): ReadonlyArray<Removable> =>
  conversation.patience === "endless"
    ? []
    : [
        {
          kind: "patience",
          text: "patience of the person",
          without: "the person running out of patience",
          leaveOut: (draft) => ({
            ...draft,
            settings: {
              ...draft.settings,
              conversation: { ...draft.settings.conversation, patience: "endless" }
            }
          })
        }
      ]
