#!/bin/sh
# Two virtual Bluetooth controllers in range of each other. btvirt needs the kernel's ciphers before it starts, and
# bluetoothd starts when both have addresses. A controller that the kernel has abandoned because the machine was slow
# is plugged in again.
for module in af_alg algif_hash algif_skcipher aes_generic ecb cmac ecdh_generic hci_vhci rfcomm bnep; do
  modprobe "$module" || echo "no module $module"
done
for try in $(seq 10); do
  btvirt -l2 >/dev/null 2>&1 &
  for wait in $(seq 40); do
    [ "$(hciconfig | grep -c 'BD Address: 00:AA')" = 2 ] && exit 0
    sleep 0.25
  done
  echo "no controllers in try $try"
  kill $!
  wait $!
done
exit 1
