#!/usr/bin/env bash
# Installs what the tests need from the system, where this account may: as root or through sudo.
# Elsewhere it names what is missing; the tests that need it then skip by name.
set -uo pipefail

missing=()
need() { # need PACKAGE PROGRAM-OR-FILE…: any one of them is enough
  local package=$1 each
  shift
  for each in "$@"; do
    if [[ $each == /* ]]; then compgen -G "$each" >/dev/null && return; else
      command -v "$each" >/dev/null 2>&1 && return; fi
  done
  missing+=("$package")
}
need bubblewrap bwrap
need chromium chromium chromium-browser google-chrome
need redis-server redis-server valkey-server
need postgresql '/usr/lib/postgresql/*/bin/initdb' initdb
need git git
need xxd xxd
need nginx-light nginx
need faketime faketime
need fonts-dejavu-core '/usr/share/fonts/truetype/dejavu/*'
need fonts-noto-color-emoji '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf'
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if sudo -n true 2>/dev/null; then as_root=(sudo -n); else
    echo "maia: not installed (no root): ${missing[*]}; the tests that need them will skip" >&2
    exit 0
  fi
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "maia: not installed (no apt-get): ${missing[*]}; the tests that need them will skip" >&2
  exit 0
fi

echo "maia: installing ${missing[*]} …" >&2
export DEBIAN_FRONTEND=noninteractive
# PostgreSQL and Redis are only started by the tests, each in a folder of its own: no services.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod +x "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
for attempt in 1 2 3 4; do
  if "${as_root[@]}" apt-get -o Acquire::Retries=3 update -qq &&
    "${as_root[@]}" apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 install -y -qq \
      --no-install-recommends "${missing[@]}" >/dev/null; then
    exit 0
  fi
  sleep $((attempt * 3))
done
echo "maia: apt-get could not install ${missing[*]}" >&2
[[ ${CI:-} == true ]] && exit 1
exit 0
