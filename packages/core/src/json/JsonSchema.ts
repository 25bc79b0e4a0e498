/**
 * A JSON Schema as tools carry it: an object whose keywords are read where they are used.
 */
export type JsonSchema = Readonly<Record<string, unknown>>
