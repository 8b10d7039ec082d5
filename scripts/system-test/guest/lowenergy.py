#!/usr/bin/python3
"""Switches classic Bluetooth off in the second controller, as in an adapter that has only Bluetooth LE. It uses the kernel's
management interface (BlueZ' doc/mgmt-api.txt) directly, because btmgmt needs a terminal."""

import ctypes
import socket
import struct

CONTROLLER = 1
SET_POWERED, SET_BREDR = 0x0005, 0x002A
COMPLETE, REFUSED = 0x0001, 0x0002


def ask(line, command, value):
    line.send(struct.pack("<HHHB", command, CONTROLLER, 1, value))
    while True:
        said = line.recv(1024)
        event = struct.unpack_from("<H", said)[0]
        if event in (COMPLETE, REFUSED) and struct.unpack_from("<H", said, 6)[0] == command:
            if said[8]:
                raise SystemExit(f"command {command:#x} {value}: status {said[8]}")
            return


with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as line:
    # The device HCI_DEV_NONE and the channel HCI_CHANNEL_CONTROL. Python's own bind does not support channels.
    address = struct.pack("<HHH", socket.AF_BLUETOOTH, 0xFFFF, 3)
    if ctypes.CDLL(None).bind(line.fileno(), address, len(address)):
        raise SystemExit("the management interface is not available")
    line.settimeout(10)
    for command, value in ((SET_POWERED, 0), (SET_BREDR, 0), (SET_POWERED, 1)):
        ask(line, command, value)
