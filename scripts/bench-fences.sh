#!/bin/bash
# The figures of docs/Performance.md for fences: 100,000 and 1,000 of them, and GEOS over the same points in the same run.
#
#   scripts/bench-fences.sh      needs .tools/venv (shapely's wheel has GEOS in it): `make bench-fences` sees to it
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
