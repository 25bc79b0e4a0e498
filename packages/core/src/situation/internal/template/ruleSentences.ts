/**
 * Sentences by which an ask touches a clause of the policy without quoting it.
 */
import type { Choice } from "./choice.ts"
import { anything, subjects } from "./en/rules.ts"
import { filled, patterns } from "./pattern.ts"

export type RuleSentence = (choice: Choice) => string

const general = patterns(anything)

/** By the first subject the clause speaks of; else by what it names. */
export const ruleSentences = (clause: string): RuleSentence => {
  const subject = subjects.find(({ words }) => words.test(clause))
  if (subject !== undefined) return (choice) => choice.pick(subject.says)
  const k = keywordsOf(clause)
  if (k === undefined)
    return (choice) =>
      choice.pick(["Is there any rule about that?", "Am I allowed to ask that?", "And what are the rules for that?"])
  return (choice) => filled(choice.pick(general), { k })
}

/** What a clause speaks of: the first thing in it that stands with an article or the like, in one word or two. */
const keywordsOf = (clause: string): string | undefined => {
  for (const [, phrase] of clause.toLowerCase().matchAll(named)) {
    const words = (phrase ?? "").split(" ").filter((word) => !notNamed.has(word))
    if (words.length > 0) return words.join(" ")
  }
  return undefined
}

const named = /\b(?:the|an?|any|all|each|every|our|their|its|his|her)\s+(\p{L}{4,}(?:\s\p{L}{4,})?)(?=[\s,.;:)]|$)/gu

/** Words after an article that name nothing a person would ask about, and words that end a name. */
const notNamed = new Set(
  "user customer agent other same such more most only following above below first last next must should will could before after when then that this with from into onto upon over under than they them their your have been does were also even once always never unique able time case rest".split(
    " "
  )
)
