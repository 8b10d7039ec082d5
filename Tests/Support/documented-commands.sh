#!/bin/bash
# Runs the commands of a page in order, as a user types them. Each is printed after a `$`, with its output and errors below
# it. A command that runs until Ctrl-C is interrupted when it is working. The script ends with the first failure.
#
#     documented-commands.sh COMMANDS
#
# A command is a line with its continuation lines (`\`). Two things differ from the page: fleetstore and the simulator
# listen on free ports, and jq prints complete lines at once, as on a terminal.
#
# Exit status: that of the failed command; 70 if one took too long or ended although it should run, or if the script
# itself cannot run.
set -m -o pipefail
# Before stderr is discarded, so that the reason is shown. The user who runs this may not be able to write to $TMPDIR.
said=$(mktemp) || exit 70
trap 'rm -f "$said"' EXIT
# Discards bash's messages about jobs that end. The output of the commands does not go there.
exec 2> /dev/null
# Time limit for all commands together, in seconds.
limit=900

# The last option of a name counts.
fleetstore() {
  if [ "$1" = serve ]; then set -- "$@" --listen 127.0.0.1:0; fi
  command fleetstore "$@"
}
obdgate() {
  case " $* " in *" --tcp "*) set -- "$@" --tcp 0 ;; esac
  command obdgate "$@"
}
jq() { command jq --unbuffered "$@"; }

# Sets the text that shows that a running command is working, and the file that contains it; and the input of a command
# that reads any.
expect() {
  sign='' file=$said input=''
  case $1 in
    "obdgate simulate"*) sign='^obdgate simulate: ' ;;
    # It prints nothing before its end. Its file contains what it records: an answer with the engine speed.
    "obdgate record"*) sign='41 ?0C' && file=$(sed -E 's/.* -o ([^ ]+).*/\1/' <<< "$1") ;;
    "obdgated |"*) sign='"speed": [0-9]' ;;
    "fleetstore serve"*) sign='listening on http' ;;
    "rabbitmqctl add_user"*) input='a password of the test' ;;
  esac
}

run() {
  local sign file input job status
  expect "$1"
  : > "$said"
  # In a separate process group, so that it can receive signals as from a terminal.
  eval "$1" <<< "$input" > "$said" 2>&1 &
  job=$!
  while kill -0 "$job" 2> /dev/null; do
    if [ -n "$sign" ] && grep -qsE -e "$sign" "$file"; then
      sign=''
      kill -INT -- "-$job"
    fi
    if [ "$SECONDS" -ge "$limit" ]; then kill -KILL -- "-$job"; fi
    sleep 0.02
  done
  wait "$job"
  status=$?
  printf '$ %s\n' "$1"
  cat "$said"
  if [ -n "$sign" ] || [ "$SECONDS" -ge "$limit" ]; then
    echo "ended with status $status after $SECONDS s${sign:+, and \"$sign\" was awaited in $file}"
    return 70
  fi
  # Ctrl-C also ends jq. A command that fails before that does not print the text.
  case $1 in "obdgated |"*) [ "$status" -ne 130 ] || status=0 ;; esac
  [ "$status" -eq 0 ] || echo "status $status"
  return "$status"
}

command=''
while IFS= read -r line; do
  command+=$line
  case $line in
    '') continue ;;
    *\\) command+=$'\n' && continue ;;
  esac
  run "$command" || exit
  command=''
done <<< "$1"
