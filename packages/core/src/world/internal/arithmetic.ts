/**
 * Arithmetic as written in an expression: numbers, + - * / % and parentheses, powers with whole exponents.
 */

/** The value, or what is wrong with the expression. */
export const evaluate = (text: string): { readonly value: number } | { readonly problem: string } => {
  const tokens =
    text
      .replaceAll("×", "*")
      .replaceAll("÷", "/")
      .replaceAll("−", "-")
      .match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+|\*\*|[-+*/%^()]|\S/gi) ?? []
  let at = 0
  let depth = 0
  const sum = (): number => {
    let value = product()
    while (tokens[at] === "+" || tokens[at] === "-")
      value = tokens[at++] === "+" ? value + product() : value - product()
    return value
  }
  const product = (): number => {
    let value = unary()
    for (;;) {
      const sign = tokens[at]
      if (sign !== "*" && sign !== "/" && sign !== "%") return value
      at += 1
      const right = unary()
      if (sign !== "*" && right === 0) throw new Unreadable("division by zero")
      value = sign === "*" ? value * right : sign === "/" ? value / right : value % right
    }
  }
  const unary = (): number => {
    if (tokens[at] === "-" || tokens[at] === "+") return tokens[at++] === "-" ? -unary() : unary()
    return power()
  }
  const power = (): number => {
    const base = atom()
    if (tokens[at] !== "^" && tokens[at] !== "**") return base
    at += 1
    const exponent = unary()
    if (!Number.isInteger(exponent) || Math.abs(exponent) > 64)
      throw new Unreadable("an exponent has to be a whole number up to 64")
    let value = 1
    for (let i = 0; i < Math.abs(exponent); i++) value *= base
    return exponent < 0 ? 1 / value : value
  }
  const atom = (): number => {
    const token = tokens[at]
    at += 1
    if (token === "(") {
      depth += 1
      if (depth > 200) throw new Unreadable("too many parentheses")
      const value = sum()
      if (tokens[at] !== ")") throw new Unreadable("a parenthesis is not closed")
      at += 1
      depth -= 1
      return value
    }
    if (token === undefined) throw new Unreadable("the expression ends too early")
    if (!/^[\d.]/.test(token)) throw new Unreadable(`${JSON.stringify(token)} is not understood`)
    return Number(token)
  }
  try {
    const value = sum()
    if (at < tokens.length) return { problem: `${JSON.stringify(tokens[at])} is not understood` }
    // Hides the noise of binary fractions: 0.1 + 0.2 is 0.3.
    return Number.isFinite(value) ? { value: Number(value.toPrecision(12)) } : { problem: "the result is too large" }
  } catch (problem) {
    if (problem instanceof Unreadable) return { problem: problem.message }
    throw problem
  }
}

class Unreadable extends Error {}
