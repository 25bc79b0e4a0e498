/**
 * What an error says, whatever was thrown: code of the caller may throw any value, also one that throws when it is read.
 */

/** Longest text, in characters: enough to act on, short enough for a record. */
export const longest = 2000

/**
 * One text of an error: the message of an Error (its name without one), a text as it is, anything else as JSON or by its
 * name. Never throws. No stack, and at most `longest` characters, whose end says what was cut.
 */
export const of = (error: unknown): string => {
  try {
    const text = read(error)
    if (text.length <= longest) return text
    const end = `... [cut: ${text.length} characters]`
    return text.slice(0, longest - end.length) + end
  } catch {
    return unreadable
  }
}

/** Whether a value is of a class; one that throws when it is asked is of none. */
export const isA = <A>(error: unknown, kind: abstract new (...args: Array<never>) => A): error is A => {
  try {
    return error instanceof kind
  } catch {
    return false
  }
}

const unreadable = "an error that cannot be read"

const read = (error: unknown): string => {
  if (typeof error === "function") return "a function"
  if (typeof error !== "object" || error === null) return error === "" ? "an empty text" : String(error)
  const { _tag: tag, message, name } = error as Readonly<Record<string, unknown>>
  for (const text of [message, tag]) if (typeof text === "string" && text !== "") return text
  if (error instanceof Error) return typeof name === "string" && name !== "" ? name : "Error"
  return json(error)
}

const json = (error: object): string => {
  const kind = `an object (${Object.prototype.toString.call(error).slice(8, -1)})`
  try {
    const text = JSON.stringify(error, (key, value: unknown) => (key === "stack" ? undefined : value)) ?? kind
    return text === "{}" ? kind : text
  } catch {
    return kind
  }
}
