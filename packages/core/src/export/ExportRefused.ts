/**
 * Why nothing was exported.
 */
import * as Schema from "effect/Schema"

/**
 * Nothing was exported, and no file was written or replaced.
 * @since 0.1.0
 * @category errors
 */
export class ExportRefused extends Schema.TaggedError<ExportRefused>()("ExportRefused", {
  reason: Schema.Literal("empty", "invalid_option", "privileged", "tools_unknown", "round_trip"),
  detail: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `Nothing was exported: ${this.detail}. ${this.fix}`
  }
}
