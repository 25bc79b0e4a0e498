/**
 * Where sentences end, and which of them say something by themselves. Decided by punctuation and word counts, so that
 * a language without word lists here is read too.
 */
/** The sentences of a paragraph. Where one begins with a small letter, so may the others: some people type no capitals. */
export const split = (paragraph: string): ReadonlyArray<string> => {
  const typedSmall = /^\p{Ll}/u.test(paragraph)
  const out: Array<string> = []
  let from = 0
  for (const match of paragraph.matchAll(boundary)) {
    const end = match.index + match[0].trimEnd().length
    if (!isEnd(paragraph, match.index, match[0], match.index + match[0].length, typedSmall)) continue
    out.push(paragraph.slice(from, end).trim())
    from = match.index + match[0].length
  }
  out.push(paragraph.slice(from).trim())
  return out.filter((text) => text !== "")
}

/** Whether a text is more than a title, a word or a lead: a sentence, an instruction, or four words or more. */
export const saysSomething = (text: string): boolean => {
  if (/[:：]$/u.test(text)) return false
  const words = wordCount(text)
  return words >= 4 || (words >= 2 && (isSentence(text) || directive.test(text) || imperative.test(text)))
}

/** Whether a heading is a rule rather than a title: it instructs, or it is a whole sentence. */
export const isRule = (text: string): boolean =>
  wordCount(text) >= 2 && (directive.test(text) || isSentence(text)) && !/[:：?？]$/u.test(text)

/** Whether a sentence only says who the agent is; one that also says what it must do is a rule. */
export const isRole = (text: string): boolean => role.test(text) && !directive.test(text)

const boundary = /[.!?؟।॥۔]+["'”’)\]]*(?:\s+|$)|[。！？｡]+[」』”’）]*\s*/gu

const abbreviations = new Set(
  "e.g i.e etc vs mr mrs ms dr prof st no nos art sec fig approx inc ltd co corp dept est max min incl excl u.s u.k a.m p.m".split(
    " "
  )
)

const isEnd = (text: string, at: number, mark: string, next: number, typedSmall: boolean): boolean => {
  if (next >= text.length) return true
  if (!mark.startsWith(".") || mark.startsWith("..")) return true
  const before = /[\p{L}\p{N}.]+$/u.exec(text.slice(Math.max(0, at - 24), at))?.[0] ?? ""
  if (abbreviations.has(before.toLowerCase()) || /^\p{L}$/u.test(before) || /^\d+$/.test(before)) {
    return /^\d+$/.test(before) && /^\p{Lu}/u.test(text.slice(next))
  }
  return typedSmall || !/^\p{Ll}/u.test(text.slice(next))
}

const isSentence = (text: string): boolean => /[.!?؟।॥۔。！？｡]["'”’)\]」』]*$/u.test(text)

const directive =
  /\b(must|never|always|only|should|shall|cannot|can't|mustn't|shouldn't|don't|do not|not|no|required?|requires|forbidden|prohibited|allowed|may)\b/i
const imperative =
  /^(be|keep|ask|use|avoid|refuse|confirm|check|verify|stay|reply|respond|answer|tell|explain|escalate|transfer|offer|give|follow|make|ensure|let|limit|stop|log|read|write|call|include|apologi[sz]e|decline|deny|greet|thank)\b/i
const role =
  /^(you are|you're|you will act as|act as|your role is|your name is|i am|du bist|sie sind|tu es|vous êtes|eres|usted es|sei|você é|jij bent|je bent)\s+(?!(?:not|never|only|allowed|required|expected|responsible|able|to)\b)|^(您是|你是|あなたは|당신은|ты\s|вы\s[—–-])/iu

/** Words; of scripts that write none apart, two characters count as one. */
const wordCount = (text: string): number => {
  const unspaced = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0
  const spaced = text
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu, " ")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length
  return spaced + Math.floor(unspaced / 2)
}
