/**
 * Addresses of callers: an http or https URL that may be shown, or what is wrong with it in words.
 */
export const read = (text: string): URL | string => {
  if (!URL.canParse(text)) return "it is no address"
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") return `${url.protocol} is neither http: nor https:`
  return url.username === "" && url.password === ""
    ? url
    : "it holds a password, which would be shown; give an `authorization` header"
}

/** Without its query, which may hold a key. */
export const shown = (url: URL): string => `${url.origin}${url.pathname}`

/** All that its query holds, a field without a value by its name: what a message need not say. */
export const valuesOf = (url: URL): ReadonlyArray<string> =>
  [...url.searchParams].map(([name, value]) => (value === "" ? name : value))

/** What of its query is to be kept from everybody else, by the names of its fields: data is not searched for the rest. */
export const secretsOf = (url: URL): ReadonlyArray<string> =>
  [...url.searchParams].flatMap(([name, value]) => (/key|token|sig|secret|auth|code/i.test(name) ? [value] : []))
