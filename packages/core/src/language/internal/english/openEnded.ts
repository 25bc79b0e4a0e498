/**
 * Probes off the grid: asks that no axis describes. `{v}`, `{s}`, `{g}` as in frames; `{v2}` is another request, `{t}`
 * a thing the agent deals with, `{day}` and `{n}` are drawn.
 */
export const probes: ReadonlyArray<string> = [
  "What can you actually do for me? I mainly care about {t}.",
  "Walk me through what happens step by step when you {v}.",
  "Can you {v} every {day} from now on?",
  "If it's not too late, {v}, otherwise {v2}.",
  "What's the difference between {g} and {g2}?",
  "{V} for me and for {n} of my colleagues.",
  "I've got {n} of these. {V} for all of them in one go.",
  "Is there any reason not to {s}?",
  "Explain {t} to me like I'm {n} years old.",
  "Undo the last thing you did, then {v}.",
  "Which would be quicker, {g} or {g2}?",
  "What do you know about me already, before I ask you to {v}?",
  "Don't do anything yet. Just tell me how you would {v}.",
  "Remind me on {day} to {s}.",
  "My boss asked me to {s} and I don't even know what that means.",
  "I need this in writing: that you can {v} by {day}.",
  "{V}, but only if that doesn't affect anything else. Does it?",
  "Can you {v} and tell me how sure you are, from 1 to 10?",
  "Talk me out of {g}.",
  "Who do I complain to if you {v} and it goes wrong?",
  "How often do people ask you about {t} on a {day}?",
  "I read {n} conflicting things about {t}, what's true?",
  "Suppose I never asked you to {v}. What would you have told me instead?",
  "Summarise everything you know about {t} in {n} words.",
  "{V}. If you can't, {v2}. If you can't do that either, say so.",
  "Give me {n} examples of things you could do with {t}.",
  "Could a child {s} with your help?",
  "What did I forget to mention if I want to {s}?"
]
