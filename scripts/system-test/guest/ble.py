#!/usr/bin/python3
"""A Bluetooth LE adapter on the second controller. BlueZ serves FFE0 with FFE1, which is connected to a simulated car at a TCP
port: the car's bytes are sent as notifications, and bytes that are written are sent to the car.

usage: ble.py HOST:PORT      prints `ready`; needs bluetoothd, python3-dbus, python3-gi
"""
import socket
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

CONTROLLER = "/org/bluez/hci1"
PROPERTIES = "org.freedesktop.DBus.Properties"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"


class Object(dbus.service.Object):
    """An object whose properties BlueZ reads."""

    def __init__(self, bus, path, interface, properties):
        self.path, self.interface, self.properties = path, interface, properties
        super().__init__(bus, path)

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return self.properties

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Application(dbus.service.Object):
    def __init__(self, bus, objects):
        self.objects = objects
        super().__init__(bus, "/adapter")

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {dbus.ObjectPath(one.path): {one.interface: one.properties} for one in self.objects}


class Line(Object):
    """The characteristic FFE1: a stream of bytes in both directions, divided into packets."""

    def __init__(self, bus, car):
        super().__init__(bus, "/adapter/service/line", CHARACTERISTIC, {
            "UUID": "0000ffe1-0000-1000-8000-00805f9b34fb", "Service": dbus.ObjectPath("/adapter/service"),
            "Flags": dbus.Array(["notify", "write", "write-without-response"], signature="s")})
        self.car, self.notifies, self.most = car, False, 20

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, value, options):
        self.most = int(options.get("mtu", 23)) - 3
        self.car.sendall(bytes(value))

    @dbus.service.method(CHARACTERISTIC)
    def StartNotify(self):
        self.notifies = True

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        self.notifies = False

    def answered(self, *_):
        said = self.car.recv(4096)
        if not said:
            sys.exit("the car is gone")
        while said and self.notifies:
            packet, said = said[:self.most], said[self.most:]
            self.PropertiesChanged(CHARACTERISTIC, {"Value": dbus.ByteArray(packet)}, [])
        return GLib.SOURCE_CONTINUE


class Advertisement(Object):
    @dbus.service.method("org.bluez.LEAdvertisement1")
    def Release(self):
        pass


def advertise():
    manager.RegisterAdvertisement("/advertisement", {}, reply_handler=advertised, error_handler=failed)


def advertised():
    print("ready", flush=True)
    GLib.timeout_add_seconds(3, advertise_again)


def advertise_again():
    """Advertises again. A virtual controller receives an advertisement only once, if it is listening when the
    advertising begins; a real one would receive it repeatedly."""
    if not line.notifies:
        manager.UnregisterAdvertisement("/advertisement")
        manager.RegisterAdvertisement("/advertisement", {}, reply_handler=lambda: None, error_handler=failed)
    return GLib.SOURCE_CONTINUE


def failed(error):
    sys.exit(f"refused: {error}")


DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
host, port = sys.argv[1].split(":")
car = socket.create_connection((host, int(port)))
car.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
service = Object(bus, "/adapter/service", "org.bluez.GattService1", {
    "UUID": "0000ffe0-0000-1000-8000-00805f9b34fb", "Primary": dbus.Boolean(True)})
line = Line(bus, car)
application = Application(bus, [service, line])
advertisement = Advertisement(bus, "/advertisement", "org.bluez.LEAdvertisement1", {
    "Type": "peripheral", "LocalName": "OBDBLE", "ServiceUUIDs": dbus.Array(["ffe0"], signature="s")})
GLib.io_add_watch(car.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN, line.answered)
controller = bus.get_object("org.bluez", CONTROLLER)
manager = dbus.Interface(controller, "org.bluez.LEAdvertisingManager1")
dbus.Interface(controller, "org.bluez.GattManager1").RegisterApplication(
    "/adapter", {}, reply_handler=advertise, error_handler=failed)
GLib.MainLoop().run()
