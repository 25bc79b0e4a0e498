/**
 * Reads a tool's name and description as a verb and its object, in a person's words: "Retrieve the current price of a
 * specific product given its id" becomes "look up" and "the current price of the product".
 */
import * as English from "../../../language/English.ts"
import { wordsOf } from "../../../task/ToolKind.ts"
import { headOf, withArticle } from "./grammar.ts"
import { groups } from "../../../language/internal/english/verbs.ts"
import {
  determiners,
  mass,
  personal,
  patrons,
  placeholders,
  prepositions,
  stops,
  users
} from "../../../language/internal/english/words.ts"

/** What a description says: a known verb, or none when it only names a thing. */
export interface Clause {
  readonly verb: string | undefined
  /** Words of the object. */
  readonly object: ReadonlyArray<string>
  /** Whether the verb comes first, as in a command. */
  readonly leads: boolean
  /** Whether the object was longer than a person would say it. */
  readonly cut: boolean
}

/** The verb a word is a form of, if it is one that tools use. */
export const verbOf = (word: string): string | undefined =>
  English.baseForms(word.toLowerCase()).find((base) => groups.has(base))

const preamble =
  /^(?:(?:this|the|a|an)\s+)?(?:(?:simple|useful|custom|helper)\s+)?(?:function|tool|api|endpoint|method|service|command|action|utility|operation)?\s*(?:(?:that|which)\s+)?(?:(?:is|are|can be|will be)\s+(?:used\s+)?(?:to|for)|(?:used|useful|intended|designed)\s+(?:to|for)|allows?\s+(?:you|users?|agents?|the\s+\w+)?\s*(?:to|for)|lets?\s+(?:you|users?)|helps?\s+(?:you|users?)?\s*(?:to)?|enables?\s+\w+\s+to|will|can|to|for)?\s+/i
const useThis = /^use\s+(?:this|the)\s+(?:tool|function)?\s*(?:to|for|when)?\s*/i
/** Only a preamble that says that a tool is spoken of is taken off. */
const speaksOfTool =
  /^(?:(?:this|the|a|an)\s+)?(?:\w+\s+)?(?:function|tool|api|endpoint|method|service|command|action|utility|operation)\b|^(?:used|to|for)\s/i

/** "When a customer calls, look up their orders": when to use the tool, and then what it does. */
const occasion = /^(?:when|whenever|if|once|after|before)\b[^,]*,\s*(?:then\s+)?(?=\S)/i

/** Undefined when the description is missing or not in words of this language. */
export const clauseOfDescription = (description: string): Clause | undefined => {
  const sentence = (description.trim().split(/(?<=[.!?])\s|\n/, 1)[0] ?? "")
    .replace(/\s*\([^)]*\)/g, "")
    .replace(/[.!?]+$/, "")
  if (sentence.length === 0 || /[^\x20-\x7e\u2018-\u201d]/.test(sentence)) return undefined
  const plain = useThis.test(sentence)
    ? sentence.replace(useThis, "")
    : speaksOfTool.test(sentence)
      ? sentence.replace(preamble, "")
      : sentence
  const words = plain
    .replace(occasion, "")
    .split(/\s+/)
    .filter((word) => word.length > 0)
  const question = questionIn(words)
  if (question !== undefined) return { verb: "ascertain", object: question, leads: true, cut: false }
  const [first = "", second = ""] = words
  const verb = reported(verbOf(first), words.slice(1)) ?? unknownVerb(first, second)
  if (verb === undefined) {
    const noun = determiners.has(first.toLowerCase()) || words.length <= 6
    return noun ? { verb: undefined, ...objectOf(words), leads: false } : undefined
  }
  return { verb, ...objectOf(withoutSecondVerb(words.slice(1))), leads: true }
}

const questionWords = /^(?:whether|how|what|which|when|where|who|whose|why)$/
/** Verbs by which a tool tells the answer to a question. */
const telling: ReadonlySet<string> = new Set(
  (
    "tell say return show report give indicate state determine check verify find get retrieve fetch look display calculate " +
    "compute estimate provide describe predict see"
  ).split(" ")
)
/** Most words of a question: one that was cut short is none. */
const longestQuestion = 9

/** "Tells whether a product is in stock": the question that the tool answers, in the words of who asks it. */
const questionIn = (words: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const lower = words.map((word) => word.toLowerCase())
  const at = questionAt(lower)
  if (at === -1) return undefined
  const out: Array<string> = []
  for (let i = at; i < words.length; i++) {
    const bare = (words[i] ?? "").replace(/[,;:]+$/, "")
    const next = lower.slice(i + 1, i + 3)
    if (i > at + 1 && (/^(?:and|or|but|so)$/.test(lower[i] ?? "") || stops.has(lower[i] ?? ""))) break
    if (i > at + 1 && prepositions.has(lower[i] ?? "") && next.some((word) => placeholders.has(word))) break
    out.push(i === at ? bare.toLowerCase() : bare)
    if (bare !== words[i]) break
  }
  return out.length < 3 || out.length > longestQuestion ? undefined : mine(out)
}

/** Where the question begins: at once, behind a verb that tells, or behind that and who is told. */
const questionAt = ([first = "", second = "", third = ""]: ReadonlyArray<string>): number => {
  if (questionWords.test(first)) return 0
  if (!English.baseForms(first).some((base) => telling.has(base))) return -1
  if (questionWords.test(second)) return 1
  return /^(?:you|me|us|users?|out|up|back)$/.test(second) && questionWords.test(third) ? 2 : -1
}

/** What is reported to somebody; all else a tool that "reports" gives out. */
const incident =
  /^(?:issues?|problems?|faults?|bugs?|incidents?|abuse|fraud|outages?|defects?|damages?|loss|theft|accidents?|complaints?|lost|stolen|missing|broken|damaged|spam)$/i

const reported = (verb: string | undefined, rest: ReadonlyArray<string>): string | undefined =>
  verb === "report" && !rest.slice(0, 4).some((word) => incident.test(word.replace(/\W+$/, ""))) ? "get" : verb

/** Whether an object is a question, and so no thing that could be spoken of. */
export const isQuestion = ([first = ""]: ReadonlyArray<unknown>): boolean => questionWords.test(String(first))

/** "Frobnicates the widget": a verb by its ending and what follows. */
const unknownVerb = (first: string, second: string): string | undefined => {
  if (!/^[A-Z]?[a-z]+$/.test(first) || determiners.has(first.toLowerCase())) return undefined
  if (!determiners.has(second.toLowerCase())) return undefined
  const forms = English.baseForms(first.toLowerCase())
  return forms[forms.length - 1]
}

/** "Cancel or modify a booking": people ask for one of the two. */
const withoutSecondVerb = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  /^(?:and|or|and\/or)$/i.test(words[0] ?? "") && verbOf(words[1] ?? "") !== undefined ? words.slice(2) : words

/** `orders.cancel_pending_order` -> cancel, "pending order". */
export const clauseOfName = (name: string): Clause => {
  const parts = name.split(/[.:/]/)
  const leaf = wordsOf(parts[parts.length - 1] ?? name)
  const words = leaf.length === 1 && parts.length > 1 ? [...wordsOf(parts.slice(0, -1).join(" ")), ...leaf] : leaf
  const at = words.findIndex((word) => groups.has(word))
  const verb = at === -1 ? undefined : reported(words[at], words.slice(at + 1))
  const rest = at === -1 ? words : at === 0 ? words.slice(1) : [...words.slice(0, at), ...words.slice(at + 1)]
  const end = rest.findIndex((word, i) => i > 0 && /^(?:by|for|with|from|in|at|using|to|on)$/.test(word))
  const object = end === -1 ? rest : rest.slice(0, end)
  return {
    verb,
    cut: false,
    leads: at === 0 && leaf === words,
    object: object.filter((word) => !/^(?:info|api|tool|function|data|v\d)$/.test(word) || object.length === 1)
  }
}

/** Most words an object keeps: people say the thing, not the definition, and eight in a row would be a copy. */
const longest = 6

/** Cuts an object where a person would stop, and speaks from the person's side. */
const objectOf = (words: ReadonlyArray<string>): Pick<Clause, "object" | "cut"> => {
  const out: Array<string> = []
  for (let i = 0; i < words.length; i++) {
    const raw = words[i] ?? ""
    const word = raw.replace(/^["'‘“]+|["'’”]+$/gu, "")
    const bare = word.replace(/[,;:.]+$/, "")
    const lower = bare.toLowerCase()
    const afterArticle = /^(?:an?|the)$/i.test(out[out.length - 1] ?? "")
    if (out.length > 0 && !afterArticle && (stops.has(lower) || (lower === "by" && i > 0))) break
    if (
      out.length > 0 &&
      lower === "to" &&
      (words[i + 1] === "new" || (verbOf(words[i + 1] ?? "") ?? "order") !== "order")
    )
      break
    if (out.length > 0 && prepositions.has(lower) && aside.test(words.slice(i + 1, i + 3).join(" "))) break
    if (out.length > 0 && /^(?:and|or)$/.test(lower) && verbOf(words[i + 1] ?? "") !== undefined) break
    if (
      out.length > 0 &&
      lower === "with" &&
      (placeholders.has((words[i + 1] ?? "").toLowerCase()) || /^(?:an?|the)$/i.test(words[i + 1] ?? ""))
    )
      break
    if (bare.length > 0) out.push(out.length === 0 && !/^[A-Z]{2}/.test(bare) ? lowerFirst(bare) : bare)
    if (/[,;:.–—]$/.test(word) || out.length >= longest + 4) break
  }
  const spoken = mine(/^(?:for|about|on|out|up|through|into|at|of|over)$/.test(out[0] ?? "") ? out.slice(1) : out)
  const cut = spoken.filter((word) => !placeholders.has(word.toLowerCase())).length > longest
  return { object: trimmed(cut ? spoken.slice(0, lastBoundary(spoken)) : spoken), cut }
}

/** "from one place to another", "in the database": nothing a person would say. */
const aside = /^(?:one|another)\b|^(?:the |our |a )?(?:database|system)\b/i

/** The last preposition an object can be cut before. */
const lastBoundary = (words: ReadonlyArray<string>): number => {
  for (let i = Math.min(longest, words.length - 1); i > 1; i--) {
    if (prepositions.has((words[i] ?? "").toLowerCase())) return i
  }
  return longest
}

const lowerFirst = (word: string): string =>
  /^[A-Z][a-z]+$/.test(word) && determiners.has(word.toLowerCase()) ? word.toLowerCase() : word

/** Takes off what an object cannot end with. */
const trimmed = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const out = [...words]
  while (out.length > 0) {
    const tail = out.slice(-3).join(" ").toLowerCase()
    if (
      out.length > 3 &&
      /^(?:for|of|in|from|over) (?:an?|the) (?:list|series|set|number|range|piece|type)$/.test(tail)
    ) {
      out.splice(-3)
      continue
    }
    const last = (out[out.length - 1] ?? "").toLowerCase()
    const dangling =
      prepositions.has(last) ||
      determiners.has(last) ||
      placeholders.has(last) ||
      /^(?:and|or|is|are|be|not|can|will|then|if|used|only|its|provided|most|one|two|three|ascending|descending|produced|required|used|recorded|located|associated|related|held|made|called|involved|playing|caused)$/.test(
        last
      )
    if (!dangling) break
    out.pop()
  }
  return out
}

/** "the user's orders" -> "my orders", "the user" -> "me", "of a user" -> "of my account". */
const mine = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    const lower = word.toLowerCase()
    const owner = lower.replace(/['’]s?$/, "")
    const determined =
      determiners.has((out[out.length - 1] ?? "").toLowerCase()) ||
      placeholders.has((out[out.length - 1] ?? "").toLowerCase())
    if (owner !== lower && patrons.has(owner)) {
      while (
        out.length > 0 &&
        (determiners.has((out[out.length - 1] ?? "").toLowerCase()) ||
          placeholders.has((out[out.length - 1] ?? "").toLowerCase()))
      )
        out.pop()
      out.push("my")
      continue
    }
    const before = i - (determined ? 2 : 1)
    const isFor = before > 0 && words[before]?.toLowerCase() === "for" && !sayLittle.test(words[before - 1] ?? "")
    if (isFor && patrons.has(lower) && determined && !personalNext(words[i + 1])) {
      while (out.length > 0 && out[out.length - 1]?.toLowerCase() !== "for") out.pop()
      out.pop()
      continue
    }
    if (users.has(lower) && determined && !personalNext(words[i + 1])) {
      while (
        out.length > 0 &&
        (determiners.has((out[out.length - 1] ?? "").toLowerCase()) ||
          placeholders.has((out[out.length - 1] ?? "").toLowerCase()))
      )
        out.pop()
      out.push(...(prepositions.has((out[out.length - 1] ?? "").toLowerCase()) ? ["my", "account"] : ["me"]))
      continue
    }
    out.push(word)
  }
  return out
}

/** Words that say nothing without whose they are. */
const sayLittle = /^(?:details?|information|info|data|profile|records?|history|status|summary|account)$/i

const personalNext = (word: string | undefined): boolean =>
  word !== undefined &&
  (personal.has(word.toLowerCase()) ||
    /^(?:id|ids|name|profile|details|data|information|preferences|settings)$/i.test(word))

/** A stretch of an object: words, or a hole for what a parameter holds, with what stands there when it is left open. */
export type Piece = string | { readonly hole: string; readonly open: string }

export interface Hole {
  /** Name of the parameter. */
  readonly name: string
  /** Nouns that mean it: `company_name` -> company. */
  readonly nouns: ReadonlyArray<string>
}

/** Finds "of a specific city" and puts the parameter's value there. */
export const withHoles = (words: ReadonlyArray<string>, holes: ReadonlyArray<Hole>): ReadonlyArray<Piece> => {
  const out: Array<Piece> = []
  const used = new Set<string>()
  let i = 0
  while (i < words.length) {
    const word = words[i] ?? ""
    if (prepositions.has(word.toLowerCase()) && out.length > 0) {
      const end = nounGroupEnd(words, i + 1)
      const group = words.slice(i + 1, end)
      const head = (group[group.length - 1] ?? "").toLowerCase()
      const hole = holes.find((candidate) => !used.has(candidate.name) && candidate.nouns.includes(head))
      const pointed = group.some((w) => placeholders.has(w.toLowerCase()) || /^(?:an?|the|each)$/i.test(w))
      if (hole !== undefined && pointed) {
        used.add(hole.name)
        const open = group.filter((w) => !placeholders.has(w.toLowerCase()))
        out.push(word, { hole: hole.name, open: opened(open) })
        i = end
        if (/^(?:and|or)$/i.test(words[i] ?? "")) break
        continue
      }
      // "for a specified city and state": nothing a person would say
      if (group.some((w) => placeholders.has(w.toLowerCase())) && word.toLowerCase() !== "of") break
    }
    if (!placeholders.has(word.toLowerCase()) || i === words.length - 1) out.push(word)
    i += 1
  }
  return out
}

const opened = (group: ReadonlyArray<string>): string => {
  const bare = group.filter((word) => !/^(?:an?|the|each)$/i.test(word))
  return withArticle(bare.join(" "), false)
}

/** End of the noun phrase that starts at an index: before the next preposition or conjunction. */
const nounGroupEnd = (words: ReadonlyArray<string>, start: number): number => {
  let end = start
  while (
    end < words.length &&
    !prepositions.has((words[end] ?? "").toLowerCase()) &&
    !/^(?:and|or)$/i.test(words[end] ?? "")
  )
    end += 1
  return end
}

/** Whether the noun of a phrase is one people have: their order, their booking. */
export const isPersonal = (noun: string): boolean =>
  personal.has(noun) || personal.has(noun.slice(noun.lastIndexOf(" ") + 1))

/** Puts the determiner a phrase needs, "my" where it is the person's own. */
export const determined = (
  words: ReadonlyArray<string>,
  options: { readonly definite: boolean; readonly own: boolean }
): ReadonlyArray<string> => {
  const [first = "", ...rest] = words
  const lower = first.toLowerCase()
  const head = headOf(words).toLowerCase()
  if (users.has(lower) && rest.length > 0) return ["my", ...(isIdWord(rest[0]) ? words : rest)]
  if (lower === "my")
    return users.has(rest[0] ?? "") && !isIdWord(rest[1]) && rest.length > 1 ? ["my", ...rest.slice(1)] : words
  if (questionWords.test(lower) || /^(?:something|anything|if)$/.test(lower)) return words
  const belongs = words.some((word, i) => i > 0 && (word === "my" || prepositions.has(word)))
  const compound = words.slice(0, -1).some((word) => personal.has(word))
  if (options.own && !belongs && (personal.has(head) || compound)) {
    if (/^an?$/.test(lower)) return ["my", ...rest]
    if (!determiners.has(lower)) return ["my", ...words]
  }
  if (determiners.has(lower)) {
    // dropping an adjective can leave "a order"
    return /^an?$/.test(lower)
      ? English.isPlural(head) && !words.some((word) => /['’]s$/.test(word))
        ? rest
        : [English.article(rest[0] ?? ""), ...rest]
      : words
  }
  if (mass.has(head) && !options.definite) return words
  if (options.definite && alwaysKnown.test(head)) return ["the", ...words]
  return withArticle(words.join(" "), options.definite).split(" ")
}

const isIdWord = (word: string | undefined): boolean => word === "id" || word === "ids" || word === "name"

/** Plurals that are known to be there. */
const alwaysKnown = /^(?:details|conditions|hours|settings|results|coordinates|dimensions|preferences|specs|terms)$/
