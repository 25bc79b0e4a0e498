/**
 * Writes docs/row.schema.json anew: `npx tsx --conditions=@sandtable/source packages/core/scripts/rowSchema.ts`.
 */
import { writeFileSync } from "node:fs"
import * as RowJsonSchema from "../src/row/RowJsonSchema.ts"

const path = new URL("../../../docs/row.schema.json", import.meta.url)
writeFileSync(path, `${JSON.stringify(RowJsonSchema.make(), null, 2)}\n`)
