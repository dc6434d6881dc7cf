#!/usr/bin/env bash
# Every check that needs no test to run. Goes through all of them, then fails if any did.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=.venv/bin
failed=()

check() { # check NAME COMMAND…
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf 'ok    %s\n' "$name"
  else
    printf 'FAIL  %s\n%s\n' "$name" "$output"
    failed+=("$name")
  fi
}

MAIA_DATA=$(mktemp -d)
export MAIA_DATA
trap 'rm -rf "$MAIA_DATA"' EXIT

check format "$bin/ruff" format --check --quiet
check lint "$bin/ruff" check --quiet
check types "$bin/mypy"
check layers "$bin/lint-imports" --no-cache
check dependencies "$bin/deptry" . --no-ansi
check migrations "$bin/python" manage.py makemigrations --check --dry-run
check generated "$bin/python" manage.py write_protocol --check
check rooms "$bin/python" tools/rooms.py --check
check scripts bash -n .ci/run tools/*.sh
check front-end bash tools/front.sh
check vendor bash tools/vendor.sh compare

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "maia: failed: ${failed[*]}" >&2
  exit 1
fi
