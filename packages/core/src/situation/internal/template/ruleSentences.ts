/**
 * Sentences by which an ask touches a clause of the policy without quoting it.
 */
import type { Choice } from "./choice.ts"
import { anything, subjects } from "../../../language/internal/english/rules.ts"
import { verbOf } from "./objects.ts"
import { filled, patterns } from "./pattern.ts"

/** `calm` people want nothing done at once; undefined where everything to say is said by people who do. */
export type RuleSentence = (choice: Choice, calm: boolean) => string | undefined

const general = patterns(anything)

/** By the first subject the clause speaks of; else by what it names. */
export const ruleSentences = (clause: string): RuleSentence => {
  const subject = subjects.find(({ words }) => words.test(clause))
  if (subject !== undefined) {
    const patient = subject.says.filter((sentence) => !pressing.test(sentence))
    return (choice, calm) => {
      const says = calm ? patient : subject.says
      return says.length === 0 ? undefined : choice.pick(says)
    }
  }
  const k = keywordsOf(clause)
  if (k === undefined)
    return (choice) =>
      choice.pick(["Is there any rule about that?", "Am I allowed to ask that?", "And what are the rules for that?"])
  return (choice) => filled(choice.pick(general), { k })
}

/** Said by people who want it done now. */
const pressing = /\b(?:do it|go ahead|try anyway|before you do|has to be done|today)\b/i

/** What a clause speaks of, in one word or two: its subject, else the first thing that stands with an article. */
const keywordsOf = (clause: string): string | undefined => {
  const subject = leading.exec(clause.trim())?.[1]?.toLowerCase()
  if (subject !== undefined) {
    const words = subject.split(" ")
    if (!words.some((word) => notNamed.has(word)) && verbOf(words[0] ?? "") === undefined) return subject
  }
  for (const [, phrase] of clause.toLowerCase().matchAll(named)) {
    const words = (phrase ?? "").split(" ").filter((word) => !notNamed.has(word))
    if (words.length > 0) return words.join(" ")
  }
  return undefined
}

/** "Warranty seals on refurbished gearboxes stay untouched." */
const leading =
  /^(\p{Lu}\p{L}{3,}(?:\s\p{Ll}{4,})?)\s+(?:is|are|on|of|for|must|may|can|cannot|should|stays?|goes|go|needs?)\b/u

const named = /\b(?:the|an?|any|all|each|every|our|their|its|his|her)\s+(\p{L}{4,}(?:\s\p{L}{4,})?)(?=[\s,.;:)]|$)/gu

/** Words after an article that name nothing a person would ask about, and words that end a name. */
const notNamed = new Set(
  "please everything nothing anything something user customer agent other same such more most only following above below first last next must should will could before after when then that this with from into onto upon over under than they them their your have been does were also even once always never unique able time case rest".split(
    " "
  )
)
