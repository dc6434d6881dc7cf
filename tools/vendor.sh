#!/usr/bin/env bash
# `install` fetches the packages pinned in vendor/, unless they are there; `build` writes
# static/vendor/ and static/fonts/ from them; `compare` builds a copy and fails when the committed
# files differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

node=$(.venv/bin/python tools/node.py)
npm() { # the npm that belongs to this Node, wherever it is
  PATH="$(dirname "$node"):$PATH" command npm "$@"
}

install() {
  local attempt stamp=vendor/node_modules/.maia-lock
  cmp -s vendor/package-lock.json "$stamp" && return
  for attempt in 1 2 3; do
    (cd vendor && npm ci --no-audit --no-fund --loglevel=error --no-update-notifier) && break
    [[ $attempt == 3 ]] && return 1
    sleep $((attempt * 3))
  done
  cp vendor/package-lock.json "$stamp"
}

compare() {
  local built copy
  mkdir -p .uv
  copy=$(mktemp -d "$root/.uv/vendor.XXXXXX")
  trap "rm -rf '$copy'" EXIT
  mkdir "$copy/static"
  git ls-files -z vendor | xargs -0 cp --parents -t "$copy"
  cp -al vendor/node_modules "$copy/vendor/node_modules"
  (cd "$copy/vendor" && "$node" build.mjs >&2)
  for built in vendor fonts; do
    diff -r --brief "$copy/static/$built" "static/$built"
  done
}

install
case ${1:-compare} in
  install) ;;
  build) (cd vendor && "$node" build.mjs) ;;
  compare) compare ;;
esac
