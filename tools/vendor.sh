#!/usr/bin/env bash
# `build` writes static/vendor/ from the packages pinned in vendor/; `compare` builds a copy and
# fails when the committed files differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

node=$(.venv/bin/python tools/node.py)
npm() { # the npm that belongs to this Node, wherever it is
  local own
  own=$(dirname "$node")/npm
  if command -v npm >/dev/null; then command npm "$@"; else
    PATH="$(dirname "$node"):$PATH" "$own" "$@"; fi
}

build() { # build FOLDER: fetches the pinned packages and runs the build there
  cd "$1/vendor"
  local attempt
  for attempt in 1 2 3; do
    npm ci --no-audit --no-fund --loglevel=error --no-update-notifier && break
    [[ $attempt == 3 ]] && return 1
    sleep $((attempt * 3))
  done
  "$node" build.mjs
}

case ${1:-compare} in
  build) build "$root" ;;
  compare)
    copy=$(mktemp -d)
    trap 'rm -rf "$copy"' EXIT
    mkdir -p "$copy/vendor" "$copy/static"
    git ls-files -z vendor | xargs -0 cp --parents -t "$copy"
    (build "$copy" >&2)
    for built in vendor fonts; do
      diff -r --brief "$copy/static/$built" "static/$built"
    done
    ;;
esac
