#!/bin/bash
# Runs a simulated car on a pty, the daemon that polls it, and a fleet store that stores its records, all on this
# machine, until Ctrl-C. Records are printed on stdout as JSON lines, messages on stderr.
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
(umask 077 && "$programs/fleetstore" gateway add simulated-gateway --database "sqlite:$folder/fleet.db" > "$folder/token")

"$programs/obdgate" simulate --link "$folder/car" 2> "$folder/car.log" &
car=$!
started+=("$car")
until [ -e "$folder/car" ]; do
  kill -0 "$car" 2>/dev/null || { cat "$folder/car.log" >&2; exit 69; }
  sleep 0.05
done

cat > "$folder/obdgated.json" <<END
{ "gatewayId": "simulated-gateway",
  "stateDirectory": "state",
  "adapters": [ { "device": "car" } ],
  "discovery": { "serial": false, "bluetooth": false },
  "spool": { "commitPeriod": 0.2 },
  "status": { "socket": "obdgated.sock" },
  "sinks": [ { "type": "stdout" },
             { "type": "fleetStore", "url": "$address/api", "tokenFile": "token", "batch": { "seconds": 1 } } ] }
END
mkdir "$folder/state"
cat >&2 <<END
The fleet store of this run: $address
  curl -sS -H @$folder/header $address/api/vehicles
How it goes, from another terminal:
  $programs/obdgate status --socket $folder/obdgated.sock
Ctrl-C ends all of it, and removes $folder.
END
"$programs/obdgated" --config "$folder/obdgated.json" &
daemon=$!
started+=("$daemon")
status=0
wait "$daemon" || status=$?
exit "$status"
