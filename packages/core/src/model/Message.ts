/**
 * The chat thread a model reads, in one provider-neutral shape.
 */

/**
 * A tool call as the model issued it: `arguments` is raw (text or object) and may be anything.
 * @since 0.1.0
 * @category models
 */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
  /** Why it cannot be run as it was written, where whoever read it knows: the end of a sentence about its arguments. */
  readonly problem?: string
}

/**
 * A message of a thread, in the form of chat completions.
 * @since 0.1.0
 * @category models
 */
export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant"
      readonly content: string
      readonly reasoning?: string
      readonly toolCalls?: ReadonlyArray<ToolCall>
      /** What the provider needs back unchanged with this turn (signed thinking blocks). */
      readonly providerState?: unknown
    }
  | { readonly role: "tool"; readonly callId: string; readonly name: string; readonly content: string }
