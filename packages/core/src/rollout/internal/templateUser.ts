/**
 * A person without a model: answers from the facts of the task, agrees when asked to, says what they cannot know, and
 * goes on or goes away as the thread wants. The same thread always gets the same answer.
 */
import * as Effect from "effect/Effect"
import * as English from "../../language/English.ts"
import { wordsOf } from "../../task/ToolKind.ts"
import * as Randomness from "../../random/Randomness.ts"
import type { Reaction, Turn } from "../UserSimulator.ts"
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
  if (person.acts.refuses(line)) return says(refused, person)
  if (person.acts.isThanks(line) && !turn.more) return done
  return goOn(person)
}

const done: Reaction = { _tag: "Done" }

const answer = (turn: Turn, line: string, person: Person): Reaction => {
  const { facts, need } = turn.task.plan
  const asked = Fields.asked(line, facts)
  // Asked for "your reference", people give the one they have.
  const given = asked.unknown.map((phrase) => referenceIn(phrase, facts))
  const known = [...asked.known, ...given.flatMap((fact) => fact ?? [])].filter(
    (fact, i, all) => all.findIndex(([name]) => name === fact[0]) === i
  )
  // "How many" is answered by what it is that is counted.
  const unknown = asked.unknown.filter(
    (phrase, i) => given[i] === undefined && !(known.length > 0 && /^(?:how|what|which)\b/.test(phrase))
  )
  const wrong = known.find(([, value]) => !line.includes(value) && namesAnother(line, value))
  if (wrong !== undefined) return says([`No, my ${Fields.spoken(wrong[0])} is ${wrong[1]}.`], person)
  if (person.acts.asksForYes(line) && !/\bconfirm (?:your|the (?:order|account|email|phone|name))\b/i.test(line)) {
    return says(agreements, person)
  }
  const told = known.map(telling).join(" ")
  // "Your reference or your e-mail address": one of the two will do.
  const enough = unknown.length === 0 || /\bor\b/i.test(line)
  if (known.length > 0 && enough) return says([told, `${told} That is what I have here.`], person)
  if (known.length > 0) return says([`${told} I don't have the ${unknown.join(" or the ")}.`], person)
  if (unknown.length > 0) {
    const what = unknown.join(" or the ").replace(/^(?:your|the|what|which) /, "")
    return { _tag: "CannotAnswer", text: fresh(unknowing(what), person) ?? `I can't tell you the ${what}, sorry.` }
  }
  const choice = choiceIn(line)
  if (choice !== null) return says([`${choice}, please.`, `I'd go with ${choice}.`], person)
  const known_ = Object.entries(facts).map(([name, value]) => `${Fields.spoken(name)} ${value}`)
  const about = known_.length === 0 ? [] : [`It is about ${known_.join(" and ")}.`]
  const wish = need === null ? [] : [`What I need: ${need.replace(/[.\s]+$/, "")}.`]
  return says([...wish, ...about, ...vague], person)
}

/** "My order id is A1001.", "Until 14:00.", "2 guests." */
const telling = ([name, value]: readonly [string, string]): string => {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ""
  if (words.length === 1 && /^(?:until|till|by|at|from|to|in|on)$/.test(last)) {
    return `${English.capital(last)} ${value}.`
  }
  if (/^\d+$/.test(value) && /[^s]s$|^people$/.test(last)) {
    return `${value} ${Number(value) === 1 && last !== "people" ? last.slice(0, -1) : last}.`
  }
  return `${words[0]?.startsWith("check") === true ? "The" : "My"} ${Fields.spoken(name)} is ${value}.`
}

/** The fact a phrase such as "the reservation reference" asks for under another word, if there is one. */
const referenceIn = (
  phrase: string,
  facts: Readonly<Record<string, string>>
): ReadonlyArray<readonly [name: string, value: string]> | undefined => {
  const words = new Set(wordsOf(phrase))
  if (![...words].some((word) => references.has(word) || word === "confirmation")) return undefined
  const ids = Object.entries(facts).filter(([name]) => references.has(wordsOf(name).at(-1) ?? ""))
  const nounsOf = (name: string): ReadonlyArray<string> => wordsOf(name).filter((word) => !references.has(word))
  const named = ids.find(([name]) => nounsOf(name).some((word) => words.has(word)))
  // A fact that is only called "id" is the identifier; a confirmation number is that of the booking.
  const bare = ids.length === 1 ? ids.find(([name]) => nounsOf(name).length === 0) : undefined
  const own = ids.find(([name]) => nounsOf(name).some((word) => confirmable.has(word)))
  const found = named ?? bare ?? (words.has("confirmation") || words.has("reference") ? own : undefined)
  return found === undefined ? undefined : [found]
}
const references: ReadonlySet<string> = new Set(["id", "number", "code", "reference", "ref", "identifier", "no"])
const confirmable: ReadonlySet<string> = new Set(["booking", "reservation", "order", "confirmation", "reference"])

/** Whether the line names some other identifier of the same look where it should name this one. */
const namesAnother = (line: string, value: string): boolean => {
  if (!/\d/.test(value) || /\s/.test(value)) return false
  const look = (text: string): string => text.replace(/\d+/g, "0").replace(/[A-Za-z]+/g, "a")
  return (line.match(/[#\w@.-]*\d[\w@.-]*/g) ?? []).some((found) => look(found.replace(/[.]$/, "")) === look(value))
}

/** The first of the options a line offers: "a refund or an exchange?" */
const choiceIn = (line: string): string | null => {
  const match =
    /\b(?:prefer|want|like|choose|between|either)\s+((?:an?|the)\s+[\w\s-]{2,40}?)\s+or\s+(?:an?|the)\s+[\w\s-]{2,40}\?/i.exec(
      line
    )
  const option = match?.[1]
  return option === undefined ? null : option.replace(/^(?:an?)\s/i, "the ")
}

const agreements = [
  "Yes, please go ahead.",
  "Yes, that's right.",
  "Yes, do that please.",
  "Sure, go ahead.",
  "Yes, I confirm."
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

const says = (lines: ReadonlyArray<string>, person: Person): Reaction => {
  const text = fresh(lines, person)
  return text === null ? { _tag: "Missed", repeated: true } : { _tag: "Says", text, last: false }
}

const goOn = (person: Person): Reaction => says(further, person)

/** One of the lines that was not said yet. */
const fresh = (lines: ReadonlyArray<string>, person: Person): string | null => {
  const left = lines.filter((line) => !person.said.has(normalised(line)))
  // Lines that tell facts come first and are not drawn; the others are equally good.
  const first = left[0]
  if (first === undefined) return null
  return lines.length > 3 ? person.draws.pick(left) : first
}
