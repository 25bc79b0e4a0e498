/**
 * JSON Pointers (RFC 6901): `/home/lines/0`.
 */

/** A name as a step. */
export const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1")

export const stepsOf = (pointer: string): ReadonlyArray<string> =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
