/**
 * What an agent file imports: types for its default export.
 */
export { defineAgent } from "./defineAgent.ts"
