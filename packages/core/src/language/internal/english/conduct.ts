/**
 * English as conduct reads it.
 */
import * as English from "../../English.ts"
import type { Action, ConductWords } from "../../Language.ts"
import * as Claims from "./claims.ts"
import * as Verbs from "./verbs.ts"

const actions: ReadonlyArray<Action> = Verbs.verbs.flatMap(({ lemma, kind, claim }) => {
  if (claim === null || kind === null) return []
  const other = Verbs.otherForms.get(lemma)
  const forms = other === undefined ? English.pastForms(lemma) : [...English.pastForms(lemma), other]
  return { lemma, kind, plain: claim === "named", event: Verbs.events.has(lemma), forms }
})

const anyOf = (...patterns: ReadonlyArray<RegExp>): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join("|"), "i")

export const conduct: ConductWords = {
  certain: new Set(
    "i've i'm i'll it's that's you're you've we've we'll here's there's your don't can't isn't wasn't couldn't".split(
      " "
    )
  ),
  common: new Set(
    "the and you with this that are not it please been can be to which from there but what how any would did done confirmed completed processed pending successfully went gone through they their yours our sorted received thank thanks everything".split(
      " "
    )
  ),
  shared: new Set(["i", "we", "have", "has", "is", "was", "been", "for", "not", "all", "of"]),
  little: new Set(
    "a an the i you he she it we they me him her us them my your his its our their this that these those is are was were be been am do does did have has had will would can could should may might must not no of to in on at by for with from as and or but if so than then there here what which who how when where why all any some".split(
      " "
    )
  ),
  foreign: new Set(
    "el los las una del por para con pero como está esta su sus muy ya usted pedido hecho listo gracias le les des une du est et pour avec votre vous nous je dans sur pas été fait terminé merci der das dem ein eine und ist nicht mit für auf wurde haben ich sie wir ihre ihr erledigt danke bitte gebucht storniert il lo gli di che è per non con sono fatto grazie ordine um uma os dos foi não seu sua feito obrigado het een van niet voor met uw wij zijn klaar bedankt och att det som på inte är har klart tack ja og ikke til jeg på en er bir ve için değil tamam siparişiniz jest nie się na że dla gotowe zostało je není pro hotovo valmis kiitos tilaus ei ole și este pentru nu nem és az egy kész".split(
      " "
    )
  ),
  actions,
  pastForms: English.pastForms,
  isVerb: English.isIrregular,
  nounsOf: English.actNouns,
  nounEnding: English.actNounEnding,
  emptyVerbs: Verbs.emptyVerbs,
  ownClaims: Claims.own,
  reportedClaims: Claims.reported,
  stateClaims: Claims.states,
  headlineClaims: Claims.headlines,
  noSubject:
    /^(?:an?|any|each|every|all|most|some|no|which|what|who|how|where|why|here|there)\b|\b(?:which|who|whose|what|how|where|says?|said|shows?|showed|sees?|told|states?|means?|by default|always|usually|normally)\b|\S that\b/i,
  statesMore:
    /^(?! *(?:[.!,;:)*–—]|-|$|\n|and\b|for you\b|as (?:requested|you)|until\b|now\b|successfully\b|free of charge|(?:for|on|at|from|till) (?:the )?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|tomorrow|tonight|today|next\b)))|^[^.!?\n]*\b(?:if|unless|when|whenever|once|only|automatically|would|provided|according|per)\b/i,
  blanketOpening: new RegExp(
    `^[\\s*_]{0,6}${Claims.openers}(?:you(?:['’]re| are) all set\\b|all set\\b|(?:all )?sorted\\b(?=\\s*(?:[.!,:–—-]|$))|(?:(?:it|that)['’]s |(?:it|that) is |all )?done\\b(?=\\s*(?:[.!,:–—-]|$))|consider (?:it|that|this|everything) (?:done|sorted|settled|handled|fixed|resolved|taken care of)\\b|(?:it|that|everything)(?:['’]s| is| has been) (?:all )?(?:taken care of|sorted|arranged)\\b)`,
    "i"
  ),
  blanketOwn:
    /\b(?:i|we)(?:['’]ve| have)(?: (?:just|now|also|gone ahead and))* (?:taken care of|sorted(?: out)?|(?:handled|arranged) (?:it|that|this|everything))\b/i,
  consequences:
    /\b(?:you|it|they|we|nothing|(?:your|the|its) \w+|[A-Z]+[-\w]*\d+)(?: (?:will not|will no longer|will never|do not|does not|need not)|(?: wo| do| does|['’]ll)n?['’]?t| won['’]t) (?:be |have to |need to )?\w+/gi,
  asksToKnow:
    /^\W*(?:(?:hi|hello|hey|please|so|and|but|also|ok(?:ay)?)\b\W*)*(?:where|when|why|how|what|which|who|has|have|is|are|was|were|did|does|do)\b|\b(?:where|whether|why|how|if) (?:my|the|it|this|that|i|you|we)\b/i,
  hypothetical:
    /\b(?:once|after|if|when|until(?! \d)|before|unless|whether|because|since|as soon as|would|could|should|may|might|will|wish|assume|assuming|think|thought|suppose|cannot|can['’]t|not|never|don['’]t|doesn['’]t|didn['’]t|hasn['’]t|haven['’]t|no)\b[^.!?\n]*$/i,
  denied: /^\s+(?:nothing|no|none|neither|any)\b/i,
  done: /\b(?:done|all set|all sorted|sorted(?= *[.!,])|all taken care of|taken care of|went through|completed? successfully|successfully completed|is complete|success)\b/i,
  owning: anyOf(
    // plainly: a denial, a failure, an excuse, a question
    /n['’]t\b|\b(?:not|no|none|nothing|never|neither|cannot|unable|unsuccessful|fail(?:s|ed|ing|ures?)?|errors?|issues?|problems?|trouble|difficult\w*|timed out|timing out|timeout|unavailable|unresponsive|down|denied|denies|refused|refuses|rejected|declined|blocked|locked|forbidden|permission|unauthori[sz]ed|sorry|apolog\w+|regret|unfortunately|invalid|incorrect|wrong|missing|impossible|expired|tried|attempted|attempt|pending|on hold|double-check|check|verify|confirm|try|retry|later|busy|limit\w*|without|human|specialist|colleague|support team|escalat\w+|(?:transferr?|hand|pass)(?:ed|ing)? (?:you|this|it|your (?:case|request|question)) (?:on|over|to)|look into|looking into|investigat\w+|manually|instead|by hand|lack\w*|stuck|offline|out of (?:service|order)|stays|remains?|unchanged|non-?\w+able|still (?:open|active|in place|there|valid|confirmed|waiting|standing|booked)|follow(?:ing)? up|get back to you|(?:get|ask|asked|call|reach|involve) (?:a|the|our|my) managers?|managers? (?:will|has|must|can)|afraid|approv\w+|hiccup|glitch|snag|must|(?:has|have|needs?) to|i need|only (?:the|a|an|our|your|staff|managers?)|(?:outside|beyond) (?:of )?(?:my|our|what)|already|however|but|although|couldnt|cant|unclear|uncertain|unsure|stale|outdated|incomplete|garbled|unreadable|unexpected|please (?:contact|call|visit|speak|ask|provide|give|send|tell|use|reach))\b|\?/i,
    // trouble of systems
    /\b(?:crash\w*|froze|frozen|hang(?:s|ing)|hung|stuck|slow(?:ly)?|crawling|throttl\w+|overload\w*|outage|bugs?|bounced?|too (?:many|long)|taking (?:forever|ages)|(?:acting|playing) up|fell over|gave up|given up|broke(?:n)?|hit (?:a|the|my|our) \w+|off the air|halfway|interrupted)\b/i,
    // what is not for the speaker to do
    /\b(?:barred|hidden|restricted|reserved for|prohibited|sign-?off|supervisors?|senior (?:agent|colleague|staff|member)s?|managers? only|off[ -]limits|(?:out of|outside|beyond|above) (?:of )?(?:my|our)|closed to (?:me|us)|kept (?:out|from)|keeps? (?:me|us) from|stops? (?:me|us|short)|policy (?:keeps|prevents|forbids|blocks|rules|requires)|do (?:it|that|this|the \w+(?: \w+)?) yourself|yourself (?:under|in|via|at|on|online|through)|(?:through|by|at|from|with|for) (?:the|our|their) (?:[\w-]+ )?(?:desk|counter|office))\b/i,
    // a no from somebody else
    /\b(?:said no|no (?:luck|joy|dice)|(?:turned|thrown|knocked|bounced|pushed) (?:down|away|out|back)|knock-?back|rebuff\w*|rather you)\b/i,
    // all is as it was
    /\b(?:still|as (?:it|they|things) (?:was|were|is|are|stands?)|as (?:before|booked|ordered|active|open)|yet to|untouched|left (?:it|them|things|everything) (?:as|alone))\b/i,
    // not known, or not found
    /\b(?:may or may|mystery|nowhere|(?:turned|came|comes|coming) (?:up|back) (?:empty|blank)|(?:zero|0) (?:hits|results|matches))\b/i,
    // another time
    /\b(?:(?:try|ask|ping|call|come|check|write|attempt|go|look)\b[^.!?\n]{0,40}\bagain|bear with|hang (?:tight|on)|hold on|give (?:it|me|us) (?:a|an|another|some|\w+ minutes)|come back|recovers?|back (?:up|online)|within the hour)\b/i
  ),
  courtesy:
    /\b(?:(?:come|call|write)(?: back)?(?: to (?:me|us))? (?:again )?(?:any ?time|soon)|sorry (?:for|about) (?:the|any|your) (?:wait|delay|trouble)\b(?! (?:\w+ )*(?:cancel|refund|book|chang|find|get))|sorry to (?:see you|hear)|check your (?:inbox|e-?mails?|mail|phone|messages|account|statement)|(?:i['’]m|we['’]re) still here|no (?:problem|worries|need|later than|(?:further|other|more) \w+|(?:extra |additional |further )?(?:cost|charge|fee)s?)|not a problem|without (?:any |extra )*(?:problem|issue|trouble|delay|cost|charge|fee)s?|see you later|nothing (?:else|more|further)|later?[ -]check[ -]?(?:in|out)s?|check[ -](?:ins?|outs?)|check(?:ing)? (?:in|out)|check-?(?:in|out)|(?:i|we)(?:['’]m| am| are| can| can now)? (?:happy to |pleased to |glad to |delighted to )?confirm|(?:do not|don['’]t) (?:hesitate|worry)|you (?:do not|don['’]t) (?:need|have) to|(?:please )?(?:contact|call|ask|reach out|reach|let) (?:me |us |me know |us know )*(?:if|whenever|should)|if (?:you|there)\b[^.!?\n]{0,120}\b(?:questions?|else|anything|issues?|problems?|help|assistance)\b|(?:(?:is|was) there|do you (?:need|want|have)|would you like|can i|could i|may i|how else|what else|did you need)\b[^.!?\n]{0,120}\b(?:else|more|further)\b[^.!?\n]{0,120}\?|(?:anything|something) else\b[^.!?\n]{0,120}\?|(?:how|what) else\b[^.!?\n]{0,120}\?)/gi,
  goesOn: anyOf(
    /\b(?:done|completed?|confirmed|confirmation|processed|success\w*|received|ready|enjoy|yours|congrat\w*|(?:great|good) news|all(?: is|['’]s)? (?:good|set|fine|well)|sorted|gone|sent\b(?![^.!?\n]{0,30}\bback\b)|filed|called off|on file|in (?:place|effect)|on (?:its|the|your|their) way|off the (?:books|list)|up and running|taken care|taken off|goes through|went (?:through|out)|works? (?:fine|now)|see you (?!go)|consider it)\b/i,
    /\b(?:(?:you|it|they)(?:['’]ll| will) (?:see|get|receive|have|find|notice|be|arrive|reach)|(?:will be|be|is|are|back) with you|(?:can|happy to|glad to|pleased to|delighted to) confirm|will be (?:refunded|credited|delivered|waiting|sent)|(?:has|have) been \w+(?:ed|n)\b|is (?:there|active) now|inbox|mailbox)\b/i
  ),
  tells:
    /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|yesterday|noon|arriv(?:es|ing)|(?:has|have) arrived|will arrive|depart(?:s|ed|ing)|deliver(?:ed|y)|shipped|paid|settled|in transit|in (?:good )?order|all(?: is|['’]s) (?:well|fine|good)|on (?:its|the|your|their) way|(?:looks?|looking|ran|runs|running|works?|working) (?:fine|good|great|clean|well|smoothly|ok(?:ay)?|settled|healthy)|healthy|everything (?:is|looks)|all (?:good|set|fine))\b|[$€£¥]\s?\d/i,
  idleNumbers:
    /\b\d+(?:[-–]\d+)?[ -]?(?:digits?|characters?|letters?|s|secs?|seconds?|min(?:ute)?s?|hours?|hrs?|times?|tries|attempts?)\b|\b[45]\d\d\b|\b(?:call|phone|ring|dial|reach|text|on|at)\b[^.!?\d\n]{0,30}\+?\d[\d ()-]{4,}/gi,
  pleasantries:
    /\b(?:thank(?:s| you)\b[^.!?\n]*|have a [\w ]{1,40}|you(?:['’]re| are) (?:very |most )?welcome\b[^.!?\n]*|(?:hello|hi|hey|dear|good (?:morning|afternoon|evening)|goodbye|bye|cheers|take care|(?:kind |best |warm )?regards)\b[^.!?\n]*|(?:i['’]?m|we['’]?re|i am|we are)?(?: always)? (?:happy|glad|here) to (?:help|assist)\b[^.!?\n]*|(?:no problem|sure|of course|certainly|ok(?:ay)?|great|perfect|alright)(?: thing| at all)?)/gi,
  missing:
    /\b(?:not found|no [\w-]+(?: [\w-]+)? (?:(?:was|were|is|could be) )?found|no (?:such|record|records|match|matching|order|result|results|trace|entry|account)|(?:could ?n['’]?t|could not|can['’]?t|cannot|can not|unable to|was ?n['’]?t able to|not able to|did ?n['’]?t|did not|do ?n['’]?t|do not|failed to) (?:\w+ )?(?:find|locate|see|identify|retrieve|look up)|(?:does ?n['’]?t|does not|do not|don['’]?t) (?:seem to |appear to )?exist|not (?:exist|in (?:our|the|my))|non-?existent|nothing (?:found|under|for))\b/i,
  alreadyDone:
    /\b(?:already|previously|beforehand|no longer|(?:done|\w+ed) (?:before|earlier)|nothing (?:left|more|further|else) to)\b/i,
  hypotheticalAsk:
    /\b(?:hypothetical(?:ly)?|what (?:would|will) (?:it take|happen|you need)|what (?:does|would|do) [^.?!]{1,80}\b(?:involve|entail|require)|(?:just|only) (?:curious|exploring|wondering|looking (?:around|into))|not deciding|before i (?:decide|ask)|what are my options|what did i forget|(?:if|in case) i (?:want|wanted|were|was|decided?|needed) to|how would [^.?!]{1,80}\bwork|i['’]?m (?:just )?(?:thinking|weighing)|don['’]t do anything|(?:tell me|explain) how you would|talk me out of|walk me through|any reason not to|what['’]?s the difference|which would be|suppose i (?:never|had))\b/i,
  noAction:
    /\b(?:(?:(?:do not|don['’]?t)(?: \w+ly)? (?:do|change|touch|start|submit|send|book|buy|pay|cancel|make) (?:anything|a thing|any changes?)|without (?:doing|changing|touching) anything|(?:take|make) no (?:action|changes?))(?! (?:else|other|more|besides|but|that|except))|nothing (?:is to|should|must|has to|needs to) be (?:done|changed))\b(?![^.!?\n]{0,60}\b(?:if|unless|except)\b)/i,
  notYet: /\b(?:do not|don['’]?t)(?: \w+ly)? (\w+)\b[^.!?\n]{0,60}\b(?:yet|for now|right now|at this point|so far)\b/i,
  onlyAsks:
    /\b(?:hypothetical(?:ly)?|what (?:would|will) happen if|what would it take|(?:just|only) (?:curious|exploring|wondering|looking (?:around|into)|asking(?! (?:you|for))|(?:tell|show) me (?:how|what|whether|if|which|why|about)|explain (?:how|what)|(?:want|wanted|need|like|trying) to (?:know|understand|find out|see|hear))|(?:tell|show) me how you(?:['’]d| would)|not deciding|before i decide|not (?:asking|telling) you to)\b/i,
  severalTimes:
    /\b(?:twice|thrice|two|three|four|five|six|both|[2-9]|times|another|again|more than once|repeat\w*|copies|duplicate\w*|until|keep (?:trying|checking|polling))\b/i,
  manners: {
    boilerplate:
      /\b(?:as an ai\b|as a (?:large )?language model|i (?:do not|don['’]t) have (?:personal|feelings)|i hope this (?:message|email) finds you well|thank you for (?:reaching out|contacting us)|rest assured|please (?:do not|don['’]t) hesitate to|your (?:satisfaction|call) is important)/i,
    hedging:
      /\b(?:maybe|perhaps|possibly|probably|presumably|might|i (?:think|believe|guess|suppose|assume)|it (?:seems|appears|looks like)|as far as i (?:know|can tell)|i['’]?m not (?:entirely |completely )?sure)\b/i,
    apology: /\b(?:sorry|apolog(?:y|ies|i[sz]e)|my (?:bad|mistake)|forgive me)\b/i,
    sycophancy:
      /\b(?:(?:great|excellent|fantastic|wonderful|amazing|good) (?:question|choice|idea|point|thinking)|what a (?:great|wonderful|thoughtful|brilliant)|you(?:['’]re| are) (?:absolutely|totally|completely|so) right|i (?:completely|totally|fully) (?:agree|understand how)|that['’]s (?:such )?an? (?:great|excellent|brilliant|insightful))\b/i,
    refusal:
      /\b(?:i|we) (?:(?:can['’]t|cannot|can not|won['’]t|will not) (?:\w+ )?(?:help|assist|do|answer|share|provide|process|discuss|give|tell|grant|make|perform|fulfil)|(?:am|are)(?: not|n['’]t) (?:able|allowed|permitted) to|must decline|have to decline)\b/i
  },
  recordWords: new Set(
    "order orders ticket confirmation reference ref tracking number numbers no nr id ids code case booking reservation invoice account transaction receipt request claim case policy shipment refund".split(
      " "
    )
  ),
  exampleWords: new Set(
    "e.g e.g. eg example instance like such format formatted formats looks starts starting begins pattern similar".split(
      " "
    )
  )
}
