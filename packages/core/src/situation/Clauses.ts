/**
 * The rules of a policy text: what the `rule` axis varies over. Markdown is read as a person reads it: items and rows
 * are rules, paragraphs are split into sentences, titles and fragments are not rules.
 */
import * as Hash from "../random/Hash.ts"
import * as PolicyText from "./internal/policyText.ts"
import * as Sentences from "./internal/sentences.ts"

export interface Clause {
  /** `rule_` and a hash of the text alone: editing one clause leaves the ids of all others. */
  readonly id: string
  readonly text: string
}

/**
 * The clauses of a policy in document order. The sentence that only says who the agent is, and what says nothing by
 * itself (titles, single words, `Rules:`), are left out; a clause repeated in another case is kept once.
 */
export const read = (policy: string): ReadonlyArray<Clause> => {
  const byKey = new Map<string, Clause>()
  for (const text of PolicyText.blocks(policy).flatMap(clausesOf)) {
    const key = text.toLowerCase().replace(/[\s.!。]+$/u, "")
    if (!byKey.has(key)) byKey.set(key, { id: Hash.id("rule", text), text })
  }
  return [...byKey.values()]
}

const clausesOf = (block: PolicyText.Block): ReadonlyArray<string> => {
  switch (block._tag) {
    case "Heading":
      return Sentences.isRule(block.text) && !Sentences.isRole(block.text) ? [block.text] : []
    case "Item":
      return Sentences.saysSomething(block.text) && !Sentences.isRole(block.text) ? [block.text] : []
    case "Paragraph":
      return Sentences.split(block.text).filter((text) => Sentences.saysSomething(text) && !Sentences.isRole(text))
  }
}
