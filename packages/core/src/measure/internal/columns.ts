/**
 * Figures of rows, a column each: a million of them cost a few bytes each and nothing to collect.
 */

/** A column grows by blocks, so nothing is copied. */
const blockBits = 16
const blockSize = 1 << blockBits

/** Numbers that are appended one after the other and read by place. */
export class Column {
  readonly #blocks: Array<Float64Array | Int32Array> = []
  readonly #whole: boolean
  #block: Float64Array | Int32Array = new Int32Array(0)
  #left = 0

  constructor(kind: "whole" | "float") {
    this.#whole = kind === "whole"
  }

  push(value: number): void {
    if (this.#left === 0) {
      this.#block = this.#whole ? new Int32Array(blockSize) : new Float64Array(blockSize)
      this.#blocks.push(this.#block)
      this.#left = blockSize
    }
    this.#block[blockSize - this.#left--] = value
  }

  at(place: number): number {
    return (this.#blocks[place >>> blockBits] as Float64Array)[place & (blockSize - 1)] as number
  }
}

/** Values numbered in the order they were first met. */
export class Names {
  readonly names: Array<string> = []
  readonly #numbers = new Map<string, number>()
  #last: string | undefined
  #lastNumber = -1

  /** Rows that follow each other mostly have the same one. */
  numberOf(name: string): number {
    if (name === this.#last) return this.#lastNumber
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.names.length
      this.names.push(name)
      this.#numbers.set(name, number)
    }
    this.#last = name
    this.#lastNumber = number
    return number
  }
}
