/**
 * How a text looks when it was typed in a hurry, on a phone or in anger. Only plain words and gaps change; identifiers,
 * addresses, code, quotes and numbers never do.
 */
import { Cut, join, onWords, spansOf, type Span } from "../spans.ts"
import { withTypos } from "../typos.ts"
import type { Choice } from "./choice.ts"

export const textures = ["clean", "lowercase", "typos", "no_punctuation", "shouting", "exclamations", "dots"] as const
export type Texture = (typeof textures)[number]

/** The text in that texture: as it was where it shows none of it. */
export const textured = (text: string, texture: Texture, keep: ReadonlyArray<string>, choice: Choice): string => {
  switch (texture) {
    case "clean":
      return text
    case "lowercase":
      return new Cut(text, keep).altered((between) => onWords(between, (word) => word.toLowerCase()))
    case "shouting":
      return new Cut(text, keep).altered((between) => onWords(between, (word) => word.toUpperCase()))
    case "typos":
      return join(withTypos(spansOf(text, keep), 1 + choice.int(3), choice))
    case "no_punctuation":
      return unpunctuated(text, keep)
    case "exclamations":
      return new Cut(text, keep).altered((between) => between.replace(stops, (stop) => (stop === "?" ? "??" : "!!")))
    case "dots":
      return new Cut(text, keep).altered((between) => between.replace(stops, (stop) => (stop === "." ? "..." : stop)))
  }
}

/** Marks behind which a sentence or the next word begins. */
const stops = /[.!?](?=\s|\p{L}|\p{M}|$)/gu

/** One breath: sentences run on, the next one without its capital. */
const unpunctuated = (text: string, keep: ReadonlyArray<string>): string => {
  let begins = false
  const spans = spansOf(text, keep).map((span): Span => {
    if (span.kind === "gap") {
      begins = /[.!?]\s/.test(span.text)
      return { ...span, text: span.text.replace(/[^\s\p{N}$€£%+*/=&-]+/gu, "").replace(/ {2,}/g, " ") }
    }
    const lower = begins && span.kind === "word" && !/^I\b|^[A-Z]{2}/.test(span.text)
    begins = false
    return lower ? { ...span, text: span.text.charAt(0).toLowerCase() + span.text.slice(1) } : span
  })
  return join(spans).trim()
}
