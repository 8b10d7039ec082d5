#!/usr/bin/python3
"""A Bluetooth adapter: registers a serial port with BlueZ (Profile1, so it can be found by service discovery) and
answers each command that ends in CR with `ELM327 v1.5` and a prompt. Prints `ready`. Needs bluetoothd, python3-dbus,
python3-gi; bluetooth-vm.sh runs it on the machine's second controller."""
import os
import threading

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

SERIAL_PORT = "00001101-0000-1000-8000-00805f9b34fb"


class Profile(dbus.service.Object):
    @dbus.service.method("org.bluez.Profile1", in_signature="oha{sv}", out_signature="")
    def NewConnection(self, _device, descriptor, _properties):
        line = descriptor.take()
        os.set_blocking(line, True)
        threading.Thread(target=serve, args=(line,), daemon=True).start()

    @dbus.service.method("org.bluez.Profile1", in_signature="o", out_signature="")
    def RequestDisconnection(self, _device):
        pass

    @dbus.service.method("org.bluez.Profile1", in_signature="", out_signature="")
    def Release(self):
        pass


def serve(line):
    received = b""
    while chunk := os.read(line, 256):
        received += chunk
        while b"\r" in received:
            _, received = received.split(b"\r", 1)
            os.write(line, b"\r\rELM327 v1.5\r\r>")


DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
profile = Profile(bus, "/adapter")
manager = dbus.Interface(bus.get_object("org.bluez", "/org/bluez"), "org.bluez.ProfileManager1")
manager.RegisterProfile("/adapter", SERIAL_PORT, {
    "Name": "OBDII", "Role": "server", "Channel": dbus.UInt16(4), "RequireAuthentication": dbus.Boolean(False),
    "RequireAuthorization": dbus.Boolean(False)})
print("ready", flush=True)
GLib.MainLoop().run()
