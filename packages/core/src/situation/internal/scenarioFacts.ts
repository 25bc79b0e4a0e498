/**
 * What the person of a scenario knows: values of the known actions that stand in its words, by argument name, and what its
 * words call by name.
 */

type Arguments = Readonly<Record<string, unknown>>

/** By name; of an argument with several values all of them. */
export const factsOf = (words: string, actions: ReadonlyArray<Arguments>): Readonly<Record<string, string>> => {
  const facts = new Map<string, Array<string>>()
  const keep = (name: string, value: string): void => {
    const own = facts.get(name)
    if (own === undefined) facts.set(name, [value])
    else if (!own.includes(value)) own.push(value)
  }
  for (const args of actions) {
    visit(args, (name, value) => {
      if (isTold(words, value)) keep(name, value)
    })
  }
  for (const [name, pattern] of named) {
    if (facts.has(name)) continue
    const found = [...words.matchAll(pattern)].map((match) => (match[1] ?? match[0]).trim())
    for (const value of name === "email" ? found : found.slice(0, 1)) keep(name, value)
  }
  return Object.fromEntries([...facts].map(([name, values]) => [name, values.join(" and ")]))
}

const named: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["name", /\b(?:[Yy]ou(?:'re| are)|[Yy]our? (?:full )?name is)\s+(\p{Lu}[\p{L}'-]+(?:\s+\p{Lu}[\p{L}'-]+)+)/gu],
  ["user_id", /\b([a-z]+(?:_[a-z]+)+_\d+)\b/g],
  ["email", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ["zip", /\b(?:zip ?code|zip|[A-Z]{2}|in|[A-Z][a-z]+),? (?:is |code )?(\d{5})\b/g],
  ["phone_number", /\bphone(?: number)?(?: is|:)?\s+(\+?\d[\d ().-]{6,}\d)/gi],
  ["date_of_birth", /\b(?:born(?: on)?|date of birth(?: is)?|dob(?: is)?):?\s+(\d{4}-\d{2}-\d{2}|\w+ \d{1,2}, \d{4})/gi]
]

const deepest = 4

const visit = (value: unknown, each: (name: string, value: string) => void, name = "", depth = 0): void => {
  if (typeof value === "string" || typeof value === "number") each(name, String(value))
  else if (depth >= deepest || typeof value !== "object" || value === null) return
  else if (Array.isArray(value)) for (const item of value) visit(item, each, name, depth + 1)
  else for (const [key, inner] of Object.entries(value)) visit(inner, each, key, depth + 1)
}

/** A value as a word of its own; short numbers and words are in any text. */
const isTold = (words: string, value: string): boolean => {
  const text = value.trim()
  if (text.length < 3) return false
  const at = words.toLowerCase().indexOf(text.toLowerCase())
  if (at < 0) return false
  return !/[\p{L}\p{N}]/u.test(words.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(words.charAt(at + text.length))
}
