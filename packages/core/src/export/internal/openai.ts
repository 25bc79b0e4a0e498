/**
 * OpenAI's chat format for supervised training: `{ messages, tools, loss_mask }`, arguments as JSON text. A turn of the
 * agent that is not to be learnt has `weight: 0`, which is OpenAI's own word for it; `loss_mask` says the same with a 0 or
 * 1 for every message.
 */
import { jsonText } from "../../json/jsonText.ts"
import type { MakeEncoder } from "./encoder.ts"
import { bentCall } from "./roundTrip.ts"
import { declarationOf } from "./settings.ts"
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

export const make: MakeEncoder = (settings, book) => {
  const system = systemOf(settings)
  const tools = (settings.tools ?? []).map(declarationOf)
  const tellBadTurns = makeBadTurns(book, "they are in the lines and are not learnt")
  noteInstructions(settings, book)
  return {
    add: (row) => {
      const refusal = refusalOf(row, settings)
      if (refusal !== null) return refusal
      const unfit = unfitOf(row) ?? noTargetOf(row, settings)
      const thread = unfit === null ? learnable(row, settings) : null
      if (thread === null) {
        book.skip(unfit ?? "nothing to learn")
        return []
      }
      const messages = [...system, ...thread.messages]
      const learn = [...system.map(() => false), ...thread.learn]
      const line = jsonText({
        messages: messages.map((message, i) =>
          message.role === "assistant" && learn[i] === false ? { ...message, weight: 0 } : message
        ),
        ...(tools.length === 0 ? {} : { tools }),
        ...(settings.lossMask ? { loss_mask: learn.map(Number) } : {})
      })
      const wrong = bentCall(line, thread)
      if (wrong !== null) return bent(row, wrong)
      tellBadTurns(thread)
      messages.forEach((message, i) => book.message(message, learn[i] === true))
      book.use(row)
      return [line]
    },
    end: () => []
  }
}
