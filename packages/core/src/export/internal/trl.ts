/**
 * The conversational dataset types of Hugging Face TRL: language modeling (SFT), preference (DPO), prompt-only (GRPO).
 * Arguments are objects and a tool's answer has the tool's name, as chat templates read them. `tools` is the JSON text of
 * the list: trainers take both, and a text is the one form that table formats do not fill up with nulls.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import type { ChatMessage } from "../../row/Row.ts"
import { jsonText } from "../../json/jsonText.ts"
import * as NearCopies from "../../language/NearCopies.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import { preferencePairs } from "../../select/PreferencePairs.ts"
import type { MakeEncoder } from "./encoder.ts"
import { bentCall } from "./roundTrip.ts"
import { declarationOf, type Settings } from "./settings.ts"
import type { Thread } from "./thread.ts"
import {
  bent,
  learnable,
  makeBadTurns,
  noTargetOf,
  noteInstructions,
  refusalOf,
  systemOf,
  unfitOf
} from "./training.ts"

const toolsOf = ({ tools }: Settings): { readonly tools?: string } =>
  tools === null || tools.length === 0 ? {} : { tools: jsonText(tools.map(declarationOf)) }

/** In TRL's own shape: a call has no id, and its answer names the tool. */
const trlMessages = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<object> => {
  const names = new Map<string, string>()
  return messages.map((message) => {
    if (message.role === "tool") {
      return { role: "tool", name: names.get(message.tool_call_id) ?? "", content: message.content }
    }
    if (message.role !== "assistant" || message.tool_calls === undefined) return message
    for (const call of message.tool_calls) names.set(call.id, call.function.name)
    return {
      role: "assistant",
      content: message.content ?? "",
      tool_calls: message.tool_calls.map(({ function: { arguments: args, name } }) => ({
        type: "function",
        function: { name, arguments: ExactJson.parse(args) as unknown }
      }))
    }
  })
}

/** `{ messages, tools }` for `SFTTrainer` with `assistant_only_loss=True`. */
export const makeSft: MakeEncoder = (settings, book) => {
  const system = systemOf(settings)
  const tools = toolsOf(settings)
  // The format has no mask for single turns, so what must not be learnt must not be in it.
  const tellBadTurns = makeBadTurns(book, "their rows are left out")
  noteInstructions(settings, book)
  book.note(
    "assistant_only_loss",
    "Targets count what `assistant_only_loss=True` learns; without it the trainer learns the context too."
  )
  return {
    add: (row) => {
      const refusal = refusalOf(row, settings)
      if (refusal !== null) return refusal
      const unfit = unfitOf(row) ?? noTargetOf(row, settings)
      const thread = unfit === null ? learnable(row, settings) : null
      if (thread === null || thread.badTurns.length > 0) {
        if (thread !== null) tellBadTurns(thread)
        book.skip(thread === null ? (unfit ?? "nothing to learn") : "a call that could not be run")
        return []
      }
      const messages = [...system, ...thread.messages]
      const line = jsonText({ messages: trlMessages(messages), ...tools })
      const wrong = bentCall(line, thread)
      if (wrong !== null) return bent(row, wrong)
      for (const message of messages) book.message(message, message.role === "assistant")
      book.use(row)
      return [line]
    },
    end: () => []
  }
}

/** `{ prompt, chosen, rejected, tools }` for `DPOTrainer`: what both threads share is the prompt. */
export const makeDpo: MakeEncoder = (settings, book) => {
  const system = systemOf(settings)
  const tools = toolsOf(settings)
  const rows: Array<TraceRow> = []
  const threads = new Map<TraceRow, Thread>()
  noteInstructions(settings, book)
  return {
    add: (row) => {
      const refusal = refusalOf(row, settings)
      if (refusal !== null) return refusal
      const unfit = unfitOf(row) ?? (RowSource.rewardOf(row) === null ? "ungraded" : null)
      const thread = unfit === null ? learnable(row, settings) : null
      if (thread === null) {
        book.skip(unfit ?? "nothing to learn")
        return []
      }
      const wrong = bentCall(jsonText({ messages: trlMessages(thread.messages) }), thread)
      if (wrong !== null) return bent(row, wrong)
      rows.push(row)
      threads.set(row, thread)
      return []
    },
    end: function* () {
      const { pairs, notes } = preferencePairs(rows, {
        margin: settings.margin,
        perTask: settings.perTask,
        // What is chosen is learnt word by word; what is rejected may be as wrong as it was.
        mayBeChosen: (row) => threads.get(row)?.badTurns.length === 0
      })
      for (const { code, message } of notes) book.note(code, message)
      const used = new Set<TraceRow>()
      let unmasked = 0
      for (const { chosen, rejected } of pairs) {
        const [good, bad] = [threads.get(chosen) as Thread, threads.get(rejected) as Thread]
        const shape = trlMessages(good.messages)
        const other = trlMessages(bad.messages)
        const shared = sharedLength(good.messages, bad.messages, shape, other)
        if (shared === null) continue
        yield jsonText({
          prompt: [...system, ...shape.slice(0, shared)],
          chosen: shape.slice(shared),
          rejected: other.slice(shared),
          ...tools
        })
        for (const [row, thread] of [
          [chosen, good],
          [rejected, bad]
        ] as const) {
          used.add(row)
          thread.messages.forEach((message, i) => {
            const learnt = i >= shared
            if (learnt && message.role !== "assistant") unmasked += message.content.length
            book.message(message, learnt)
          })
        }
        for (const message of system) book.message(message, false)
      }
      for (const row of used) book.use(row)
      book.skip("in no pair", rows.length - used.size)
      if (unmasked > 0) {
        book.note(
          "completions_hold_results",
          `DPO has no mask inside a completion: ${unmasked} characters of tool results and the person's lines count as the agent's.`
        )
      }
    }
  }
}

/** How many messages two threads share, up to where the agent does one thing and then another; null where it never does. */
const sharedLength = (
  a: ReadonlyArray<ChatMessage>,
  b: ReadonlyArray<ChatMessage>,
  shapeA: ReadonlyArray<object>,
  shapeB: ReadonlyArray<object>
): number | null => {
  let shared = 0
  while (shared < a.length && shared < b.length && jsonText(shapeA[shared]) === jsonText(shapeB[shared])) shared += 1
  while (shared > 0 && !(a[shared]?.role === "assistant" && b[shared]?.role === "assistant")) shared -= 1
  return a[shared]?.role === "assistant" && b[shared]?.role === "assistant" && shared > 0 ? shared : null
}

/** `{ prompt, tools, task_id, ... }` for `GRPOTrainer`, one line a prompt: the trainer makes its own rollouts. */
export const makeGrpo: MakeEncoder = (settings, book) => {
  const system = systemOf(settings)
  const tools = toolsOf(settings)
  const asks = new Map<string, { readonly row: TraceRow; readonly rewards: Array<number>; rollouts: number }>()
  noteInstructions(settings, book)
  if (settings.tools !== null && settings.tools.length > 0) {
    book.note(
      "needs_an_environment",
      "The lines hold prompts alone: the trainer has to be given tools that answer, and a reward function."
    )
  }
  return {
    add: (row) => {
      const refusal = refusalOf(row, settings)
      if (refusal !== null) return refusal
      if (row.prompt.trim() === "") {
        book.skip("nobody asks anything")
        return []
      }
      const key = JSON.stringify([RowSource.askOf(row), NearCopies.normalise(row.prompt)])
      const ask = asks.get(key) ?? { row, rewards: [], rollouts: 0 }
      asks.set(key, ask)
      ask.rollouts += 1
      const reward = RowSource.rewardOf(row)
      if (reward !== null) ask.rewards.push(reward)
      book.use(row)
      return []
    },
    end: function* () {
      for (const { rewards, rollouts, row } of asks.values()) {
        const prompt: Array<ChatMessage> = [
          ...system,
          ...(row.opener === undefined ? [] : [{ role: "assistant" as const, content: row.opener }]),
          { role: "user", content: row.prompt }
        ]
        for (const message of prompt) book.message(message, false)
        yield jsonText({
          prompt,
          ...tools,
          ...(row.task_id === undefined ? {} : { task_id: row.task_id }),
          ...(row.scenario_id === undefined ? {} : { scenario_id: row.scenario_id }),
          rollouts,
          mean_reward: meanOf(rewards)
        })
      }
    }
  }
}

/** Summed from the smallest, so that the order of rows changes no digit. */
const meanOf = (rewards: ReadonlyArray<number>): number | null =>
  rewards.length === 0 ? null : [...rewards].sort((a, b) => a - b).reduce((sum, one) => sum + one, 0) / rewards.length
