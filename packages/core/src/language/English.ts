/**
 * English inflection, by rule with the exceptions beside it: numbers of nouns, forms of verbs, articles and lists. Words are
 * lower case where nothing else is said; what is not a word comes back as it is.
 */
import * as Irregular from "./internal/english/irregular.ts"

/**
 * The singular of a noun, and a word that is no plural as it is: `policies` -> `policy`, `status` -> `status`.
 *
 * @since 0.1.0
 * @category nouns
 */
export const singular = (word: string): string => {
  const irregular = singulars.get(word)
  if (irregular !== undefined) return irregular
  if (
    word.length < 3 ||
    Irregular.unchanging.has(word) ||
    Irregular.initials.has(word) ||
    !word.endsWith("s") ||
    /(?:ss|us|is)$/.test(word)
  ) {
    return word.length > 5 && word.endsWith("women") ? `${word.slice(0, -2)}an` : word
  }
  if (word.endsWith("ies")) {
    const stem = word.slice(0, -1)
    return word.length < 5 || Irregular.ieNouns.has(stem) ? stem : `${word.slice(0, -3)}y`
  }
  if (!word.endsWith("es")) return word.slice(0, -1)
  const shorter = word.slice(0, -2)
  if (Irregular.sisNouns.test(word)) return `${shorter}is`
  if (/(?:ss|x|zz|tz|sh)$/.test(shorter) || Irregular.esNouns.has(shorter) || Irregular.oesNouns.has(shorter)) {
    return shorter
  }
  return shorter.endsWith("ch") && !Irregular.cheNouns.has(`${shorter}e`) ? shorter : word.slice(0, -1)
}

/**
 * The plural of a noun, and a plural or uncountable one as it is: `policy` -> `policies`, `children` -> `children`.
 *
 * @since 0.1.0
 * @category nouns
 */
export const plural = (word: string): string => {
  const irregular = Irregular.nouns.get(word)
  if (irregular !== undefined) return irregular
  if (Irregular.initials.has(word)) return word
  if (Irregular.esNouns.has(word)) return `${word}es`
  if (/sis$|^axis$/.test(word)) return `${word.slice(0, -2)}es`
  if (isPlural(word) || uncountable(word)) return word
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  if (Irregular.oesNouns.has(word)) return `${word}es`
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/**
 * Whether a noun is in the plural.
 *
 * @since 0.1.0
 * @category nouns
 */
export const isPlural = (word: string): boolean => singular(word) !== word

const uncountable = (word: string): boolean => Irregular.unchanging.has(word) && !/(?:ss|sis|us)$/.test(word)

/**
 * `a` or `an`, by how what follows begins to sound: `an hour`, `a user`, `an SMS`, `a SIM card`.
 *
 * @since 0.1.0
 * @category nouns
 */
export const article = (next: string): "a" | "an" => {
  const initials = /^[A-Z][A-Z0-9]+(?![a-z])/.exec(next)?.[0]
  if (initials !== undefined && !Irregular.acronyms.has(initials)) return /^[AEFHILMNORSX]/.test(initials) ? "an" : "a"
  if (Irregular.vowelSound.test(next)) return "an"
  return /^[aeiou]/i.test(next) && !Irregular.consonantSound.test(next) ? "an" : "a"
}

/**
 * `cancel` -> `cancelling`, `make` -> `making`, `refer` -> `referring`.
 *
 * @since 0.1.0
 * @category verbs
 */
export const gerund = (verb: string): string => {
  if (verb.endsWith("ie")) return `${verb.slice(0, -2)}ying`
  if (/[^eoy]e$/.test(verb) && verb.length > 2) return `${verb.slice(0, -1)}ing`
  return `${doubled(verb)}ing`
}

/**
 * The simple past: `pay` -> `paid`, `write` -> `wrote`, `cancel` -> `cancelled`.
 *
 * @since 0.1.0
 * @category verbs
 */
export const past = (verb: string): string => irregular(verb)?.[0] ?? regularPast(verb)

/**
 * The past participle: `pay` -> `paid`, `write` -> `written`, `cancel` -> `cancelled`.
 *
 * @since 0.1.0
 * @category verbs
 */
export const participle = (verb: string): string => irregular(verb)?.[1] ?? regularPast(verb)

/**
 * What he, she or it does: `fix` -> `fixes`, `carry` -> `carries`, `have` -> `has`.
 *
 * @since 0.1.0
 * @category verbs
 */
export const thirdPerson = (verb: string): string => {
  if (verb === "be") return "is"
  if (verb === "have") return "has"
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`
  if (verb === "quiz") return "quizzes"
  return /(?:s|x|z|ch|sh|o)$/.test(verb) && !verb.endsWith("oo") ? `${verb}es` : `${verb}s`
}

/**
 * What a third person or a gerund may be a form of, the word itself last: `establishes` -> `establish`, `establishe`. Of a
 * third person the first is the likeliest; the spelling of a gerund does not tell `rate` from `rat`, so a caller takes the
 * first that its lexicon knows.
 *
 * @since 0.1.0
 * @category verbs
 */
export const baseForms = (word: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const add = (base: string, form: (verb: string) => string): void => {
    if (base.length > 1 && form(base) === word) found.add(base)
  }
  const known = thirdPersons.get(word)
  if (known !== undefined) found.add(known)
  if (word.endsWith("s") && !word.endsWith("ss")) {
    const [bare, shorter] = [word.slice(0, -1), word.slice(0, -2)]
    if (word.length > 4) add(`${word.slice(0, -3)}y`, thirdPerson)
    const sibilant = /(?:ss|x|zz|tz|sh|ch|o)$/.test(shorter) && !Irregular.cheNouns.has(bare)
    for (const base of sibilant ? [shorter, bare] : [bare, shorter]) add(base, thirdPerson)
  }
  if (word.endsWith("ing")) {
    const stem = word.slice(0, -3)
    const single = stem.slice(0, -1)
    // `selling` is of `sell`, though a verb `sel` would have it too
    if (/(.)\1$/.test(stem) && !/^[^aeiou]*[aeiou](?:ll|ss|ff|zz)$|^.(?:dd|rr|gg)$/.test(stem)) add(single, gerund)
    // `making` is of `make` and `ending` of `end`: one consonant after one vowel has lost its e, or would be doubled
    const silent = /[^aeiou](?:[aiou]|[^aeiou]e)[^aeiouwxy]$|[csuvz]$|[^aeiou]l$|(?:ng|rg|dg)$/.test(stem)
    for (const base of silent ? [`${stem}e`, stem] : [stem, `${stem}e`]) add(base, gerund)
    if (stem.endsWith("y")) add(`${single}ie`, gerund)
  }
  found.add(word)
  return [...found]
}

/**
 * Whether the past of a verb has to be known: `find`, and `refreeze` with its prefix.
 *
 * @since 0.1.0
 * @category verbs
 */
export const isIrregular = (verb: string): boolean => irregular(verb) !== undefined

/**
 * The words that report a verb done: `write` -> `wrote`, `written`.
 *
 * @since 0.1.0
 * @category verbs
 */
export const pastForms = (verb: string): ReadonlyArray<string> => [...new Set([past(verb), participle(verb)])]

/**
 * Words that may be nouns of a verb's act: `cancel` -> `cancellation`, `pay` -> `payment`, `book` -> `booking`. Some are no
 * words, so they serve to recognise what stands in a text and not to write.
 *
 * @since 0.1.0
 * @category verbs
 */
export const actNouns = (verb: string): ReadonlyArray<string> => {
  const stem = verb.replace(/e$/, "")
  return [
    ...new Set([
      `${stem}ation`,
      `${verb.endsWith("l") ? `${verb}l` : verb}ation`,
      `${stem}ion`,
      `${verb.replace(/er$/, "r")}ation`,
      `${verb.replace(/be$/, "p")}tion`,
      `${verb.replace(/(?:y|sh)$/, "").replace(/i?$/, "i")}cation`,
      `${verb.replace(/d$/, "")}sion`,
      `${verb.replace(/t$/, "s")}sion`,
      `${verb.replace(/ke$/, "")}cation`,
      `${verb}ment`,
      `${stem}al`,
      gerund(verb)
    ])
  ]
}

/**
 * How the nouns of `actNouns` end, as a regular expression source for the whole word, in either number.
 *
 * @since 0.1.0
 * @category verbs
 */
export const actNounEnding = "[a-z]{2,14}(?:tion|sion|ment|al|ing)s?"

/**
 * A word without its ending, by which the forms of one word are told to be one: `cancelled` and `cancels` -> `cancel`. Such
 * a stem need not be a word.
 *
 * @since 0.1.0
 * @category phrases
 */
export const stem = (word: string): string => word.replace(/(?:ing|ed|es|s)$/, "").replace(/([^aeiou])\1$|e$/, "$1")

/**
 * The first letter in upper case, unless the text begins with an identifier, a number or a name such as `iPhone`.
 *
 * @since 0.1.0
 * @category phrases
 */
export const capital = (text: string): string => {
  const first = text.charAt(0)
  const upper = first.toUpperCase()
  return upper === first || /^[^\s.,;:!?]*[\d_@/\\]|^\p{Ll}\S*\p{Lu}/u.test(text) ? text : upper + text.slice(1)
}

/**
 * A list as people say it: `a, b and c`.
 *
 * @since 0.1.0
 * @category phrases
 */
export const series = (items: ReadonlyArray<string>, last = " and "): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")}${last}${items[items.length - 1] ?? ""}`

const singulars: ReadonlyMap<string, string> = new Map([...Irregular.nouns].map(([one, many]) => [many, one]))
const thirdPersons: ReadonlyMap<string, string> = new Map([
  ["is", "be"],
  ["has", "have"],
  ["quizzes", "quiz"]
])

const irregular = (verb: string): readonly [past: string, participle: string] | undefined => {
  const known = Irregular.verbs.get(verb)
  if (known !== undefined) return known
  const prefix = Irregular.verbPrefix.exec(verb)?.[0] ?? ""
  if (prefix === "" || Irregular.regular.has(verb)) return undefined
  const forms = Irregular.verbs.get(verb.slice(prefix.length))
  return forms === undefined ? undefined : [prefix + forms[0], prefix + forms[1]]
}

const regularPast = (verb: string): string => {
  if (verb.endsWith("e")) return `${verb}d`
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`
  return `${doubled(verb)}ed`
}

/** The last letter twice after a single stressed vowel, as in `stopped` and `referred`; a k after c, as in `panicked`. */
const doubled = (verb: string): string => {
  if (/[ai]c$/.test(verb)) return `${verb}k`
  const last = verb.charAt(verb.length - 1)
  const doubles =
    /^(?:[^aeiouy]|qu|y(?=[aeiou]))*[aeiouy][bdfgklmnprtvz]$/.test(verb) ||
    Irregular.doublingParts.test(verb) ||
    Irregular.lastStressed.test(verb) ||
    (Irregular.doubledL.test(verb) && !Irregular.singleL.has(verb))
  return doubles ? verb + last : verb
}
