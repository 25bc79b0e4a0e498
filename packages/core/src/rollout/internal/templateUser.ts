/**
 * A person without a model: tells what they are asked for and know, agrees to what serves what they came for, corrects
 * what is wrong, says what they cannot know, and goes on or goes away as the thread wants. The same thread always gets
 * the same answer.
 */
import * as Effect from "effect/Effect"
import * as English from "../../language/English.ts"
import { wordsOf } from "../../task/ToolKind.ts"
import * as Randomness from "../../random/Randomness.ts"
import type { Reaction, Turn } from "../UserSimulator.ts"
import * as Consent from "./consent.ts"
import * as Fields from "./fields.ts"
import { Language, type DialogueActs } from "../../language/Language.ts"
import { normalised } from "./speech.ts"

export const react = (turn: Turn): Effect.Effect<Reaction> =>
  Effect.zipWith(Randomness.Randomness, Language, (randomness, { dialogueActs }) => {
    const spoken = turn.thread.filter((line) => line.role === "user")
    const draws = randomness
      .at(turn.info.seed)
      .stream(["user", turn.info.taskId, turn.info.rolloutIndex, spoken.length])
    const said = new Set(spoken.map((line) => normalised(line.text)))
    return reactTo(turn, { acts: dialogueActs, said, draws })
  })

interface Person {
  readonly acts: DialogueActs
  /** The person's own lines so far, normalised. */
  readonly said: ReadonlySet<string>
  readonly draws: Randomness.Draws
}

const reactTo = (turn: Turn, person: Person): Reaction => {
  const line = turn.thread.at(-1)?.text ?? ""
  if (turn.question) return answer(turn, line, person)
  if (person.acts.offersMore(line)) return turn.more ? goOn(person) : done
  if (person.acts.refuses(line)) return says([], person, refused)
  if (person.acts.isThanks(line) && !turn.more) return done
  return goOn(person)
}

const done: Reaction = { _tag: "Done" }

const answer = (turn: Turn, line: string, person: Person): Reaction => {
  const { entity, facts, need } = turn.task.plan
  const asking = askingIn(line, person.acts)
  const digits = lastDigits(asking, facts)
  const asked = Fields.asked(digits === null ? asking : asking.replace(digits.phrase, " "), facts)
  const confirming = isConfirming(line)
  const wrong = confirming || person.acts.asksForYes(line) ? Consent.wrongIn(line, facts) : null
  if (wrong !== null) return says([`No, ${correction(wrong)}`, `That's not right, ${correction(wrong)}`], person)
  if (confirming && asked.known.length === 0 && asked.unknown.length === 0 && statesAFact(line, facts)) {
    return says([], person, confirmations)
  }
  const open = opensUp.test(asking)
  if (digits === null && asked.known.length === 0 && asked.unknown.length === 0 && !open) {
    const choice = person.acts.asksForYes(line) ? null : choiceIn(line, facts)
    if (choice !== null) return says([`${capital(choice)}, please.`, `I'd go with ${choice}.`], person)
    if (person.acts.asksForYes(line) || Consent.proposes(line)) {
      const ask = turn.thread.find(({ role }) => role === "user")?.text ?? ""
      const verdict = Consent.judge(line, { need, ask, tool: entity?.tool ?? null, facts })
      return says([], person, verdict._tag === "Yes" ? agreements : declining)
    }
  }
  const told = [tellAll(asked.known, facts, asking), ...(digits === null ? [] : [digits.text])].join(" ").trim()
  const knows = told !== ""
  // "How many" is answered by what it is that is counted.
  if (knows && asked.unknown.length === 0) return says([told, `${told} That is what I have here.`], person)
  if (knows) return says([`${told} I don't have the ${withoutYour(asked.unknown)}.`], person)
  if (asked.unknown.length > 0) {
    const what = withoutYour(asked.unknown)
    return { _tag: "CannotAnswer", text: fresh(unknowing(what), person) ?? `I can't tell you the ${what}, sorry.` }
  }
  if (identifies.test(asking) && !open) return says(introductions(facts), person, vague)
  if (open) return says([...wishes(need), ...about(turn)], person, vague)
  return says([], person, aside)
}

/** The sentences that ask, or all of them where none does by itself. */
const askingIn = (line: string, acts: DialogueActs): string => {
  const sentences = line.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== "")
  const asking = sentences.filter((sentence) => acts.asks(sentence))
  return asking.length === 0 ? line : asking.join(" ")
}

/** Asks whether something told is so. */
const isConfirming = (line: string): boolean =>
  /\b(?:(?:is|are|was|isn't) (?:that|this|it|the|your|my)[^?]{0,80}\b(?:correct|right|accurate|you|yours)|correct\s*\?|right\s*\?|^(?:so |and )?(?:is|was|are) (?:your|this|that|it|the)\b[^?]*\?|(?:can|could|would) you (?:please )?(?:confirm|verify) (?:that|whether|if|your|the|this)|(?:please )?(?:confirm|verify) (?:that|whether|if|your)|am i (?:speaking|talking|chatting)|are you|is this|is your)\b/i.test(
    line
  ) || /\b(?:correct|right)\s*\?\s*$/i.test(line)

/** Whether the line holds a value of theirs. */
const statesAFact = (line: string, facts: Fields.Facts): boolean => {
  const name = Fields.nameOf(facts)
  if (name !== null && line.toLowerCase().includes(name.toLowerCase()) && /\?\s*$/.test(line)) return true
  return (
    /^(?=.*\bis (?:your|that|this|it)\b)/i.test(line) &&
    Object.values(facts).some((value) => value.length > 3 && line.includes(value))
  )
}

const correction = ([name, value]: Fields.Fact): string =>
  `my ${/(?:^|_)name$/.test(name) ? "name" : Fields.spoken(name)} is ${value}.`

/** "The last four digits of your phone number". */
const lastDigits = (asking: string, facts: Fields.Facts): { readonly phrase: string; readonly text: string } | null => {
  const match =
    /\blast (two|three|four|five|[2-6]) (?:digits|numbers|characters) (?:of|on|in) (?:the |your )?([^?.,]{3,60})/i.exec(
      asking
    )
  if (match === null) return null
  const count = counts[(match[1] ?? "").toLowerCase()] ?? Number(match[1])
  const what = match[2] ?? ""
  const found = Object.entries(facts).find(([name, value]) => Fields.spokenAs(name).test(what) && /\d/.test(value))
  if (found === undefined) return null
  const digits = found[1].replace(/\D/g, "").slice(-count)
  return digits.length < count ? null : { phrase: match[0], text: `The last ${match[1] ?? ""} digits are ${digits}.` }
}
const counts: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5 }

const withoutYour = (unknown: ReadonlyArray<string>): string =>
  [...new Set(unknown.map((phrase) => phrase.replace(/^(?:your|the|what|which) /, "")))].join(" or the ")

/** All that was asked for, a name and an address in one piece. */
const tellAll = (known: ReadonlyArray<Fields.Fact>, facts: Fields.Facts, asking: string): string => {
  const out: Array<string> = []
  const names = known.filter(([name]) => /^(?:current_)?(?:first|last)_name$/.test(name))
  const whole = names.length > 1 ? Fields.nameOf(facts) : null
  const addresses = known.filter(([name]) => isAddress(name))
  for (const fact of known) {
    const [name] = fact
    if (whole !== null && names.includes(fact)) {
      if (fact === names[0]) out.push(`My name is ${whole}.`)
    } else if (addresses.length > 1 && isAddress(name)) {
      if (fact === addresses[0]) out.push(addressed(facts, asking))
    } else out.push(telling(fact))
  }
  return out.join(" ")
}

const isAddress = (name: string): boolean =>
  /^(?:address(?:_?line)?_?[12]?|street(?:_address)?|city|state|country|province|zip|zip_code|postal_code)$/.test(name)

const addressed = (facts: Fields.Facts, asking: string): string => {
  const parts = Object.entries(facts).flatMap(([name, value]) => (isAddress(name) ? [value] : []))
  return `${/\bnew\b/i.test(asking) ? "The new address" : "The address"} is ${parts.join(", ")}.`
}

/** "My order id is A1001.", "Until 14:00.", "2 guests." */
const telling = ([name, value]: Fields.Fact): string => {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ""
  if (words.length === 1 && /^(?:until|till|by|at|from|to|in|on)$/.test(last)) {
    return `${English.capital(last)} ${value}.`
  }
  if (/^\d+$/.test(value) && /[^s]s$|^people$/.test(last)) {
    return `${value} ${Number(value) === 1 && last !== "people" ? last.slice(0, -1) : last}.`
  }
  if (last === "reason") return `The reason is: ${value}.`
  const whose = words[0]?.startsWith("check") === true || things.has(words[0] ?? "") ? "The" : "My"
  const many = value.includes(", ") && last.endsWith("s")
  return `${whose} ${Fields.spoken(name)} ${many ? "are" : "is"} ${value}.`
}
/** What is not the person's own. */
const things: ReadonlySet<string> = new Set(
  "new old item product doctor slot service flight hotel room date amount title method severity from to environment city".split(
    " "
  )
)

/** How people say who they are, when it is left to them. */
const introductions = (facts: Fields.Facts): ReadonlyArray<string> => {
  const name = Fields.nameOf(facts)
  const other = ["email", "zip", "date_of_birth", "phone"].find((one) => Object.hasOwn(facts, one))
  const parts = [
    ...(name === null ? [] : [`My name is ${name}.`]),
    ...(other === undefined ? [] : [telling([other, facts[other] ?? ""])])
  ]
  return parts.length === 0 ? ["I don't know what you need for that, what should I tell you?"] : [parts.join(" ")]
}
const identifies = /\b(?:verif\w*|identif\w*|identity|authenticat\w*|prove)\b/i

/** Asks what they want, in whatever words. */
const opensUp =
  /\b(?:how (?:can|may|could) (?:i|we) (?:help|assist|be of)|what (?:can|may|could) (?:i|we) (?:do|help)|what (?:do|would) you (?:need|want|like)(?! (?:to pay|the))|what(?:'s| is) (?:the (?:problem|issue|matter)|going on|this about|it about|wrong|your (?:question|request|issue|problem))|(?:clarify|explain|describe|elaborate|tell me (?:a bit |a little )?more|more (?:details?|information)|be more specific|what you mean|what exactly|in more detail|help you with today)|what brings you)\b/i

const wishes = (need: string | null): ReadonlyArray<string> => {
  const bare = need?.replace(/[.\s]+$/, "") ?? ""
  if (bare === "") return []
  if (/[?!]$/.test(bare) || /^(?:i|my|we|how|what|why|where|when|can|is|do)\b/i.test(bare))
    return [/[?!]$/.test(bare) ? bare : `${bare}.`]
  return [`I'd like to ${bare.charAt(0).toLowerCase()}${bare.slice(1)}.`]
}

/** The record they come about, by the identifier they have of it. */
const about = ({ task: { plan } }: Turn): ReadonlyArray<string> => {
  const { entity, facts, person } = plan
  const argument =
    entity?.argument ??
    Object.keys(facts).find((name) => /(?:^|_)(?:id|number)$/.test(name) && name !== `${person?.noun}_id`)
  const value = argument === undefined ? undefined : facts[argument]
  return argument === undefined || value === undefined ? [] : [`It is about ${Fields.spoken(argument)} ${value}.`]
}

/** One of the options a line offers: the one they have in mind, else the first. */
const choiceIn = (line: string, facts: Fields.Facts): string | null => {
  const offered = /\bor\b/i.test(line)
    ? Object.values(facts).find((value) => value.length > 2 && line.toLowerCase().includes(value.toLowerCase()))
    : undefined
  if (offered !== undefined) return offered
  const match =
    /\b(?:prefer|want|like|choose|between|either)\s+((?:an?|the)\s+[\w\s-]{2,40}?)\s+or\s+(?:an?|the)\s+[\w\s-]{2,40}\?/i.exec(
      line
    )
  const option = match?.[1]
  return option === undefined ? null : option.replace(/^(?:an?)\s/i, "the ")
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const agreements = [
  "Yes, please go ahead.",
  "Yes, that's right.",
  "Yes, do that please.",
  "Sure, go ahead.",
  "Yes, I confirm."
]

const declining = [
  "No, that's not what I asked for.",
  "No thanks, only what I came for, please.",
  "No, please don't do that.",
  "No, I don't want that."
]

const confirmations = ["Yes, that's right.", "Yes, that is correct.", "Correct."]

/** What is beside the point. */
const aside = [
  "I'm not sure what that has to do with it, sorry.",
  "I'd rather get back to what I asked.",
  "I can't really say. Could we get on with my request?",
  "Sorry, I don't know what to say to that."
]

const refused = [
  "Why not? Is there anything you can do instead?",
  "That's disappointing. What are my options then?",
  "Can you make an exception in this case?",
  "Is there someone else who could do it?",
  "OK, what would have to change for it to work?"
]

const unknowing = (what: string): ReadonlyArray<string> => [
  `I don't know the ${what}.`,
  `I don't have the ${what} at hand.`,
  `Sorry, I couldn't tell you the ${what}.`,
  `I really don't have the ${what}, can we do without?`
]

const vague = [
  "Just what I asked for at the start, please.",
  "I'm not sure what else to tell you about it.",
  "I've told you all I know about it.",
  "Whatever is quickest, please."
]

/** What people come up with when the first thing is dealt with. */
const further = [
  "OK. And when will that be done?",
  "Can you tell me what happens next?",
  "Will I get a confirmation by e-mail?",
  "And is there anything I have to do on my side?",
  "Could you double-check that for me?",
  "How long does that usually take?",
  "Does this cost me anything?",
  "Can I still change my mind later?",
  "Who do I turn to if something goes wrong?",
  "Can you sum that up for me once more?",
  "Where can I see the status myself?",
  "Can you check whether anything else is open?",
  "Could you explain that last part again?",
  "Should I keep anything for my records?",
  "Can I get a reminder about it?",
  "Thanks. Is there anything else I should know?",
  "Good. What do I need to have ready?",
  "Great, thank you. Can you read it back to me so I have it right?",
  "Alright. Does anything change for me because of this?",
  "Perfect. Is that final now?",
  "Thanks, that helps. Can I come back to you if there's a problem?",
  "OK, got it. Can you give me a reference for this?",
  "Good to know. Is there a deadline I should keep in mind?",
  "Understood. What if I need to change something later?",
  "OK. Which of that is certain already?",
  "Is there a faster way, next time?",
  "Thanks. Can you show me the details once more?",
  "Fine. Is there a phone number in case I need someone?",
  "I see. Can you note on my file that we talked about this?",
  "That's all clear. Would it help if I wrote down anything?"
]

/** The first of the lines that was not said yet; after them one of the pool, whose lines are equally good. */
const says = (lines: ReadonlyArray<string>, person: Person, pool: ReadonlyArray<string> = []): Reaction => {
  const text = lines.find((line) => isFresh(line, person)) ?? fresh(pool, person)
  return text === null ? { _tag: "Missed", repeated: true } : { _tag: "Says", text, last: false }
}

const goOn = (person: Person): Reaction => says([], person, further)

/** One of the lines that was not said yet. */
const fresh = (pool: ReadonlyArray<string>, person: Person): string | null => {
  const left = pool.filter((line) => isFresh(line, person))
  return left.length === 0 ? null : person.draws.pick(left)
}

const isFresh = (line: string, { said }: Person): boolean => !said.has(normalised(line))
