/**
 * JSON text that every reader of lines and of UTF-8 takes: no character that some readers end a line at, and no half of
 * a surrogate pair.
 */

import * as ExactJson from "./ExactJson.ts"

/** JSON of a value, indented when asked. Text that needs nothing is only scanned, not rebuilt. */
export const jsonText = (value: unknown, indent?: number): string =>
  wellFormed(ExactJson.stringify(value, indent) ?? "null")

/** What JSON.stringify wrote, as every reader takes it. */
export const wellFormed = (json: string): string => {
  // Backslashes are many in JSON within JSON, and looking behind each costs twice as much as looking for "ud" first.
  const whole = json.includes("ud") && json.includes("\\ud") ? json.replace(escapes, replaceLone) : json
  return whole.includes("\u2028") || whole.includes("\u2029") || whole.includes("\u0085")
    ? whole.replace(lineEnds, escapeLineEnd)
    : whole
}

/** JSON.stringify writes a lone surrogate as an escape; a backslash of the text itself comes as `\\`, and is skipped. */
const escapes = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g
const replaceLone = (escape: string, lone: string | undefined): string => (lone === undefined ? escape : "\ufffd")

const lineEnds = /[\u0085\u2028\u2029]/g
const escapeLineEnd = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
