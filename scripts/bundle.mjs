/**
 * Bundles the command. By the bundler's own call, since its command warns of every Node before 22, which is ours to support
 * and nothing to heed for whoever installs.
 */
import { build } from "tsdown"

await build({ config: "packages/cli/tsdown.config.ts", logLevel: "warn" })
