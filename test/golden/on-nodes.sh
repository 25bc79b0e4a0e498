#!/usr/bin/env bash
# Compares the golden rows of the built packages, which are what others install, on this Node and on others. Those come as npm packages into a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
check=(--import tsx test/golden/rows.ts)
node "${check[@]}"
for version in "${@:-22.23.3 24.9.0}"; do
  for one in $version; do
    # a package of binaries: its folder is no part of this project's lock
    if npm install --silent --no-save --no-audit --no-fund --prefix "$folder/$one" "node@$one" >/dev/null 2>&1; then
      "$folder/$one/node_modules/.bin/node" "${check[@]}"
    else
      echo "node $one could not be fetched: skipped" >&2
    fi
  done
done
