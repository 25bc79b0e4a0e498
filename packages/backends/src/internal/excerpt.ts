/**
 * The beginning of a foreign text on one line, for messages: enough to recognise it by.
 */
export const excerpt = (text: string, longest = 160): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length <= longest ? line : `${line.slice(0, longest)}...`
}

/** The end of one: where an error output says what went wrong. */
export const ending = (text: string, longest = 400): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length <= longest ? line : `...${line.slice(-longest)}`
}
