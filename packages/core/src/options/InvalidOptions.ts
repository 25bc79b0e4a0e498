/**
 * A call whose options cannot be run: everything that is wrong with it, found before anything is called or written.
 */
import * as Schema from "effect/Schema"

/**
 * One thing wrong with the options.
 * @since 0.1.0
 * @category models
 */
export const OptionIssue = Schema.Struct({
  /** Which option, with the place in it: `budget`, `seeds[2].tier`, `advanced.probe`, `tools[0] (refund)`. */
  option: Schema.String,
  /** What is wrong, as the rest of a sentence that begins with the option. */
  problem: Schema.String,
  /** What to write instead. */
  fix: Schema.String
}).annotations({ identifier: "OptionIssue" })
export type OptionIssue = typeof OptionIssue.Type

/**
 * Options that cannot be run: every issue at once, each with its cause and its fix.
 * @since 0.1.0
 * @category errors
 */
export class InvalidOptions extends Schema.TaggedError<InvalidOptions>()("InvalidOptions", {
  issues: Schema.NonEmptyArray(OptionIssue)
}) {
  /** Of issues that are at least one: none is a bug of ours, and dies. */
  static of(issues: ReadonlyArray<OptionIssue>): InvalidOptions {
    return new InvalidOptions({ issues: issues as readonly [OptionIssue, ...Array<OptionIssue>] })
  }

  override get message(): string {
    const { length } = this.issues
    const head = length === 1 ? "One option cannot be used:" : `${length} options cannot be used:`
    return [head, ...this.issues.map(({ option, problem, fix }) => `  ${option}: ${problem}. ${fix}`)].join("\n")
  }
}
