/**
 * Slips of the finger, as people make them: two letters swapped, one lost, one doubled, a neighbour on the keyboard.
 */
import type { Draws } from "../../random/Randomness.ts"
import type { Span } from "./spans.ts"

/** Up to `count` plain words of at least four letters, each with one slip. */
export const withTypos = (spans: ReadonlyArray<Span>, count: number, draws: Pick<Draws, "int">): Array<Span> => {
  const out = [...spans]
  const open: Array<number> = []
  for (let i = 0; i < out.length; i++) if (out[i]?.kind === "word" && latin.test((out[i] as Span).text)) open.push(i)
  for (let n = 0; n < count && open.length > 0; n++) {
    const [index = 0] = open.splice(draws.int(open.length), 1)
    out[index] = { kind: "word", text: slip((out[index] as Span).text, draws) }
  }
  return out
}

const latin = /^[A-Za-z]{4,}$/

const neighbours: Readonly<Record<string, string>> = {
  a: "s",
  b: "v",
  c: "x",
  d: "f",
  e: "r",
  f: "g",
  g: "h",
  h: "j",
  i: "o",
  j: "k",
  k: "l",
  l: "k",
  m: "n",
  n: "m",
  o: "p",
  p: "o",
  q: "w",
  r: "t",
  s: "a",
  t: "y",
  u: "i",
  v: "b",
  w: "e",
  x: "c",
  y: "u",
  z: "x"
}

/** The first letter stays, as it does in most real slips. */
const slip = (word: string, draws: Pick<Draws, "int">): string => {
  const at = 1 + draws.int(word.length - 2)
  const here = word.charAt(at)
  const next = word.charAt(at + 1)
  switch (draws.int(4)) {
    case 0:
      if (here !== next) return word.slice(0, at) + next + here + word.slice(at + 2)
      return word.slice(0, at) + word.slice(at + 1)
    case 1:
      return word.slice(0, at) + word.slice(at + 1)
    case 2:
      return word.slice(0, at) + here + word.slice(at)
    default:
      return word.slice(0, at) + (neighbours[here.toLowerCase()] ?? here + here) + word.slice(at + 1)
  }
}
