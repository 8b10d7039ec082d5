#!/bin/bash
# The values in docs/Performance.md, as Markdown on stdout: obdgate and other programs with the same input in the same
# run.
#
#   scripts/bench.sh      needs the release build, .tools/venv and gpsdecode, which `make bench` builds and installs
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The peak of resident memory of a run, from the library with which the tests count allocations.
clang -O2 -shared -fPIC Tests/Support/allocation-counter.c -o "$scratch/counter.so"
/usr/bin/python3 scripts/bench.py .build/release/obdgate "$scratch"
