#!/bin/bash
# Runs the selected tests for at most a number of minutes. If the time is over, it names the tests that have not ended.
# At the end it repeats the failures; if $FAILURES names a file, they are written there instead, for callers that run
# several of these.
#
#     scripts/test.sh MINUTES ARGUMENTS…      ARGUMENTS: those of `swift test`
#
# The output is passed on line by line; a pipe would delay it. Eight tests run in parallel: with thousands in parallel,
# short tests would take minutes.
set -uo pipefail
minutes=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
printf -v command '%q ' swift test --skip-build --disable-xctest "$@"
NO_COLOR=1 TERM=dumb SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 timeout --kill-after=10 "${minutes}m" script -qefc "$command" /dev/null </dev/null |
  sed -u 's/\r//g' | tee "$log"
status=${PIPESTATUS[0]}
# Prints the failures again, for people who read only the end of the output.
failures() {
  echo "what failed, once more:"
  # Print an issue with its continuation lines.
  awk '/^✘ Test .* recorded an issue/ { shown = 1; print; next }
    shown && /^(↳|[ \t])/ { print; next }
    { shown = 0 }
    /^error: |Fatal error|unexpected signal/ { print }' "$log" | cut -c1-600 | tail -200
  [ "$status" -lt 124 ] || echo "not over after $minutes minutes (or killed: $status)"
  # After the time limit or a crash, print the tests that have not ended.
  comm -23 <(sed -nE 's/^◇ Test (.*) started\.$/\1/p' "$log" | grep -vE '^(run|case passing .*)$' | sort -u) \
    <(sed -nE 's/^[✔✘] Test (.*) (passed|failed) after .*/\1/p' "$log" |
      sed -E 's/ with [0-9]+ test cases?$//' | sort -u) | sed 's/^/began and did not end: /'
}
# Prints the reason of each skipped test: of tests that a trait disables, and of tests for which something is missing
# (Tool.missing).
reasons() {
  sed -nE 's/^➜ Test .* skipped:? ?"?([^"]*)"?$/\1/p; s/^skipped: [^:]*\([^)]*\): (.*)$/\1/p' "$log" | sed 's/^\.*$/disabled/'
}
# Prints the number of skipped tests, by reason. In CI, a skip is a failure unless .ci/skips contains its reason.
skipped=$(reasons | sort)
if [ -n "$skipped" ]; then
  echo "skipped: $(wc -l <<<"$skipped"), because:"
  uniq -c <<<"$skipped" | sort -rn
fi
if [ -n "${CI:-}" ]; then
  unlisted=$([ -z "$skipped" ] || uniq <<<"$skipped" | grep -vxFf <(grep -v '^#' "$(dirname "$0")/../.ci/skips"))
  if [ -n "$unlisted" ]; then
    sed 's/^/error: a test was skipped for a reason that is not in .ci\/skips: /' <<<"$unlisted" | tee -a "$log"
    [ "$status" -ne 0 ] || status=1
  fi
fi
[ "$status" -eq 0 ] || failures >>"${FAILURES:-/dev/stdout}"
exit "$status"
