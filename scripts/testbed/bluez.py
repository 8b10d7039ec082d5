#!/usr/bin/python3
"""Runs a program on an imitated machine with Bluetooth: a private D-Bus with a program that imitates BlueZ.

    /usr/bin/python3 scripts/testbed/bluez.py DEVICES.json PROGRAM [ARGUMENTS…]

DEVICES.json: {"controllers": ["hci0"], "devices": [
    {"controller": "hci0", "address": "00:1D:A5:68:98:8A", "name": "OBDLink LX", "paired": true,
     "services": ["00001101-0000-1000-8000-00805f9b34fb"]}]}
A device with "random": true has an address that is not registered. A device with "heard": true appears when an inquiry starts.
"off": ["hci0"] names controllers that are not powered. If the file has `null` instead of the object, the bus has no BlueZ.

The bus is the program's system bus. Exit status: the program's. Needs Debian's dbus-daemon, python3-dbusmock, python3-dbus.
"""
import json
import os
import subprocess
import sys
import time

import dbus
import dbusmock

MOCK = "org.bluez.Mock"


def wait_for_name(bus, name):
    deadline = time.monotonic() + 60
    while not bus.name_has_owner(name):
        if time.monotonic() > deadline:
            sys.exit(f"bluez.py: {name} does not come up")
        time.sleep(0.02)


def add_device(bus, mock, device):
    path = mock.AddDevice(device["controller"], device["address"], device["name"])
    properties = {"UUIDs": dbus.Array(device.get("services", []), signature="s")}
    if "alias" in device:
        properties["Alias"] = device["alias"]
    if "signal" in device:
        properties["RSSI"] = dbus.Int16(device["signal"])
    if device.get("random"):
        properties["AddressType"] = "random"
    properties["Paired"] = dbus.Boolean(device.get("paired", False))
    target = dbus.Interface(bus.get_object("org.bluez", path), dbusmock.MOCK_IFACE)
    target.UpdateProperties("org.bluez.Device1", dbus.Dictionary(properties, signature="sv"))


def switch_off(bus, controller):
    target = dbus.Interface(bus.get_object("org.bluez", f"/org/bluez/{controller}"), dbusmock.MOCK_IFACE)
    target.UpdateProperties(
        "org.bluez.Adapter1", dbus.Dictionary({"Powered": dbus.Boolean(False)}, signature="sv"))


def main():
    wanted = json.load(open(sys.argv[1]))
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--print-address", "--nofork"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    address = daemon.stdout.readline().strip()
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = address
    children = [daemon]
    try:
        if wanted is not None:
            children.append(subprocess.Popen(
                ["/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "bluez5"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            bus = dbus.bus.BusConnection(address)
            wait_for_name(bus, "org.bluez")
            mock = dbus.Interface(bus.get_object("org.bluez", "/org/bluez"), MOCK)
            for controller in wanted["controllers"]:
                mock.AddAdapter(controller, "testbed")
                if controller in wanted.get("off", []):
                    switch_off(bus, controller)
            for device in wanted["devices"]:
                if not device.get("heard"):
                    add_device(bus, mock, device)
            program = subprocess.Popen(sys.argv[2:])
            heard = [device for device in wanted["devices"] if device.get("heard")]
            hear(bus, mock, wanted["controllers"], heard, program)
        else:
            program = subprocess.Popen(sys.argv[2:])
        return program.wait(100)
    finally:
        for child in reversed(children):
            child.terminate()
            child.wait()


def hear(bus, mock, controllers, devices, program):
    """Adds the devices that an inquiry finds, as soon as an inquiry runs."""
    while devices and program.poll() is None:
        for name in controllers:
            properties = dbus.Interface(
                bus.get_object("org.bluez", f"/org/bluez/{name}"), "org.freedesktop.DBus.Properties")
            if properties.Get("org.bluez.Adapter1", "Discovering"):
                for device in devices:
                    add_device(bus, mock, device)
                return
        time.sleep(0.02)


sys.exit(main())
