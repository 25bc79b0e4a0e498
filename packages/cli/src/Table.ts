/**
 * Tables on a terminal: columns as wide as what stands in them, no line longer than it has to be.
 */
import * as Style from "./Style.ts"

export interface Column<A> {
  readonly head: string
  readonly align?: "left" | "right"
  readonly cell: (of: A) => string
}

/** The heads and a line for each, indented by two; cells carry no control code of anybody's. */
export const lines = <A>(
  columns: ReadonlyArray<Column<A>>,
  all: ReadonlyArray<A>,
  style: Style.Style
): ReadonlyArray<string> => {
  const cells = all.map((each) => columns.map(({ cell }) => Style.strip(cell(each)).replace(/\s+/g, " ")))
  const heads = columns.map(({ head }) => head)
  const widths = heads.map((head, i) =>
    cells.reduce((most, row) => Math.max(most, [...(row[i] ?? "")].length), head.length)
  )
  const line = (row: ReadonlyArray<string>): string =>
    `  ${row
      .map((cell, i) => {
        const space = " ".repeat(Math.max(0, (widths[i] ?? 0) - [...cell].length))
        return columns[i]?.align === "right" ? space + cell : cell + space
      })
      .join("  ")
      .trimEnd()}`
  return [style.dim(line(heads)), ...cells.map(line)]
}
