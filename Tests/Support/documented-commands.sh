#!/bin/bash
# Runs the commands of a page one after the other, as a person types them. Each is shown behind a `$`, and what it says, of
# both kinds, below it. One that goes on until Ctrl-C gets that once it is at work. The first that fails is the last.
#
#     documented-commands.sh COMMANDS
#
# A command is a line, with those that its `\` goes on in. Three things are not as they are written: fleetstore and the
# simulator listen at ports that are free, and jq hands a line on when it is whole, as at a terminal.
#
# Exit status: that of the command that failed; 70 where one took too long, or ended by itself and should not have.
set -m -o pipefail
# Where bash would say of each job how it ended; nothing of what commands say goes there.
exec 2> /dev/null
# Seconds for all of them.
limit=900
said=$(mktemp)
trap 'rm -f "$said"' EXIT

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

# What a command that goes on says once it is at work, and the file where it says so; what one that asks is told.
expect() {
  sign='' file=$said input=''
  case $1 in
    "obdgate simulate"*) sign='^obdgate simulate: ' ;;
    # It says nothing before its end, and writes down what comes: an answer with the engine speed.
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
  # A group of its own, with the signals as a terminal gives them.
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
  # jq, for one, is ended by Ctrl-C; a command that fails by itself has not got to what it says at work.
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
