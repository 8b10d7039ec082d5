#!/bin/bash
# Measures the figures for fences in docs/Performance.md: obdgate with 100,000 and with 1,000 fences, and GEOS with the
# same points in the same run.
#
# scripts/bench-fences.sh      needs .tools/venv, where shapely's wheel contains GEOS; `make bench-fences` installs it
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
swift build --package-path Benchmarks/Fences -c release --static-swift-stdlib -Xlinker -s -debug-info-format none >&2
geos=$(compgen -G '.tools/venv/lib/python3*/site-packages/shapely.libs/libgeos_c-*')
for fences in 1000 100000; do
  echo "== $fences fences"
  /usr/bin/python3 scripts/fences.py "$fences" 50 "$scratch"
  Benchmarks/Fences/.build/release/FencesBench "$scratch"
done
echo "== 100000 fences, GEOS in the same program"
# The C library of the wheel does not find its dependency without this path.
LD_LIBRARY_PATH=$(dirname "$geos") Benchmarks/Fences/.build/release/FencesBench "$scratch" "$geos"
