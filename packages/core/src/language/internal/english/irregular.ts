/**
 * What English inflection cannot tell by rule: irregular verbs and nouns, and the words whose spelling hides their stress.
 */
const words = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((word) => word !== "")
const set = (text: string): ReadonlySet<string> => new Set(words(text))
const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map(words(text).map((pair) => pair.split(":") as [string, string]))

/** `base:past:participle`; the participle is left out where it is the past. */
export const verbs: ReadonlyMap<string, readonly [past: string, participle: string]> = new Map(
  words(`
    arise:arose:arisen awake:awoke:awoken be:was:been bear:bore:borne beat:beat:beaten become:became:become
    begin:began:begun bend:bent bet:bet bid:bid bind:bound bite:bit:bitten bleed:bled blow:blew:blown break:broke:broken
    breed:bred bring:brought broadcast:broadcast build:built burst:burst buy:bought cast:cast catch:caught
    choose:chose:chosen cling:clung come:came:come cost:cost creep:crept cut:cut deal:dealt dig:dug do:did:done
    draw:drew:drawn drink:drank:drunk drive:drove:driven eat:ate:eaten fall:fell:fallen feed:fed feel:felt fight:fought
    find:found fit:fit flee:fled fling:flung fly:flew:flown forbid:forbade:forbidden forecast:forecast
    forget:forgot:forgotten forgive:forgave:forgiven freeze:froze:frozen get:got:gotten give:gave:given go:went:gone
    grind:ground grow:grew:grown hang:hung have:had hear:heard hide:hid:hidden hit:hit hold:held hurt:hurt input:input
    keep:kept know:knew:known lay:laid lead:led leave:left lend:lent let:let lie:lay:lain light:lit lose:lost make:made
    mean:meant meet:met mow:mowed:mown offset:offset output:output overcome:overcame:overcome pay:paid prove:proved:proven
    put:put quit:quit read:read rid:rid ride:rode:ridden ring:rang:rung rise:rose:risen run:ran:run say:said
    see:saw:seen seek:sought sell:sold send:sent set:set sew:sewed:sewn shake:shook:shaken shed:shed shine:shone shoot:shot
    show:showed:shown shrink:shrank:shrunk shut:shut sing:sang:sung sink:sank:sunk sit:sat sleep:slept slide:slid
    speak:spoke:spoken speed:sped spend:spent spin:spun split:split spread:spread spring:sprang:sprung stand:stood
    steal:stole:stolen stick:stuck sting:stung strike:struck string:strung strive:strove:striven sublet:sublet
    swear:swore:sworn sweep:swept swell:swelled:swollen swim:swam:swum swing:swung take:took:taken teach:taught tear:tore:torn
    tell:told think:thought throw:threw:thrown understand:understood upset:upset wake:woke:woken wear:wore:worn
    weave:wove:woven weep:wept wet:wet win:won wind:wound withdraw:withdrew:withdrawn withhold:withheld
    withstand:withstood wring:wrung forsake:forsook:forsaken partake:partook:partaken sling:slung slink:slunk
    slay:slew:slain stride:strode:stridden thrust:thrust tread:trod:trodden kneel:knelt spit:spat stink:stank:stunk
    proofread:proofread browbeat:browbeat:browbeaten write:wrote:written typeset:typeset beset:beset telecast:telecast bespeak:bespoke:bespoken
    mistake:mistook:mistaken sow:sowed:sown foretell:foretold forgo:forwent:forgone
  `).map((entry) => {
    const [base = "", past = "", participle = past] = entry.split(":")
    return [base, [past, participle]] as const
  })
)

/** Prefixes that leave a verb's irregular forms as they are: `rewrite`, `oversell`, `unsend`. */
export const verbPrefix = /^(?:under|over|inter|type|hand|back|fore|mis|out|pre|re|un|up|co)-?(?=[a-z]{2})/

/** Regular verbs that only look like a prefix and an irregular one. */
export const regular = set("relay inlay outfit refit regret upend")

/** Verbs of more syllables with the stress on the last: their last letter doubles (`refer` -> `referring`). */
export const lastStressed =
  /^(?:(?:ad|com|e|inter|o|per|re|sub|trans)mit|(?:con|de|in|pre|re|trans)fer|(?:con|in|oc|re)cur|(?:com|dis|ex|im|pro|re)pel|(?:a|de)ver|de(?:ter|bar|mur)|in(?:ter|stil)|allot|abet|abut|rebel|regret|recap|forget|forbid|beget|begin|equip|acquit|abhor|(?:con|pa)trol|en?rol|annul|extol|excel|instal|kidnap|worship|handicap|program|diagram|format|input|output|zigzag)$/

/** One-syllable verbs that others are made of, whose last letter doubles there as well: `unplug`, `overlap`, `reset`. */
export const doublingParts =
  /^(?:under|over|inter|cross|counter|side|photo|retro|type|eaves|sand|boot|leap|shrink|gift|window|trans|tran|sub|mis|out|dis|air|cat|fore|hob|be|de|em|en|in|re|un|up|pre)-?(?:bar|bed|bid|bug|crop|cut|drop|fit|fog|frog|gas|get|gun|hit|jog|lap|leg|let|log|man|map|nap|net|nob|pin|plan|plot|plug|pop|prop|put|rig|run|set|ship|shop|sit|slip|span|spin|spot|step|stop|strap|strip|tag|tap|top|trap|trim|wit|wrap|zip)$/

/** British doubling, which this house writes: an l after one vowel. */
export const doubledL = /[^aeiou][aeio]l$|^(?:re)?fuel$|^(?:dial|duel|equal|initial|victual)$/
export const singleL = set("parallel")

/** Nouns that look like plurals and are none, or are the same in both numbers. */
export const unchanging = set(`
  news series species status address bus gas lens alias canvas atlas bias plus minus bonus virus campus census focus radius
  means headquarters crossroads aircraft sheep deer fish salmon offspring chess diabetes
  access process business class press pass loss success express wireless basis axis analysis crisis thesis
  hypothesis diagnosis synopsis emphasis oasis parenthesis prognosis
  physics mathematics economics analytics logistics ethics politics electronics genetics athletics
  information equipment software hardware baggage luggage furniture feedback advice homework money cash weather traffic
  mail police cattle
`)

/** Initials that end in s. */
export const initials = set(
  "sms mms gps dns aws ios https tls cors pos css saas paas iaas iss irs usps ups sas dos os us"
)

/** `singular:plural`. */
export const nouns: ReadonlyMap<string, string> = pairs(`
  person:people child:children man:men woman:women foot:feet tooth:teeth goose:geese mouse:mice louse:lice ox:oxen
  criterion:criteria phenomenon:phenomena index:indices matrix:matrices vertex:vertices appendix:appendices
  medium:media alumnus:alumni cactus:cacti nucleus:nuclei stimulus:stimuli syllabus:syllabi fungus:fungi
  bacterium:bacteria datum:data memorandum:memoranda curriculum:curricula stratum:strata erratum:errata
  leaf:leaves life:lives knife:knives wife:wives shelf:shelves half:halves wolf:wolves thief:thieves loaf:loaves
  calf:calves self:selves elf:elves scarf:scarves hoof:hooves quiz:quizzes die:dice
`)

/** The singular of these ends in -ie. */
export const ieNouns = set(`
  movie cookie calorie selfie zombie rookie pixie genie prairie brownie hoodie birdie menagerie smoothie veggie newbie
  foodie auntie sortie walkie talkie goalie indie caddie rotisserie patisserie eyrie lingerie reverie
`)

/** Nouns in -o that take -es. */
export const oesNouns = set(
  "hero potato tomato echo veto torpedo mosquito mango cargo embargo volcano buffalo domino zero tornado no go do undo redo"
)

/** Nouns in -us and -s whose plural adds -es. */
export const esNouns = set(`
  bus status virus bonus campus census focus genius chorus circus walrus surplus apparatus consensus plus minus nexus lotus
  sinus fetus opus terminus locus crocus hiatus citrus radius gas alias canvas atlas bias lens iris christmas pancreas
  corpus abacus prospectus octopus platypus rebus incubus discus versus address
`)

/** -ses that is the plural of -sis. */
export const sisNouns =
  /^(?:.*(?:analy|cri|the|synop|oa|parenthe|progno|diagno|empha|synthe|paraly|dialy|neuro|psycho|metamorpho|cataly|hypno|gene)|ba|a)xes$|^(?:.*(?:analy|cri|the|synop|oa|parenthe|progno|diagno|empha|synthe|paraly|dialy|neuro|psycho|metamorpho|cataly|hypno))ses$/

/** -ches and -shes of a singular in -che or -she. */
export const cheNouns = set(
  "cache ache headache toothache niche avalanche creche moustache mustache quiche tranche psyche cliche"
)

/** Vowel letters that sound as consonants, so that they take `a`; and the other way round. */
export const consonantSound = /^(?:uni(?!n|m)|use|usa|usu|u\.|ura|uro|ute|uti|one\b|once|euro|eu|ewe|ubi)/i
export const vowelSound = /^(?:hour|honest|honou?r|heir|8|11(?!\d)|18(?!\d)|x-)/i

/** Initials that are said as a word. */
export const acronyms = set(
  "SIM RAM ROM LAN NASA NATO RADAR LIDAR MAC SWIFT SEPA SOAP SAML FIFA HIPAA LASER SCUBA MIDI NAS"
)
