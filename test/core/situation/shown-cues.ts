/**
 * What a reader would look for in a text before believing a label, written without looking at the writer's tables. A
 * label without an entry here fails the test that uses it.
 */
type Cue = (text: string, opener: string) => boolean

/** Without what is never altered: quotes, code, markup, addresses and identifiers. */
const words = (text: string): string =>
  text.replace(/"[^"]*"|<[^>]*>\S*|\[[^\]]*\]|\S*[\d_#@/`=]\S*|\S+\.[a-z]\S*/gu, "")

const says =
  (pattern: RegExp): Cue =>
  (text) =>
    pattern.test(text)

export const cues: Readonly<Record<string, Readonly<Record<string, Cue>>>> = {
  stance: {
    // plain requests: anything that is asked or wanted
    ordinary: says(
      /\?|\b(?:can|could|would|please|kindly|need|want|wish|like|looking|trying|love|help|ask|gotta|wanna|hoping|all i want|how hard)\b|^[\s\S]*\w/i
    ),
    ambiguous: says(
      /\bsome(?:thing|body|one|how| info| number| sort)?\b|that thing|or whatever|take care of|the usual|the deal|sort(?:ed)?\b|issue with|anything on|do the thing|whatever works|fix it|roughly/i
    ),
    boundary: says(
      /exception|limit|edge|borderline|policy|deadline|cutoff|not allowed|normally|maximum|requirements|entitled|past the/i
    ),
    adversarial: says(
      /ignore|forget|override|disregard|unrestricted|no rules|system prompt|administrator|authori[sz]e|compliance|approved|developer|officer|system|assistant|admin|\[tool|lose my job|report you|begging|lawyer|decent human|followers|account too|account, not mine|on file|on behalf|before me|password/i
    ),
    hurried: says(
      /asap|rush|quick|urgent|no time|five minutes|2 min|hurry|fast please|running late|board|immediately|right now/i
    ),
    unsure: says(/not (?:a hundred percent )?(?:sure|certain)|maybe|might|i think|could be confusing/i),
    retry: says(/again|second attempt|once more|one more time|never heard/i),
    mistaken: says(/as far as i know|impression|pretty sure|my understanding/i),
    exploratory: says(
      /option|curious|hypothetically|what would happen|what would it take|before i decide|not deciding|exploring|looking (?:around|into)|thinking about|weighing/i
    ),
    conflicting: says(
      /at the same time|but also|don't look anything up|leave out everything|only a rough guess|nothing but the number|go on using|stay in place|rounded to tens/i
    )
  },
  tone: {
    polite: says(
      /please|thank|grateful|would you mind|may i|could i|appreciate|sorry to bother|excuse me|hope you can help|kindly/i
    ),
    casual: says(
      /\bhey\b|\bheya\b|\byo\b|\bhi hi\b|real quick|gotta|wanna|any chance|gonna|kinda|could ya|\bthx\b|cheers|\bta\b|thanks a bunch|\blmk\b|\bty\b|any idea|happen to know|so what|^ok,/i
    ),
    formal: says(
      /dear|whom it may concern|good day|regards|sincerely|respectfully|look forward|request|kindly|wish to|hereby|obliged|enquire/i
    ),
    frustrated: says(
      /just want|last time|so difficult|fed up|ridiculous|had it with|seriously|finally|can nobody|ugh|^look|listen|hello\?+!+|honestly|forever|all day|unbelievable|expect better|not impressed/i
    ),
    friendly: says(
      /hi there!|hope |lovely|thanks so much|the best|great day|thanks a million|appreciate you|wondering|i'd love|star|hoping you|so happy|make my day|curious|quick one|good morning!|hey!/i
    ),
    terse: (text) => text.split(/\s+/).length <= 14
  },
  texture: {
    lowercase: (text) => !/\p{Lu}\p{Ll}/u.test(words(text)),
    shouting: (text) => !/\b\p{Ll}{3,}/u.test(words(text)),
    typos: () => true,
    no_punctuation: (text) => !/[a-z][.,!?](?:\s|$)/i.test(text.replace(/"[^"]*"|\S*[\d_#@/]\S*/g, "")),
    exclamations: says(/!!|\?\?/),
    dots: says(/\.\.\./)
  },
  history: {
    prior_failure: says(
      /yesterday|last time|already (?:attempted|tried)|last attempt|this morning|first time|earlier attempt/i
    ),
    prior_partial_action: says(/started|halfway|first part|begun|didn't complete|part of this was/i),
    contradicts_earlier: says(
      /opposite|different|ignore what i said|not what i asked|i wouldn't need|disregard|take back/i
    ),
    repeat_visit: says(/again|days ago|third time|already talked|back with|in touch|last month/i)
  },
  world_state: {
    missing: says(/can't (?:find|see)|doesn't (?:show up|exist)|not found|disappeared|nothing at all|vanished/i),
    already_acted_on: says(/already|someone/i),
    duplicate: says(/two|twice|duplicate/i),
    partially_completed: says(/part|half|halfway|not everything|first step/i),
    unknown: says(/no idea|don't know|no clue|can't tell|not sure|lost track|nobody could tell/i)
  },
  tool_condition: {
    timeout: says(/tim(?:ing|ed) out|loads forever|slow|hung|spinner/i),
    malformed_result: says(/garbled|gibberish|weird characters|scrambled|broken text|corrupted/i),
    stale_result: says(/out of date|last week's|last updated|old data|refreshed|outdated/i),
    permission_denied: says(/permission|access denied|authorized|rights|not allowed|lock icon/i)
  },
  attack: {
    instruction_override: says(
      /ignore all|forget the rules|override|unrestricted|disregard your|no rules|system prompt/i
    ),
    false_authority: says(/administrator|head of customer|compliance|manager already|developer|police/i),
    data_injection: says(/system|assistant must|verified=true|\[tool result\]|end of user message/i),
    social_pressure: says(/lose my job|your colleague did|begging|one-star|decent human|followers/i),
    others_data: says(/'s account|about (?:my|mrs|daniel|laura)|on behalf of|customer before me/i)
  },
  off_topic: {
    other_domain: says(
      /stain|neighbourhood|boil|rattling|workout|football|wedding|houseplant|cat|camping|interest rates|visa/i
    ),
    creative: says(/write|make up|funny|rhymes|invent|compose/i),
    maths: says(/times|mph|%|prime|train|ways|divided|solve/i),
    garbage: (text) => !/\b(?:order|account|please can|weather)\b/i.test(text),
    other_language: says(/[¿àéõćśğşёа-я]|ciao|kannst|hoi|olá|すすめ|好玩|안녕/i),
    meta: says(/bot|people do you|company|remember|tired|language model|hear me|who sees|pick a name|making things up/i)
  }
}
