#!/usr/bin/env node
// A shim that npm can link before anything is built. Asking for the version loads nothing but this file.
import { readFileSync } from "node:fs"

const words = process.argv.slice(2)
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  process.stdout.write(`${version}\n`)
} else {
  await import("../dist/sandtable.js")
}
