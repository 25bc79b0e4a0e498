import type { Message } from "../../../packages/core/src/model/Message.ts"
import { expect } from "@effect/vitest"

/** What providers ask of a thread: unique ids, every call answered right behind its turn and in order, objects as arguments. */
export const expectValid = (messages: ReadonlyArray<Message>): void => {
  const ids = new Set<string>()
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i] as Message
    const text = JSON.stringify(message)
    if (/(?<!\\)\\ud[89a-f]/i.test(text)) expect.fail(`half a surrogate pair in ${text}`)
    if (message.role !== "assistant" || message.toolCalls === undefined) continue
    for (const [n, call] of message.toolCalls.entries()) {
      const answer = messages[i + 1 + n]
      const sound =
        !ids.has(call.id) &&
        /^[\w.:-]+$/.test(call.id) &&
        /^[\w-]{1,64}$/.test(call.name) &&
        typeof call.arguments === "object" &&
        call.arguments !== null &&
        !Array.isArray(call.arguments) &&
        answer?.role === "tool" &&
        answer.callId === call.id &&
        answer.content !== ""
      if (!sound) expect.fail(`call ${n} of ${text} answered by ${JSON.stringify(answer)}`)
      ids.add(call.id)
    }
  }
}
