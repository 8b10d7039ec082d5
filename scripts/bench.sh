#!/bin/bash
# The figures of docs/Performance.md, as Markdown on stdout: obdgate, and others on the same bytes in the same run.
#
#   scripts/bench.sh      needs the release build, .tools/venv and gpsdecode: `make bench` sees to them
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The highest resident memory of a run, from the library that the tests count allocations with.
clang -O2 -shared -fPIC Tests/Support/allocation-counter.c -o "$scratch/counter.so"
/usr/bin/python3 scripts/bench.py .build/release/obdgate "$scratch"
