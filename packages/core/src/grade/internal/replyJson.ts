/**
 * The JSON of a reply: the whole text, or the one code fence in it.
 */
import * as Option from "effect/Option"

export const parse = (text: string): Option.Option<unknown> => {
  const whole = parsed(text)
  if (Option.isSome(whole)) return whole
  const fences = [...text.matchAll(/```(?:json)?[^\S\n]*\n([\s\S]*?)```/gi)]
  return fences.length === 1 ? parsed(fences[0]?.[1] ?? "") : Option.none()
}

/** The value at a path such as `items.0.id`. */
export const at = (value: unknown, path: string): Option.Option<unknown> => {
  let found = value
  for (const key of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return Option.none()
    found = (found as Readonly<Record<string, unknown>>)[key]
  }
  return Option.some(found)
}

const parsed = (text: string): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(text))
  } catch {
    return Option.none()
  }
}
