/**
 * The JSON of lists that get hashed, as `JSON.stringify` writes it: most of their items are short plain strings and whole
 * numbers, and to put those together costs a fifth of asking for the whole list.
 */

/** A list in which `other` writes what is neither a string nor a number. */
export const list = (items: ReadonlyArray<unknown>, other: (item: unknown) => string = scalar): string => {
  let out = "["
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (i > 0) out += ","
    out += typeof item === "string" || typeof item === "number" ? scalar(item) : other(item)
  }
  return `${out}]`
}

/** A string, a number, or what has no JSON (`null`). */
export const scalar = (value: unknown): string => {
  if (typeof value === "string") return plain.test(value) ? `"${value}"` : JSON.stringify(value)
  if (typeof value === "number" && Number.isInteger(value)) return `${value}`
  return JSON.stringify(value) ?? "null"
}

/** Nothing of it is escaped. */
const plain = /^[ !#-[\]-~]*$/
