#!/usr/bin/env bash
# Checks the syntax of the browser's modules.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
node=$(.venv/bin/python tools/node.py) || exit 1
status=0
while IFS= read -r -d '' file; do
  "$node" --input-type=module --check - <"$file" >/dev/null 2>/tmp/front.$$ || {
    echo "$file"
    cat /tmp/front.$$
    status=1
  }
done < <(find static/maia tests/js -name '*.js' -print0)
rm -f /tmp/front.$$
exit $status
