/**
 * Patterns whose check may take time that grows without bound in the length of a text: a repeated group that can match
 * the same text in many ways, as `(a+)+` does. Errs on the side of caution: `(-[a-z]+)*` counts as slow, too.
 */

/** Ways one repeated group may match: more than any address or number needs, and checked in no time. */
const mostWays = 100_000
/** Longer patterns are machine-made, and nested deeper than is worth reading. */
const longest = 4096

/** Whether values are held to a pattern: those of other languages are often none of this one's, and a slow one may hang. */
export const isChecked = (pattern: string): boolean => {
  try {
    new RegExp(pattern, "u")
    return !isSlow(pattern)
  } catch {
    return false
  }
}

/** Of a pattern that is a regular expression in unicode mode. */
const isSlow = (pattern: string): boolean => {
  if (pattern.length > longest) return true
  let at = 0
  let slow = false

  const skip = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at
    const match = form.exec(pattern)
    if (match !== null) at = form.lastIndex
    return match
  }

  /** In how many ways what stands here can match, up to the end of its group. */
  const ways = (): number => {
    let all = 0
    let own = 1
    while (at < pattern.length && pattern[at] !== ")") {
      if (skip(bar) !== null) {
        all += own
        own = 1
        continue
      }
      let inner = 1
      if (skip(opening) !== null) {
        inner = ways()
        at += 1
      } else skip(atom)
      const [least, most] = counts(skip(quantifier))
      const repeated = times(inner, most)
      if (most > 1 && repeated > mostWays) slow = true
      own *= repeated * (most - least + 1)
    }
    return all + own
  }

  ways()
  return slow
}

const bar = /\|/y
const opening = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y
const atom = /\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|k<[^>]*>|.)|./suy
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y

const counts = (match: RegExpExecArray | null): readonly [number, number] => {
  if (match === null) return [1, 1]
  const [, sign, low = "", comma, high = ""] = match
  if (sign !== undefined) return [sign === "+" ? 1 : 0, sign === "?" ? 1 : Infinity]
  const least = Number(low)
  return [least, comma === "" ? least : high === "" ? Infinity : Number(high)]
}

/** A number times itself, counted no further than matters. */
const times = (ways: number, count: number): number => {
  if (ways === 1) return 1
  let out = 1
  for (let i = 0; i < count && out <= mostWays; i++) out *= ways
  return out
}
