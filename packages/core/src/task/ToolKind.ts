/**
 * What a tool does, read from its name, then from its description: one classifier for grid, world, conduct and
 * checklist.
 */
import { namesOfActs, verbs } from "../language/internal/english/verbs.ts"

export const toolKinds = ["read", "create", "update", "delete", "send", "pay", "compute", "other"] as const
/** `compute` answers from its arguments alone (a calculator); `other` changes something, or does what no word tells. */
export type ToolKind = (typeof toolKinds)[number]

/** Whether calls of the kind change the world. */
export const writes = (kind: ToolKind): boolean => kind !== "read" && kind !== "compute"

/** Whether success of such a tool cannot be taken back. */
export const isDestructive = (kind: ToolKind): boolean => kind === "delete" || kind === "pay" || kind === "send"

/** `order_status` and `refund_history` read, unless the word before the noun is a verb alone (`set_status`). */
const readNouns = new Set("status history details detail info information summary list price prices balance".split(" "))
const verbsAlone = new Set(
  "change set move open new start save store log mark turn close place share forward".split(" ")
)

/** What a description's first words say that a name's do not: "Returns the lowest price" reads. */
const toldAsRead = new Set(["return", "give", "provide", "display"])

/**
 * The kind of a tool. The last part of a dotted or prefixed name is read first (`orders.cancel`, `mcp__shop__refund`).
 * A clear verb in it decides; then a word at its front that may be a noun when the description begins with the same
 * word; then the description's opening; then the whole name. A tool no word explains, as in another language, is `other`;
 * what is unknown of a declared tool is settled where it is read (`Tool.kindGuessed`).
 */
export const classify = (name: string, description: string): ToolKind => {
  const words = verbsOf(wordsOf(name))
  const operation = verbsOf(wordsOf(name.split(/[.:/]|__/u).findLast((part) => part.length > 0) ?? name))
  const [sentence = ""] = description.split(/[.!?]\s/u, 1)
  const told = wordsOf(sentence).slice(0, 8)
  const first = told[0] ?? ""
  const stem = stemOf(first)
  return (
    firstOf(strongKinds, operation, asIs) ??
    (stem !== "" && stem === operation[0] ? weakKinds.get(stem) : undefined) ??
    (toldAsRead.has(stem) ? "read" : undefined) ??
    strongKinds.get(stem) ??
    weakKinds.get(stem) ??
    firstOf(strongKinds, told, stemOf) ??
    firstOf(strongKinds, words, stemOf) ??
    (readNouns.has(operation.at(-1) ?? "") && !verbsAlone.has(operation[0] ?? "") ? "read" : undefined) ??
    firstOf(weakKinds, operation, stemOf) ??
    firstOf(weakKinds, words, stemOf) ??
    "other"
  )
}

/** A late checkout is a time to leave: what is requested is no payment. */
const verbsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word, i) => word !== "checkout" || !/^(?:late|early|request)$/.test(words[i - 1] ?? ""))

/** The words of an identifier: `cancelPendingOrder`, `cancel_pending_order` and `orders.cancel` in lower case. */
export const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 0)

/**
 * Words by the kind they tell: those that do wherever they stand in a name, and those that are as often nouns, which decide
 * only where nothing clearer does. Two words joined by `_` are read before either alone.
 */
const kindsOf = (noun: boolean): ReadonlyMap<string, ToolKind> =>
  new Map([
    ...verbs.flatMap((verb) => (verb.kind !== null && verb.noun === noun ? [[verb.lemma, verb.kind] as const] : [])),
    ...(Object.entries(namesOfActs) as ReadonlyArray<[ToolKind, string]>).flatMap(([kind, words]) =>
      words
        .split(" ")
        .flatMap((word) => (word.startsWith("~") === noun ? [[word.replace("~", ""), kind] as const] : []))
    )
  ])
const strongKinds = kindsOf(false)
const weakKinds = kindsOf(true)

const firstOf = (
  kinds: ReadonlyMap<string, ToolKind>,
  words: ReadonlyArray<string>,
  read: (word: string) => string
): ToolKind | undefined => {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    const kind = kinds.get(`${word}_${words[i + 1]}`) ?? kinds.get(read(word))
    if (kind !== undefined) return kind
  }
  return undefined
}

const asIs = (word: string): string => word

/** "retrieves", "booking" and "finder" as the verbs they come from. */
const stemOf = (word: string): string => {
  for (const bare of [
    word,
    word.replace(/s$/, ""),
    word.replace(/ies$/, "y"),
    word.replace(/(es|ing|ed|er|or)$/, ""),
    word.replace(/(ing|ed|er|or|ation)$/, "e"),
    word.replace(/(ation|ion|ions)$/, "ate"),
    word.replace(/(.)\1(ing|ed|er)$/, "$1")
  ]) {
    if (strongKinds.has(bare) || weakKinds.has(bare) || toldAsRead.has(bare)) return bare
  }
  return word
}
