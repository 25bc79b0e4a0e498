/**
 * A tool of the agent in the one shape everything reads. Callers' dialects are read in `ToolDialect.ts`.
 */
import type { JsonSchema } from "../json/JsonSchema.ts"
import type { ToolKind } from "./ToolKind.ts"

/**
 * A tool of the agent's, in one form whatever form it was given in.
 * @since 0.1.0
 * @category models
 */
export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema (2020-12 after normalisation) of the arguments: always `type: "object"`. */
  readonly parameters: JsonSchema
  /** JSON Schema of a successful result, when declared. */
  readonly output?: JsonSchema
  /** A declared example of a successful result. */
  readonly example?: unknown
  readonly kind: ToolKind
  /** Present where nothing says what the tool does: it is taken to read. */
  readonly kindGuessed?: true
  /** Whether a successful call changes something that cannot be taken back. */
  readonly destructive: boolean
}
