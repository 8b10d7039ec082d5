#!/bin/sh
# Process 1 of the machine that bluetooth-vm.sh starts: two virtual controllers that hear each other, BlueZ, an adapter
# on the second (rfcomm.py, channel 4), and PortsProbe that calls it by the first.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mkdir -p /run/dbus
# btvirt needs the kernel's ciphers before it starts.
for module in af_alg algif_hash algif_skcipher aes_generic ecb cmac ecdh_generic hci_vhci rfcomm bnep; do
  modprobe "$module" || echo "no module $module"
done
dbus-uuidgen --ensure
dbus-daemon --system --fork
btvirt -l2 >/dev/null 2>&1 &
for try in $(seq 300); do
  [ "$(hciconfig | grep -c 'BD Address: 00:AA')" = 2 ] && break
  sleep 0.2
done
/usr/libexec/bluetooth/bluetoothd >/dev/null 2>&1 &
for try in $(seq 300); do
  dbus-send --system --print-reply --dest=org.bluez / org.freedesktop.DBus.Peer.Ping >/dev/null 2>&1 && break
  sleep 0.2
done
for controller in hci0 hci1; do
  for try in $(seq 50); do
    hciconfig "$controller" up
    hciconfig "$controller" | grep -q UP && break
    sleep 0.3
  done
done
hciconfig hci0 pscan
hciconfig hci1 piscan
python3 /rfcomm.py >/server.log 2>&1 &
server=$!
for try in $(seq 300); do
  grep -q ready /server.log && break
  sleep 0.1
done
address=$(hciconfig hci1 | sed -n 's/.*BD Address: \([0-9A-F:]*\) .*/\1/p')
echo "== wrong channel"
/PortsProbe ask "rfcomm:$address/9" ATZ
echo "== channel by service discovery"
/PortsProbe ask "rfcomm:$address" ATZ >/answer.log 2>&1 &
probe=$!
for try in $(seq 300); do
  grep -q prompt /answer.log && break
  sleep 0.1
done
# The adapter loses its power.
kill -9 "$server"
wait "$probe"
cat /answer.log
echo "== end"
sync
echo o >/proc/sysrq-trigger
sleep 10
