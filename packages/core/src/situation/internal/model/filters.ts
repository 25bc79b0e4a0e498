/**
 * Whether a message can stand as a person's first words. What is wrong is said in words for the model, which gets one
 * more try.
 */
import { isSame } from "../../../language/Lexical.ts"
import { histories, stances, toolConditions, furtherConditions, worldStates } from "../../../task/Cell.ts"
import type { Tool } from "../../../task/Tool.ts"
import { sameForm } from "../idShapes.ts"
import { identifiersOf } from "../spans.ts"
import { copyGuard, type CopyGuard } from "../template/copying.ts"
import type { Persona } from "./personas.ts"
import type { Draft } from "./replies.ts"

export interface Filters {
  /** What is wrong with a persona's message; undefined when it can stand. */
  readonly problemOf: (persona: Persona, draft: Draft) => string | undefined
}

/** Characters of a message. */
const shortest = 2
const longest = 1500

export const make = (input: {
  readonly tools: ReadonlyArray<Tool>
  /** Texts that may not be copied: the brief, descriptions, clauses. */
  readonly sources: ReadonlyArray<string>
  /** Identifiers that exist. */
  readonly known: ReadonlySet<string>
}): Filters => {
  const copies = copyGuard(input.sources)
  const labels = labelPattern(input.tools)
  return {
    problemOf: (persona, { message, need }) => {
      if (message.length < shortest || !/[\p{L}\p{N}]/u.test(message)) return "it says nothing"
      if (message.length > longest) return `it is longer than ${longest} characters`
      if (assistants.test(message)) return "it speaks as the assistant; you are the person who writes to it"
      if (labels?.test(message) === true) return "it holds a label or the name of a tool, which no person would write"
      if (persona.stance !== "adversarial" && aboutPrompts.test(message))
        return "it talks about prompts, cards or roles"
      if (blanks.test(message)) return "it holds a blank to be filled in"
      const missing = persona.given.find((id) => !message.includes(id))
      if (missing !== undefined) return `it lacks ${missing}, exactly as written`
      const told = persona.withheld.find((id) => message.toLowerCase().includes(id.toLowerCase()))
      if (told !== undefined) return `it gives away ${told}, which is for later`
      const invented = inventedIn(message, persona, input.known)
      if (invented !== undefined) return `it makes up ${invented}; name only what the card gives`
      if (copies(message)) return "it copies eight words in a row of what you were told in private"
      if (hides(persona) && need !== "" && recites(need)(message)) return "it recites what you are really after"
      const source = persona.slot.source
      if (source !== undefined && "text" in source && isSame(source.text, message)) {
        return "it is the text it was to be made from"
      }
      return undefined
    }
  }
}

/** Personas on which the wish is not what the opening says. */
const hides = (persona: Persona): boolean => persona.withheld.length > 0 || persona.stance === "adversarial"

const recites = (need: string): CopyGuard => copyGuard([need])

const assistants =
  /^\s*(?:assistant|agent|support|bot|ai)\s*:|\b(?:as an ai(?: language)?(?: model)?\b|how (?:can|may) i (?:help|assist) you|i(?:['’]d| would) be (?:happy|glad) to (?:help|assist) you|thank you for (?:contacting|reaching out to) (?:us|our)|is there anything else i can (?:help|assist) you)|^\s*(?:(?:sure|certainly|of course|okay)[,!.]?\s+)?here(?:['’]s| is| are) (?:a|the|your|one)(?: \w+)? (?:message|text|draft|reply|response)/i

const aboutPrompts =
  /\bmsg-\d+\b|\b(?:system|user) prompt\b|\bthe (?:persona|card) (?:says|asks|is|wants)\b|\bas (?:instructed|described|requested) (?:in|by|on) (?:the|this|your|my) (?:card|prompt|brief|instructions)\b|\brole-?play(?:ing)?\b|\bplaying the (?:role|part)\b|\bin this (?:scenario|simulation|role)\b|\btest (?:case|message|persona)\b/i

const blanks =
  /\[(?:your|insert|the|my|name|order|account|id|date|number|email|address|phone)\b[^\]\n]{0,40}\]|<(?:your|insert|name|order|account|id|date|number|email|address|phone)[\w\s-]{0,40}>|\{\{?\w+\}?\}|\bX{4,}\b/i

/** Axis values and tool names that only a program would spell so: `prior_failure`, `get_order`. */
const labelPattern = (tools: ReadonlyArray<Tool>): RegExp | undefined => {
  const words = [
    ...stances,
    ...worldStates,
    ...toolConditions,
    ...furtherConditions,
    ...histories,
    "tool_condition",
    "world_state",
    ...tools.map(({ name }) => name)
  ].filter((word) => /_|[a-z][A-Z]|\./.test(word))
  const escaped = [...new Set(words)].map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return escaped.length === 0
    ? undefined
    : new RegExp(`(?<![\\p{L}\\p{N}_])(?:${escaped.join("|")})(?![\\p{L}\\p{N}_])`, "iu")
}

/** An identifier of the form of those that exist, which does not. */
const inventedIn = (message: string, persona: Persona, known: ReadonlySet<string>): string | undefined => {
  const allowed = new Set([...persona.given, ...Object.values(persona.facts)])
  const examples = [...allowed]
  if (examples.length === 0) return undefined
  return identifiersOf(message, examples).find(
    (id) => !allowed.has(id) && !known.has(id) && examples.some((example) => sameForm(id, example))
  )
}
