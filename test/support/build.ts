/** Builds the packages once, so that tests of the command as a process meet the sources as they are. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export const setup = (): void => {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
}
