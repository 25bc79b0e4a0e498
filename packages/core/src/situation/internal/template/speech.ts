/**
 * A tool as people speak of it: what they ask for, what they call the thing, what they say about it. Compiled once per
 * tool; an ask only picks and fills.
 */
import * as English from "../../../language/English.ts"
import { wordsOf, type ToolKind } from "../../../task/ToolKind.ts"
import type { Tool } from "../../../task/Tool.ts"
import { nounOf } from "../argumentNouns.ts"
import { parametersOf, type Parameter } from "../parameters.ts"
import type { Intent } from "../../../language/internal/english/clauses.ts"
import {
  bareNoun,
  groups,
  handover,
  lookupNoun,
  ofRecord,
  otherVerb,
  type VerbGroup
} from "../../../language/internal/english/verbs.ts"
import { headOf, labelOf } from "./grammar.ts"
import {
  clauseOfDescription,
  clauseOfName,
  isQuestion,
  determined,
  isPersonal,
  withHoles,
  type Clause,
  type Piece
} from "./objects.ts"
import { pattern, type Pattern } from "./pattern.ts"
import { makerOf, type Maker } from "./values.ts"

/** An argument the person can be asked about. */
export interface Detail {
  readonly parameter: Parameter
  /** What it names, for ids: `order_id` -> order. */
  readonly noun: string
  readonly label: string
  readonly maker: Maker | undefined
  /** The part of the person's own address that an argument of its name would hold. */
  readonly home: "city" | "state" | "country" | undefined
}

export interface ObjectPhrase {
  readonly pieces: ReadonlyArray<Piece>
  /** Whether the reference's noun is in it, and the id goes there. */
  readonly holdsReference: boolean
  /** Known to be there. */
  readonly definite: boolean
  /** One can ask what it is: something about a record, not the record itself. */
  readonly askable: boolean
  /** Whether it speaks of the reference's noun ("my order details"), so that the id alone is enough behind it. */
  readonly namesRecord: boolean
  readonly plural: boolean
  readonly short: boolean
}

export interface Speech {
  readonly tool: Tool
  readonly intent: Intent
  readonly objects: ReadonlyArray<ObjectPhrase>
  /** For each object, the verbs that suit it. */
  readonly verbs: ReadonlyArray<{ readonly agent: ReadonlyArray<Pattern>; readonly self: ReadonlyArray<Pattern> }>
  /** What a vague person calls it. */
  readonly topic: string
  /** What the record asked about is called, with its article, when there is one. */
  readonly record: string | undefined
  readonly reference: Detail | undefined
  /** Whether it takes an address in parts. */
  readonly addressed: boolean
  /** Whether its places have to fit together: a city and its country. */
  readonly homely: boolean
  /** Amount, unit and unit of a conversion: "convert 250 USD to EUR". */
  readonly convertible: readonly [amount: Detail, from: Detail, to: Detail] | undefined
  /** The arguments but an id that is the reference, required ones first. */
  readonly details: ReadonlyArray<Detail>
}

/** The mark an object carries where the id goes. */
export const referenceHole = "\u0001id"

export const speechOf = (tool: Tool): Speech => {
  const parameters = parametersOf(tool)
  const around = new Set(parameters.flatMap(({ name }) => wordsOf(name)))
  const details = parameters.map((parameter): Detail => {
    const noun = spokenNoun(nounOf(parameter.name, tool.name))
    return {
      parameter,
      noun,
      label: parameter.isId ? noun : labelOf(parameter.name),
      maker: parameter.isId ? undefined : makerOf(parameter, around),
      home: homeOf(parameter.name)
    }
  })
  const required = details.filter((detail) => detail.parameter.required)
  const reference =
    required.find(({ parameter }) => parameter.isId && !parameter.many) ??
    required.find(({ parameter }) => parameter.isId) ??
    required.find(({ maker, parameter }) => parameter.reference !== undefined && maker !== undefined) ??
    details.find(({ parameter }) => parameter.isId && !parameter.many)
  const noun = reference?.parameter.isId === true ? reference.noun : undefined

  const described = clauseOfDescription(tool.description)
  const named = clauseOfName(tool.name)
  const verb = verbFor(described, named)
  const group = verb === undefined ? (tool.kind === "read" ? lookupNoun : bareNoun) : (groups.get(verb) ?? otherVerb)
  const intent = group.intent
  const own = intent !== "make" && intent !== "reckon" && intent !== "send"
  const definite = intent === "look" || intent === "reckon"
  const holes = required.flatMap((detail) =>
    detail.maker !== undefined && !detail.parameter.many && fillable.has(detail.maker.role)
      ? [{ name: detail.parameter.name, nouns: nounsOf(detail.parameter.name) }]
      : []
  )
  /** "Transfer the user to a human agent". */
  const handed = described !== undefined && described.object[0] === "me" && described.object[1] === "to"
  const second = described === undefined ? named : usableName(named, described, tool.description)
  const clauses = handed
    ? [{ ...described, object: described.object.slice(2) }]
    : [described?.cut === true && second !== undefined ? undefined : described, second]
  const objects = clauses
    .flatMap((clause) => (clause === undefined || clause.object.length === 0 ? [] : [clause.object]))
    .map((object) =>
      phraseOf(thoughtIn(object, required) ?? withHoles(object, holes), {
        definite,
        own: own && !handed,
        noun,
        reading: definite
      })
    )
  const phrases = distinct(
    objects.length > 0 ? objects : [phraseOf(["this"], { definite, own, noun: undefined, reading: definite })]
  )
  return {
    tool,
    intent: handed ? "talk" : toolIntent(intent, tool.kind),
    objects: phrases,
    verbs: phrases.map((phrase) => verbsFor(handed ? { ...handover, intent } : group, verb ?? "get", phrase)),
    topic: topicOf(phrases, intent === "make" ? undefined : noun),
    record: reference === undefined ? undefined : noun === undefined ? "it" : recordOf(noun),
    reference,
    homely: required.filter(({ maker }) => maker?.role === "place" || maker?.role === "address").length > 1,
    addressed:
      required.some(({ maker }) => maker?.role === "address") &&
      required.some(({ maker }) => maker?.role === "zip" || maker?.role === "place"),
    convertible: conversionOf(verb, required),
    details: [...required, ...details.filter((detail) => !detail.parameter.required)].filter(
      (detail) => detail !== reference || !detail.parameter.isId
    )
  }
}

const homeOf = (argument: string): Detail["home"] => {
  const words = wordsOf(argument)
  if (words.length === 1 && words[0] === "location") return "city"
  if (words.includes("city") || words.includes("town")) return "city"
  if (words.includes("state") || words.includes("province")) return "state"
  return words.includes("country") ? "country" : undefined
}

/** "Think about something": the thing is what the text argument holds. */
const thoughtIn = (
  object: ReadonlyArray<string>,
  required: ReadonlyArray<Detail>
): ReadonlyArray<Piece> | undefined => {
  const text = required.find(({ maker }) => maker?.role === "text")
  if (text === undefined || !/^(?:something|anything)$/.test(object.join(" "))) return undefined
  return [{ hole: text.parameter.name, open: "something" }]
}

const conversionOf = (verb: string | undefined, required: ReadonlyArray<Detail>): Speech["convertible"] => {
  if (verb !== "convert") return undefined
  const named = (words: RegExp): Detail | undefined =>
    required.find(
      ({ maker, parameter }) => maker !== undefined && wordsOf(parameter.name).some((word) => words.test(word))
    )
  const amount = required.find(({ maker }) => maker?.role === "money" || maker?.role === "number")
  const from = named(/^(?:from|source|base)$/)
  const to = named(/^(?:to|target|destination)$/)
  return amount === undefined || from === undefined || to === undefined ? undefined : [amount, from, to]
}

/** A "tracking" is no record, its number is one. */
const spokenNoun = (noun: string): string =>
  /\b(?:tracking|confirmation|serial|registration|identification)$/.test(noun) ? `${noun} number` : noun

const fillable: ReadonlySet<string> = new Set([
  "place",
  "from",
  "to",
  "year",
  "subject",
  "month",
  "season",
  "expression"
])

const nounsOf = (parameter: string): ReadonlyArray<string> => {
  const words = wordsOf(parameter).filter((word) => !/^(?:name|title|type|id)$/.test(word))
  const last = words[words.length - 1]
  return last === undefined ? [] : [last]
}

/** "Returns the best places" of a `get_` tool is no return of goods. */
const verbFor = (described: Clause | undefined, named: Clause): string | undefined =>
  described?.verb === "return" && named.verb !== "return" ? (named.verb ?? "get") : (described?.verb ?? named.verb)

/** A tool's name is a second way to say the object, when it says more than one word and is no shorthand. */
const usableName = (named: Clause, described: Clause, description: string): Clause | undefined => {
  if (named.object.length < 2 || named.object.length > 4 || named.object.some((word) => word.length < 3))
    return undefined
  if (!named.leads) return undefined
  const head = English.singular(headOf(described.object).toLowerCase())
  const [before = "", last = ""] = named.object.slice(-2)
  return English.singular(last) === head || description.toLowerCase().includes(`${before} ${last}`) ? named : undefined
}

interface PhraseOptions {
  readonly definite: boolean
  readonly own: boolean
  readonly noun: string | undefined
  readonly reading: boolean
}

const phraseOf = (pieces: ReadonlyArray<Piece>, options: PhraseOptions): ObjectPhrase => {
  const words = pieces.filter((piece): piece is string => typeof piece === "string")
  const open = pieces.length > 0 && typeof pieces[0] === "string"
  const indefinite = /^(?:an?)$/.test(words[0] ?? "")
  const first = open
    ? determined(leadingWords(pieces), { definite: options.definite && !indefinite, own: options.own })
    : []
  const all: Array<Piece> = [...first, ...pieces.slice(leadingWords(pieces).length)]
  const withId = options.noun === undefined ? all : markReference(all, options.noun, options.own || options.reading)
  const flat = withId.map((piece) => (typeof piece === "string" ? piece : piece.open))
  const holdsReference = withId.some((piece) => typeof piece !== "string" && piece.hole === referenceHole)
  const definite = /^(?:the|my|all|this|these)$/.test(flat[0] ?? "")
  return {
    pieces: withId,
    holdsReference,
    definite,
    askable: definite && options.reading && !(holdsReference && withId.length <= 3),
    namesRecord: options.noun !== undefined && flat.join(" ").includes(options.noun),
    plural:
      English.isPlural(headOf(flat)) || / and /.test(` ${flat.join(" ").split(/ (?:of|for|in|on) /, 1)[0] ?? ""} `),
    short: flat.join(" ").split(" ").length <= 5
  }
}

const leadingWords = (pieces: ReadonlyArray<Piece>): ReadonlyArray<string> => {
  const end = pieces.findIndex((piece) => typeof piece !== "string")
  return (end === -1 ? pieces : pieces.slice(0, end)).filter((piece): piece is string => typeof piece === "string")
}

/** Where the object speaks of the record ("a pending order"), the id goes behind it: "my pending order #W123". */
const markReference = (pieces: ReadonlyArray<Piece>, noun: string, own: boolean): ReadonlyArray<Piece> => {
  const words = noun.split(" ")
  for (let i = pieces.length - 1; i >= 0; i--) {
    const matches = words.every((word, j) => pieces[i - words.length + 1 + j] === word)
    const next = pieces[i + 1]
    if (!matches || (typeof next === "string" && !/^(?:of|for|in|on|at|to|from|by|with|and|or)$/.test(next))) continue
    const start = nounPhraseStart(pieces, i)
    const before = pieces.slice(0, start)
    const adjectives = pieces
      .slice(start, i + 1)
      .filter((piece) => typeof piece !== "string" || !/^(?:an?|the|my|each|any)$/.test(piece))
    const article = own && isPersonal(noun) ? "my" : "the"
    return [...before, article, ...adjectives, { hole: referenceHole, open: "" }, ...pieces.slice(i + 1)]
  }
  return pieces
}

const nounPhraseStart = (pieces: ReadonlyArray<Piece>, end: number): number => {
  let start = end
  while (start > 0) {
    const piece = pieces[start - 1]
    // in a question the record's noun stands behind a verb: "when the bus leaves a stop"
    if (isQuestion(pieces) && /^(?:an?|the)$/.test(String(pieces[start]))) break
    if (typeof piece !== "string" || /^(?:of|for|in|on|at|to|from|by|with|about|and|or|into)$/.test(piece)) break
    start -= 1
  }
  return start
}

const distinct = (phrases: ReadonlyArray<ObjectPhrase>): ReadonlyArray<ObjectPhrase> => {
  const seen = new Set<string>()
  return phrases.filter((phrase) => {
    const key = JSON.stringify(phrase.pieces)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

const verbsFor = (group: VerbGroup, verb: string, phrase: ObjectPhrase): Speech["verbs"][number] => {
  const itself = phrase.holdsReference && phrase.pieces.length <= 3 && group.intent === "look"
  const chosen = itself
    ? ofRecord
    : group.definite !== undefined
      ? phrase.definite
        ? group.definite
        : (group.indefinite ?? group.definite)
      : group
  const fill = (text: string): Pattern =>
    pattern(text.replaceAll("{b}", verb).replaceAll("{p}", English.participle(verb)))
  /** "get my order cancelled" needs an object short enough to hold on to. */
  const fits = (text: string): boolean =>
    (phrase.short && !phrase.holdsReference) || !/\{o\}\s\S/.test(text) || (/\{o\} for me/.test(text) && phrase.short)
  const usable = (texts: ReadonlyArray<string> | undefined): ReadonlyArray<Pattern> =>
    (texts ?? otherVerb.agent).filter(fits).map(fill)
  return { agent: usable(chosen.agent), self: usable(chosen.self) }
}

/** A classifier's word counts where the verb's group says little. */
const toolIntent = (intent: Intent, kind: ToolKind): Intent => {
  if (kind === "pay" || kind === "send") return intent === "look" || intent === "reckon" ? intent : kind
  return intent
}

const topicOf = (phrases: ReadonlyArray<ObjectPhrase>, noun: string | undefined): string => {
  if (noun !== undefined) return recordOf(noun)
  const saysNothing = ({ pieces }: ObjectPhrase): boolean =>
    isQuestion(pieces) || /^(?:something|anything|this)$/.test(String(pieces[0]))
  if (phrases.every(saysNothing)) return "this thing"
  const texts = phrases.map((phrase) => shortened(phrase.pieces))
  const [shortest = "this"] = texts.toSorted((a, b) => a.length - b.length)
  return shortest
}

/** Up to the first preposition, unless that leaves a word that says nothing. */
const shortened = (pieces: ReadonlyArray<Piece>): string => {
  const flat = pieces
    .map((piece) => (typeof piece === "string" ? piece : piece.open))
    .filter((text) => text !== "")
    .join(" ")
    .split(" ")
  const end = flat.findIndex((word, i) => i > 1 && /^(?:of|for|in|to|from|by|with|about|between)$/.test(word))
  const empty =
    /^(?:details?|information|list|status|number|name|names|value|set|piece|result|type|items?|amount|area|sum)$/
  return end === -1 || empty.test(flat[end - 1] ?? "") ? flat.join(" ") : flat.slice(0, end).join(" ")
}

const recordOf = (noun: string): string =>
  noun.endsWith(" number")
    ? "it"
    : /^(?:user|customer|member|client)$/.test(noun)
      ? "my account"
      : isPersonal(noun)
        ? `my ${noun}`
        : `the ${noun}`
