/**
 * The verbs of tools, each once: what a tool named by it does, how people ask for it, and whether somebody who reports it
 * done claims an action. A mark before a verb says more of it: `~` it is as often a noun ("an order"), so it decides only
 * where nothing clearer does; `!` to report it done is a claim; `+` it is one only where the sentence also names what the
 * tool works on ("I've made a list" is none). `unsaid` holds verbs that do not tell what is done.
 *
 * In phrases `{o}` is the object, `{b}` the verb and `{p}` its participle. `agent` is what the agent should do ("tell me
 * {o}"), `self` what the person wants to do ("know {o}"). `definite` phrases need an object that is known to be there ("my
 * order", "the price"), `indefinite` ones an object that is not ("a flight", "recipes").
 */
import type { Intent } from "./clauses.ts"

/** What a verb does to the world. */
export type VerbKind = "read" | "compute" | "pay" | "send" | "delete" | "create" | "update"

export interface Verb {
  readonly lemma: string
  /** Null where the verb does not tell. */
  readonly kind: VerbKind | null
  /** Whether the word is as often a noun. */
  readonly noun: boolean
  /** Whether to report it done is a claim: by itself, beside what the tool works on, or not. */
  readonly claim: "alone" | "named" | null
}

export interface Phrases {
  readonly agent: ReadonlyArray<string>
  readonly self: ReadonlyArray<string>
}

/** How people ask for what some verbs do. */
export interface VerbGroup extends Partial<Phrases> {
  readonly intent: Intent
  readonly definite?: Phrases
  readonly indefinite?: Phrases
}

type Marked = Readonly<Partial<Record<VerbKind | "unsaid", string>>>

const phrases = (agent: string, self: string): Phrases => ({ agent: agent.split("|"), self: self.split("|") })

/** "Archive it", "get it archived". */
const plainly = phrases("{b} {o}|{b} {o} for me|go ahead and {b} {o}", "{b} {o}|get {o} {p}|have {o} {p}")

const table: ReadonlyArray<readonly [verbs: Marked, group: VerbGroup]> = [
  [
    {
      read: "get fetch retrieve show view display provide read describe query lookup look inspect",
      compute: "summarize",
      unsaid: "access pull obtain give extract load review"
    },
    {
      intent: "look",
      definite: phrases(
        "tell me {o}|look up {o}|check {o}|find out {o}|give me {o}|pull up {o}|get me {o}",
        "find out {o}|check {o}|see {o}|look up {o}|get {o}"
      ),
      indefinite: phrases(
        "find me {o}|get me {o}|give me {o}|look up {o}|show me {o}|pull up {o}",
        "get {o}|see {o}|look up {o}|find {o}|have a look at {o}"
      )
    }
  ],
  [
    { read: "find search locate discover browse identify recommend suggest", unsaid: "finder" },
    {
      intent: "look",
      definite: phrases(
        "find {o}|look up {o}|tell me {o}|find out {o}|track down {o}",
        "find {o}|look up {o}|find out {o}|track down {o}"
      ),
      indefinite: phrases(
        "find {o}|look for {o}|search for {o}|find me {o}|show me {o}",
        "find {o}|look for {o}|search for {o}|see {o}"
      )
    }
  ],
  [
    { read: "list", unsaid: "enumerate" },
    {
      intent: "look",
      ...phrases(
        "list {o}|show me {o}|give me {o}|tell me {o}|pull up {o}",
        "see {o}|get {o}|look through {o}|go through {o}"
      )
    }
  ],
  [
    { read: "check verify validate ~track monitor detect scan", unsaid: "test" },
    {
      intent: "look",
      ...phrases(
        "check {o}|verify {o}|double-check {o}|look into {o}|have a look at {o}",
        "check {o}|verify {o}|double-check {o}|look into {o}|ask about {o}"
      )
    }
  ],
  [
    {
      compute: "calculate compute evaluate sum ~estimate predict ~forecast",
      read: "~count",
      unsaid: "determine measure quantify derive"
    },
    {
      intent: "reckon",
      ...phrases(
        "calculate {o}|work out {o}|figure out {o}|compute {o}|tell me {o}",
        "calculate {o}|work out {o}|figure out {o}|compute {o}|find out {o}"
      )
    }
  ],
  [
    { unsaid: "ascertain" },
    {
      intent: "look",
      ...phrases("find out {o}|tell me {o}|let me know {o}|check {o}", "find out {o}|know {o}|check {o}")
    }
  ],
  [
    { compute: "solve" },
    { intent: "reckon", ...phrases("solve {o}|work through {o}|crack {o}", "solve {o}|work through {o}|crack {o}") }
  ],
  [
    { read: "analyze analyse compare", compute: "classify", unsaid: "assess examine interpret rank" },
    {
      intent: "reckon",
      ...phrases("{b} {o}|take a look at {o}|go over {o}", "{b} {o}|take a look at {o}|go over {o}")
    }
  ],
  [
    { compute: "simulate", unsaid: "model" },
    { intent: "reckon", ...phrases("simulate {o}|run a simulation of {o}|model {o}", "simulate {o}|model {o}") }
  ],
  [
    { compute: "convert transform translate" },
    {
      intent: "reckon",
      ...phrases("{b} {o}|{b} {o} for me|help me {b} {o}", "{b} {o}|get {o} {p}|have {o} {p}")
    }
  ],
  [
    { unsaid: "perform run execute conduct do" },
    { intent: "reckon", ...phrases("run {o}|do {o}|carry out {o}", "run {o}|do {o}|carry out {o}") }
  ],
  [
    {
      create: "+generate +create +make +write",
      unsaid: "draft compose produce build construct design prepare"
    },
    {
      intent: "make",
      ...phrases(
        "create {o}|make {o}|make me {o}|put together {o}|{b} {o}",
        "create {o}|make {o}|get {o}|put together {o}|{b} {o}"
      )
    }
  ],
  [
    { create: "~!book !reserve rent ~!schedule +arrange" },
    {
      intent: "make",
      ...phrases("{b} {o}|{b} me {o}|get me {o}|arrange {o}", "{b} {o}|get {o} {p}|have {o} {p}|arrange {o}")
    }
  ],
  [
    { create: "~!order", pay: "!buy !purchase checkout" },
    {
      intent: "pay",
      ...phrases("order {o}|buy {o}|get me {o}|purchase {o}", "order {o}|buy {o}|purchase {o}|get {o}")
    }
  ],
  [
    {
      create:
        "+add insert ~save ~store ~record ~log ~+register +submit +upload !enroll ~+file ~+open ~+place ~+issue ~start " +
        "launch ~request ~!subscribe",
      unsaid: "append import initiate report"
    },
    { intent: "make", ...plainly }
  ],
  [
    { update: "+update +modify ~+change +edit +adjust", unsaid: "alter amend revise" },
    {
      intent: "change",
      ...phrases(
        "change {o}|update {o}|modify {o}|make a change to {o}",
        "change {o}|update {o}|modify {o}|get {o} changed|have {o} updated"
      )
    }
  ],
  [
    { delete: "!cancel !terminate" },
    {
      intent: "remove",
      ...phrases(
        "cancel {o}|call off {o}|go ahead and cancel {o}",
        "cancel {o}|get {o} cancelled|have {o} cancelled|call off {o}"
      )
    }
  ],
  [
    { delete: "+delete +remove erase purge +clear ~drop" },
    {
      intent: "remove",
      ...phrases(
        "delete {o}|remove {o}|get rid of {o}|take out {o}",
        "delete {o}|remove {o}|get rid of {o}|have {o} removed"
      )
    }
  ],
  [
    { update: "~+return" },
    {
      intent: "change",
      ...phrases(
        "return {o}|help me return {o}|set up a return for {o}|take back {o}",
        "return {o}|send back {o}|give back {o}"
      )
    }
  ],
  [
    { update: "~!exchange +replace", unsaid: "swap substitute" },
    {
      intent: "change",
      ...phrases("exchange {o}|swap {o}|replace {o}", "exchange {o}|swap {o}|replace {o}|have {o} exchanged")
    }
  ],
  [
    { pay: "~!refund", unsaid: "reimburse" },
    {
      intent: "pay",
      ...phrases(
        "refund {o}|give me a refund for {o}|pay back {o}",
        "get a refund for {o}|get {o} refunded|have {o} refunded|get my money back for {o}"
      )
    }
  ],
  [
    { pay: "!pay ~!charge !withdraw +deposit !donate ~bill", unsaid: "settle invest" },
    { intent: "pay", agent: plainly.agent, self: ["{b} {o}", "get {o} {p}"] }
  ],
  [
    {
      send: "+send ~+email ~mail +notify ~+post +publish ~+forward ~+share ~+message ~+text reply",
      unsaid: "deliver"
    },
    {
      intent: "send",
      ...phrases("send {o}|send out {o}|get {o} sent|fire off {o}", "send {o}|get {o} sent|send out {o}|have {o} sent")
    }
  ],
  [
    { send: "!transfer", update: "~+move", unsaid: "migrate" },
    { intent: "change", ...phrases("{b} {o}|move {o}|go ahead and {b} {o}", "{b} {o}|move {o}|have {o} {p}") }
  ],
  [
    { read: "think" },
    {
      intent: "reckon",
      ...phrases(
        "think through {o}|think about {o}|help me think through {o}|reason through {o}",
        "think through {o}|think about {o}|sort out {o}"
      )
    }
  ],
  [
    {
      update:
        "~play pause ~stop ~turn toggle ~set +reset +enable +activate ~+lock +unlock ~mark +approve +reject +assign +apply " +
        "confirm +extend !renew merge +rename !reschedule ~+upgrade +restart +rollback +silence ~+mute +acknowledge ~!dispute ~+refill",
      delete: "+disable !deactivate ~+close ~+archive uninstall ~block !unsubscribe +revoke",
      send: "!escalate +invite",
      compute: "sort",
      read: "filter",
      unsaid: "downgrade restore divide greet connect follow rate sign install suspend hold ship print download export"
    },
    { intent: "change", ...plainly }
  ]
]

/** Verbs of tool names that people do not ask with. */
const ofNames: Marked = {
  read: "preview",
  compute: "geocode parse encode decode summarise plot ~format",
  send: "broadcast ~call",
  delete: "kill destroy",
  create: "~note",
  update: "+deploy resume ~patch ~unblock ~switch"
}

const marked = (words: Marked): ReadonlyArray<Verb> =>
  (Object.entries(words) as ReadonlyArray<[VerbKind | "unsaid", string]>).flatMap(([kind, list]) =>
    list.split(" ").map((word) => ({
      lemma: word.replace(/^\W+/, ""),
      kind: kind === "unsaid" ? null : kind,
      noun: word.startsWith("~"),
      claim: word.includes("!") ? "alone" : word.includes("+") ? "named" : null
    }))
  )

export const verbs: ReadonlyArray<Verb> = [...table.map(([words]) => words), ofNames].flatMap(marked)

/** The group of a verb that people ask with. */
export const groups: ReadonlyMap<string, VerbGroup> = new Map(
  table.flatMap(([words, group]) => marked(words).map(({ lemma }) => [lemma, group] as const))
)

/** Words of tool names that are no verbs and tell what is done all the same, and words that do so in a row. */
export const namesOfActs: Readonly<Record<VerbKind, string>> = {
  read: "analysis ~status",
  compute: "conversion prediction calculator converter add_numbers ~total ~average",
  pay:
    "charge_card transfer_money transfer_funds transfer_balance transfer_credit send_money send_payment make_payment " +
    "process_payment issue_refund process_refund request_refund ~invoice ~payment",
  send: "send_email follow_up post_message post_comment",
  delete: "drop_table close_account close_ticket",
  create: "sign_up set_up open_account open_ticket file_claim place_order schedule_meeting ~new",
  update: "move_file check_in check_out opt_in opt_out turn_on turn_off"
}

/** Verbs that are the nouns of their acts too: a refund is given, an order is not. */
export const events: ReadonlySet<string> = new Set(
  "refund purchase deposit transfer change update exchange return upgrade reset restart charge move".split(" ")
)

/** Forms that report a verb done beside the regular ones. */
export const otherForms: ReadonlyMap<string, string> = new Map([
  ["cancel", "canceled"],
  ["email", "e-mailed"]
])

/** First words of tool names that do not say what is done. */
export const emptyVerbs: ReadonlySet<string> = new Set(
  "request process handle perform execute run trigger start begin set put let use call invoke manage the api".split(" ")
)

/** Lookups of the record itself rather than of something about it: "look up my order #W123". */
export const ofRecord = phrases(
  "look up {o}|check {o}|pull up {o}|have a look at {o}|tell me about {o}",
  "check {o}|look up {o}|ask about {o}|see {o}|have a look at {o}"
)

/** A request to be handed to somebody: `{o}` is whom. */
export const handover = phrases(
  "transfer me to {o}|put me through to {o}|connect me with {o}|get me {o}",
  "talk to {o}|speak to {o}|be put through to {o}|get hold of {o}"
)

/** For tools that only name a thing: one to look up, and one to have. */
export const lookupNoun: VerbGroup = {
  intent: "look",
  ...phrases("give me {o}|look up {o}|get me {o}|show me {o}", "see {o}|look up {o}|get {o}|have a look at {o}")
}
export const bareNoun: VerbGroup = {
  intent: "make",
  ...phrases("get me {o}|sort out {o} for me|help me get {o}", "get {o}|have {o}|sort out {o}")
}

/** For verbs of no group. */
export const otherVerb: VerbGroup & Phrases = { intent: "change", agent: plainly.agent, self: ["{b} {o}"] }
