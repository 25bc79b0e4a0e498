import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { golden, lines } from "../golden/rows.ts"

describe("golden rows", () => {
  it.live("are what the same runs give today", () =>
    Effect.map(lines, (now) => {
      // each as an object first, so that a difference can be read
      expect(now.map((line) => JSON.parse(line) as unknown)).toEqual(
        golden().map((line) => JSON.parse(line) as unknown)
      )
      expect(now).toEqual(golden())
    })
  )
})
