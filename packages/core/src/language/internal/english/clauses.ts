/**
 * What people say about the state of things, about what went wrong on their side and about earlier contacts, and how
 * they take a stand. `{n}` is the thing asked about with its article ("the order"), `{N}` the same at the start of a
 * sentence. Each entry is one sentence or more.
 */
type Wordings = ReadonlyArray<string>

/** By world state (`(lookup)` where the person only looks something up); states that a person cannot tell from outside have no words. */
export const worldStates: Readonly<Record<string, Wordings>> = {
  missing: [
    "I can't find {n} anywhere on my side.",
    "{N} doesn't show up when I search for it.",
    "The app says {n} doesn't exist, which makes no sense.",
    "When I look for {n} I get 'not found'.",
    "For some reason {n} has disappeared from my list.",
    "I can't see {n} in my overview any more.",
    "My screen shows nothing at all for {n}.",
    "{N} seems to have vanished."
  ],
  already_acted_on: [
    "It's possible this was already done once, I'm seeing mixed signals.",
    "I may have already done this myself yesterday.",
    "My partner says this has already been taken care of, but please look.",
    "I have a feeling someone already did this on {n}.",
    "I think I already clicked the button for this on the website.",
    "There's a note saying this was already handled, I don't quite believe it.",
    "I got a mail saying it had already been processed."
  ],
  "already_acted_on (lookup)": [
    "I think someone already changed something on {n}.",
    "It may have been dealt with already, that's what I'd like to know.",
    "I'm told {n} was already taken care of.",
    "My partner says {n} has already been processed.",
    "I have a feeling someone already did something with {n}."
  ],
  duplicate: [
    "I seem to have two of them that look the same.",
    "There are two entries in my list that look identical.",
    "Careful, {n} shows up twice on my side.",
    "I see it listed twice, so I'm not sure which one is the right one.",
    "It looks like {n} was entered twice by accident.",
    "There's a duplicate of {n} in there somewhere.",
    "For some reason I have two identical entries."
  ],
  partially_completed: [
    "Only part of it seems to have gone through so far.",
    "It looks like this was half done and then stopped.",
    "One half is finished, the rest is still open.",
    "Some of it was already done, but not everything.",
    "It got stuck halfway, as far as I can see.",
    "The first step went through, the rest didn't.",
    "It's only partly done at the moment."
  ],
  unknown: [
    "I have no idea what state {n} is in right now.",
    "I don't know where things stand with {n}.",
    "No clue whether {n} has been touched in the meantime.",
    "I can't tell what the current status of {n} is.",
    "I'm not sure what has happened to {n} so far.",
    "I've lost track of where {n} stands.",
    "Nobody could tell me what's going on with {n}."
  ]
}

/** By tool condition: what a person sees of it from the outside. */
export const conditions: Readonly<Record<string, Wordings>> = {
  timeout: [
    "Your site keeps timing out on me today.",
    "The page just loads forever and then gives up.",
    "Everything is terribly slow on your end today.",
    "The app hung every time I tried it myself.",
    "I sat there watching the spinner for ten minutes.",
    "Your system seems really slow right now."
  ],
  malformed_result: [
    "All I get on the page is garbled text.",
    "The screen shows nothing but gibberish for it.",
    "What the app shows me is cut off and full of weird characters.",
    "Half of the fields on my screen are scrambled.",
    "I only see broken text where the details should be.",
    "The result page looks corrupted to me."
  ],
  stale_result: [
    "What I see on the site looks out of date.",
    "My screen still shows last week's information.",
    "The page says it was last updated ages ago.",
    "I think I'm being shown old data.",
    "The app hasn't refreshed in days, so I don't trust what it shows.",
    "The numbers I see are outdated, I'm fairly certain."
  ],
  permission_denied: [
    "The site tells me I don't have permission.",
    "I keep getting 'access denied' when I do it myself.",
    "It says I'm not authorized, no idea why.",
    "My login apparently doesn't have the rights for this.",
    "I get a message that I'm not allowed to do this.",
    "There's a lock icon and it won't let me in."
  ]
}

/** By history. */
export const histories: Readonly<Record<string, Wordings>> = {
  prior_failure: [
    "I tried this yesterday and it failed.",
    "Last time I tried this it ended with an error.",
    "I already attempted this once and it didn't work.",
    "The last attempt failed and nobody told me why.",
    "I did this on the website this morning and got an error.",
    "It went wrong the first time around.",
    "My earlier attempt didn't go through."
  ],
  prior_partial_action: [
    "I started this earlier today but never finished.",
    "Your colleague got halfway through this with me before we were cut off.",
    "We did the first part last time and then the chat dropped.",
    "I had already begun this on the website and stopped in the middle.",
    "Someone on your team started on this but didn't complete it.",
    "Part of this was set up in an earlier chat and then left there."
  ],
  contradicts_earlier: [
    "I know I said the opposite earlier, please forget that.",
    "Earlier I told your colleague something different, this is what I actually want.",
    "Ignore what I said before, I've changed my mind.",
    "This is not what I asked for this morning, I know.",
    "Yesterday I said I wouldn't need this, but now I do.",
    "Please disregard my previous message, it was wrong.",
    "I take back what I said last time."
  ],
  repeat_visit: [
    "It's me again, I wrote to you last week about this.",
    "I was here a few days ago about the same thing.",
    "This is the third time I'm contacting you about it.",
    "We already talked about this on Monday.",
    "I'm back with the same topic as last time.",
    "I've been in touch about this before.",
    "You helped me with something similar last month."
  ]
}

/** What an action does, as far as the words of a stance care. */
export type Intent = "remove" | "change" | "make" | "send" | "pay" | "look" | "reckon" | "talk"

export type ByIntent = Readonly<Partial<Record<Intent, Wordings>>> & { readonly any: Wordings }

/** Doubt about one's own request. */
export const unsure: Wordings = [
  "I'm not sure if this is the right place to ask.",
  "I think that's right, but I'm not certain.",
  "Maybe I'm mixing something up here.",
  "I'm not a hundred percent sure about this though.",
  "I might be wrong about the details.",
  "At least I think that's what I need?",
  "Not sure if that's even the right thing to do.",
  "I could be confusing this with something else."
]

/** Asked before, no answer. */
export const retry: Wordings = [
  "Trying this again since nothing happened.",
  "Second attempt, my last message got no answer.",
  "I'm asking again because I never heard back.",
  "Sending this again.",
  "Let me try this one more time.",
  "Asking once more, the first time didn't go through.",
  "Here I go again with the same request."
]

/** At the edge of what is allowed. */
export const boundary: ByIntent = {
  any: [
    "I know this is a bit outside the normal rules, but could you make an exception?",
    "I realise this is right at the limit of what you allow.",
    "I know it's probably against the usual policy, can we still do it?",
    "It's a borderline case, I admit.",
    "Technically I may be just past the deadline for this."
  ],
  remove: [
    "I know the deadline for that was yesterday, could you make an exception?",
    "I'm aware it's past the point where that's normally allowed.",
    "It's only a few hours past the limit, surely that still counts."
  ],
  change: [
    "I know changes are normally not allowed at this point, could you make an exception?",
    "I'm just past the cutoff for changes, I think.",
    "It goes slightly beyond what's normally allowed."
  ],
  make: [
    "I know I'm already at the maximum, could you make an exception for one more?",
    "It's slightly over the limit you normally allow.",
    "I may not fully meet the requirements, but only just."
  ],
  pay: [
    "It's just over the limit, could you let it through this once?",
    "I know that's more than what's normally allowed.",
    "It's a few days past the deadline, could you still accept it?"
  ],
  look: [
    "Include the parts that normally aren't shown to people like me, as far as you're allowed.",
    "I know you may not be allowed to share all of it, give me what you can at the limit.",
    "I'm not sure I'm entitled to see that, but could you make an exception?"
  ],
  reckon: [
    "I know it's at the very limit of what this is meant for.",
    "It's an extreme case, right at the edge.",
    "These values may be just outside the normal limits, do it anyway if it's allowed."
  ]
}

/** A false belief, stated as a fact. */
export const mistaken: ByIntent = {
  any: [
    "As far as I know you do this automatically anyway, right?",
    "I was under the impression that this is always free and instant.",
    "I'm pretty sure your colleague confirmed this is already approved.",
    "My understanding is that no checks are needed for this."
  ],
  remove: [
    "As far as I know I can undo that at any time later.",
    "I'm pretty sure that gets me my money back the same minute.",
    "My understanding is that everything else goes away with it too."
  ],
  change: [
    "As far as I know that can be changed as often as I like.",
    "I was under the impression that this takes effect for everything in the past too.",
    "I'm pretty sure this also updates all my other records automatically."
  ],
  make: [
    "I'm pretty sure the first one is always free.",
    "As far as I know I can have as many as I want.",
    "I was under the impression that no details are needed for that."
  ],
  send: [
    "As far as I know it can be called back if I change my mind.",
    "I was under the impression that everybody already knows about it."
  ],
  pay: [
    "I'm pretty sure the bank reverses it if I don't like it.",
    "I was under the impression that there's a 50% discount on it."
  ],
  look: [
    "I'm pretty sure it should have changed overnight by itself.",
    "As far as I know that's updated every second.",
    "I was under the impression that you can see everything I see on my screen."
  ],
  reckon: [
    "I'm pretty sure the answer has to be a whole number.",
    "As far as I know the result is always negative.",
    "My understanding is that the units don't matter for this."
  ]
}

/** Two wishes that cannot both come true. */
export const conflicting: ByIntent = {
  any: [
    "But at the same time I don't want anything to be different afterwards.",
    "It has to happen today, but at the same time nothing may be touched before next week.",
    "But also leave everything exactly the way it is."
  ],
  remove: [
    "But at the same time I want to keep it active.",
    "But also make sure I still get it as planned.",
    "It should be gone for good, but at the same time I need to go on using it."
  ],
  change: [
    "But at the same time don't change anything about it.",
    "But also keep the old version exactly as it is.",
    "I want the new one, but at the same time the old one has to stay in place."
  ],
  make: [
    "But at the same time don't book or create anything yet.",
    "But also make sure nothing new shows up on my account.",
    "It needs to be done today, but at the same time I don't want it before next month."
  ],
  send: ["But at the same time nobody should receive anything.", "But also keep it strictly to yourself."],
  pay: ["But at the same time don't take any money from me.", "But also leave my balance exactly as it is."],
  look: [
    "I want every single detail, but at the same time keep it to one word.",
    "Give me the full picture, but also don't look anything up.",
    "I need it complete, but at the same time leave out everything that's in there."
  ],
  reckon: [
    "I need the exact value, but at the same time only a rough guess.",
    "Do it step by step, but also give me nothing but the number.",
    "It has to be precise to the last digit, but at the same time rounded to tens."
  ]
}

/** Whole frames for people who only look around: `{g}` gerund, `{s}` what they would do. */
export const exploratory: Wordings = [
  "I'm thinking about {g}. What are my options?",
  "Before I decide anything, how would {g} work?",
  "Just exploring for now: what would it take to {s}?",
  "What would happen if I wanted to {s}?",
  "Hypothetically, if I wanted to {s}, how would that go?",
  "I'm only looking into {g} at this point, what should I know?",
  "Not deciding yet, but what does {g} involve?",
  "Just curious what my options are when it comes to {g}.",
  "I'm weighing up {g}. What would you need from me?"
]

export const exploratoryQuestions: Wordings = [
  "Just exploring for now, what could you tell me about {o}?",
  "I'm just curious, what kind of things can you tell me about {o}?",
  "Before I decide anything, what's there to know about {o}?",
  "Just looking around. What are my options when it comes to {o}?"
]

/** Vague asks about a thing (`{t}`): what is wanted stays open. */
export const vague: ByIntent = {
  any: [
    "Something's not right with {t}, can you sort it out?",
    "It's about {t}. Can you do something about it?",
    "Can you take care of {t} for me?",
    "I need that thing with {t} sorted.",
    "{T} again, you know how it is. Can you fix it?",
    "There's something with {t} I need done.",
    "I have an issue with {t}, can you handle it somehow?",
    "Could you deal with {t}? The usual."
  ],
  make: [
    "I think I need {t} or something like that.",
    "I need {t} or whatever you call it.",
    "Can you get me {t} or something along those lines? Whatever works.",
    "I want something like {t}, you'll know what's best.",
    "Something in the direction of {t} would be nice, no idea exactly what."
  ],
  look: [
    "I was wondering about {t}, roughly.",
    "I have some sort of question about {t}.",
    "Do you have anything on {t}?",
    "I need some info, it's something about {t}.",
    "Can you tell me a bit about {t} or something along those lines?",
    "What's the deal with {t}?",
    "It's something to do with {t}, can you check?"
  ],
  reckon: [
    "I need something about {t} for my homework or so.",
    "How does one get {t} or something like that?",
    "I need some number, it's something to do with {t}.",
    "Can you do the thing with {t}?",
    "I have some sort of question about {t}."
  ],
  talk: [
    "I need to talk to somebody about this thing.",
    "Can someone sort something out with me?",
    "There's something I'd rather discuss with someone.",
    "I need somebody to look at something for me.",
    "Could somebody help me with this thing?"
  ],
  send: [
    "Something needs to go out, can you handle it? It's about {t}.",
    "Can you do the usual thing with {t}?",
    "I need {t} or whatever you call it."
  ]
}
