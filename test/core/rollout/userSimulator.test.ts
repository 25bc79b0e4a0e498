import { describe, expect, it } from "@effect/vitest"
import type { Plan } from "../../../packages/core/src/task/Plan.ts"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { ScriptedChatModel } from "@sandtable/core/testing"
import { Effect } from "effect"
import * as Kit from "./kit.ts"

const opening = "Where is my order A1001?"

const turn = (
  lines: ReadonlyArray<string>,
  more: Partial<UserSimulator.Turn> & { readonly plan?: Partial<Plan> } = {}
): UserSimulator.Turn => {
  const { plan, ...rest } = more
  const base = Kit.task()
  const task = Kit.task({ plan: { ...base.plan, ...plan } })
  return {
    task,
    info: Kit.rollout({ task }).info,
    thread: [opening, ...lines].map((text, i) => ({ role: i % 2 === 0 ? "user" : "agent", text })),
    question: true,
    more: false,
    temperature: null,
    ...rest
  }
}

const template = (lines: ReadonlyArray<string>, more: Parameters<typeof turn>[1] = {}) =>
  Effect.flatMap(UserSimulator.UserSimulator, (user) => user.react(turn(lines, more)))

describe("the template user", () => {
  it.effect("tells what it knows, when it is asked for it", () =>
    Effect.gen(function* () {
      const answer = yield* template(["Could you give me your order number, please?"])
      expect(answer).toMatchObject({ _tag: "Says", text: expect.stringContaining("A1001") })
      expect(answer).toMatchObject({ text: expect.not.stringContaining("ana@example.com") })
      const both = yield* template(["Please share your e-mail address and the order id."])
      expect(both).toMatchObject({ _tag: "Says", text: expect.stringMatching(/A1001.*ana@example\.com/) })
    })
  )

  it.effect("gives the reference it has by whatever name it is asked for", () =>
    Effect.gen(function* () {
      for (const name of ["booking_id", "bookingId", "id", "confirmation_number"]) {
        for (const question of [
          "Could you tell me your booking reference?",
          "What is your confirmation number?",
          "Please give me the reservation number or the name on the booking."
        ]) {
          if (name === "confirmation_number" && !question.includes("confirmation")) continue
          const said = yield* template([question], { plan: { facts: { [name]: "BKG-1200" } } })
          expect(said, `${name}: ${question}`).toMatchObject({ text: expect.stringContaining("BKG-1200") })
          expect(said, `${name}: ${question}`).toMatchObject({ text: expect.not.stringContaining("don't have") })
        }
      }
    })
  )

  it.effect("tells counts and times as people do", () =>
    Effect.gen(function* () {
      const facts = { guests: "2", until: "14:00" }
      expect(yield* template(["How many guests will you be?"], { plan: { facts } })).toMatchObject({
        text: "2 guests."
      })
      expect(yield* template(["Until when would you like it?"], { plan: { facts } })).toMatchObject({
        text: "Until 14:00."
      })
    })
  )

  it.effect("cannot answer what is outside its facts", () =>
    Effect.gen(function* () {
      for (const question of [
        "What is your date of birth?",
        "Please provide the last four digits of your credit card.",
        "Can you tell me your phone number?",
        "I need your tracking number to go on.",
        "What's your zip code?"
      ]) {
        expect((yield* template([question]))._tag, question).toBe("CannotAnswer")
      }
      const half = yield* template(["What are your order number and your phone number?"])
      expect(half).toMatchObject({ _tag: "Says", text: expect.stringMatching(/A1001.*don't have the.*phone/) })
    })
  )

  it.effect("agrees when asked to, and corrects a wrong detail", () =>
    Effect.gen(function* () {
      const cancels = { plan: { need: "Cancel order A1001." } }
      expect(yield* template(["Would you like me to cancel it?"], cancels)).toMatchObject({
        text: expect.stringMatching(/^(Yes|Sure)/)
      })
      expect(yield* template(["Is order id B2002 correct?"])).toMatchObject({
        text: expect.stringContaining("No, my order id is A1001")
      })
      expect(yield* template(["Do you prefer a refund or an exchange?"])).toMatchObject({
        text: expect.stringContaining("refund")
      })
    })
  )

  it.effect("asks back when refused, and goes when it has what it came for", () =>
    Effect.gen(function* () {
      expect(yield* template(["I'm sorry, I cannot do that."], { question: false })).toMatchObject({ _tag: "Says" })
      expect(yield* template(["Is there anything else I can help with?"], { question: false })).toEqual({
        _tag: "Done"
      })
      expect(
        yield* template(["Is there anything else I can help with?"], { question: false, more: true })
      ).toMatchObject({
        _tag: "Says"
      })
      expect(yield* template(["You're welcome, have a great day!"], { question: false })).toEqual({ _tag: "Done" })
    })
  )

  it.effect("says the same in the same place, something else elsewhere, and never one thing twice", () =>
    Effect.gen(function* () {
      const user = yield* UserSimulator.UserSimulator
      const talk = (index: number) =>
        Effect.gen(function* () {
          const lines: Array<string> = []
          for (let i = 0; i < 20; i++) {
            lines.push(`Fact number ${i}.`)
            const given = turn(lines, { question: false, more: true })
            const said = yield* user.react({ ...given, info: { ...given.info, rolloutIndex: index } })
            if (said._tag !== "Says") break
            lines.push(said.text)
          }
          return lines.filter((_line, i) => i % 2 === 1)
        })
      const first = yield* talk(0)
      expect(first).toHaveLength(20)
      expect(new Set(first).size).toBe(20)
      expect(yield* talk(0)).toEqual(first)
      expect(yield* talk(1)).not.toEqual(first)
    })
  )

  it.effect("answers open questions from its need and facts until it has nothing new to say", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const tags: Array<string> = []
      for (let i = 0; i < 12; i++) {
        lines.push("Could you clarify what you mean?")
        const said = yield* template(lines)
        tags.push(said._tag)
        if (said._tag !== "Says") break
        lines.push(said.text)
      }
      expect(lines.join(" ")).toContain("order id A1001")
      expect(tags.at(-1)).toBe("Missed")
    })
  )
})

describe("the model user", () => {
  const react = (
    script: ScriptedChatModel.Script,
    lines: ReadonlyArray<string>,
    more: Parameters<typeof turn>[1] = {}
  ) => {
    const model = ScriptedChatModel.make(script)
    return Effect.map(UserSimulator.fromModel(model).react(turn(lines, more)), (reaction) => ({
      reaction,
      requests: model.requests()
    }))
  }

  it.effect("sees its opening as its own words, the agent as the other side, its need and what it may tell", () =>
    Effect.gen(function* () {
      const { requests } = yield* react(["It is A1001."], ["Which order do you mean?"], {
        plan: { traits: { tone: "curt" }, unknown: ["user_id"] },
        temperature: 0.9
      })
      const [system, ...thread] = requests[0]?.messages ?? []
      expect(thread.slice(1)).toEqual([
        { role: "assistant", content: opening },
        { role: "user", content: "Which order do you mean?" }
      ])
      for (const told of [
        "find out where order A1001 is",
        "order id: A1001",
        "only when it is asked for",
        "do not have at hand, and say so when you are asked: user id",
        "Say yes only to what serves what you want",
        "tone: curt"
      ]) {
        expect(system?.content).toContain(told)
      }
      expect(JSON.stringify(requests)).not.toContain("gold")
      expect(requests[0]?.tools).toBeUndefined()
      expect(requests[0]?.sampling).toEqual({ temperature: 0.9, maxTokens: 2048 })
    })
  )

  it.effect("is asked once more for a line that cannot stand, then misses", () =>
    Effect.gen(function* () {
      const agent = "Your parcel left our warehouse on Monday and will be with you by Friday at noon."
      const bad: ReadonlyArray<string> = [
        "",
        agent,
        "```js\nconsole.log(1)\n```",
        '{"order_id": "A1001"}',
        '{"message": "Yes, ple',
        '"message": "Yes, please."}',
        "I'd be happy to look into that for you. Could you please provide your order number?",
        "Your refund has been processed. Is there anything else I can help you with?",
        "Let me know if you have any other questions.",
        "Assistant: which one?",
        "How can I help you today?",
        opening,
        "<think>what would they say",
        "Yes. <think>or should they",
        "<think>hm</think>"
      ]
      for (const line of bad) {
        const again = yield* react([line, "And when exactly?"], [agent], { question: false })
        expect(again.reaction, line).toMatchObject({ _tag: "Says", text: "And when exactly?" })
        expect(again.requests).toHaveLength(2)
        expect(again.requests[0]?.key).not.toEqual(again.requests[1]?.key)
        const missed = yield* react([line], [agent], { question: false })
        expect(missed.reaction._tag, line).toBe("Missed")
        expect(missed.requests).toHaveLength(2)
      }
    })
  )

  it.effect("counts the tokens of both tries", () =>
    Effect.gen(function* () {
      const usage = { input: 5, cached: null, output: 1, reasoning: null }
      const { reaction } = yield* react(
        [
          { text: "", usage },
          { text: "Yes.", usage }
        ],
        ["Shall I?"]
      )
      expect(reaction.usage).toMatchObject({ input: 10, output: 2 })
    })
  )

  it.effect("ends a loop of thanks", () =>
    Effect.gen(function* () {
      const lines = ["It is done.", "Thank you so much!", "You're welcome!"]
      const { reaction } = yield* react(["Thanks again!"], lines, { question: false })
      expect(reaction).toMatchObject({ _tag: "Missed", repeated: true })
      const marked = yield* react(["Thanks again! [[DONE]]"], lines, { question: false })
      expect(marked.reaction._tag).toBe("Done")
      expect(marked.requests).toHaveLength(1)
    })
  )

  it.effect("delivers what comes with an end mark, and adds nothing for a bare one; marks reach nobody", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [string, object]> = [
        ["Yes, please cancel it. [[DONE]]", { _tag: "Says", text: "Yes, please cancel it.", last: true }],
        ["[[DONE]]", { _tag: "Done" }],
        ["I don't know that one. [[CANNOT_ANSWER]]", { _tag: "CannotAnswer", text: "I don't know that one." }],
        ["OK then. [DONE]", { _tag: "Says", text: "OK then.", last: true }],
        ["OK then. [[DON", { _tag: "Says", text: "OK then.", last: false }]
      ]
      for (const [reply, expected] of cases) {
        expect((yield* react([reply], ["Shall I cancel it?"])).reaction, reply).toMatchObject(expected)
      }
    })
  )

  it.effect("is not spoken by its thinking, and ordinary words are left alone", () =>
    Effect.gen(function* () {
      const said = (reply: string) => Effect.map(react([reply], ["Which one?"]), ({ reaction }) => reaction)
      expect(yield* said("<think>They ask which.</think>The second one.")).toMatchObject({ text: "The second one." })
      expect(yield* said("They ask which.</think>The second one.")).toMatchObject({ text: "The second one." })
      for (const words of [
        "I think I'm done here, the end of it.",
        "Done and dusted [for now].",
        'She said "let me think" and left.',
        "User: friendly is what your site calls itself"
      ]) {
        const reaction = yield* said(words)
        expect(reaction).toMatchObject({ _tag: "Says", text: words.replace(/^User: /, ""), last: false })
      }
    })
  )

  it.effect("may say yes twice", () =>
    Effect.gen(function* () {
      const { reaction } = yield* react(
        ["Yes."],
        ["Shall I look?", "Yes.", "Shall I cancel?"].concat(["Go on.", "And pay?"])
      )
      expect(reaction).toMatchObject({ _tag: "Says", text: "Yes." })
    })
  )
})
