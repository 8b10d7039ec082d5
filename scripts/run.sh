#!/bin/bash
# Runs a fleet of five simulated cars on this machine until Ctrl-C: for each car an adapter and a satellite receiver on a pty and
# the daemon that reads them, and a fleet store with the web app. The records of the first car are printed on stdout as JSON
# lines, messages on stderr. scripts/demo.py makes the accounts and the vehicles.
#
# PROGRAMS: the folder of the built programs.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=$(cd "${PROGRAMS:-.build/release}" && pwd)
folder=$(mktemp -d)
: > "$folder/store.log"
started=()

# Stop the daemon first, so that it can send its remaining records to the store.
stop() {
  trap '' INT TERM
  local index
  for ((index = ${#started[@]} - 1; index >= 0; index--)); do
    kill -TERM "${started[index]}" 2>/dev/null || continue
    wait "${started[index]}" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 0' INT TERM

# Waits for a line in a program's output. If the program ends first, returns its exit status.
await() {
  local file=$1 process=$2 pattern=$3
  until grep -qE "$pattern" "$file"; do
    kill -0 "$process" 2>/dev/null || { cat "$file" >&2; exit 69; }
    sleep 0.05
  done
}

"$programs/fleetstore" serve --listen 127.0.0.1:0 --database "sqlite:$folder/fleet.db" \
  > "$folder/administrator" 2> "$folder/store.log" &
store=$!
started+=("$store")
await "$folder/store.log" "$store" 'listening on http://'
address=$(sed -nE 's/.*listening on (http:[^ ]*).*/\1/p' "$folder/store.log")
(umask 077 && sed 's/^/Authorization: Bearer /' "$folder/administrator" > "$folder/header")
/usr/bin/python3 scripts/demo.py prepare "$folder" "$address"

/usr/bin/python3 scripts/demo.py receivers "$folder" &
receivers=$!
started+=("$receivers")
for car in 0 1 2 3 4; do
  "$programs/obdgate" simulate --link "$folder/car$car" --scenario "$folder/car$car.json" 2> "$folder/car$car.log" &
  started+=("$!")
  until [ -e "$folder/car$car" ] && [ -e "$folder/receiver$car" ]; do
    kill -0 "${started[-1]}" 2>/dev/null || { cat "$folder/car$car.log" >&2; exit 69; }
    kill -0 "$receivers" 2>/dev/null || exit 69
    sleep 0.05
  done
done
for car in 1 2 3 4; do
  "$programs/obdgated" --config "$folder/daemon$car.json" 2> "$folder/daemon$car.log" &
  started+=("$!")
done
cat >&2 <<END
How the first car's daemon works, from another terminal:
  $programs/obdgate status --socket $folder/obdgated0.sock
The API of the fleet store:
  curl -sS -H @$folder/header $address/api/vehicles
The web app; one click signs in (valid on this machine, until Ctrl-C):
  $(cat "$folder/demo")
Ctrl-C ends all of it, and removes $folder.
END
"$programs/obdgated" --config "$folder/daemon0.json" &
daemon=$!
started+=("$daemon")
status=0
wait "$daemon" || status=$?
exit "$status"
