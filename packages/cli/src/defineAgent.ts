/**
 * Types for an agent file: `export default defineAgent({ agent, tools, systemPrompt })`.
 */
import type { Options } from "@sandtable/core/Options"

/**
 * Options of `simulate`, given back as they are; what it adds is that a wrong option is a type error in the file.
 * @since 0.1.0
 * @category functions
 */
export const defineAgent = (options: Options): Options => options
