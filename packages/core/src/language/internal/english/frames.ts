/**
 * How people begin, put and end a request, by tone. `{v}` is what the agent should do ("look up my order"), `{s}` what
 * the person wants to do ("find my order"), `{g}` the same as a gerund; `{V}` and `{G}` begin a sentence.
 */
import { series } from "../../English.ts"
export const tones = ["neutral", "polite", "casual", "formal", "frustrated", "friendly", "terse"] as const
export type Tone = (typeof tones)[number]

export const frames: Readonly<Record<Tone, ReadonlyArray<string>>> = {
  neutral: [
    "Can you {v}?",
    "Could you {v}?",
    "I need to {s}.",
    "I'd like to {s}.",
    "I want to {s}.",
    "I need help {g}.",
    "I'm trying to {s}.",
    "I need you to {v}.",
    "Can you help me {s}?",
    "I'm looking to {s}.",
    "I have to {s}, can you do that?",
    "Can I get some help {g}?"
  ],
  polite: [
    "Could you please {v}?",
    "Would you mind helping me {s}?",
    "I'd really appreciate it if you could {v}.",
    "Could I please ask you to {v}?",
    "I was hoping you could {v}, please.",
    "Please could you {v}?",
    "When you have a moment, could you please {v}?",
    "May I ask for your help {g}?"
  ],
  casual: [
    "Can you {v} real quick?",
    "So I gotta {s}.",
    "Wanna {s}, can you help me out?",
    "Any chance you can {v}?",
    "Gonna need to {s}.",
    "Yeah so I kinda need to {s}.",
    "Mind if I get you to {v}?",
    "Could ya {v}?"
  ],
  formal: [
    "I am writing to request that you {v}.",
    "I would like to request your assistance in {g}.",
    "Kindly {v}.",
    "I wish to {s} and would be grateful for your assistance.",
    "I hereby ask you to {v}.",
    "I should be obliged if you would {v}."
  ],
  frustrated: [
    "I just want to {s}, how hard can that be?",
    "For the last time, {v}.",
    "Why is it so difficult to {s}?",
    "I'm really fed up with this, just {v}.",
    "This is getting ridiculous, I need to {s}.",
    "I've had it with waiting. {V}.",
    "Seriously, all I want is to {s}."
  ],
  friendly: [
    "I was wondering if you could {v} for me?",
    "I'd love to {s}, could you give me a hand?",
    "Would you be a star and {v}?",
    "Hoping you can help me {s}!",
    "I'd be so happy if you could {v}!",
    "You'd make my day if you could {v}."
  ],
  terse: ["{V}.", "Need to {s}.", "{V} please.", "Want to {s}.", "How do I {s}?"]
}

/** Ways to ask for a thing that is known to be there (`{o}`), for lookups; `{is}` agrees with it. */
export const questions: Readonly<Record<Tone, ReadonlyArray<string>>> = {
  neutral: ["What {is} {o}?", "Can you tell me what {o} {is}?", "I'd like to know what {o} {is}."],
  polite: ["Could you please tell me what {o} {is}?", "May I ask what {o} {is}?"],
  casual: ["So what {is} {o}?", "Any idea what {o} {is}?", "Do you happen to know what {o} {is}?"],
  formal: ["I would like to enquire what {o} {is}."],
  frustrated: ["Can somebody finally tell me what {o} {is}?", "Why can nobody tell me what {o} {is}?"],
  friendly: ["I was curious what {o} {is}!", "Quick one for you: what {is} {o}?"],
  terse: ["What {is} {o}?"]
}

/** Openers; an empty one is none. */
export const openers: Readonly<Record<Tone, ReadonlyArray<string>>> = {
  neutral: ["", "", "", "Hi.", "Hello.", "Hi,", "Hello,", "Good morning.", "Good afternoon.", "Hi there."],
  polite: [
    "",
    "Hello,",
    "Good morning,",
    "Good afternoon,",
    "Hi, sorry to bother you.",
    "Hello, I hope you can help me.",
    "Excuse me,"
  ],
  casual: ["hey", "Hey,", "Heya,", "yo", "Hey there,", "hi hi,", "Ok,"],
  formal: ["Dear Sir or Madam,", "Dear support team,", "To whom it may concern,", "Good day,", "Dear team,"],
  frustrated: ["", "Ugh.", "Look,", "OK, listen.", "Hello?!", "Honestly."],
  friendly: [
    "Hi there!",
    "Hello! Hope you're having a good day.",
    "Hey! Hope all is well.",
    "Hi! Lovely to reach someone.",
    "Good morning!"
  ],
  terse: [""]
}

/** Closers; an empty one is none. */
export const closers: Readonly<Record<Tone, ReadonlyArray<string>>> = {
  neutral: ["", "", "", "", "Thanks.", "Thank you.", "Let me know.", "Thanks in advance.", "Can you let me know?"],
  polite: [
    "",
    "Thank you very much.",
    "Many thanks in advance.",
    "Thank you for your time.",
    "I'd be very grateful.",
    "Thank you kindly."
  ],
  casual: ["", "thx", "cheers", "ta", "thanks a bunch", "lmk", "ty"],
  formal: ["Kind regards", "Yours sincerely", "I look forward to your reply.", "With best regards", "Respectfully"],
  frustrated: [
    "",
    "This is taking forever.",
    "I don't have all day.",
    "Unbelievable.",
    "I expect better than this.",
    "Not impressed so far."
  ],
  friendly: ["", "Thanks so much!", "You're the best!", "Have a great day!", "Thanks a million!", "Appreciate you!"],
  terse: [""]
}

const bare = (text: string): string => text.replace(/[^a-z ]/gi, "").toLowerCase()
const plain: ReadonlySet<string> = new Set(["", ...openers.neutral, ...closers.neutral].map(bare))

/** Whether an opener or closer tells a tone by itself: "Hello" does not. */
export const showsTone = (text: string): boolean => !plain.has(bare(text))

/** Frames for people in a hurry, who say the least that could do. */
export const hurried: ReadonlyArray<string> = [
  "{V}, asap please.",
  "Quick, I need to {s} right now.",
  "In a rush, can you {v}?",
  "No time to explain, just {v}.",
  "Need this done in the next five minutes: {v}.",
  "{V}. It's urgent.",
  "Urgent: {v}.",
  "I'm about to board, please {v} quickly.",
  "Running late, {v} please.",
  "Fast please: {v}.",
  "{V} now please, I'm in a hurry.",
  "Got a meeting in 2 min, need to {s} asap.",
  "Hurry please, I have to {s}.",
  "Can you {v} immediately? No time for questions."
]

export const hurriedQuestions: ReadonlyArray<string> = [
  "Quick question, what {is} {o}? I'm in a hurry.",
  "In a rush: what {is} {o}?",
  "Need to know asap: {o}.",
  "Urgent, what {is} {o}?"
]

/** Joins several requests of one message. */
export const joins: ReadonlyArray<(requests: ReadonlyArray<string>) => string> = [
  (requests) => series(requests, ", and also "),
  (requests) => series(requests, ", then "),
  (requests) => series(requests, " and "),
  (requests) => `first ${series(requests, ", and after that ")}`,
  (requests) => series(requests, ", and while you're at it ")
]

/** Several requests as separate sentences; `{v}`... are filled one by one. */
export const secondRequests: ReadonlyArray<string> = [
  "I also need you to {v}.",
  "Then please {v}.",
  "On top of that I need to {s}.",
  "After that I'd like to {s}.",
  "And can you {v} too?",
  "Oh, and I want to {s} as well.",
  "Second thing: {v}."
]
