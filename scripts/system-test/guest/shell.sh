#!/bin/sh
# A root shell for the host. The input is a line with a number and a script in base64; the output has the number, the exit
# status and the output in base64.
port=/dev/virtio-ports/shell
until [ -c $port ]; do sleep 0.05; done
exec 3<>$port
echo ready >&3
while read -r number script <&3; do
  printf '%s' "$script" | base64 -d >/run/script
  sh /run/script >/run/output 2>&1 </dev/null 3<&-
  printf '%s %s %s\n' "$number" $? "$(base64 -w 0 /run/output)" >&3
done
