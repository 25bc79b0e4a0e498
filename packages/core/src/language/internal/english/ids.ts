/**
 * How people give an identifier: behind the verb, with a space in front, or in a sentence of its own.
 */
import { capital } from "../../English.ts"

/** Says an id of something. */
export type SaysId = (noun: string, id: string) => string

export interface IdPhrases {
  readonly inline: ReadonlyArray<SaysId>
  readonly sentences: ReadonlyArray<SaysId>
}

/** "my account" */
export const ofAccount: IdPhrases = {
  inline: [(noun, id) => ` (my ${noun} id is ${id})`, (noun, id) => ` (${noun} id ${id})`],
  sentences: [
    (noun, id) => `My ${noun} id is ${id}.`,
    (noun, id) => `The ${noun} id is ${id}.`,
    (_, id) => `I'm ${id}.`
  ]
}

/** Where the object already says what the id is of. */
export const ofNamed: IdPhrases = {
  inline: [(_, id) => ` for ${id}`, (_, id) => ` (${id})`, (_, id) => ` on ${id}`],
  sentences: [(_, id) => `It's ${id}.`, (noun, id) => `It's ${noun} ${id}.`, (noun, id) => `${capital(noun)} ${id}.`]
}

export const ofUnnamed: IdPhrases = {
  inline: [(noun, id) => ` for ${noun} ${id}`, (noun, id) => ` (${noun} ${id})`, (noun, id) => ` on ${noun} ${id}`],
  sentences: [
    (noun, id) => `It's ${noun} ${id}.`,
    (noun, id) => `The ${noun} is ${id}.`,
    (noun, id) => `It's about ${noun} ${id}.`,
    (noun, id) => `${capital(noun)} ${id}.`
  ]
}
