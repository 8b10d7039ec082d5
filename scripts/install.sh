#!/bin/bash
# Installs missing packages. If none is missing, it prints nothing and does not use the network.
#
#   scripts/install.sh debian COMMAND:PACKAGE…   Debian packages, by apt-get as root or through sudo. Each argument is a command, or the path of a file, and the package that contains it
#   scripts/install.sh web                       the libraries of the web app into .tools/web; each is checked against its SHA-256
#   scripts/install.sh models                    the packages that convert 3D models into .tools/models; each is checked against its SHA-256
#   scripts/install.sh recognizer                the networks that read receipts, and the library that runs them, into .tools/recognizer; each is checked against its SHA-256
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

# The Debian package with the outline of land for the web app's map, and its SHA-256.
land=r-cran-rnaturalearthdata_0.1.0-2_all.deb
land_sha256=6ca72d813feb50170c4a985c4960a975cea0bd6459d78ff82d41c4bf359f0d93

web() {
  local folder=.tools/web wanted
  wanted=$({ cat scripts/web-requirements.txt; echo "$land_sha256"; } | sha256sum | cut -c1-16)
  [ ! -e "$folder/fetched-$wanted" ] || return 0
  debian /usr/bin/python3:python3 ensurepip:python3-venv dpkg-deb:dpkg apt-get:apt
  say "libraries of the web app into $folder"
  rm -rf "$folder"
  mkdir -p "$folder"
  /usr/bin/python3 -m venv "$folder/venv"
  # One of the packages is for a single kind of processor, but only its JavaScript is used.
  "$folder/venv/bin/pip" download --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
    --platform manylinux2014_x86_64 --platform any --require-hashes -r scripts/web-requirements.txt -d "$folder" >&2
  rm -rf "$folder/venv"
  (cd "$folder" && { apt-get download -qq "${land%%_*}" 2>/dev/null || { apt-get update -qq && apt-get download -qq "${land%%_*}"; }; }) >&2
  echo "$land_sha256  $folder/$land" | sha256sum --check --quiet >&2
  dpkg-deb -x "$folder/$land" "$folder/land"
  mv "$folder/land/usr/lib/R/site-library/rnaturalearthdata/data" "$folder/natural-earth"
  rm -rf "$folder/land" "${folder:?}/$land"
  touch "$folder/fetched-$wanted"
}

models() {
  local folder=.tools/models list=Sources/Fleet/FleetFiles/Helper/model-requirements.txt wanted
  wanted=$(sha256sum "$list" | cut -c1-16)
  [ ! -e "$folder/fetched-$wanted" ] || return 0
  debian /usr/bin/python3:python3 ensurepip:python3-venv
  say "converters of 3D models into $folder"
  rm -rf "$folder"
  mkdir -p .tools
  /usr/bin/python3 -m venv "$folder.venv"
  "$folder.venv/bin/pip" install --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
    --require-hashes --target "$folder" -r "$list" >&2
  rm -rf "$folder.venv"
  touch "$folder/fetched-$wanted"
}

recognizer() {
  local folder=.tools/recognizer wanted wheel
  # The library is compiled for one version of Python.
  wanted=$({ cat scripts/recognizer-requirements.txt; /usr/bin/python3 --version; uname -m; } | sha256sum | cut -c1-16)
  [ ! -e "$folder/fetched-$wanted" ] || return 0
  debian /usr/bin/python3:python3 ensurepip:python3-venv unzip:unzip
  say "networks that read receipts into $folder"
  rm -rf "$folder"
  mkdir -p "$folder/wheels"
  /usr/bin/python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" download --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
    --require-hashes -r scripts/recognizer-requirements.txt -d "$folder/wheels" >&2
  rm -rf "$folder/venv"
  for wheel in "$folder"/wheels/*.whl; do unzip -q "$wheel" -d "$folder/wheels"; done
  # Only what runs networks is needed. The wheel has a second copy of the library, for programs in C.
  mkdir -p "$folder/onnxruntime/capi"
  cp "$folder"/wheels/onnxruntime/{__init__.py,LICENSE,ThirdPartyNotices.txt} "$folder/onnxruntime/"
  cp "$folder"/wheels/onnxruntime/capi/{*.py,onnxruntime_pybind11_state.*.so,libonnxruntime_providers_shared.so} "$folder/onnxruntime/capi/"
  cp "$folder"/wheels/rapidocr/models/PP-OCRv6_{det,rec}_small.onnx "$folder/"
  cp "$folder"/wheels/rapidocr-*.dist-info/licenses/MODEL_LICENSES.md "$folder/"
  rm -rf "$folder/wheels"
  touch "$folder/fetched-$wanted"
}

case "${1-}" in
  debian) debian "${@:2}" ;;
  python) python ;;
  web) web ;;
  models) models ;;
  recognizer) recognizer ;;
  *) say "usage: scripts/install.sh debian COMMAND:PACKAGE… | web | models | recognizer | python"; exit 64 ;;
esac
