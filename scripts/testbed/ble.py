#!/usr/bin/python3
"""Imitates a machine with Bluetooth LE adapters: a private D-Bus with a program that imitates BlueZ, GATT and pairing.

    /usr/bin/python3 scripts/testbed/ble.py SCENE.json

SCENE.json: {"controllers": ["hci0"], "powered": true, "off": ["hci0"], "devices": [ DEVICE… ]}. A DEVICE is
    {"address": "AA:…", "controller": "hci0", "name": "OBDBLE", "uuids": ["0000fff0-…"], "paired": false, "trusted": false,
     "known": true,              false: it appears during a search (its transport: "le", "bredr")
     "transport": "le",
     "connect": ["org.bluez.Error.Failed: le-connection-abort-by-local", …],   the answers to the first calls of Connect
     "resolves": true,           whether its services are ever reported
     "signals": true,            whether a signal reports the connection; otherwise only the answer of Connect
     "services": [{"uuid": "0000ffe0-…", "characteristics": [{"uuid": "0000ffe1-…", "flags": ["notify", "write"], "mtu": 23}]}],
     "first services": [ … ],    the services that BlueZ knows until it has forgotten the device
     "sockets": true,            whether AcquireNotify and AcquireWrite exist; "taken": another program uses them
     "mtu": 23,                  the MTU in their answers
     "piece": 20,                bytes of a notification; by default as many as the MTU allows
     "peer": "127.0.0.1:35000",  a simulated adapter to which its bytes are relayed
     "reply": "41 0C 1A F8 \\r\\r>",   or its reply to every line
     "pins": ["0000"],           accepted PINs; "passkey": as a number; "consents": asks for consent; [] or missing: any
     "pairing": "org.bluez.Error.Failed: …",   the answer of Pair for errors other than the PIN
     "pairing connects": true,   Pair also connects, as with Bluetooth LE, and stays connected
     "wants key": true,          its characteristics require pairing; "write": only writing does
     "trust": "org.bluez.Error.Failed: …",   the answer to setting Trusted; "late": none
     "leaves": 2.0,              seconds that Disconnect takes (BlueZ' timer has 2); by default none
     "greets": "ELM327 v1.5"}    its first bytes after notifications are enabled

It prints a line for each event: `bus ADDRESS` first, `connect`, `write request 415420…`, `acquired notify`, `started`,
`discovery le`, `removed`, `pair`, `pin 1234`, `paired`, `trusted`, `agent KeyboardOnly`, `agent gone`, `disconnect`, and takes a line
of JSON for each order (see Bed.do). It ends with its standard input.

Needs Debian's dbus-daemon, python3-dbusmock, python3-dbus, python3-gi.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading

import dbus
import dbus.mainloop.glib
import dbus.service
import dbusmock.mockobject
from ble_device import DEVICE, MANAGER, Device, say, variant
from gi.repository import GLib

ADAPTER = "org.bluez.Adapter1"
AGENT = "org.bluez.Agent1"


class Bed:
    def __init__(self, scene):
        self.scene = scene
        self.controllers = scene.get("controllers", ["hci0"])
        # The registered agents by the connections of their processes; the one that was registered last is at the end.
        self.agents = {}
        self.default_agent = None
        self.caller = None
        self.pairer = None
        self.orders = b""
        self.devices = {}

    def run(self):
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--print-address", "--nofork"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            # If this program ends, for whatever reason, the child ends, too (PR_SET_PDEATHSIG).
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM))
        try:
            self.bus_address = self.daemon.stdout.readline().strip()
            self.bus = dbus.bus.BusConnection(self.bus_address)
            self.bus.add_message_filter(self.overhear)
            self.bus.add_match_string("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'")
            name = dbus.service.BusName("org.bluez", self.bus, allow_replacement=True, do_not_queue=True)
            self.root = dbusmock.mockobject.DBusMockObject(name, "/", MANAGER, {}, os.devnull, True)
            dbusmock.mockobject.objects["/"] = self.root
            self.root.AddTemplate("bluez5", {})
            self.bluez = dbusmock.mockobject.objects["/org/bluez"]
            self.add_controllers()
            for facts in self.scene.get("devices", []):
                device = Device(self, facts)
                self.devices[device.path] = device
                if facts.get("known", True):
                    device.appear()
            say(f"bus {self.bus_address}")
            self.loop = GLib.MainLoop()
            GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, self.told)
            self.loop.run()
        finally:
            self.daemon.terminate()
            self.daemon.wait()

    def add_controllers(self):
        for controller in self.controllers:
            self.bluez.AddAdapter(controller, "testbed")
            made = dbusmock.mockobject.objects[f"/org/bluez/{controller}"]
            made.testbed = self
            made.props[ADAPTER]["Powered"] = variant(self.is_on(controller))
            made.AddMethod(ADAPTER, "SetDiscoveryFilter", "a{sv}", "", "self.testbed.filter(args[0])")
            made.AddMethod(ADAPTER, "StartDiscovery", "", "", "self.testbed.discover()")
            made.AddMethod(ADAPTER, "StopDiscovery", "", "", "self.testbed.quiet()")
            made.AddMethod(ADAPTER, "RemoveDevice", "o", "", "self.testbed.devices[args[0]].remove()")

    def is_on(self, controller):
        return self.scene.get("powered", True) and controller not in self.scene.get("off", [])

    def overhear(self, _, message):
        """Notes the connection from which a call came, because BlueZ knows agents by their connections."""
        member, sender = message.get_member(), message.get_sender()
        if member == "GetManagedObjects":
            self.caller = sender
        if member == "RegisterAgent":
            arguments = message.get_args_list()
            self.agents[sender] = (sender, arguments[0])
            say(f"agent {arguments[1]}")
        if member == "RequestDefaultAgent":
            self.default_agent = sender
        if member == "UnregisterAgent":
            self.drop_agent(sender)
        if member == "NameOwnerChanged" and sender == "org.freedesktop.DBus":
            name, _, owner = message.get_args_list()
            if not owner:
                self.drop_agent(name)
        if member == "Pair":
            self.pairer = sender
        if member == "Set" and message.get_args_list()[1] == "Trusted":
            return self.trust(message)
        if member == "CancelPairing":
            say("cancelled")
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def drop_agent(self, connection):
        """Removes the agent of a connection, which also happens if the connection leaves the bus, as in BlueZ: the bus
        may lose a connection's last message."""
        if self.agents.pop(connection, None):
            say("agent gone")

    def trust(self, message):
        device = self.devices.get(message.get_path())
        answer = device and device.facts.get("trust")
        if not answer:
            say("trusted")
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        say("not trusted")
        if answer != "late":
            name, _, text = answer.partition(": ")
            self.bus.send_message(dbus.lowlevel.ErrorMessage(message, name, text))
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def agent_of(self, caller):
        """Returns the agent that BlueZ asks: the caller's own, otherwise the default one. If nobody called Pair, the
        default one."""
        return self.agents.get(caller) or self.agents.get(self.default_agent)

    def filter(self, options):
        self.transport = str(options.get("Transport", "auto"))

    def discover(self):
        say(f"discovery {self.transport}")
        for device in self.devices.values():
            if self.transport in ("auto", device.facts.get("transport", "le")) and device.facts.get("known") is False:
                GLib.timeout_add(10, lambda device=device: device.appear() and False)

    def quiet(self):
        say("discovery over")

    def ask_agent(self, agent, method, *arguments):
        if not agent:
            say(f"nobody to ask {method}")
            return None
        proxy = self.bus.get_object(agent[0], agent[1], introspect=False)
        try:
            answer = proxy.get_dbus_method(method, AGENT)(*arguments, timeout=20)
            return True if answer is None else answer
        except dbus.exceptions.DBusException as error:
            say(f"refused {method} {error.get_dbus_name()}")
            return None

    def told(self, *_):
        data = os.read(0, 65_536)
        if not data:
            self.loop.quit()
            return False
        *lines, self.orders = (self.orders + data).split(b"\n")
        for line in lines:
            self.do(json.loads(line))
        return True

    def do(self, order):
        device = next((device for device in self.devices.values() if order.get("address") in (None, device.address)), None)
        what = order["do"]
        if what == "notify":  # the pieces are hexadecimal texts; each is one notification
            for piece in order["pieces"]:
                device.notify_once(bytes.fromhex(piece))
        elif what == "flood":  # `count` notifications of this many bytes
            for _ in range(order["count"]):
                device.notify_once(b"4" * order["bytes"])
        elif what == "appear":
            device.appear()
        elif what == "disconnect":
            device.lose()
        elif what == "drop":  # the sockets are closed without a signal
            device.end_sockets()
        elif what == "forget":
            self.root.RemoveObject(device.path)
            self.root.EmitSignal(MANAGER, "InterfacesRemoved", "oas", [dbus.ObjectPath(device.path), [DEVICE]])
        elif what == "leave":  # bluetoothd ends
            self.bus.release_name("org.bluez")
        elif what == "return":
            self.bus.request_name("org.bluez")
        elif what == "nonsense":  # sends properties of wrong types, and unknown ones
            device.tell({"Connected": dbus.String("no", variant_level=1),
                         "ServicesResolved": dbus.Array([], signature="s", variant_level=1),
                         "Novelty": dbus.Int32(3, variant_level=1)})
            if device.notify_path:
                device.changed(device.notify_path, {"Value": dbus.String("no bytes", variant_level=1)})
                device.changed(device.notify_path, {"Value": dbus.Array([], signature="y", variant_level=1)})
        elif what == "spoof":  # another process reports that the device is gone
            self.spoof(device.path)
        elif what == "begin":  # the adapter begins to pair
            self.pairer = None
            if device.ask("RequestPasskey") is not None:
                device.paired()
        elif what == "ask":  # asks the agent that was registered last about a device with this address, which BlueZ would not do
            path = f"/org/bluez/hci0/dev_{order['about'].replace(':', '_')}"
            more = [dbus.UInt32(1)] if order["method"] == "RequestConfirmation" else []
            if order["method"] == "AuthorizeService":
                more = ["0000111e-0000-1000-8000-00805f9b34fb"]
            agent = next(reversed(self.agents.values()), None)
            if self.ask_agent(agent, order["method"], dbus.ObjectPath(path), *more) is not None:
                say(f"allowed {order['method']}")
        elif what == "intrude":  # another process asks the agent
            threading.Thread(target=self.intrude, args=(device.path,)).start()
            return
        elif what == "paired":
            device.paired()
        say(f"done {what}")

    def spoof(self, path):
        # Use a separate process, because a connection that another thread opens and closes can block this one's.
        code = (
            "import dbus, dbus.bus, dbus.lowlevel, sys\n"
            "address, path, destination, device = sys.argv[1:]\n"
            "bus = dbus.bus.BusConnection(address)\n"
            "lie = dbus.lowlevel.SignalMessage(path, dbus.PROPERTIES_IFACE, 'PropertiesChanged')\n"
            "lie.append(device, {'Connected': dbus.Boolean(False, variant_level=1)}, dbus.Array([], signature='s'),\n"
            "           signature='sa{sv}as')\n"
            "lie.set_destination(destination)\n"
            "bus.send_message(lie)\n"
            "bus.flush()\n")
        subprocess.run(["/usr/bin/python3", "-c", code, self.bus_address, path, self.caller, DEVICE], check=True)

    def intrude(self, path):
        code = (
            "import dbus, dbus.bus, sys\n"
            "bus = dbus.bus.BusConnection(sys.argv[1])\n"
            "agent = bus.get_object(sys.argv[2], sys.argv[3], introspect=False)\n"
            "try:\n"
            "    print('allowed', agent.get_dbus_method('RequestPinCode', 'org.bluez.Agent1')(dbus.ObjectPath(sys.argv[4])))\n"
            "except dbus.exceptions.DBusException as error:\n"
            "    print('refused intruder', error.get_dbus_name())\n")
        result = subprocess.run(
            ["/usr/bin/python3", "-c", code, self.bus_address, *next(reversed(self.agents.values())), path], capture_output=True, text=True)
        say((result.stdout + result.stderr).strip().replace("\n", " "))
        say("done intrude")


Bed(json.load(open(sys.argv[1]))).run()
