/**
 * A few lines at the bottom of a terminal that are drawn over themselves, with everything else scrolling above them.
 * Each redraw is one write inside a synchronised update, so that it is never seen half done.
 */
import { hideCursor, showCursor, type Sink } from "../Stdio.ts"

export interface Window {
  readonly draw: (lines: ReadonlyArray<string>) => void
  /** Writes text above the window. */
  readonly above: (text: string) => void
  /** Takes the window away and gives the cursor back. */
  readonly close: () => void
}

export const open = (sink: Sink): Window => {
  let shown: ReadonlyArray<string> = []
  sink.write(hideCursor)
  const over = (text: string, lines: ReadonlyArray<string>): void => {
    const up = shown.length === 0 ? "" : `\u001b[${shown.length}A\r\u001b[0J`
    const below = lines.map((line) => `${line}\n`).join("")
    sink.write(`${beginUpdate}${up}${text}${below}${endUpdate}`)
    shown = lines
  }
  return {
    draw: (lines) => {
      if (lines.length !== shown.length || lines.some((line, index) => line !== shown[index])) over("", lines)
    },
    above: (text) => over(text, shown),
    close: () => {
      over("", [])
      sink.write(showCursor)
    }
  }
}

const beginUpdate = "\u001b[?2026h"
const endUpdate = "\u001b[?2026l"
