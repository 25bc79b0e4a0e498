/**
 * Formulas as people and models write them, plain or in LaTeX, read into expressions that hold nothing but numbers, known
 * functions and variables, with every product written out. What is not understood is null: nothing is guessed.
 */

/** An expression in the language of mathjs. */
export interface Expression {
  readonly text: string
  readonly variables: ReadonlySet<string>
  /** Its powers and factorials are small: working it out exactly takes no time to speak of. */
  readonly light: boolean
}

/** What an answer is: one expression, an equation, or several expressions in an order that counts or does not. */
export interface Formula {
  readonly form: "one" | "equation" | "tuple" | "set"
  /** The brackets of a tuple: an interval without its ends is another one. */
  readonly brackets: string
  readonly items: ReadonlyArray<Expression>
}

/** Longest formula that is read, and deepest: beyond them an answer is prose. */
const longest = 1_000
const deepest = 40
/** Largest power of a light expression. */
const largestPower = 32

export const read = (text: string): Formula | null => {
  if (text.length > longest) return null
  const clean = cleaned(text)
  if (clean === "") return null
  if (clean.includes("±")) {
    return formula("set", "", clean.includes("∓") ? [] : [clean.replaceAll("±", "+"), clean.replaceAll("±", "-")])
  }
  const sides = splitAt(clean, "=")
  if (sides.length === 2) return formula("equation", "", sides)
  if (sides.length > 2) return read(sides.at(-1) ?? "")
  const inner = /^([([⟨])(.*)([)\]⟩])$/.exec(clean)
  if (inner !== null && closesAtEnd(clean)) {
    const parts = splitAt(inner[2] ?? "", ",")
    if (parts.length > 1) return formula("tuple", `${inner[1]}${inner[3]}`, parts)
  }
  const listed = /^⟪(.*)⟫$/.exec(clean)
  if (listed !== null) return formula("set", "", splitAt(listed[1] ?? "", ","))
  const parts = splitAt(clean, ",")
  return parts.length > 1 ? formula("set", "", parts) : formula("one", "", [clean])
}

const formula = (form: Formula["form"], brackets: string, parts: ReadonlyArray<string>): Formula | null => {
  const items = parts.map(parse)
  return items.length === 0 || items.some((item) => item === null)
    ? null
    : { form, brackets, items: items.filter((item) => item !== null) }
}

/** The text without what says nothing, and with one sign for each thing. Braces of sets become ⟪ ⟫. */
const cleaned = (text: string): string =>
  text
    .trim()
    .replace(/[.。]+$/, "")
    .replace(/\\(?:text|mathrm|mathbf|textbf|operatorname)\s*\{([^{}]*)\}/g, (_, inner: string) =>
      /^\s*(?:[A-Za-z]|a?(?:sin|cos|tan)h?|ln|log|exp)\s*$/.test(inner) ? inner : " "
    )
    .replace(/\\(?:left|right|displaystyle|bigl?|bigr?|Bigl?|Bigr?|quad|qquad|limits)(?![A-Za-z])/g, " ")
    .replace(/\\[()[\],;:!> ]|\$|\\\$|~/g, (mark) => (mark === "\\," || mark === "\\ " ? " " : ""))
    .replace(/\\\{/g, "⟪")
    .replace(/\\\}/g, "⟫")
    .replace(/\^\s*\{?\s*(?:\\circ|°)\s*\}?|°|\\degree/g, "")
    .replace(/\\%/g, "%")
    .replace(/\{,\}/g, "")
    .replace(/(?<![\d.,(])\d{1,3}(?:,\d{3})+(?![\d,)])/g, (digits) => digits.replaceAll(",", ""))
    .replace(/\\(?:cdot|times|ast)(?![A-Za-z])|[·×⋅∗]/g, "*")
    .replace(/\\div(?![A-Za-z])|÷/g, "/")
    .replace(/\\pm(?![A-Za-z])/g, "±")
    .replace(/\\mp(?![A-Za-z])/g, "∓")
    .replace(/\*\*/g, "^")
    .replace(/[−–]/g, "-")
    .replace(/²/g, "^2")
    .replace(/³/g, "^3")
    .replace(/√/g, "\\sqrt ")
    .replace(/π/g, "\\pi ")
    .replace(/∞/g, "\\infty ")
    .replace(/\\[dtc]frac(?![A-Za-z])/g, "\\frac")
    .trim()

const opening = "([{⟪⟨"
const closingMarks = ")]}⟫⟩"

/** The parts between separators that stand in no bracket. */
const splitAt = (text: string, separator: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (opening.includes(char)) depth += 1
    else if (closingMarks.includes(char)) depth -= 1
    else if (char === separator && depth === 0) {
      parts.push(text.slice(from, i))
      from = i + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}

/** Whether the bracket at the beginning is closed at the end and not before. */
const closesAtEnd = (text: string): boolean => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (opening.includes(text.charAt(i))) depth += 1
    else if (closingMarks.includes(text.charAt(i)) && --depth === 0) return i === text.length - 1
  }
  return false
}

const parse = (text: string): Expression | null => {
  const tokens = [...text.matchAll(token)].map(([found]) => found)
  if (tokens.join("") !== text.replace(/\s+/g, "")) return null
  const parser = new Parser(tokens)
  const read = parser.sum(0)
  return read === null || !parser.isAtEnd ? null : { text: read, variables: parser.variables, light: parser.light }
}

const token = /\d+(?:\.\d+)?|\.\d+|\\[A-Za-z]+|[A-Za-z]+|[-+*/^(){}[\]|!%_]/g

/** By how they are written, in LaTeX without the backslash. */
const functions: ReadonlyMap<string, string> = new Map([
  ...["sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "exp", "abs"].map(
    (name) => [name, name] as const
  ),
  ...["sin", "cos", "tan"].flatMap((name) => [[`arc${name}`, `a${name}`] as const, [`a${name}`, `a${name}`] as const]),
  ["ln", "log"],
  ["log", "log10"],
  ["lg", "log10"]
])

const constants: ReadonlyMap<string, string> = new Map([
  ["pi", "pi"],
  ["infty", "Infinity"],
  ["inf", "Infinity"],
  ["infinity", "Infinity"],
  ["e", "e"],
  ["i", "i"]
])

const greek = new Set(
  "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi varphi chi psi omega".split(
    " "
  )
)

/** Longest run of letters that is a product of variables and not a word. */
const longestProduct = 3

class Parser {
  readonly variables = new Set<string>()
  light = true
  #at = 0
  readonly #tokens: ReadonlyArray<string>

  constructor(tokens: ReadonlyArray<string>) {
    // A run of letters is a function, a constant, or variables side by side.
    this.#tokens = tokens.flatMap((each) => (/^[A-Za-z]{2,}$/.test(each) ? lettersOf(each) : [each]))
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  sum(depth: number): string | null {
    let left = this.#product(depth)
    while (left !== null && (this.#next === "+" || this.#next === "-")) {
      const sign = this.#take()
      const right = this.#product(depth)
      left = right === null ? null : `(${left} ${sign} ${right})`
    }
    return left
  }

  #product(depth: number): string | null {
    let left = this.#signed(depth)
    while (left !== null) {
      if (this.#next === "*" || this.#next === "/") {
        const sign = this.#take()
        const right = this.#signed(depth)
        left = right === null ? null : `(${left} ${sign} ${right})`
      } else if (this.#beginsAtom) {
        const right = this.#power(depth)
        left = right === null ? null : `(${left} * ${right})`
      } else return left
    }
    return null
  }

  #signed(depth: number): string | null {
    if (this.#next !== "-" && this.#next !== "+") return this.#power(depth)
    const sign = this.#take()
    const value = depth > deepest ? null : this.#signed(depth + 1)
    return value === null ? null : sign === "-" ? `(-${value})` : value
  }

  #power(depth: number): string | null {
    let base = this.#atom(depth)
    for (; base !== null && (this.#next === "!" || this.#next === "%");) {
      if (this.#take() === "%") base = `(${base} / 100)`
      else {
        this.light = false
        base = `factorial(${base})`
      }
    }
    if (base === null || this.#next !== "^") return base
    const exponent = this.#exponent(depth)
    return exponent === null ? null : `(${base} ^ ${exponent})`
  }

  #exponent(depth: number): string | null {
    this.#take()
    const exponent = depth > deepest ? null : this.#signed(depth + 1)
    const size = exponent === null ? Number.NaN : Number(exponent.replace(/[()\s]/g, ""))
    const isFraction = exponent !== null && /^\(\(?-?\d{1,2}\)? \/ \d{1,2}\)$/.test(exponent)
    if (!isFraction && !(Math.abs(size) <= largestPower)) this.light = false
    return exponent
  }

  #atom(depth: number): string | null {
    if (depth > deepest) return null
    const first = this.#take()
    if (first === undefined) return null
    if (/^[\d.]/.test(first)) return first
    if (first === "(") return this.#until(")", depth)
    if (first === "{") return this.#until("}", depth)
    if (first === "[") return this.#until("]", depth)
    if (first === "|") {
      const inner = this.#until("|", depth)
      return inner === null ? null : `abs(${inner})`
    }
    const name = first.startsWith("\\") ? first.slice(1) : first
    if (name === "frac") {
      const [over, under] = [this.#argument(depth), this.#argument(depth)]
      return over === null || under === null ? null : `(${over} / ${under})`
    }
    if (name === "sqrt") return this.#root(depth)
    const called = functions.get(name)
    if (called !== undefined) return this.#call(called, depth)
    const constant = constants.get(name)
    if (constant !== undefined) return constant
    return /^[A-Za-z]$/.test(name) || greek.has(name) ? this.#variable(name) : null
  }

  /** `x`, `x_1`, `x_{12}`; the prefix keeps it from meaning a unit or a function. */
  #variable(name: string): string | null {
    let index = ""
    if (this.#next === "_") {
      this.#take()
      const isGroup = this.#isNext("{")
      if (isGroup) this.#take()
      index = this.#take() ?? ""
      if (!/^[A-Za-z0-9]+$/.test(index) || (isGroup && this.#take() !== "}")) return null
    }
    const variable = `v_${name}${index === "" ? "" : `_${index}`}`
    this.variables.add(variable)
    return variable
  }

  #root(depth: number): string | null {
    if (this.#next !== "[") {
      const inner = this.#argument(depth)
      return inner === null ? null : `sqrt(${inner})`
    }
    this.#take()
    const degree = this.#until("]", depth)
    const inner = this.#argument(depth)
    if (degree === null || inner === null) return null
    // An odd root of a negative number is the real one.
    return /^\d+$/.test(degree) ? `nthRoot(${inner}, ${degree})` : `(${inner} ^ (1 / ${degree}))`
  }

  /** `sin x`, `sin(x)`, `sin^2 x`, `log_2 x`. */
  #call(name: string, depth: number): string | null {
    let base: string | null = null
    if (this.#next === "_" && name === "log10") {
      this.#take()
      base = this.#argument(depth)
      if (base === null) return null
    }
    const exponent = this.#next === "^" ? this.#exponent(depth) : undefined
    if (exponent === null) return null
    let inner = this.#next === "(" || this.#next === "{" ? this.#argument(depth) : this.#juxtaposed(depth)
    if (inner === null) return null
    if (base !== null) inner = `${inner}, ${base}`
    // sin^-1 is the inverse, not the reciprocal: which of them is meant is left open
    if (exponent !== undefined && exponent.includes("-")) return null
    const value = `${base === null ? name : "log"}(${inner})`
    return exponent === undefined ? value : `(${value} ^ ${exponent})`
  }

  /** What a function without brackets is of: numbers and variables up to the next sign. */
  #juxtaposed(depth: number): string | null {
    let value = this.#power(depth + 1)
    while (
      value !== null &&
      this.#beginsAtom &&
      !functions.has((this.#next ?? "").replace("\\", "")) &&
      this.#next !== "("
    ) {
      const more = this.#power(depth + 1)
      value = more === null ? null : `(${value} * ${more})`
    }
    return value
  }

  /** A group, or a single digit, letter or command, as LaTeX takes it. */
  #argument(depth: number): string | null {
    const next = this.#next
    if (next !== undefined && /^\d{2,}$/.test(next)) {
      // \frac12
      this.#split(next)
    }
    return this.#atom(depth + 1)
  }

  #split(digits: string): void {
    const tokens = this.#tokens as Array<string>
    tokens.splice(this.#at, 1, digits.charAt(0), digits.slice(1))
  }

  #until(close: string, depth: number): string | null {
    const inner = this.sum(depth + 1)
    return inner === null || this.#take() !== close ? null : inner
  }

  get #beginsAtom(): boolean {
    const next = this.#next
    if (next === undefined) return false
    return /^[\dA-Za-z.\\({]/.test(next)
  }

  get #next(): string | undefined {
    return this.#tokens[this.#at]
  }

  #isNext(token: string): boolean {
    return this.#next === token
  }

  #take(): string | undefined {
    return this.#tokens[this.#at++]
  }
}

const lettersOf = (letters: string): ReadonlyArray<string> => {
  if (functions.has(letters) || letters === "sqrt" || (constants.has(letters) && letters !== "inf")) return [letters]
  for (const name of [...functions.keys(), "sqrt", "pi"]) {
    // sinx, 2pix
    if (letters.startsWith(name) && letters.length - name.length <= 1) return [name, ...letters.slice(name.length)]
  }
  return letters.length <= longestProduct ? [...letters] : [letters]
}
