/**
 * How English makes other words of a verb: the forms that report it done, and the nouns of the act.
 */

/** Verbs whose past is not made by a rule: past, then participle where it differs. */
const irregular: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  [
    "begin began begun",
    "bind bound",
    "break broke broken",
    "bring brought",
    "build built",
    "buy bought",
    "choose chose chosen",
    "do did done",
    "draw drew drawn",
    "find found",
    "forgive forgave forgiven",
    "freeze froze frozen",
    "give gave given",
    "grow grew grown",
    "hide hid hidden",
    "hold held",
    "keep kept",
    "lay laid",
    "leave left",
    "lend lent",
    "make made",
    "pay paid",
    "sell sold",
    "send sent",
    "spend spent",
    "sweep swept",
    "take took taken",
    "teach taught",
    "tell told",
    "win won",
    "withdraw withdrew withdrawn",
    "withhold withheld",
    "write wrote written"
  ].map((entry) => {
    const [lemma = "", ...forms] = entry.split(" ")
    return [lemma, forms] as const
  })
)

/** Verbs that double their last letter though their stress does not show in their spelling. */
const doubling: ReadonlySet<string> = new Set(["transfer", "submit", "enrol", "enroll", "refer", "defer", "commit"])

/** Whether a verb is one whose past has to be known, with or without a prefix: `refreeze` goes as `freeze`. */
export const isIrregular = (lemma: string): boolean => irregularOf(lemma) !== null

const irregularOf = (lemma: string): ReadonlyArray<string> | null => {
  const known = irregular.get(lemma)
  if (known !== undefined) return known
  const prefix = /^(?:re|un|over|out)(?=\w{3})/.exec(lemma)?.[0]
  const forms = prefix === undefined ? undefined : irregular.get(lemma.slice(prefix.length))
  return prefix === undefined || forms === undefined ? null : forms.map((form) => prefix + form)
}

/** The words that report a verb done: its past and its participle. */
export const pastForms = (lemma: string): ReadonlyArray<string> => {
  const known = irregularOf(lemma)
  if (known !== null) return known
  if (lemma.endsWith("e")) return [`${lemma}d`]
  if (/[^aeiou]y$/.test(lemma)) return [`${lemma.slice(0, -1)}ied`]
  const doubles = doubling.has(lemma)
    ? !lemma.endsWith("ll")
    : /^[^aeiou]*[aeiou][bcdfgklmnprtvz]$/.test(lemma) && !/[ck]$/.test(lemma)
  return [doubles ? `${lemma}${lemma.slice(-1)}ed` : `${lemma}ed`]
}

/** How the nouns of `nounsOf` end. */
export const nounEnding = "[a-z]{2,14}(?:tion|sion|ment|al|ing)s?"

/**
 * Words that may be nouns of a verb's act: `cancellation`, `payment`, `renewal`, `booking`. One that does not exist stands
 * in no text.
 */
export const nounsOf = (lemma: string): ReadonlyArray<string> => {
  const stem = lemma.replace(/e$/, "")
  const doubled = lemma.endsWith("l") ? `${lemma}l` : lemma
  return [
    `${stem}ation`,
    `${doubled}ation`,
    `${stem}ion`,
    `${lemma.replace(/er$/, "r")}ation`,
    `${lemma.replace(/be$/, "p")}tion`,
    `${lemma.replace(/(?:y|sh)$/, "").replace(/i?$/, "i")}cation`,
    `${lemma.replace(/d$/, "")}sion`,
    `${lemma.replace(/t$/, "s")}sion`,
    `${lemma.replace(/ke$/, "")}cation`,
    `${lemma}ment`,
    `${stem}al`,
    `${stem}ing`
  ].filter((noun, i, all) => all.indexOf(noun) === i)
}
