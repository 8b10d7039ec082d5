#!/bin/bash
# Installs missing packages. If none is missing, it prints nothing and does not use the network.
#
#   scripts/install.sh debian COMMAND:PACKAGE…   Debian packages, by apt-get as root or through sudo. Each argument is a command, or the path of a file, and the package that contains it
#   scripts/install.sh python                    Python packages into .tools/venv, in the versions of scripts/requirements.txt
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "install: $*" >&2; }

debian() {
  local missing=() pair
  for pair in "$@"; do
    case "${pair%%:*}" in
      # This Python module is in a Debian package of its own.
      ensurepip) /usr/bin/python3 -c 'import ensurepip' 2>/dev/null || missing+=("${pair#*:}") ;;
      # The item is a file, such as a header, a library or an interpreter; the path may be a pattern.
      /*) compgen -G "${pair%%:*}" >/dev/null || missing+=("${pair#*:}") ;;
      *) command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}") ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "missing: ${missing[*]} (Debian's names); there is no apt-get here to install them with"
    exit 69
  fi
  local as=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { say "missing: ${missing[*]}; to install them, be root or have sudo"; exit 69; }
    as=(sudo)
  fi
  say "apt-get install ${missing[*]}"
  install() {
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  }
  # A new machine has no package lists, and an old one has outdated lists.
  install 2>/dev/null || { "${as[@]}" apt-get update -qq >&2; install; }
}

python() {
  local venv=.tools/venv wanted
  wanted=$(sha256sum scripts/requirements.txt | cut -c1-16)
  [ ! -e "$venv/installed-$wanted" ] || return 0
  debian python3:python3 ensurepip:python3-venv
  say "Python packages into $venv"
  rm -rf "$venv"
  mkdir -p .tools
  # Use Debian's interpreter, because another one in PATH may not support venv.
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-input -r scripts/requirements.txt >&2
  touch "$venv/installed-$wanted"
}

case "${1-}" in
  debian) debian "${@:2}" ;;
  python) python ;;
  *) say "usage: scripts/install.sh debian COMMAND:PACKAGE… | python"; exit 64 ;;
esac
