/**
 * What people say for the verbs of tools. `{o}` is the object; `agent` is what the agent should do ("tell me {o}"),
 * `self` what the person wants to do ("know {o}"). `definite` phrases need an object that is known to be there ("my
 * order", "the price"), `indefinite` ones an object that is not ("a flight", "recipes").
 */
import type { Intent } from "./clauses.ts"

export interface VerbGroup {
  readonly verbs: ReadonlyArray<string>
  readonly intent: Intent
  readonly agent?: ReadonlyArray<string>
  readonly self?: ReadonlyArray<string>
  readonly definite?: { readonly agent: ReadonlyArray<string>; readonly self: ReadonlyArray<string> }
  readonly indefinite?: { readonly agent: ReadonlyArray<string>; readonly self: ReadonlyArray<string> }
}

export const groups: ReadonlyArray<VerbGroup> = [
  {
    verbs: [
      "get",
      "fetch",
      "retrieve",
      "return_info",
      "show",
      "view",
      "display",
      "provide",
      "read",
      "access",
      "describe",
      "pull",
      "obtain",
      "report",
      "query",
      "lookup",
      "look",
      "give",
      "extract",
      "load",
      "summarize",
      "review",
      "request_info",
      "inspect"
    ],
    intent: "look",
    definite: {
      agent: ["tell me {o}", "look up {o}", "check {o}", "find out {o}", "give me {o}", "pull up {o}", "get me {o}"],
      self: ["find out {o}", "check {o}", "see {o}", "look up {o}", "get {o}"]
    },
    indefinite: {
      agent: ["find me {o}", "get me {o}", "give me {o}", "look up {o}", "show me {o}", "pull up {o}"],
      self: ["get {o}", "see {o}", "look up {o}", "find {o}", "have a look at {o}"]
    }
  },
  {
    verbs: ["find", "search", "locate", "discover", "browse", "identify", "finder", "recommend", "suggest"],
    intent: "look",
    definite: {
      agent: ["find {o}", "look up {o}", "tell me {o}", "find out {o}", "track down {o}"],
      self: ["find {o}", "look up {o}", "find out {o}", "track down {o}"]
    },
    indefinite: {
      agent: ["find {o}", "look for {o}", "search for {o}", "find me {o}", "show me {o}"],
      self: ["find {o}", "look for {o}", "search for {o}", "see {o}"]
    }
  },
  {
    verbs: ["list", "enumerate", "show_list"],
    intent: "look",
    agent: ["list {o}", "show me {o}", "give me {o}", "tell me {o}", "pull up {o}"],
    self: ["see {o}", "get {o}", "look through {o}", "go through {o}"]
  },
  {
    verbs: ["check", "verify", "validate", "test", "track", "monitor", "detect", "scan"],
    intent: "look",
    agent: ["check {o}", "verify {o}", "double-check {o}", "look into {o}", "have a look at {o}"],
    self: ["check {o}", "verify {o}", "double-check {o}", "look into {o}", "ask about {o}"]
  },
  {
    verbs: [
      "calculate",
      "compute",
      "determine",
      "evaluate",
      "measure",
      "count",
      "sum",
      "estimate",
      "predict",
      "forecast",
      "quantify",
      "derive"
    ],
    intent: "reckon",
    agent: ["calculate {o}", "work out {o}", "figure out {o}", "compute {o}", "tell me {o}"],
    self: ["calculate {o}", "work out {o}", "figure out {o}", "compute {o}", "find out {o}"]
  },
  {
    verbs: ["solve"],
    intent: "reckon",
    agent: ["solve {o}", "work through {o}", "crack {o}"],
    self: ["solve {o}", "work through {o}", "crack {o}"]
  },
  {
    verbs: ["analyze", "analyse", "assess", "examine", "interpret", "classify", "compare", "rank"],
    intent: "reckon",
    agent: ["{b} {o}", "take a look at {o}", "go over {o}"],
    self: ["{b} {o}", "take a look at {o}", "go over {o}"]
  },
  {
    verbs: ["simulate", "model"],
    intent: "reckon",
    agent: ["simulate {o}", "run a simulation of {o}", "model {o}"],
    self: ["simulate {o}", "model {o}"]
  },
  {
    verbs: ["convert", "transform", "translate"],
    intent: "reckon",
    agent: ["{b} {o}", "{b} {o} for me", "help me {b} {o}"],
    self: ["{b} {o}", "get {o} {p}", "have {o} {p}"]
  },
  {
    verbs: ["perform", "run", "execute", "conduct", "do"],
    intent: "reckon",
    agent: ["run {o}", "do {o}", "carry out {o}"],
    self: ["run {o}", "do {o}", "carry out {o}"]
  },
  {
    verbs: [
      "generate",
      "create",
      "make",
      "write",
      "draft",
      "compose",
      "produce",
      "build",
      "construct",
      "design",
      "prepare"
    ],
    intent: "make",
    agent: ["create {o}", "make {o}", "make me {o}", "put together {o}", "{b} {o}"],
    self: ["create {o}", "make {o}", "get {o}", "put together {o}", "{b} {o}"]
  },
  {
    verbs: ["book", "reserve", "rent", "schedule", "arrange"],
    intent: "make",
    agent: ["{b} {o}", "{b} me {o}", "get me {o}", "arrange {o}"],
    self: ["{b} {o}", "get {o} {p}", "have {o} {p}", "arrange {o}"]
  },
  {
    verbs: ["order", "buy", "purchase", "checkout"],
    intent: "pay",
    agent: ["order {o}", "buy {o}", "get me {o}", "purchase {o}"],
    self: ["order {o}", "buy {o}", "purchase {o}", "get {o}"]
  },
  {
    verbs: [
      "add",
      "insert",
      "append",
      "save",
      "store",
      "record",
      "log",
      "register",
      "submit",
      "upload",
      "import",
      "enroll",
      "file",
      "open",
      "place",
      "issue",
      "start",
      "launch",
      "initiate",
      "request",
      "subscribe"
    ],
    intent: "make",
    agent: ["{b} {o}", "{b} {o} for me", "go ahead and {b} {o}"],
    self: ["{b} {o}", "get {o} {p}", "have {o} {p}"]
  },
  {
    verbs: ["update", "modify", "change", "edit", "adjust", "alter", "amend", "revise"],
    intent: "change",
    agent: ["change {o}", "update {o}", "modify {o}", "make a change to {o}"],
    self: ["change {o}", "update {o}", "modify {o}", "get {o} changed", "have {o} updated"]
  },
  {
    verbs: ["cancel", "terminate"],
    intent: "remove",
    agent: ["cancel {o}", "call off {o}", "go ahead and cancel {o}"],
    self: ["cancel {o}", "get {o} cancelled", "have {o} cancelled", "call off {o}"]
  },
  {
    verbs: ["delete", "remove", "erase", "purge", "clear", "drop"],
    intent: "remove",
    agent: ["delete {o}", "remove {o}", "get rid of {o}", "take out {o}"],
    self: ["delete {o}", "remove {o}", "get rid of {o}", "have {o} removed"]
  },
  {
    verbs: ["return"],
    intent: "change",
    agent: ["return {o}", "help me return {o}", "set up a return for {o}", "take back {o}"],
    self: ["return {o}", "send back {o}", "give back {o}"]
  },
  {
    verbs: ["exchange", "swap", "replace", "substitute"],
    intent: "change",
    agent: ["exchange {o}", "swap {o}", "replace {o}"],
    self: ["exchange {o}", "swap {o}", "replace {o}", "have {o} exchanged"]
  },
  {
    verbs: ["refund", "reimburse"],
    intent: "pay",
    agent: ["refund {o}", "give me a refund for {o}", "pay back {o}"],
    self: ["get a refund for {o}", "get {o} refunded", "have {o} refunded", "get my money back for {o}"]
  },
  {
    verbs: ["pay", "charge", "settle", "withdraw", "deposit", "donate", "invest", "bill"],
    intent: "pay",
    agent: ["{b} {o}", "{b} {o} for me", "go ahead and {b} {o}"],
    self: ["{b} {o}", "get {o} {p}"]
  },
  {
    verbs: [
      "send",
      "email",
      "mail",
      "notify",
      "post",
      "publish",
      "forward",
      "share",
      "message",
      "text",
      "reply",
      "deliver"
    ],
    intent: "send",
    agent: ["send {o}", "send out {o}", "get {o} sent", "fire off {o}"],
    self: ["send {o}", "get {o} sent", "send out {o}", "have {o} sent"]
  },
  {
    verbs: ["transfer", "move", "migrate"],
    intent: "change",
    agent: ["{b} {o}", "move {o}", "go ahead and {b} {o}"],
    self: ["{b} {o}", "move {o}", "have {o} {p}"]
  },
  {
    verbs: ["think"],
    intent: "reckon",
    agent: ["think through {o}", "think about {o}", "help me think through {o}", "reason through {o}"],
    self: ["think through {o}", "think about {o}", "sort out {o}"]
  },
  {
    verbs: [
      "play",
      "pause",
      "stop",
      "turn",
      "toggle",
      "set",
      "reset",
      "enable",
      "disable",
      "activate",
      "deactivate",
      "lock",
      "unlock",
      "mark",
      "close",
      "archive",
      "approve",
      "reject",
      "assign",
      "apply",
      "confirm",
      "extend",
      "renew",
      "merge",
      "rename",
      "reschedule",
      "upgrade",
      "downgrade",
      "escalate",
      "restore",
      "sort",
      "filter",
      "divide",
      "greet",
      "open_up",
      "connect",
      "invite",
      "follow",
      "rate",
      "sign",
      "restart",
      "install",
      "uninstall",
      "block",
      "unsubscribe",
      "revoke",
      "suspend",
      "hold",
      "ship",
      "print",
      "download",
      "export"
    ],
    intent: "change",
    agent: ["{b} {o}", "{b} {o} for me", "go ahead and {b} {o}"],
    self: ["{b} {o}", "get {o} {p}", "have {o} {p}"]
  }
]

/** Lookups of the record itself rather than of something about it: "look up my order #W123". */
export const ofRecord = {
  agent: ["look up {o}", "check {o}", "pull up {o}", "have a look at {o}", "tell me about {o}"],
  self: ["check {o}", "look up {o}", "ask about {o}", "see {o}", "have a look at {o}"]
}

/** A request to be handed to somebody: `{o}` is whom. */
export const handover = {
  agent: ["transfer me to {o}", "put me through to {o}", "connect me with {o}", "get me {o}"],
  self: ["talk to {o}", "speak to {o}", "be put through to {o}", "get hold of {o}"]
}

/** For tools that only name a thing: one to look up, and one to have. */
export const lookupNoun: VerbGroup = {
  verbs: [],
  intent: "look",
  agent: ["give me {o}", "look up {o}", "get me {o}", "show me {o}"],
  self: ["see {o}", "look up {o}", "get {o}", "have a look at {o}"]
}
export const bareNoun: VerbGroup = {
  verbs: [],
  intent: "make",
  agent: ["get me {o}", "sort out {o} for me", "help me get {o}"],
  self: ["get {o}", "have {o}", "sort out {o}"]
}

/** For verbs of no group. */
export const otherVerb: VerbGroup = {
  verbs: [],
  intent: "change",
  agent: ["{b} {o}", "{b} {o} for me", "go ahead and {b} {o}"],
  self: ["{b} {o}"]
}
