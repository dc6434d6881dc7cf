#!/usr/bin/env bash
# The browser's own side. `check` says whether modules and style sheets have their one format, pass
# the linter and have their types (JSDoc, by TypeScript, which writes nothing), and whether templates
# have their format; `format` puts all of them into it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash tools/vendor.sh install
node=$(.venv/bin/python tools/node.py)
biome() {
  "$node" vendor/node_modules/@biomejs/biome/bin/biome "$@" --colors=off
}
djade() { # icon.html stands inside of lines: the end of line that djade wants would be a space there
  git ls-files -z 'templates/*.html' ':!templates/parts/icon.html' |
    xargs -0 .venv/bin/djade --target-version 5.2 "$@"
}

case ${1:-check} in
  format)
    biome check --write .
    djade
    ;;
  check)
    biome check --error-on-warnings .
    djade --check
    "$node" vendor/node_modules/typescript/bin/tsc --project tools/front
    ;;
esac
