import { describe, expect, it } from "@effect/vitest"
import * as ModelSource from "../../../packages/core/src/model/ModelSource.ts"

describe("an address that is shown", () => {
  it.each([
    ["http://h/chat?key=abc&n=1", "http://h/chat?key=<redacted>&n=<redacted>", "http://h/chat"],
    ["https://me:p@h:8/v1", "https://<redacted>@h:8/v1", "https://h:8/v1"],
    ["https://me:p@ss@h/v1?", "https://<redacted>@h/v1?", "https://h/v1"],
    ["openai:m@http://me@h/v1?abc", "openai:m@http://<redacted>@h/v1?<redacted>", "openai:m@http://h/v1"],
    ["http://h/#access_token=abc", "http://h/#access_token=<redacted>", "http://h/"],
    ["http://h/docs#usage", "http://h/docs#usage", "http://h/docs"],
    [
      "postgres://me:p@h/db?sslkey=abc",
      "postgres://<redacted>@h/db?sslkey=<redacted>",
      "postgres://me:p@h/db?sslkey=abc"
    ],
    ["http://h/a@b", "http://h/a@b", "http://h/a@b"],
    ["openai:m@h:8000/v1?key=abc", "openai:m@h:8000/v1?key=abc", "openai:m@h:8000/v1"],
    ["openai:gpt-4.1-mini", "openai:gpt-4.1-mini", "openai:gpt-4.1-mini"],
    ["is it there? yes", "is it there? yes", "is it there? yes"]
  ])("%s", (text, masked, shown) => {
    expect(ModelSource.masked(text)).toBe(masked)
    // Masking what is masked changes nothing.
    expect(ModelSource.masked(masked)).toBe(masked)
    expect(ModelSource.shown(text)).toBe(shown)
  })

  it("is masked within a sentence, each for itself", () => {
    const text = `neither "http://a/?k=abc" nor (https://me:p@b/) but http://c/x, nor 'http://d/?k=v'.`
    expect(ModelSource.masked(text)).toBe(
      `neither "http://a/?k=<redacted>" nor (https://<redacted>@b/) but http://c/x, nor 'http://d/?k=<redacted>'.`
    )
  })
})
