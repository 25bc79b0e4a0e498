/**
 * Types for an agent file: `export default defineAgent({ agent, tools, systemPrompt })`.
 */

/** Options of `simulate`, given back as they are; what it adds is that a wrong option is a type error in the file. */
export const defineAgent = <const Given extends Readonly<Record<string, unknown>>>(options: Given): Given => options
