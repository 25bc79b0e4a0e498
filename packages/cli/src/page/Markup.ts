/**
 * HTML from templates in which every value is escaped, wherever it comes from: rows hold the words of models and people,
 * and a page must show them, not run them.
 */

/** Text that is HTML already. Only `html`, `raw` and `join` make it. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What a template takes: texts and numbers are escaped, lists are put one after the other, nothing is left out. */
export type Value = string | number | Markup | null | false | ReadonlyArray<Value>

/** A template whose values are escaped, in texts and in quoted attributes. Indentation of the template is left out. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Markup => {
  const parts = partsOf(strings)
  let text = parts[0] ?? ""
  for (let i = 0; i < values.length; i++) text += written(values[i] ?? null) + (parts[i + 1] ?? "")
  return new Markup(text)
}

/** HTML of our own making that needs no escaping: styles, scripts, drawings. */
export const raw = (text: string): Markup => new Markup(text)

export const join = (parts: ReadonlyArray<Value>, between: string): Markup =>
  new Markup(parts.map(written).join(between))

/** Text as HTML shows it. What no text of a page may hold (NUL, halves of surrogate pairs) becomes U+FFFD. */
export const escape = (text: string): string =>
  text.replace(/[&<>"'\0]|\p{Surrogate}/gu, (sign) => signs.get(sign) ?? "\uFFFD")

/** A text cut to a length, with what was left out counted. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const end = isHighHalf(text.charCodeAt(most - 1)) ? most - 1 : most
  return `${text.slice(0, end)}…`
}

const signs: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"]
])

const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

const written = (value: Value): string => {
  if (value === null || value === false) return ""
  if (value instanceof Markup) return value.text
  return typeof value === "object" ? value.map(written).join("") : escape(String(value))
}

/** The fixed parts of each template, without the indentation of the source. */
const seen = new WeakMap<TemplateStringsArray, ReadonlyArray<string>>()

const partsOf = (strings: TemplateStringsArray): ReadonlyArray<string> => {
  const held = seen.get(strings)
  if (held !== undefined) return held
  const parts = strings.map((part) => part.replace(/\n\s*/g, "\n"))
  seen.set(strings, parts)
  return parts
}
