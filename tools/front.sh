#!/usr/bin/env bash
# Checks the types (JSDoc) of the browser's own modules with TypeScript, which writes nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash tools/vendor.sh install
"$(.venv/bin/python tools/node.py)" vendor/node_modules/typescript/bin/tsc --project tools/front
