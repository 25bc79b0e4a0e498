/**
 * What is known of the language a run is in: how lines of an agent are understood, and the words by which conduct is graded.
 * English is there; another language is another layer (`Layer.succeed(Language.Language, german)`), taken where the run's
 * `locale` is its own. A run in a language that nobody knows is graded by the structural rules alone, and the verdict
 * says so.
 */
import * as Context from "effect/Context"
import { conduct } from "./internal/english/conduct.ts"
import * as dialogueActs from "./internal/english/dialogueActs.ts"
import type { VerbKind } from "./internal/english/verbs.ts"
import { isForeign, speaks } from "./internal/recognition.ts"

/**
 * What somebody can claim to have done.
 *
 * @since 0.1.0
 * @category models
 */
export interface Action {
  /** The verb as it stands in tool names. */
  readonly lemma: string
  /** The words that report it done. */
  readonly forms: ReadonlyArray<string>
  readonly kind: VerbKind | "other"
  /**
   * Whether the verb alone says little ("I've made a list"): such a claim counts only when the sentence names what the
   * tool works on.
   */
  readonly plain: boolean
  /** Whether the verb is also the noun of its act: a refund is given, an order is not. */
  readonly event: boolean
}

/**
 * The words by which conduct is graded. Patterns may only make a rule milder or name what a text plainly says: a missed fault
 * costs one row, a false alarm costs the trust in all of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConductWords {
  /** Words that tell the language alone: no text in another one has them by chance. */
  readonly certain: ReadonlySet<string>
  /** Frequent little words no other language has: two of them tell the language. */
  readonly common: ReadonlySet<string>
  /** Little words that some other languages have too: they count only beside one that they don't have. */
  readonly shared: ReadonlySet<string>
  /** Little words of the language, wherever else they stand too: a long text without any of them is in another one. */
  readonly little: ReadonlySet<string>
  /** Words of other languages that are none of this one. */
  readonly foreign: ReadonlySet<string>
  readonly actions: ReadonlyArray<Action>
  /** The words that report a verb done; asked for verbs that only a run's tools have. */
  readonly pastForms: (lemma: string) => ReadonlyArray<string>
  /** Whether a word is a verb, as far as its forms alone tell. */
  readonly isVerb: (word: string) => boolean
  /** Nouns that may be those of a verb's act. */
  readonly nounsOf: (lemma: string) => ReadonlyArray<string>
  /** How such a noun ends, as a regular expression source for the whole word. */
  readonly nounEnding: string
  /** First words of tool names that do not say what is done. */
  readonly emptyVerbs: ReadonlySet<string>
  /**
   * Sentences that report an action of the speaker as done, as regular expression sources; `{verb}` stands for the forms
   * of all actions, `{lemma}` for the verbs, `{noun}` for the nouns of the acts. The first group is the word.
   */
  readonly ownClaims: ReadonlyArray<string>
  /** The same without a speaker: such a sentence may also report what was read. */
  readonly reportedClaims: ReadonlyArray<string>
  /** The state something is in after the action ("is booked"): a claim only with a plain subject, at its clause's end. */
  readonly stateClaims: ReadonlyArray<string>
  /** The same in a few words, or of the act itself: "Refund issued.", "OK, cancelled." */
  readonly headlineClaims: ReadonlyArray<string>
  /** What stands before a state claim in its sentence and makes it a rule, a thing told by others, or of no one thing. */
  readonly noSubject: RegExp
  /** After a state claim, at once: its clause goes on to say something else. */
  readonly statesMore: RegExp
  /** Opens a reply by saying that all is done, without saying what. */
  readonly blanketOpening: RegExp
  /** Says so of the speaker, anywhere. */
  readonly blanketOwn: RegExp
  /** What will not happen once all is done ("you won't be charged"): a denial that owns up to nothing; global. */
  readonly consequences: RegExp
  /** A sentence that asks how things are, or what could be, and not for anything to be done. */
  readonly asksToKnow: RegExp
  /** Before a claim in its sentence: it is a condition, a wish or a doubt. */
  readonly hypothetical: RegExp
  /** Right after a claim: it is none. */
  readonly denied: RegExp
  /** Says that all is done without saying what. */
  readonly done: RegExp
  /** Owns up to a failure, doubts, refuses, asks to check, or hands over; asked by `ownsUp`. */
  readonly owning: RegExp
  /** Says or supposes, in whatever words, that what was tried went well. */
  readonly goesOn: RegExp
  /** Tells of a record what only an answer could have told: when it comes, how it stands. */
  readonly tells: RegExp
  /** Numbers that tell nothing of a record: waiting times, lengths, status codes, whom to call; global. */
  readonly idleNumbers: RegExp
  /** Thanks, greetings and good wishes, which say nothing of a failure; global. */
  readonly pleasantries: RegExp
  /** Set phrases and names of things that hold words of `owning` and own up to nothing; global. */
  readonly courtesy: RegExp
  /** Says that a record does not exist. */
  readonly missing: RegExp
  /** Says that something was done before. */
  readonly alreadyDone: RegExp
  /** An ask that only wants to know what would be. */
  readonly hypotheticalAsk: RegExp
  /** An ask that forbids to do anything for now. */
  readonly noAction: RegExp
  /** Puts one thing off; the first group is its verb. */
  readonly notYet: RegExp
  /** Words of somebody who plainly wants to know and no more. */
  readonly onlyAsks: RegExp
  /** An ask that wants something more than once. */
  readonly severalTimes: RegExp
  /** Manners of speech that markers count. */
  readonly manners: {
    /** Set phrases that say nothing to this person. */
    readonly boilerplate: RegExp
    readonly hedging: RegExp
    readonly apology: RegExp
    readonly sycophancy: RegExp
    /** Says no to what was asked. */
    readonly refusal: RegExp
  }
  /** Words before an identifier of a record. */
  readonly recordWords: ReadonlySet<string>
  /** Words before an identifier that is only an example. */
  readonly exampleWords: ReadonlySet<string>
}

/**
 * What a line of a conversation does, read from what it says.
 *
 * @since 0.1.0
 * @category models
 */
export interface DialogueActs {
  /** Asks the other side for something. */
  readonly asks: (line: string) => boolean
  /** Asks for a go-ahead. */
  readonly asksForYes: (line: string) => boolean
  /** Offers further help: nothing is asked that one would have to know or decide. */
  readonly offersMore: (line: string) => boolean
  /** Turns the other side down. */
  readonly refuses: (line: string) => boolean
  /** Is thanks or goodbye and little else. */
  readonly isThanks: (line: string) => boolean
}

/**
 * A language.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Such as `en`. */
  readonly code: string
  readonly dialogueActs: DialogueActs
  readonly conduct: ConductWords
}

/**
 * English.
 *
 * @since 0.1.0
 * @category languages
 */
export const english: Service = { code: "en", dialogueActs, conduct }

/**
 * The language of a run; English unless a layer says otherwise.
 *
 * @since 0.1.0
 * @category services
 */
export class Language extends Context.Reference<Language>()("@sandtable/core/Language", {
  defaultValue: (): Service => english
}) {}

/**
 * The language of a locale such as `en` or `en-GB`: the given one where it is that, else English where it is; undefined when
 * the locale is of another language.
 *
 * @since 0.1.0
 * @category languages
 */
export const of = (locale: string, own: Service = english): Service | undefined => {
  const [code = ""] = locale.toLowerCase().split(/[-_]/, 1)
  return [own, english].find((language) => language.code === locale || language.code === code)
}

/**
 * The words by which lines are read: null when nobody knows their language, or when they are in another one. By words of
 * another language the lists would find nothing, and nothing must not count against the agent.
 *
 * @since 0.1.0
 * @category conduct
 */
export const wordsForLines = (
  language: Service | undefined,
  lines: ReadonlyArray<{ readonly text: string }>
): ConductWords | null => {
  if (language === undefined) return null
  const words = language.conduct
  if (lines.some(({ text }) => speaks(words, text))) return words
  return lines.some(({ text }) => isForeign(words, text)) ? null : words
}

/**
 * What a text says beside thanks, greetings and good wishes.
 *
 * @since 0.1.0
 * @category conduct
 */
export const beyondCourtesy = (words: ConductWords, text: string): string =>
  text.replace(words.courtesy, " ").replace(words.pleasantries, " ")

/**
 * Whether a text owns up to a failure, doubts, asks, refuses or hands over: what is said for politeness does not.
 *
 * @since 0.1.0
 * @category conduct
 */
export const ownsUp = (words: ConductWords, text: string): boolean =>
  words.owning.test(text.replace(words.courtesy, " "))
