/**
 * The sentences in which English says that something was done, as regular expression sources. `{verb}` stands for the
 * forms that report an action done, `{lemma}` for the verbs themselves, `{noun}` for the nouns of the acts; the first
 * group that matched is the word of the action. Everything that repeats has a bound: replies are of any length.
 */

const adverbs =
  "(?: (?:just|already|now|also|successfully|gone ahead and|went ahead and|since|both|officially|fully|all)){0,4}"
const speaker = `\\b(?:i|we)(?:['’]ve| have)?${adverbs}`
/** Verbs that leave it to their object to say what was done. */
const light =
  "(?:issued|processed|made|placed|put|submitted|completed|initiated|finali[sz]ed|executed|arranged|carried out|sent|given|filed|done)"
/** What may stand between such a verb and its noun: words of one phrase, so no preposition, conjunction or denial. */
const within =
  "(?: (?!(?:of|for|about|on|at|to|with|from|in|by|and|or|but|that|if|no|not|any)\\b)[\\w$€£'’-]+(?:[.,]\\d+)*)"
/** After a noun that is the head of its phrase: a refund *request* is no refund. */
const head =
  "(?=\\s*(?:[.,;:!?)–—]|$|(?:of|for|to|on|in|at|by|with|from|and|through|back|as|now|today|already|successfully|immediately|right)\\b))"
/** What a noun's phrase may go on with before its verb: "a refund of $5 to your card". */
const more = "(?: (?:of|for|to|on|from)(?: (?!(?:is|are|was|has|have|went)\\b)[\\w$€£'’#-]+(?:[.,]\\d+)*){1,4}?){0,2}"
const carriedOut =
  "(?:issued|processed|completed?|confirmed|approved|made|placed|submitted|finali[sz]ed|executed|sent|done|carried out|arranged)"
const done = `(?:${carriedOut}|successful|in place|through)`
const things = "(?:it|that|this|them|everything|(?:the|your|both|all|my)(?: [\\w#-]+){1,3}?|[a-z]{0,4}[-#]?\\d+)"
/** What a reply may open with before it says the thing itself. */
export const openers =
  "(?:(?:great|ok(?:ay)?|sure(?: thing)?|perfect|wonderful|excellent|alright|all right|right|certainly|absolutely|of course|good news|got it|no problem|no worries|thank you|thanks|done|yes|yep)\\b[\\s,!.:–—-]{0,6}){0,4}"
const opening = `(?:^|[.!?\\n])\\s{0,4}[*_]{0,3}${openers}`
/** The end of something said in a few words. */
const stop = "(?=\\s*(?:[.!,;–—*]|-(?!\\w)|$|\\n|for you\\b|as (?:requested|you)\\b|and\\b))"
/** A word before a participle that is part of a name: with a pronoun, an auxiliary or a denial it is a sentence. */
const name =
  "(?!(?:not|never|no|nothing|none|be|been|being|is|are|was|were|am|to|get|gets|got|have|has|had|having|can|could|will|would|if|once|when|unless|until|after|before|because|i|we|you|he|she|they|who|which|what|that|how|whether|by|only|still)\\b|\\w+n['’]t\\b)[\\w#'’-]+"

/** Said of the speaker's own doing. */
export const own: ReadonlyArray<string> = [
  `${speaker} ${light}${within}{0,5}? ({noun})${head}`,
  `${speaker} ({verb})\\b`,
  "\\b(?:i|we)(?: (?:was|were)|['’]ve been| have been) able to ({lemma})\\b",
  `${speaker} managed to ({lemma})\\b`,
  `${speaker} (?:got|gotten|had|have) ${things} ({verb})\\b(?! by\\b)`,
  "(?:^|[.!\\n] *)(?:done[,!.:–-]* *)?(?:successfully|all) ({verb})\\b"
]

/** The same without a speaker: such a sentence may also report what was read. */
export const reported: ReadonlyArray<string> = [
  `(?:\\b(?:has|have)|['’]ve)${adverbs} been${adverbs} ({verb})\\b`,
  `\\b(?:is|are) now${adverbs} ({verb})\\b`,
  "\\b(?:was|were) successfully ({verb})\\b"
]

/** The state something is in after the action. */
export const states: ReadonlyArray<string> = [
  "(?:\\b(?:is|are|was|were)|['’](?:s|re))(?: (?:now|all|already|successfully|officially)){0,4} ({verb})\\b"
]

/** A state in a few words, or of the act itself: "Refund issued.", "OK, cancelled.", "The transfer has gone through." */
export const headlines: ReadonlyArray<string> = [
  `${opening}consider ${things} (?:as )?({verb})\\b`,
  `\\b({noun})${more} (?:has|have)${adverbs} (?:been${adverbs} ${carriedOut}|gone (?:through|out))\\b`,
  `\\b({noun})${more} (?:went (?:through|out)|(?:is|are|was)(?: (?:now|all|already)){0,3} ${done})\\b`,
  `${opening}(?:(?:your|the|a|full|all) ){0,3}({noun}) (?:(?:now|successfully) )?${done}${stop}`,
  `${opening}({verb})(?:${stop}|(?= (?:it|that|this|them|both|everything|you|the|your)\\b))`,
  `${opening}(?:${name} ){1,3}(?:(?:now|successfully) )?({verb})${stop}`
]
