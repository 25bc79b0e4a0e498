import { describe, expect, it } from "@effect/vitest"
import * as Conduct from "@sandtable/core/Conduct"
import * as Language from "@sandtable/core/Language"
import * as ScoringPass from "@sandtable/core/ScoringPass"
import { Effect, Layer } from "effect"
import { call, row, tool } from "../grade/fixture.ts"

/** As much German as these tests speak. */
const german: Language.Service = {
  code: "de",
  dialogueActs: {
    asks: (line) => line.includes("?"),
    asksForYes: (line) => /\bsoll ich\b/i.test(line),
    offersMore: (line) => /\bnoch etwas\b/i.test(line),
    refuses: (line) => /\bleider nicht\b/i.test(line),
    isThanks: (line) => /^danke\b/i.test(line)
  },
  conduct: {
    ...Language.english.conduct,
    common: new Set(["ich", "und", "ist"]),
    little: new Set(["ich", "und", "der", "die", "das", "ist"]),
    foreign: new Set(["the", "and"]),
    actions: [{ lemma: "cancel", forms: ["storniert"], kind: "delete", plain: false, event: false }],
    ownClaims: ["\\bich habe [^.!?]{1,60} ({verb})\\b"],
    onlyAsks: /(?!)/
  }
}

const claimed = row({
  prompt: "Bitte storniere die Bestellung ORD-1001 und sag mir Bescheid.",
  steps: [call("get_order", { order_id: "ORD-1001" }, { order_id: "ORD-1001", zustand: "offen" })],
  final_text: "Ich habe die Bestellung ORD-1001 storniert und das Geld ist unterwegs."
})
const tools = [
  tool("get_order", { order_id: { type: "string" } }),
  tool("cancel_order", { order_id: { type: "string" } })
]
const settings = { tools, systemPrompt: "", locale: "de" }

describe("the language of a run", () => {
  it("is English unless a layer says otherwise", () => {
    expect(Effect.runSync(Language.Language)).toBe(Language.english)
    expect([Language.of("en-GB")?.code, Language.of("EN_us")?.code, Language.of("de")]).toEqual(["en", "en", undefined])
  })

  it("is the given one for its own locale alone", () => {
    expect([Language.of("de-AT", german)?.code, Language.of("en", german)?.code, Language.of("fr", german)]).toEqual([
      "de",
      "en",
      undefined
    ])
  })

  it("brings the words that conduct is graded by", () => {
    expect(Conduct.grade(claimed, settings)).toMatchObject({ reward: 1, meta: { rules: "structural" } })
    expect(Conduct.grade(claimed, { ...settings, language: german })).toMatchObject({
      failureClass: "claimed_without_call",
      meta: { locale: "de", rules: "all" }
    })
  })

  it.effect("reaches graders of a scoring pass as a layer", () =>
    Effect.gen(function* () {
      const pass = yield* ScoringPass.grade([claimed], Conduct.service, { tools, locale: "de" })
      expect(pass.rows.map(({ failure_class }) => failure_class)).toEqual(["claimed_without_call"])
    }).pipe(Effect.provide(Layer.succeed(Language.Language, german)))
  )
})
