/**
 * Options whose part of the project does not exist yet: refused by name, so that none is accepted and ignored.
 */
import type { OptionIssue } from "../InvalidOptions.ts"
import type { Options } from "./definition.ts"

interface Pending {
  readonly option: string
  readonly used: (values: typeof Options.Type) => boolean
  readonly what: string
  readonly fix: string
}

const pending: ReadonlyArray<Pending> = [
  {
    option: "checkpoint",
    used: ({ checkpoint }) => checkpoint !== undefined,
    what: "resuming a run",
    fix: "Use `output` for a file of its own per run."
  }
]

export const pendingIssues = (values: typeof Options.Type): ReadonlyArray<OptionIssue> =>
  pending
    .filter(({ used }) => used(values))
    .map(({ option, what, fix }) => ({ option, problem: `is not available yet (${what})`, fix }))
