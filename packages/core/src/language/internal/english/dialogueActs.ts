/**
 * What a line of the agent does: whether it asks the person something, asks for a yes, refuses, or says goodbye. Read from
 * what the line says, since a question mark is neither needed nor enough.
 */

/** The text as said: without code, links and quoted words. */
const said = (text: string): string =>
  text
    .replace(/```[^]*?(?:```|$)/g, " ")
    .replace(/`[^`\n]*`/g, " ")
    .replace(/\bhttps?:\/\/\S+/gi, " ")
    .replace(/(^|\s)["“][^"”\n]*["”]/g, "$1 ")

/** Sentences with their mark. */
const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=[.!?？؟。])\s+|(?<=[？。])|\n+/)
    .map((sentence) => sentence.replace(/^[\s>*#•\-–\d.)]*\s*/, "").trim())
    .filter((sentence) => sentence !== "")

/** Offers to help further: polite, and nothing is asked. */
const offer =
  /\b(?:let me know|feel free|don't hesitate|do not hesitate|reach out|contact us|i'm here|i am here|just ask)\b[^?]*\b(?:any(?:thing|one)?|other|else|further|more|help|assist|questions?|concerns?|need)\b/i

const opener =
  "(?:please|kindly|also|and|so|then|first|now|just|next|thanks|thank you|to (?:do|help|continue|proceed|start)[^,]*,)"
const wanted = new RegExp(
  `^(?:${opener}[,:]?\\s+)*(?:provide|share|send|confirm|tell|give|enter|specify|choose|select|pick|reply|respond|verify|clarify|describe|state|list|type|let me know|let us know|show me|remind me)\\b`,
  "i"
)
const needed =
  /\b(?:i|we)(?:'ll|'d| will| would| just| still| also)*\s+(?:need|require|like to know|have to know|must have|want to know|like you to|need you to)\b(?! to (?:check|look|process|transfer|escalate|review|verify with))[^.!]*\b(?:you|your|which|what|when|where|how many|whether|the (?:order|account|booking|reservation|number|email|name|date|reason))\b/i
const couldYou =
  /\b(?:could|can|would|will) you (?:please |kindly |also |just )*(?:provide|share|send|confirm|tell|give|specify|clarify|verify|let|describe|choose|explain|check|repeat|remind)\b/i
const please =
  /\bplease (?:provide|share|send|confirm|tell|give|enter|specify|choose|select|reply|verify|clarify|describe|let me know (?:which|what|when|where|how|if you(?:'d| would)? (?:like|want|prefer)|whether|your|the))\b/i
const inverted =
  /^(?:(?:and|so|or|but|ok(?:ay)?|sure|great|also|now|then|well)[,:]?\s+)*(?:what|which|who|whom|whose|when|where|why|how|do you|did you|are you|is (?:this|that|it|there|your)|have you|can you|could you|would you|will you|shall i|should i|may i|can i|could i|am i|was it|were you)\b/i
/** "What happens next is ...", "How to return:", "When it arrives, ..." begin as questions do and are none. */
const statement =
  /^(?:what|which|how|when|where|why|who)\b(?:[^?]*?,\s|\s+to\b|[^?]*:\s*$|\s+\w+(?:\s+\w+)?\s+(?:is|was|are|were)\b|ever\b)|^(?:if|once|as)\b/i

/** Whether the line asks the person for something. */
export const asks = (line: string): boolean => sentencesOf(said(line)).some(asksSentence)

/** What a sentence asks, it asks in its first words. */
const firstCharacters = 400

const asksSentence = (whole: string, i: number, all: ReadonlyArray<string>): boolean => {
  if (offersMore(whole.slice(-firstCharacters))) {
    // "Shall I book it, or is there anything else I can do?" asks before it offers.
    const [before = ""] = whole.slice(0, firstCharacters).split(alternative, 1)
    return before.length < Math.min(whole.length, firstCharacters) && inverted.test(before)
  }
  if (/[?？؟][)"'”*_\s]{0,8}$/.test(whole)) return !answersItself(whole.slice(-firstCharacters), all[i + 1])
  const sentence = whole.slice(0, firstCharacters)
  if (offer.test(sentence)) return false
  if (wanted.test(sentence) || couldYou.test(sentence) || please.test(sentence) || needed.test(sentence)) return true
  return inverted.test(sentence) && !statement.test(sentence) && !whole.endsWith("!")
}

/** "Why? Because ..." and "The good news? It shipped." are ways of telling. */
const answersItself = (sentence: string, next: string | undefined): boolean =>
  next !== undefined &&
  (/^because\b/i.test(next) || (/^(?:the|my|our) [\w\s]{2,40}\?$/i.test(sentence) && !/[?？؟]/.test(next)))

const alternative = /,?\s+or\s+(?=is there|do you have|(?:any|some)thing else)/i

const forYes =
  /\b(?:would you like (?:me|us)?\s*to|do you want (?:me|us) to|shall (?:i|we)|should (?:i|we)|may i|(?:can|could) (?:i|we) (?:go ahead|proceed|continue)|(?:is|are|does|do) (?!there\b)[^?]{2,60}\b(?:correct|right|ok(?:ay)?|fine|good|work|acceptable|accurate)|do you (?:confirm|agree|accept|consent)|are you sure|(?:ready|happy|okay|ok) to proceed|proceed\s*\?|yes\s*(?:\/|or)\s*no|reply (?:with )?["']?yes|(?:please )?confirm (?:that|if|whether|you|the (?:cancellation|refund|return|booking|change|details|purchase|payment))|to confirm)\b/i

/** Whether the line asks for a go-ahead. */
export const asksForYes = (line: string): boolean => forYes.test(said(line))

const more =
  /\b(?:(?:anything|something) else (?:(?:that )?(?:i|we) (?:can|could|may)|you(?:'d| would)? (?:need|like))|(?:is there|do you (?:have|need)|(?:help|assist) you with|need) (?:anything|something) else|^anything else|any (?:other|further|more) (?:questions?|concerns?|requests?)|(?:else|further|more) (?:i|we) can (?:help|assist|do))\b/im

/** "Is there anything else I can help with?": nothing is asked that the person would have to know or decide. */
export const offersMore = (line: string): boolean => more.test(line)

const refusal =
  /\b(?:(?:i|we)(?:'m| am|'re| are)? (?:can(?:'|’)?t|cannot|can not|unable|not able|not allowed|not permitted|not authorized|won(?:'|’)t be able|will not be able|do not have (?:access|the ability|permission)|don(?:'|’)t have (?:access|the ability|permission)|have to decline|must decline)|(?:it|that|this)(?:'s| is| was)? (?:not|no longer) (?:possible|allowed|permitted|eligible)|against (?:our|the|company) polic(?:y|ies)|(?:is|are) not eligible|(?:unfortunately|i(?:'|’)m (?:sorry|afraid)|sorry)[^.]{0,60}\b(?:can(?:'|’)?t|cannot|unable|not (?:able|possible|allowed|eligible)|won(?:'|’)t))\b/i

/** Whether the line turns the person down. */
export const refuses = (line: string): boolean => refusal.test(said(line))

const gratitude =
  /\b(?:thank(?:s| you)|thx|you(?:'|’)re (?:very )?welcome|my pleasure|glad (?:i could|to) help|happy to help|no problem|have a (?:great|good|nice|lovely|wonderful)|take care|good ?bye|bye|cheers|appreciate)\b/i

/** Whether the line is thanks or goodbye and little else. */
export const isThanks = (line: string): boolean => {
  const text = said(line).trim()
  return gratitude.test(text) && text.split(/\s+/).length <= 14 && !asks(text) && !/\d/.test(text)
}
