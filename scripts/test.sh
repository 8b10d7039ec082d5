#!/bin/bash
# The tests that are named, for at most so many minutes; where those are over, says which of them have not ended. What
# failed is said once more at the end, behind the thousands that did not; where $FAILURES names a file it goes there, for
# who runs more than one of these and says it at the end of all.
#
#     scripts/test.sh MINUTES ARGUMENTS…      of `swift test`
#
# What they print is seen line by line: a pipe would hold back the last of it. Eight run at once: as many as there are, some
# thousands, would each see minutes pass in what takes a second.
set -uo pipefail
minutes=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
printf -v command '%q ' swift test --skip-build --disable-xctest "$@"
NO_COLOR=1 TERM=dumb SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 timeout --kill-after=10 "${minutes}m" script -qefc "$command" /dev/null </dev/null |
  tr -d '\r' | tee "$log"
status=${PIPESTATUS[0]}
# What did not succeed, as who reads the end of the output wants it.
failures() {
  echo "what failed, once more:"
  # An issue, and the lines that belong to it.
  awk '/^✘ Test .* recorded an issue/ { shown = 1; print; next }
    shown && /^(↳|[ \t])/ { print; next }
    { shown = 0 }
    /^error: |Fatal error|unexpected signal/ { print }' "$log" | cut -c1-600 | tail -200
  [ "$status" -lt 124 ] || echo "not over after $minutes minutes (or killed: $status)"
  # A limit or a crash leaves some.
  comm -23 <(sed -nE 's/^◇ Test (.*) started\.$/\1/p' "$log" | grep -vE '^(run|case passing .*)$' | sort -u) \
    <(sed -nE 's/^[✔✘] Test (.*) (passed|failed) after .*/\1/p' "$log" |
      sed -E 's/ with [0-9]+ test cases?$//' | sort -u) | sed 's/^/began and did not end: /'
}
# What was skipped, by reason: tests that a trait disables, and tests that found something missing (Tool.missing).
skips() {
  local reasons
  reasons=$(sed -nE 's/^➜ Test .* skipped:? ?"?([^"]*)"?$/\1/p; s/^skipped: [^:]*\([^)]*\): (.*)$/\1/p' "$log" | sed 's/^\.*$/disabled/')
  [ -z "$reasons" ] && return
  echo "skipped: $(wc -l <<<"$reasons"), because:"
  sort <<<"$reasons" | uniq -c | sort -rn
}
skips
[ "$status" -eq 0 ] || failures >>"${FAILURES:-/dev/stdout}"
exit "$status"
