/**
 * Says what the person knows: behind the verb where that is how people put it ("in Chicago", "from Boston to Denver"),
 * in sentences of its own otherwise ("The reason is that I no longer need it.").
 */
import * as English from "../../../language/English.ts"
import type { Choice } from "./choice.ts"
import { ofAccount, ofNamed, ofUnnamed } from "../../../language/internal/english/ids.ts"
import type { Known, Want } from "./scene.ts"
import type { Person } from "./person.ts"
import type { Role } from "./values.ts"

/** Order of what stands behind the verb. */
const inOrder: ReadonlyArray<Role> = [
  "subject",
  "from",
  "to",
  "place",
  "month",
  "season",
  "year",
  "date",
  "time",
  "duration",
  "count",
  "money",
  "number"
]

/** What is said behind the verb whoever speaks. */
const always: ReadonlySet<Role> = new Set(["date", "time", "duration", "count"])

/** Most things said behind the verb. */
const mostInline = 3

/** What is told, by whom and how. */
export interface Telling {
  readonly want: Want
  readonly person: Person
  readonly choice: Choice
  /** Nothing in sentences of its own. */
  readonly brief: boolean
  /** The object already says what the id is of. */
  readonly named: boolean
}

interface Told {
  /** Begins with a space, or is empty. */
  readonly tail: string
  readonly sentences: ReadonlyArray<string>
}

export const verbalise = (telling: Telling, values: ReadonlyArray<Known>, id: string | undefined): Told => {
  const inline: Array<string> = []
  const sentences: Array<string> = []
  if (id !== undefined) tellId(telling, id, inline, sentences)
  if (values.length > 0) tellValues(telling, values, inline, sentences)
  // a draw that values take, so that what follows is drawn alike with and without any
  else isBehind(telling.choice)
  return { tail: inline.join(""), sentences }
}

const tellValues = (
  { brief, choice, person, want }: Telling,
  values: ReadonlyArray<Known>,
  inline: Array<string>,
  sentences: Array<string>
): void => {
  const rest = new Set(values)
  const address = addressOf(want, values)
  if (address !== undefined) {
    for (const value of address.of) rest.delete(value)
    if (!brief)
      sentences.push(
        `${choice.pick(["The new address is", "It should be", "The address is", "New address:"])} ${address.text}.`
      )
  }
  const names = namesOf(values)
  if (names !== undefined) {
    for (const value of names.of) rest.delete(value)
    if (!brief)
      sentences.push(
        choice.pick([
          `My name is ${names.text}.`,
          `I'm ${names.text}.`,
          `The name is ${names.text}.`,
          `Name: ${names.text}.`
        ])
      )
  }
  const places = placesOf(values)
  if (places !== undefined && address === undefined) {
    for (const value of places.of) rest.delete(value)
    inline.push(places.text)
  }
  const stretch = stretchOf(values)
  if (stretch !== undefined) {
    for (const value of stretch.of) rest.delete(value)
    inline.push(stretch.text)
  }
  const behind = isBehind(choice)
  const severalNumbers = numbersOf(rest) > 1
  for (const role of inOrder) {
    for (const value of rest) {
      if (value.detail.maker?.role !== role || inline.length >= mostInline) continue
      if (!(behind || brief || always.has(role))) continue
      if (
        (role === "number" || role === "money") &&
        (severalNumbers ||
          value.detail.parameter.many ||
          English.isPlural(value.detail.label) ||
          value.detail.label === "number")
      )
        continue
      const phrase = inlineOf(value, want)
      if (phrase === undefined) continue
      inline.push(phrase)
      rest.delete(value)
    }
  }
  if (!brief && rest.size > 0) sentences.push(...sentencesFor([...rest], person, choice, want))
}

/** Whether values that could stand behind the verb do. */
const isBehind = (choice: Choice): boolean => choice.chance(0.85)

const numbersOf = (values: ReadonlySet<Known>): number =>
  [...values].filter(({ detail }) => detail.maker?.role === "number" || detail.maker?.role === "money").length

/** One looks something up "for" a record, and does something "on" it. */
const tellId = (
  { brief, choice, named, want }: Telling,
  id: string,
  inline: Array<string>,
  sentences: Array<string>
): void => {
  const { intent, record, reference } = want.speech
  const noun = reference?.noun ?? ""
  const phrases = record === "my account" ? ofAccount : named ? ofNamed : ofUnnamed
  const behind = choice.pick(phrases.inline)
  const sentence = choice.pick(phrases.sentences)
  if (!brief && !choice.chance(0.6)) {
    sentences.push(sentence(noun, id))
    return
  }
  const text = behind(noun, id)
  const looks = phrases !== ofAccount && (intent === "look" || (intent === "reckon" && !named))
  inline.push(looks ? text.replace(" on ", " for ") : text)
}

/** "452 Oak Street, Apt 3, Denver, CO 80217, USA" */
const addressOf = (
  want: Want,
  values: ReadonlyArray<Known>
): { readonly text: string; readonly of: ReadonlyArray<Known> } | undefined => {
  if (!want.speech.addressed) return undefined
  const of = values.filter(({ detail }) => ["address", "place", "zip"].includes(detail.maker?.role ?? ""))
  if (of.length < 2) return undefined
  const state = of.findIndex(({ detail }) => /state|province/i.test(detail.parameter.name))
  const parts = of.map(({ says }) => English.series(says))
  const zip = of.findIndex(({ detail }) => detail.maker?.role === "zip")
  if (state !== -1 && zip !== -1) {
    parts[state] = `${parts[state] ?? ""} ${parts[zip] ?? ""}`
    parts.splice(zip, 1)
  }
  return { text: parts.join(", "), of }
}

/** "in Denver, Colorado", "between Boston and Chicago": places that are said together. */
const placesOf = (
  values: ReadonlyArray<Known>
): { readonly text: string; readonly of: ReadonlyArray<Known> } | undefined => {
  const of = values.filter(({ detail }) => detail.maker?.role === "place" && !detail.parameter.many)
  if (of.length < 2) return undefined
  const says = of.map((value) => English.series(value.says))
  const apart = of.every(({ detail }) => /^(?:first|second|third|fourth) /.test(detail.label))
  return { text: apart ? ` between ${English.series(says)}` : ` in ${says.join(", ")}`, of }
}

/** "from March 20 to March 23": the two ends of a stay are said together. */
const stretchOf = (
  values: ReadonlyArray<Known>
): { readonly text: string; readonly of: ReadonlyArray<Known> } | undefined => {
  const dates = values.filter(({ detail }) => detail.maker?.role === "date" && !detail.parameter.many)
  const start = dates.find(({ detail }) => detail.maker?.side === "start")
  const end = dates.find(({ detail }) => detail.maker?.side === "end")
  if (start === undefined || end === undefined) return undefined
  return { text: ` from ${English.series(start.says)} to ${English.series(end.says)}`, of: [start, end] }
}

const namesOf = (
  values: ReadonlyArray<Known>
): { readonly text: string; readonly of: ReadonlyArray<Known> } | undefined => {
  const of = values.filter(({ detail }) => detail.maker?.role === "name")
  return of.length === 0 ? undefined : { text: of.map(({ says }) => English.series(says)).join(" "), of }
}

/** With a space in front; undefined for what people don't put behind a verb. */
const inlineOf = ({ detail, says }: Known, want: Want): string | undefined => {
  const say = English.series(says)
  const name = detail.parameter.name.toLowerCase()
  switch (detail.maker?.role) {
    case "subject":
      return want.speech.intent === "change" || want.speech.intent === "remove" ? undefined : ` for ${say}`
    case "from":
      return ` from ${say}`
    case "to":
      return ` to ${say}`
    case "place":
      return ` in ${say}`
    case "month":
      return ` in ${say}`
    case "season":
      return ` in the ${say} season`
    case "year":
      return /start|from/.test(name) ? ` from ${say}` : /end|to_|until/.test(name) ? ` to ${say}` : ` in ${say}`
    case "date":
      if (detail.maker.side === "end") return /return/.test(name) ? ` coming back on ${say}` : ` until ${say}`
      if (/start|from|begin/.test(name)) return ` from ${say} on`
      return /^(?:tomorrow|today|next|this)/.test(say) ? ` ${say}` : ` on ${say}`
    case "time":
      return /until|till|end|latest/.test(name) ? ` until ${say}` : name === "by" ? ` by ${say}` : ` at ${say}`
    case "count":
      return / (?:rooms?|seats?|tickets?|beds?|bags?)$/.test(say) ? ` with ${say}` : ` for ${say}`
    case "duration":
      return ` ${want.speech.intent === "reckon" ? "over" : "for"} ${say}`
    case "money":
      return /budget|max|limit/.test(name)
        ? ` with a budget of ${say}`
        : want.speech.intent === "pay"
          ? want.id === undefined
            ? ` of ${say}`
            : undefined
          : ` with ${English.article(detail.label)} ${detail.label} of ${say}`
    case "number":
      return ` with ${English.article(detail.label)} ${detail.label} of ${say}`
    default:
      return undefined
  }
}

const sentencesFor = (
  values: ReadonlyArray<Known>,
  person: Person,
  choice: Choice,
  want: Want
): ReadonlyArray<string> => {
  const out: Array<string> = []
  const plain: Array<Known> = []
  for (const value of values) {
    const say = English.series(value.says)
    const label = value.detail.label
    switch (value.detail.maker?.role) {
      case "flag":
        break
      case "email":
        out.push(
          say === person.email
            ? choice.pick([
                `My email is ${say}.`,
                `You can find me under ${say}.`,
                `Email: ${say}.`,
                `My email address is ${say}.`
              ])
            : choice.pick([`It goes to ${say}.`, `Send it to ${say}.`, `The recipient is ${say}.`])
        )
        break
      case "phone":
        out.push(choice.pick([`My number is ${say}.`, `My phone number is ${say}.`, `Phone: ${say}.`]))
        break
      case "zip":
        out.push(choice.pick([`My zip code is ${say}.`, `Zip code ${say}.`, `Zip: ${say}.`]))
        break
      case "duration":
        out.push(`It's for ${say}.`)
        break
      case "date":
      case "time":
      case "count":
        out.push(`${English.capital((inlineOf(value, want) ?? say).trim().replace(/^with /, ""))}, please.`)
        break
      case "quantity":
        out.push(choice.pick([`I need ${say} of them.`, `Quantity: ${say}.`, `${say} of them, please.`]))
        break
      case "reason":
        out.push(
          /^(?:I|my|it|the)\b/i.test(say)
            ? choice.pick([`${English.capital(say)}.`, `The reason: ${say}.`])
            : choice.pick([`Reason: ${say}.`, `The reason is: ${say}.`, `As for the reason, ${say}.`])
        )
        break
      case "text":
        out.push(
          choice.pick([
            `The ${label} should be "${say}".`,
            `${English.capital(label)}: "${say}".`,
            `For the ${label}, take "${say}".`
          ])
        )
        break
      default:
        plain.push(value)
    }
  }
  if (plain.length > 0) out.push(listed(plain, choice))
  return out
}

/** "The radius is 5 and the height 12." */
const listed = (values: ReadonlyArray<Known>, choice: Choice): string => {
  const many = (value: Known): boolean => value.says.length > 1 || English.isPlural(value.detail.label)
  const label = (value: Known): string => (many(value) ? English.plural(value.detail.label) : value.detail.label)
  switch (choice.int(values.length > 2 ? 4 : 3)) {
    case 0:
      return `${English.capital(English.series(values.map((value) => `${/^[a-z]$/i.test(label(value)) ? "" : "the "}${label(value)} ${many(value) ? "are" : "is"} ${English.series(value.says)}`)))}.`
    case 1:
      return `${English.capital(values.map((value) => `${label(value)}: ${English.series(value.says)}`).join(", "))}.`
    case 2:
      return `${English.capital(English.series(values.map((value) => `${label(value)} ${English.series(value.says)}`)))}.`
    default:
      return `${choice.pick(["Details", "Here's what I have", "The details"])}:\n${values.map((value) => `- ${label(value)}: ${English.series(value.says)}`).join("\n")}\n`
  }
}
