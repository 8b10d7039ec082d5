#!/usr/bin/python3
"""A classic Bluetooth adapter: registers a serial port with BlueZ (Profile1), so that service discovery finds it, and
relays each connection to a simulated car at a TCP port. It accepts every pairing, because an adapter in a car cannot ask a
user. One bluetoothd serves both controllers; pairings of the other controller are rejected.

usage: rfcomm.py HOST:PORT      prints `ready`; needs bluetoothd, python3-dbus, python3-gi
"""
import contextlib
import socket
import sys
import threading

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

SERIAL_PORT = "00001101-0000-1000-8000-00805f9b34fb"
CHANNEL = 4
CONTROLLER = "/org/bluez/hci1"


class Rejected(dbus.DBusException):
    _dbus_error_name = "org.bluez.Error.Rejected"


def consent(device):
    if not device.startswith(CONTROLLER + "/"):
        raise Rejected(f"{device}: none of the adapter's")


class Agent(dbus.service.Object):
    @dbus.service.method("org.bluez.Agent1", in_signature="ou", out_signature="")
    def RequestConfirmation(self, device, _passkey):
        consent(device)

    @dbus.service.method("org.bluez.Agent1", in_signature="o", out_signature="")
    def RequestAuthorization(self, device):
        consent(device)

    @dbus.service.method("org.bluez.Agent1", in_signature="", out_signature="")
    def Cancel(self):
        pass

    @dbus.service.method("org.bluez.Agent1", in_signature="", out_signature="")
    def Release(self):
        pass


class Profile(dbus.service.Object):
    latest = None

    @dbus.service.method("org.bluez.Profile1", in_signature="oha{sv}", out_signature="")
    def NewConnection(self, _device, descriptor, _properties):
        radio = socket.socket(fileno=descriptor.take())
        radio.setblocking(True)
        # The channel has one connection. If the last one has not ended here, the peer has lost it.
        if self.latest:
            end(self.latest)
        self.latest = radio
        threading.Thread(target=serve, args=(radio,), daemon=True).start()

    @dbus.service.method("org.bluez.Profile1", in_signature="o", out_signature="")
    def RequestDisconnection(self, _device):
        pass

    @dbus.service.method("org.bluez.Profile1", in_signature="", out_signature="")
    def Release(self):
        pass


# The simulated car closes the connection of a second client. Therefore a connection to it begins after the car has closed
# the one before.
CAR = threading.Lock()


def serve(radio):
    host, port = sys.argv[1].split(":")
    with CAR, radio, socket.create_connection((host, int(port))) as car:
        car.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = threading.Thread(target=hand_on, args=(car, radio), daemon=True)
        answers.start()
        hand_on(radio, car)
        end(radio)
        answers.join()
        car.settimeout(10)
        with contextlib.suppress(OSError):
            while car.recv(512):
                pass


def hand_on(source, target):
    """Relays until either side ends, and then ends what the target receives."""
    try:
        while chunk := source.recv(512):
            target.sendall(chunk)
    except OSError as error:
        print(f"adapter: the line is gone: {error.strerror}", flush=True)
    end(target, socket.SHUT_WR)


def end(line, how=socket.SHUT_RDWR):
    # A line that has ended already cannot be shut down.
    with contextlib.suppress(OSError):
        line.shutdown(how)


DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
agent = Agent(bus, "/agent")
agents = dbus.Interface(bus.get_object("org.bluez", "/org/bluez"), "org.bluez.AgentManager1")
agents.RegisterAgent("/agent", "NoInputNoOutput")
agents.RequestDefaultAgent("/agent")
# The adapter stores no key. These controllers do not report whether the peer stores its key; if not, the kernel would
# store the key on this side only, and then end connections for which only one side has a key.
dbus.Interface(bus.get_object("org.bluez", CONTROLLER), "org.freedesktop.DBus.Properties").Set(
    "org.bluez.Adapter1", "Pairable", dbus.Boolean(False))
profile = Profile(bus, "/adapter")
manager = dbus.Interface(bus.get_object("org.bluez", "/org/bluez"), "org.bluez.ProfileManager1")
manager.RegisterProfile("/adapter", SERIAL_PORT, {
    "Name": "OBDII", "Role": "server", "Channel": dbus.UInt16(CHANNEL), "RequireAuthentication": dbus.Boolean(False),
    "RequireAuthorization": dbus.Boolean(False)})
print("ready", flush=True)
GLib.MainLoop().run()
