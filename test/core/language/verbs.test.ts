import { describe, expect, it } from "@effect/vitest"
import * as English from "@sandtable/core/English"
import * as ToolKind from "../../../packages/core/src/task/ToolKind.ts"
import * as Verbs from "../../../packages/core/src/language/internal/english/verbs.ts"

describe("the lexicon of verbs", () => {
  it("has each verb once, as one word that a name can hold", () => {
    const lemmas = Verbs.verbs.map(({ lemma }) => lemma)
    expect(lemmas.length).toBeGreaterThan(200)
    expect(lemmas.filter((lemma, i) => lemmas.indexOf(lemma) !== i)).toEqual([])
    expect(lemmas.filter((lemma) => !/^[a-z]+$/.test(lemma))).toEqual([])
  })

  it("tells what a tool of the verb alone does", () => {
    for (const { kind, lemma } of Verbs.verbs) {
      // A late checkout is a time, and what ends in another verb's form is read as that.
      if (kind !== null) expect([lemma, ToolKind.classify(`${lemma}_things`, "")]).toEqual([lemma, kind])
    }
  })

  it("claims no action that reads", () => {
    expect(Verbs.verbs.filter(({ claim, kind }) => claim !== null && (kind === null || kind === "read"))).toEqual([])
  })

  it.each(["invite_member send", "arrange_pickup create", "restart_server update", "deploy_service update"])(
    "knows for names what it knows for claims: %s",
    (pair) => {
      const [name = "", kind] = pair.split(" ")
      expect(ToolKind.classify(name, "")).toBe(kind)
    }
  )

  it("fills every phrase with what it speaks of", () => {
    for (const [lemma, group] of Verbs.groups) {
      for (const { agent = [], self = [] } of [group, group.definite ?? {}, group.indefinite ?? {}]) {
        for (const phrase of [...agent, ...self]) {
          expect(phrase).toMatch(/\{o\}/)
          const said = phrase.replace("{o}", "it").replace("{b}", lemma).replace("{p}", English.participle(lemma))
          expect(said).not.toMatch(/[{}]|\s$|^\s/)
        }
      }
    }
  })
})
