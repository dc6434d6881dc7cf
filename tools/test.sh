#!/usr/bin/env bash
# Runs every test: the front end's units under Node, then everything else under pytest, whose
# closing lines come last. Arguments go to pytest. Without any, what the tests of agents/domain and
# agents/engine reach of them is measured, and must not sink below its floor (pyproject.toml).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The virtual environment carries a Node for machines without one (or with an old one).
node=$(.venv/bin/python tools/node.py) || exit 1
compgen -G 'tests/js/*.test.js' >/dev/null || { echo "maia: no tests in tests/js" >&2; exit 1; }
NODE_OPTIONS= "$node" --test --test-reporter=dot $(find tests/js -name '*.test.js' | sort)
front=$?

[[ $# -gt 0 ]] || set -- --cov --cov-report=
.venv/bin/python -m pytest -n "${MAIA_TEST_WORKERS:-3}" --dist loadgroup --maxschedchunk=2 -q --durations=40 "$@"
back=$?
if [[ $front -ne 0 ]]; then
  echo "maia: the front end's tests failed (see above)" >&2
  exit "$front"
fi
exit "$back"
