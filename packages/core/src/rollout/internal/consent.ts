/**
 * Whether what the agent proposes serves what the person came for: people agree to that, correct what is wrong in it, and
 * turn down the rest.
 */
import type { Fact, Facts } from "./fields.ts"
import * as Fields from "./fields.ts"

/** What can be done to things, by the words it is said in: verbs as they stand after "shall I", and the nouns of acts. */
const acts: ReadonlyArray<readonly [act: string, words: string]> = [
  ["cancel", "cancel|call off|void|revoke|cancell?ing|cancell?ation|annul"],
  [
    "delete",
    "delet(?:e|ing)|deletion|clos(?:e|ing) (?:the|your|this|that|my)|closure|remov(?:e|ing)|removal|eras(?:e|ing)|terminat(?:e|ing)|deactivat(?:e|ing)|archiv(?:e|ing)|wipe"
  ],
  [
    "return",
    "return(?:ing)?(?! (?:flight|trip|date|window|policy|label|shipping))|send(?:ing)? (?:it|them) back|take back"
  ],
  ["exchange", "exchang(?:e|ing)|swap(?:ping)?|replac(?:e|ing)|replacement"],
  [
    "change",
    "chang(?:e|ing)|updat(?:e|ing)|modif(?:y|ying)|modification|edit(?:ing)?|mov(?:e|ing)|reschedul(?:e|ing)|correct(?:ing)? (?:the|your)|switch(?:ing)?|renam(?:e|ing)|adjust(?:ing)?|set(?:ting)? (?:the|your)|reassign|rais(?:e|ing)|lower(?:ing)?|downgrad(?:e|ing)"
  ],
  [
    "buy",
    "buy(?:ing)?|purchas(?:e|ing)|upgrad(?:e|ing)|subscrib(?:e|ing)|sign(?:ing)? (?:you )?up|enrol(?:l|ling)?|plac(?:e|ing) (?:an|a new|another) order|add(?:ing)? (?:an? |the |our |travel |extended |more )*(?:insurance|warranty|protection|plan|item|bag|membership)|donat(?:e|ing)|donation"
  ],
  [
    "book",
    "book(?:ing)? (?:you|it|an?|the|this|that|another)|reserv(?:e|ing)|schedul(?:e|ing) (?:an?|the|this|that|it|you)"
  ],
  [
    "pay",
    "charg(?:e|ing) (?:you|your)|pay(?:ing)?|wir(?:e|ing)|transfer(?:ring)? (?!you\\b|the chat|this chat|to an?\\b)|transfer of|withdraw"
  ],
  ["block", "block(?:ing)?|freez(?:e|ing)|lock(?:ing)?|suspend(?:ing)?|silenc(?:e|ing)|mut(?:e|ing)"],
  ["dispute", "disput(?:e|ing)|claim(?:ing)?|complain|report(?:ing)? (?:it|this|the)"],
  ["refill", "refill(?:ing)?|renew(?:ing|al)?|extend(?:ing)?|extension"],
  ["restart", "restart(?:ing)?|reboot(?:ing)?|redeploy|roll(?:ing)? back|rollback|revers(?:e|ing)|revert(?:ing)?"],
  ["merge", "merg(?:e|ing)|publish(?:ing)?|releas(?:e|ing)|deploy(?:ing)?"],
  ["resolve", "resolv(?:e|ing)|mark(?:ing)? (?:it|this|the)"],
  ["page", "pag(?:e|ing) (?:an?|the|someone|him|her|them|eng)"],
  ["open", "open(?:ing)? (?:an?|the) (?:new )?(?:account|case|ticket|issue|incident)|creat(?:e|ing)|set up|register"]
]

const readers = acts.map(([act, words]) => [act, new RegExp(`\\b(?:${words})\\b`, "gi")] as const)

/** Acts that come with another one. */
const along: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["change", ["exchange", "book", "merge"]],
  ["exchange", ["change", "return"]],
  ["book", ["open", "change"]],
  ["open", ["book"]],
  ["block", ["dispute", "exchange"]],
  ["dispute", ["open"]],
  ["cancel", ["delete", "return"]],
  ["delete", ["cancel"]],
  ["return", ["open"]],
  ["buy", ["pay", "book", "open"]],
  ["pay", ["change"]],
  ["resolve", ["change"]]
])

/** Verbs of tools' names that the words above do not hold. */
const actsIn = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [act, words] of readers) {
    words.lastIndex = 0
    if (words.test(text)) found.add(act)
  }
  return found
}

export interface Wanting {
  readonly need: string | null
  /** What they asked for at first, in their own words. */
  readonly ask: string
  /** The tool that does it, where that is known. */
  readonly tool: string | null
  readonly facts: Facts
}

export type Verdict =
  | { readonly _tag: "Yes" }
  | { readonly _tag: "No" }
  /** One of its details is not the person's. */
  | { readonly _tag: "Wrong"; readonly fact: Fact }

/** What a proposal is about; what the agent says will not be done, or could be done elsewhere, is no part of it. */
const proposedIn = (line: string): string =>
  line
    .split(/(?<=[.!?])\s+|\n+/)
    .filter(
      (sentence) =>
        !/\b(?:cannot|can't|can(?:no|')t|unable|won't|will not|not be able|no longer|once|only|usually|policy|policies)\b/i.test(
          sentence
        ) || sentence.endsWith("?")
    )
    .join(" ")

/** Whether the person goes along with what a line proposes. */
export const judge = (line: string, wanting: Wanting): Verdict => {
  const wrong = wrongIn(line, wanting.facts)
  if (wrong !== null) return { _tag: "Wrong", fact: wrong }
  const own = actsIn(`${wanting.need ?? ""} ${wanting.ask} ${(wanting.tool ?? "").replaceAll("_", " ")} it`)
  const wanted = new Set([...own].flatMap((act) => [act, ...(along.get(act) ?? [])]))
  const proposed = actsIn(proposedIn(line))
  const beside = [...proposed].filter((act) => !wanted.has(act))
  return beside.length > 0 ? { _tag: "No" } : { _tag: "Yes" }
}

/** Whether a question proposes to do something at all: "Delete the account?" */
export const proposes = (line: string): boolean => {
  const question = line.split(/(?<=[.!?])\s+|\n+/).findLast((sentence) => sentence.trim().endsWith("?")) ?? ""
  return !/^(?:what|which|who|when|where|why|how)\b/i.test(question.trim()) && actsIn(question).size > 0
}

/** The fact that a line states otherwise. */
export const wrongIn = (line: string, facts: Facts): Fact | null => {
  for (const [name, value] of Object.entries(facts)) {
    if (value === "" || line.toLowerCase().includes(value.toLowerCase())) continue
    const whole = isName(name) ? Fields.nameOf(facts) : value
    if (whole === null) continue
    if (statesAnother(line, name, whole, facts)) return [name, whole]
  }
  return null
}

const isName = (name: string): boolean => /(?:^|_)name$/.test(name)

const statesAnother = (line: string, name: string, value: string, facts: Facts): boolean => {
  if (isName(name)) return namesAnother(line, value)
  const others = new Set(Object.values(facts).flatMap((fact) => fact.split(", ")))
  const kind = paymentKinds.find((one) => value.startsWith(one))
  if (kind !== undefined) {
    const said = kind.replace("_", " ")
    const others = paymentKinds.filter(
      (one) => one !== kind && new RegExp(`\\b${one.replace("_", " ")}\\b`, "i").test(line)
    )
    return (
      others.length > 0 &&
      !new RegExp(`\\b${said}\\b`, "i").test(line) &&
      Fields.spokenAs("payment_method_id").test(`${line} payment method`) &&
      /\b(?:to|with|by|on|using|via)\b[^.?]*\b(?:card|paypal|certificate)\b/i.test(line)
    )
  }
  // A number is another one only where the line speaks of that field.
  const spoken = /^[\d+]/.test(value) ? Fields.spokenAs(name).test(line) : true
  if (!spoken || !/[\d@]/.test(value) || (/\s/.test(value) && !/^[\d\s()+-]+$/.test(value))) return false
  const digits = value.replace(/\D/g, "")
  const tokens = line.match(/[\w.+-]+@[\w.-]+|[#+\w.-]*\d[\w.-]*/g) ?? []
  return tokens.some((token) => {
    const bare = token.replace(/[.,]+$/, "")
    if (others.has(bare) || others.has(`#${bare}`) || (digits !== "" && digits === bare.replace(/\D/g, "")))
      return false
    const end = /^(from|to)_/.exec(name)?.[1]
    if (
      end !== undefined &&
      !new RegExp(`\\b${end}\\s+(?:\\w+\\s+){0,2}${bare.replace(/[^\w]/g, "\\$&")}`, "i").test(line)
    )
      return false
    return look(bare) === look(value) && (/[A-Za-z#@]/.test(value) || Fields.spokenAs(name).test(line))
  })
}

const paymentKinds: ReadonlyArray<string> = ["gift_card", "credit_card", "paypal", "debit_card", "certificate"]

const look = (text: string): string => {
  if (text.includes("@")) return "@"
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return "date"
  return text
    .replace(/\d/g, "0")
    .replace(/0{5,}/g, "00000")
    .replace(/[A-Za-z]+/g, "a")
}

/** "Am I speaking with Peter Miller?" */
const namesAnother = (line: string, name: string): boolean => {
  const found =
    /\b(?:[Aa]m I (?:speaking|talking|chatting) (?:with|to)|[Ii]s this|[Aa]re you|[Nn]ame is|[Nn]ame as|[Nn]ame,|you're|name on the account is)\s+((?:[A-Z][\p{L}'-]+)(?:\s+[A-Z][\p{L}'-]+)*)/u.exec(
      line
    )?.[1]
  if (found === undefined) return false
  const own = name.toLowerCase().split(" ")
  return !found
    .toLowerCase()
    .split(/\s+/)
    .every((word) => own.includes(word))
}
