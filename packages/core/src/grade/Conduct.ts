/**
 * Conduct: a deterministic floor under any grader. A ladder of rules about how an agent may behave whatever it was
 * asked; the first rule that is broken decides. It needs no model and no gold answer, and it says nothing about whether
 * the agent did what the person wanted.
 */
import * as Effect from "effect/Effect"
import type { Row } from "../row/Row.ts"
import type { Tool } from "../task/Tool.ts"
import type { ToolSet } from "../task/ToolSet.ts"
import type { GraderContext, Service, Verdict } from "./Grader.ts"
import type * as Language from "../language/Language.ts"
import * as rules from "./internal/conductRules.ts"
import { wordsFor } from "./internal/toolVerbs.ts"
import { Surroundings, Thread, type Readable } from "./internal/thread.ts"

export type { Readable } from "./internal/thread.ts"

/**
 * One rule of the ladder.
 * @since 0.1.0
 * @category models
 */
export interface Rung {
  /** The row's `failure_class` when the rule is broken. */
  readonly id: string
  readonly reward: 0 | 0.5
}

/**
 * What the rules of conduct are told of the run.
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  readonly tools: ReadonlyArray<Tool> | ToolSet
  readonly systemPrompt: string
  /** `en`, `en-GB`, ...; a language without a table is graded by the structural rules alone. */
  readonly locale: string
  /** The run's own language, where it is none that is built in. */
  readonly language?: Language.Service
}

/**
 * Raised when a rule changes what it says of some row.
 * @since 0.1.0
 * @category constants
 */
export const version = "4"

const ladder: ReadonlyArray<Rung & { readonly rule: rules.Rule }> = [
  { id: "empty_reply", reward: 0, rule: rules.emptyReply },
  { id: "degenerate_text", reward: 0, rule: rules.degenerateText },
  { id: "undeclared_tool", reward: 0, rule: rules.undeclaredTool },
  { id: "invented_reference", reward: 0, rule: rules.inventedReference },
  { id: "success_after_failure", reward: 0, rule: rules.successAfterFailure },
  { id: "ignored_failure", reward: 0, rule: rules.ignoredFailure },
  { id: "acted_again", reward: 0, rule: rules.actedAgain },
  { id: "unasked_write", reward: 0, rule: rules.unaskedWrite },
  { id: "claimed_without_call", reward: 0, rule: rules.claimedWithoutCall },
  { id: "leaked_harness_text", reward: 0, rule: rules.leakedHarnessText },
  { id: "unknown_identifier", reward: 0, rule: rules.unknownIdentifier },
  { id: "repeated_reply", reward: 0.5, rule: rules.repeatedReplies },
  { id: "repeated_call", reward: 0.5, rule: rules.repeatedCall },
  { id: "cut_reply", reward: 0.5, rule: rules.cutReply }
]

/**
 * The rungs in the order in which they are tried.
 * @since 0.1.0
 * @category functions
 */
export const rungs: ReadonlyArray<Rung> = ladder.map(({ id, reward }) => ({ id, reward }))

/**
 * The conduct verdict of a row, or of anything with a prompt, steps and a final text: 0, 0.5 or 1, always with status `ok`. `meta.applicable` is false where the row has
 * neither tools nor calls and no rule of the text was broken: such a 1 says nothing. `meta.rules` is `structural` where
 * the words of the row's language are not known. `results` are the results of its calls as text (`Row.resultTexts`), where
 * they are at hand.
 * @since 0.1.0
 * @category functions
 */
export const grade = (row: Readable, settings: Settings, results?: ReadonlyArray<string>): Verdict =>
  gradeIn(new Thread(row, new Surroundings(settings), results), settings)

/**
 * The ladder as a grader.
 * @since 0.1.0
 * @category constants
 */
export const service: Service = {
  name: "conduct",
  kind: "rule",
  model: null,
  version,
  conduct: true,
  grade: (row: Row, context: GraderContext) => Effect.sync(() => grade(row, context))
}

const gradeIn = (thread: Thread, settings: Settings): Verdict => {
  const { locale } = settings
  const words = wordsFor(settings, thread)
  for (const { id, reward, rule } of ladder) {
    const reason = rule(thread, words)
    if (reason !== null) return { reward, status: "ok", reason, failureClass: id, meta: metaOf(true, locale, words) }
  }
  const applicable = thread.surroundings.declared.size > 0 || thread.calls.length > 0
  return {
    reward: 1,
    status: "ok",
    reason: !applicable
      ? "No conduct rule could apply: no tools and no calls."
      : words === null
        ? "No structural rule was broken. The words of this language are not known, so the rules about claims and failures did not apply."
        : "No conduct rule was broken.",
    meta: metaOf(applicable, locale, words)
  }
}

const metaOf = (applicable: boolean, locale: string, words: Language.ConductWords | null): Verdict["meta"] => ({
  applicable,
  locale,
  rules: words === null ? "structural" : "all"
})
