/**
 * The pass mark as an option of a call to measure.
 */
import * as PassMark from "../../row/PassMark.ts"
import { InvalidMeasure } from "../Measured.ts"

export const problemOf = (passAt: number | undefined): InvalidMeasure | null =>
  passAt === undefined || PassMark.isMark(passAt)
    ? null
    : new InvalidMeasure({ option: "passAt", problem: `is ${passAt}`, fix: PassMark.fix })
