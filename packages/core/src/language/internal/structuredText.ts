/**
 * Text that is no prose: code, JSON, formulas, tables and grids. Rules of prose (a loop of words, a sentence that stops in
 * its middle, the language of the words) have nothing to say of it.
 */

/** The text without its structured parts. */
export const prose = (text: string): string =>
  withoutValues(text.replace(fences, "\n").replace(formulas, " "))
    .split("\n")
    .filter((line) => !isStructuredLine(line))
    .join("\n")

/** What is said outside code fences, each at its own place; a reply that is nothing but a fence is read as it is. */
export const outsideFences = (text: string): string => {
  if (!text.includes("```")) return text
  const said = text.replace(fences, (fence) => fence.replace(/[^\n]/g, " "))
  return /\p{L}/u.test(said) ? said : text
}

/** Whether a text ends with a structure that is closed: an object, an array, a formula. */
export const endsClosed = (text: string): boolean => {
  if (/\\[\])]$/.test(text)) return true
  if (text.endsWith("$")) return count(text, "$") % 2 === 0
  return /[}\]]$/.test(text) && count(text, "{") === count(text, "}") && count(text, "[") === count(text, "]")
}

const fences = /```[\s\S]*?(?:```|$)/g

/** TeX: displays, and commands with their arguments. */
const formulas =
  /\$\$[^$]{1,4000}\$\$|\\\[[\s\S]{1,4000}?\\\]|\\\([\s\S]{1,2000}?\\\)|\\begin\{(\w+\*?)\}[\s\S]{1,8000}?\\end\{\1\}|\\[A-Za-z]+(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,2000}\}){0,2000}\}){0,2000}\})*/g

/** Spans looked at for JSON, and the longest one. */
const mostSpans = 20
const longestSpan = 200_000

/** The text with every JSON object and array that holds something taken out. */
const withoutValues = (text: string): string => {
  let left = ""
  let from = 0
  let spans = 0
  for (let at = next(text, 0); at !== -1 && spans < mostSpans; at = next(text, at)) {
    spans += 1
    const end = closing(text, at)
    if (end === -1) break
    if (isValue(text.slice(at, end))) {
      left += `${text.slice(from, at)} `
      from = end
    }
    at = end
  }
  return left + text.slice(from)
}

const next = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) if (text[at] === "{" || text[at] === "[") return at
  return -1
}

/** Past the bracket that closes the one at a place; -1 where none does. */
const closing = (text: string, from: number): number => {
  let depth = 0
  let inString = false
  const limit = Math.min(text.length, from + longestSpan)
  for (let at = from; at < limit; at++) {
    const c = text[at]
    if (inString) {
      if (c === "\\") at += 1
      else if (c === '"') inString = false
    } else if (c === '"') inString = true
    else if (c === "{" || c === "[") depth += 1
    else if (c === "}" || c === "]") {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}

const isValue = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null
  } catch {
    // `[...]` and the like stand for a value that was shortened
    return /^[[{](?:[^A-Za-z]|"[^"]*")*[\]}]$/.test(text)
  }
}

/** A row of a table or a grid, or a line of code. */
export const isStructuredLine = (line: string): boolean => {
  const trimmed = line.trim()
  if (/^\|.*\|$/.test(trimmed)) return true
  const cells = trimmed
    .slice(0, 2000)
    .split(/[\s,;|&]+/)
    .filter((cell) => cell !== "")
  if (cells.length >= 3 && cells.every((cell) => cell.length <= 2 || /^[-+\d.,:%$€£]+$/.test(cell)) && isGrid(cells))
    return true
  return isCode(trimmed)
}

/** Short words may be a sentence ("I am in"): a grid has figures or single signs. */
const isGrid = (cells: ReadonlyArray<string>): boolean =>
  cells.filter((cell) => cell.length === 1 || /\d/.test(cell)).length * 2 > cells.length

const isCode = (line: string): boolean =>
  /^(?:(?:export |async |public |private |static )*(?:def|class|function|const|let|var|import|from|return|for|while|if|elif|else|try|except|print|SELECT|INSERT|UPDATE|DELETE|CREATE)\b.*[;:{}()[\]=]|[\w.]+\(.*\);?|[\w.[\]"']+ (?:=|\+=|:=|=>) .*|[{}()[\];,]+|<\/?\w[^>]*>.*|#include\b.*|@\w+.*|\/\/ .*|\$ \w+.*)$/.test(
    line.slice(0, 2000)
  )

const count = (text: string, part: string): number => {
  let times = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) times += 1
  return times
}
