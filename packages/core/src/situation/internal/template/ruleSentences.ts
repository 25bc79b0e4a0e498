/**
 * Sentences by which an ask touches a clause of the policy without quoting it.
 */
import { normalise } from "../../../row/NearCopies.ts"
import type { Choice } from "./choice.ts"
import { anything, subjects } from "./en/rules.ts"
import { filled, patterns } from "./pattern.ts"

export type RuleSentence = (choice: Choice) => string

const general = patterns(anything)

/** By the first subject the clause speaks of; else by one or two of its own words. */
export const ruleSentences = (clause: string): RuleSentence => {
  const subject = subjects.find(({ words }) => words.test(clause))
  if (subject !== undefined) return (choice) => choice.pick(subject.says)
  const k = keywordsOf(clause)
  if (k === undefined)
    return (choice) =>
      choice.pick(["Is there any rule about that?", "Am I allowed to ask that?", "And what are the rules for that?"])
  return (choice) => filled(choice.pick(general), { k })
}

const small = new Set(
  "the a an of to in on for and or not no you your i is are be must should can may will never always only any all if when with by from at as that this it its they them than then do does have has been was were each every such other more most use using agent user customer please must".split(
    " "
  )
)

/** The first two content words in a row, else the first long word. */
const keywordsOf = (clause: string): string | undefined => {
  const words = normalise(clause).split(" ")
  const content = words.map((word) => !small.has(word) && /^\p{L}{3,}$/u.test(word))
  const at = content.findIndex((is, i) => is && content[i + 1] === true)
  return at === -1 ? words.find((word, i) => content[i] === true && word.length > 4) : `${words[at]} ${words[at + 1]}`
}
