#!/bin/sh
# Switches both controllers on. The first one connects, and the second one accepts connections.
for controller in hci0 hci1; do
  for try in $(seq 100); do
    hciconfig "$controller" up
    hciconfig "$controller" | grep -q UP && break
    sleep 0.2
  done
done
hciconfig hci0 pscan
# After a crash of bluetoothd, the second controller is still in the LE-only mode of lowenergy.py and has no scan mode.
hciconfig hci1 piscan || true
