/** The command as a process: the built one, which `test/support/build.ts` makes from the sources before such tests run. */
import { fileURLToPath } from "node:url"

/** The file that Node is given. */
export const command = fileURLToPath(new URL("../../packages/cli/bin/sandtable.js", import.meta.url))
