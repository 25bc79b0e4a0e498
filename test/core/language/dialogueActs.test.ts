import { describe, expect, it } from "@effect/vitest"
import * as DialogueActs from "../../../packages/core/src/language/internal/english/dialogueActs.ts"

describe("what a line of the agent does", () => {
  it("asks, with a question mark or without", () => {
    for (const line of [
      "Which order do you mean?",
      "I found two orders. Which one should I cancel?",
      "Please provide your order number.",
      "I can do that. Could you please confirm your e-mail address first",
      "To continue, please share the booking reference.",
      "I'll need your date of birth to verify your account.",
      "Let me know which of the two you want.",
      "Do you want me to go ahead",
      "Is that correct",
      "Here are your options:\n1. Refund\n2. Exchange\nPlease choose one.",
      "Would you like a refund or store credit? I can do both.",
      "Can you tell me anything else about the damage?",
      "Would you like me to book it, or is there anything else I can help with?",
      "Which one is it? Is there anything else I can help with?",
      "Welche Bestellung meinen Sie?",
      "您要取消哪个订单？"
    ]) {
      expect(DialogueActs.asks(line), line).toBe(true)
    }
  })

  it("tells, also with a question mark somewhere in it", () => {
    for (const line of [
      "Your order has shipped.",
      "It is cancelled. Let me know if you need anything else.",
      "If you have any questions, feel free to ask!",
      "You can follow it at https://example.com/track?id=5",
      "Why is it late? Because the carrier lost it on Monday.",
      "The good news? It arrives tomorrow.",
      "What happens next is that we send you a label.",
      "When it arrives, keep the box.",
      'The message says "are you there?" and nothing more.',
      "I need to check with our warehouse first.",
      "```sql\nSELECT * FROM t WHERE a = ?\n```\nThat is the query.",
      "How to return it: print the label.",
      "It is done. Is there anything else I can help you with?",
      "All set! Anything else?",
      "Do you have any other questions?"
    ]) {
      expect(DialogueActs.asks(line), line).toBe(false)
    }
  })

  it("refuses", () => {
    for (const line of [
      "I'm sorry, but I can't do that.",
      "Unfortunately, we are unable to refund this order.",
      "That is not possible after thirty days.",
      "This goes against our policy."
    ]) {
      expect(DialogueActs.refuses(line), line).toBe(true)
    }
    for (const line of ["I can do that.", "It cannot get any better: it ships today.", "Your order is on its way."]) {
      expect(DialogueActs.refuses(line), line).toBe(false)
    }
  })

  it("thanks", () => {
    expect(DialogueActs.isThanks("You're welcome! Have a great day!")).toBe(true)
    expect(DialogueActs.isThanks("Thank you, your refund of 30 EUR is on its way.")).toBe(false)
    expect(DialogueActs.isThanks("Thanks. Which order is it?")).toBe(false)
  })
})
