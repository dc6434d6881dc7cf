#!/usr/bin/env bash
# Runs README's two commands on a new machine: a bare Debian 12 in a folder, entered with mounts and
# process numbers of its own, holding HEAD and what README asks for. Of this machine it gets the
# network and how to reach the registries (mirror, indexes, proxies, certificates), nothing else.
# Downloads are kept between runs below ~/.cache/maia-fresh. Needs root on a Linux with apt.
#
#   tools/fresh.sh              make run until its first page answers, then make test
#   tools/fresh.sh run          the first alone
#   tools/fresh.sh test [ARGS]  the second alone, or a part of it: arguments for pytest
#   tools/fresh.sh sh COMMAND   anything else
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/maia-fresh
suite=bookworm

# --- on the new machine -------------------------------------------------------------------------

first_page() { # make run until the set-up page answers, then Ctrl+C
  local log=/tmp/run.log server link
  set -m # with job control a background process keeps its SIGINT
  make run >"$log" 2>&1 &
  server=$!
  until link=$(grep -o 'http://[^ ]*/setup/[^ ]*' "$log"); do
    kill -0 "$server" 2>/dev/null || { cat "$log"; echo "fresh: make run ended" >&2; return 1; }
    sleep 1
  done
  python3 -c 'import sys, urllib.request as u; assert b"MAIA" in u.urlopen(sys.argv[1]).read()' "$link"
  kill -INT -- "-$server"
  wait "$server" || true # make says that it was interrupted
  cat "$log"
  grep -q 'MAIA has stopped' "$log"
}

inside() {
  case $1 in
    run) first_page ;;
    test)
      shift
      if [[ $# -eq 0 ]]; then make test; else make dev system && bash tools/test.sh "$@"; fi
      ;;
    sh) bash -c "$2" ;;
    both) first_page && make test ;;
  esac
}

# --- on this one --------------------------------------------------------------------------------

base() { # makes the bare system once and keeps it as an archive
  [[ -e $cache/base.tar ]] && return
  command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
  local made mirror
  made=$(mktemp -d /var/tmp/maia-fresh.XXXXXX)
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" \
    'Origin: Debian' | head -n 1)
  echo "fresh: making a bare Debian ($suite) …" >&2
  debootstrap --variant=minbase --include=python3,make,git,ca-certificates "$suite" "$made" \
    ${mirror:+"$mirror"} >"$cache/debootstrap.log" 2>&1 ||
    { tail -n 20 "$cache/debootstrap.log" >&2; rm -rf "$made"; return 1; }
  apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' \
    'Origin: Debian' | grep " $suite" >"$made/etc/apt/sources.list.new" &&
    mv "$made/etc/apt/sources.list.new" "$made/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https|Retries)' >"$made/etc/apt/apt.conf.d/90here" || true
  tar -C "$made" -cf "$cache/base.tar.new" . && mv "$cache/base.tar.new" "$cache/base.tar"
  rm -rf "$made"
}

registries=()
find_registries() { # what a program needs to reach the package indexes from inside, as NAME=VALUE
  local name index
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY \
    UV_DEFAULT_INDEX UV_INDEX_URL PIP_INDEX_URL NPM_CONFIG_REGISTRY; do
    [[ -n ${!name:-} ]] && registries+=("$name=${!name}")
  done
  index=$(python3 -m pip config get global.index-url 2>/dev/null) && registries+=("UV_DEFAULT_INDEX=$index")
  index=$(npm config get registry 2>/dev/null) && registries+=("NPM_CONFIG_REGISTRY=$index")
  for name in SSL_CERT_FILE NODE_EXTRA_CA_CERTS PIP_CERT REQUESTS_CA_BUNDLE CURL_CA_BUNDLE; do
    [[ -f ${!name:-} ]] || continue
    registries+=("$name=${!name}")
    install -D -m 644 "${!name}" "$root${!name}"
  done
}

enter() { # enter COMMAND…: as the first process of the new machine
  env -i "${registries[@]}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LANG=C.UTF-8 CI=true UV_LINK_MODE=copy MAIA_PORT="${MAIA_PORT:-8000}" \
    ${MAIA_TEST_WORKERS:+MAIA_TEST_WORKERS="$MAIA_TEST_WORKERS"} \
    unshare --mount --uts --ipc --pid --fork --kill-child bash -c '
      set -e
      root=$1 cache=$2; shift 2
      mount --make-rprivate / && mount --bind "$root" "$root" && cd "$root"
      mount -t proc proc proc
      mount --rbind /sys sys && mount --rbind /dev dev && mount -t tmpfs -o mode=1777 shm dev/shm
      for kept in root/.cache/uv root/.npm var/cache/apt/archives; do
        mkdir -p "$kept" "$cache/$kept" && mount --bind "$cache/$kept" "$kept"
      done
      # a root of its own, not a chroot: there no sandbox could make namespaces
      hostname fresh && mkdir -p .here && pivot_root . .here && cd /srv/maia
      umount -l /.here && rmdir /.here
      "$@"' enter "$root" "$cache" "$@"
}

if [[ ${1:-} == --inside ]]; then
  shift
  inside "$@"
  exit
fi
[[ $(id -u) -eq 0 ]] || { echo "fresh: this needs root: it makes a system of its own" >&2; exit 1; }
[[ -z $(git status --porcelain) ]] || echo "fresh: what is not committed stays behind" >&2
mkdir -p "$cache"
base
root=$(mktemp -d /var/tmp/maia-fresh.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
tar -C "$root" -xf "$cache/base.tar"
chmod 755 "$root"
cp --remove-destination "$(readlink -f /etc/resolv.conf)" "$root/etc/resolv.conf"
printf '127.0.0.1 localhost fresh\n::1 localhost\n' >"$root/etc/hosts"
find_registries
git clone -q --no-hardlinks "$PWD" "$root/srv/maia"
enter bash tools/fresh.sh --inside "${@:-both}"
echo "fresh: done"
