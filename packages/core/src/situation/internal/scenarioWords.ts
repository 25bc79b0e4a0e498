/**
 * The words of a scenario ("You are Mei Davis in 80217. You want to return the office chair. If the agent asks, ..."), told
 * apart into who the person is, how they are, what they want and how they go on, and said by the person themselves.
 */
import * as English from "../../language/English.ts"
import * as Sentences from "./sentences.ts"

export interface Parts {
  /** What the person says first, in their own words. */
  readonly opening: string
  /** All they want, in their own words. */
  readonly wants: string
  /** How they are, and how they go on, as it was written. */
  readonly manner: string
  readonly rules: string
}

export const read = (story: string): Parts => {
  const pieces = Sentences.split(story).flatMap(piecesOf)
  const of = (kind: Kind): ReadonlyArray<string> => pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : []))
  const wants = of("want").map((text) => English.capital(firstPerson(text)))
  return {
    opening: openingOf(wants) || English.capital(firstPerson(story)),
    wants: wants.join(" "),
    manner: of("manner").join(" "),
    rules: of("rule").join(" ")
  }
}

type Kind = "who" | "manner" | "want" | "rule"

interface Piece {
  readonly kind: Kind
  readonly text: string
}

/** A sentence, or its parts where it says who somebody is and goes on, or wants something unless. */
const piecesOf = (sentence: string): ReadonlyArray<Piece> => {
  const kind = kindOf(sentence)
  if (kind === "who" || kind === "manner") {
    const [head, tail] = cutAt(sentence, goesOn)
    return tail === undefined ? [{ kind, text: sentence }] : [{ kind, text: head }, ...piecesOf(subject(tail))]
  }
  if (kind === "rule") return [{ kind, text: sentence }]
  const open = sentence.replace(aside, "").trim()
  const [head, tail] = cutAt(open, condition)
  const asides = [...sentence.matchAll(aside)].map(([text]): Piece => ({ kind: "rule", text: text.trim() }))
  return [
    { kind: "want", text: tail === undefined ? open : `${head.replace(/[,;\s]+$/, "")}.` },
    ...(tail === undefined ? [] : [{ kind: "rule" as const, text: English.capital(tail) }]),
    ...asides
  ]
}

const cutAt = (text: string, pattern: RegExp): readonly [head: string, tail?: string] => {
  const found = pattern.exec(text)
  return found === null ? [text] : [text.slice(0, found.index), text.slice(found.index + found[0].length)]
}

const kindOf = (sentence: string): Kind => {
  if (who.test(sentence)) return "who"
  if (rule.test(sentence)) return "rule"
  return manner.test(sentence) && !wish.test(sentence.replace(goesOn, "")) ? "manner" : "want"
}

/** Names, ids, addresses: "You are Yusuf Rossi in 19122", "You name is", "Your user id is", "You live in". */
const who =
  /^(?:[Yy]ou(?:'re| are)\s+(?:(?:an?|the)\s+)?(?:customer\s+|user\s+)?(?:["']?\p{Lu}[\p{L}'-]+|\w+_\w*\d)|(?:[Yy]our?|[Yy]ou're)\s+(?:full\s+|first\s+|last\s+)?(?:user[ _]?)?(?:names?|id|e-?mails?|zip ?code|phone(?: number)?|address)\b[^.]*\b(?:is|are)\b|[Yy]ou(?: currently)? (?:live|reside)\b|[Yy]ou have (?:two |an? )?e-?mails?\b)/u

/** How somebody is or speaks. */
const manner =
  /^(?:[Yy]ou(?:'re| are)\s+(?:(?:an?|very|a bit|also|now)\s+)?(?!(?:trying|looking|calling|contacting|unable|having|going|interested)\b)\p{Ll}[\p{Ll}-]+(?:[,.]|\s+(?:and|but|person|customer|user|today|in|about)\b|$)|[Bb]e (?:polite|brief|patient|concise)|[Yy]ou (?:like|love|prefer|tend) to (?:talk|speak|say|do one thing|reveal)|[Yy]ou (?:speak|talk)\b)/u

/** What happens only when something else does, and what must stay unsaid or be said in a certain way. */
const rule =
  /^(?:(?:but|and|also|however|otherwise|then)[, ]+)?(?:if|when(?:ever)?|unless|in case|only if|once|as soon as|make sure|make up|make everything|do(?: not|n't)|never|always|only|provide|mention|tell|ask|insist|you (?:do not|don't|will not|won't|should(?: not|n't)?|must|will|would|can|cannot|can't|are (?:willing|not willing|ok|okay|fine)|only know|forgot|don't remember)|you'(?:d|ll) (?:say|tell|accept|ask|agree))\b/i

const wish = /\b(?:want|wan|wish|need|wonder|would like|'d like|looking|trying|hope)\b/i
const goesOn =
  /[,)]?\s+(?:and|but|who)\s+(?=(?:you(?:'d| would| are| have| just| recently| also)?\s+)?(?:also\s+)?(?:just |recently )?(?:wants?|wish|need|wonder|like to|received|ordered|placed|bought|would like|trying|looking)\b)/i
const condition = /[,;.]?\s+(?:but|and|however)\s+(?=(?:only\s+)?(?:if|when|once|unless)\b)/i
/** A remark in brackets that is for the person alone. */
const aside = /\s*\([^()]*\b(?:reveal|mention|agent|only if|do(?:n't| not))\b[^()]*\)/gi

/** "want to exchange it", of somebody who was named before. */
const subject = (text: string): string => (/^(?:you|it|the|there)\b/i.test(text) ? text : `you ${text}`)

/** Up to the first sentence that says what is wanted; a long story is left for later. */
const openingOf = (wants: ReadonlyArray<string>): string => {
  const first = wants.findIndex((text) => wish.test(text))
  return wants.slice(0, first < 0 || first >= longestOpening ? longestOpening : first + 1).join(" ")
}

const longestOpening = 4

/** "You want your money" -> "I want my money". */
export const firstPerson = (text: string): string =>
  steps.reduce((said, [pattern, by]) => said.replace(pattern, by), text)

const steps: ReadonlyArray<readonly [RegExp, string]> = [
  // A slip that scenarios often have.
  [/\byou(?= (?:names?|mobile|e-?mail|internet|data)\b)/gi, "your"],
  [/\byourself\b/gi, "myself"],
  [/\byours\b/gi, "mine"],
  [/\byour\b/gi, "my"],
  [/\byou(?: a|')re\b/gi, "I am"],
  [/\byou were\b/gi, "I was"],
  [/\bare you\b/gi, "am I"],
  [/\bwere you\b/gi, "was I"],
  [
    /\b(to|for|with|from|of|about|at|by|on|than|against|help|helps|let|lets|give|gives|gave|tell|tells|told|asks|asked|charge|charges|charged|send|sends|sent|contact|call|called|refund|owe|owes|show|shows|offer|offers|offered|allow|allows|make|makes|made|gets|cost|costs|save|saves|reach|remind|between|without) you\b(?! (?:want|need|have|had|do|are|would|will|can|could|just|received|ordered|bought|paid|think|like|made|placed)\b)/gi,
    "$1 me"
  ],
  [/\byou(?=\s*(?:[.;:!?)]|,? (?:and|but|or) \w+ing\b|$))/gi, "me"],
  [/\byou\b/gi, "I"],
  [/\b(I [^.;!?]*?(?:,| and| but)) are(?= (?:in|an?|very|so|now|not|also|\w+(?:ed|ing|nt|ly|us|y))\b)/g, "$1 am"],
  // Who reads this is the agent.
  [/\b(?:ask|have) the (?:customer (?:service|support) )?agent to\b/gi, "ask you to"],
  [/\bthe (?:customer (?:service|support) )?agent (can|could|will|would|should|may)\b/gi, "you $1"],
  [/\bthe (?:customer (?:service|support) )?agent to\b/gi, "you to"]
]
