#!/bin/sh
# Sets up qemu's user network, in which the host has the address 10.0.2.2.
until [ -e /sys/class/net/eth0 ]; do sleep 0.05; done
busybox ip link set lo up
busybox ip link set eth0 up
busybox ip address add 10.0.2.15/24 dev eth0
busybox ip route add default via 10.0.2.2
