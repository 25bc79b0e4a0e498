#!/usr/bin/env node
// A shim that npm can link before anything is built. Asking for the version loads nothing but this file.
import { existsSync, readFileSync } from "node:fs"

const words = process.argv.slice(2)
const command = new URL("../dist/sandtable.js", import.meta.url)
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  process.stdout.write(`${version}\n`)
} else if (existsSync(command)) {
  await import(command.href)
} else {
  process.stderr.write("error: sandtable is not built\n  fix: Run `npm run build` in its repository.\n")
  process.exitCode = 70
}
