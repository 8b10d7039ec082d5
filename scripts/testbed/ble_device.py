"""One adapter of ble.py: its objects on the bus, its sockets, and its output."""
import os
import socket

import dbus
import dbusmock.mockobject
from gi.repository import GLib

DEVICE = "org.bluez.Device1"
SERVICE = "org.bluez.GattService1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
MANAGER = "org.freedesktop.DBus.ObjectManager"


def say(line):
    os.write(1, (line + "\n").encode())


def refuse(text):
    name, _, message = text.partition(": ")
    raise dbus.exceptions.DBusException(message, name=name)


def variant(value):
    if isinstance(value, bool):
        return dbus.Boolean(value, variant_level=1)
    return value


class Device:
    """One Bluetooth LE adapter: its objects on the bus, its sockets, and its output."""

    def __init__(self, bed, facts):
        self.bed = bed
        self.facts = facts
        self.address = facts["address"]
        self.controller = facts.get("controller", bed.controllers[0] if bed.controllers else "hci0")
        self.path = f"/org/bluez/{self.controller}/dev_{self.address.replace(':', '_')}"
        self.characteristics = {}
        self.acquired = []
        self.watches = []
        self.started = set()
        self.notify_path = None
        self.notify_socket = None
        self.peer = None
        self.line = b""
        self.leaving = None
        self.refusals = list(facts.get("connect", []))
        self.is_connected = False

    # Its properties on the bus.

    def appear(self):
        if self.path in dbusmock.mockobject.objects:
            return
        facts = self.facts
        self.bed.bluez.AddDevice(self.controller, self.address, facts.get("name", ""))
        self.object = dbusmock.mockobject.objects[self.path]
        self.object.testbed = self
        for name, code in [("Connect", "connect"), ("Disconnect", "leave"), ("Pair", "pair")]:
            self.object.AddMethod(DEVICE, name, "", "", f"self.testbed.{code}()")
        properties = {"UUIDs": dbus.Array(facts.get("uuids", []), signature="s", variant_level=1)}
        for name in ["paired", "trusted"]:
            properties[name.capitalize()] = variant(bool(facts.get(name, False)))
        self.tell(properties)
        if facts.get("connected"):
            self.is_connected = True
            self.tell({"Connected": variant(True)})
            self.resolve()

    def tell(self, properties):
        self.object.props[DEVICE].update(properties)
        self.object.EmitSignal(
            dbus.PROPERTIES_IFACE, "PropertiesChanged", "sa{sv}as", [DEVICE, properties, dbus.Array([], signature="s")])

    def add(self, path, interface, properties, methods):
        self.bed.root.AddObject(path, interface, properties, methods)
        made = dbusmock.mockobject.objects[path]
        made.testbed = self
        self.characteristics[path] = made
        self.bed.root.EmitSignal(MANAGER, "InterfacesAdded", "oa{sa{sv}}", [
            dbus.ObjectPath(path), {interface: properties}])

    def resolve(self):
        if self.facts.get("resolves", True) is False:
            return False
        handle = 0x10
        for service in self.facts.get("first services", self.facts.get("services", [])):
            at = f"{self.path}/service{handle:04x}"
            self.add(at, SERVICE, {
                "UUID": dbus.String(service["uuid"], variant_level=1), "Primary": variant(True),
                "Device": dbus.ObjectPath(self.path, variant_level=1)}, [])
            for facts in service.get("characteristics", []):
                handle += 1
                self.characteristic(f"{at}/char{handle:04x}", at, facts)
            handle += 0x10
        self.tell({"ServicesResolved": variant(True)})
        return False

    def characteristic(self, path, service, facts):
        flags = facts.get("flags", [])
        properties = {
            "UUID": dbus.String(facts["uuid"], variant_level=1), "Service": dbus.ObjectPath(service, variant_level=1),
            "Flags": dbus.Array(flags, signature="s", variant_level=1), "Notifying": variant(False)}
        if "mtu" in facts:
            properties["MTU"] = dbus.UInt16(facts["mtu"], variant_level=1)
        if facts.get("nonsense"):
            properties["Flags"] = dbus.Int32(7, variant_level=1)
            properties["Service"] = dbus.String("nowhere", variant_level=1)
        methods = [
            ("WriteValue", "aya{sv}", "", "self.testbed.write(self.path, args)"),
            ("StartNotify", "", "", "self.testbed.start(self.path)"),
            ("StopNotify", "", "", ""),
        ]
        if self.facts.get("sockets"):
            methods += [
                ("AcquireNotify", "a{sv}", "hq", "ret = self.testbed.acquire(self.path, 'notify')"),
                ("AcquireWrite", "a{sv}", "hq", "ret = self.testbed.acquire(self.path, 'write')"),
            ]
        self.add(path, CHARACTERISTIC, properties, methods)
        if self.notify_path is None and ("notify" in flags or "indicate" in flags):
            self.notify_path = path

    # The calls that it answers.

    def connect(self):
        say("connect")
        if not self.bed.is_on(self.controller):
            refuse("org.bluez.Error.NotReady: Resource Not Ready")
        if self.refusals:
            refuse(self.refusals.pop(0))
        if self.is_connected:
            refuse("org.bluez.Error.AlreadyConnected: Already Connected")
        self.join()

    def join(self):
        self.is_connected = True
        if self.facts.get("signals", True):
            self.tell({"Connected": variant(True)})
        else:
            self.object.props[DEVICE]["Connected"] = variant(True)
        if "peer" in self.facts:
            host, port = self.facts["peer"].rsplit(":", 1)
            self.peer = socket.create_connection((host, int(port)))
            self.watches.append(GLib.io_add_watch(
                self.peer.fileno(), GLib.IO_IN | GLib.IO_HUP, self.heard_peer, self.peer))
        # As with BlueZ, services are reported some time after the connection.
        GLib.timeout_add(20, self.resolve)

    def leave(self):
        say("disconnect")
        if "leaves" not in self.facts:
            return self.lose()
        # An attempt to connect succeeds meanwhile, but the connection soon ends.
        if self.is_connected and self.leaving is None:
            self.leaving = GLib.timeout_add(int(1000 * self.facts["leaves"]), lambda: self.lose() or False)

    def lose(self):
        """Ends the connection."""
        if self.leaving is not None and GLib.main_context_default().find_source_by_id(self.leaving):
            GLib.source_remove(self.leaving)
        self.leaving = None
        if not self.is_connected:
            return
        self.is_connected = False
        self.end_sockets()
        self.notify_socket, self.notify_path = None, None
        self.started.clear()
        self.tell({"ServicesResolved": variant(False), "Connected": variant(False)})
        for path, made in self.characteristics.items():
            interface = made.interface
            self.bed.root.RemoveObject(path)
            self.bed.root.EmitSignal(MANAGER, "InterfacesRemoved", "oas", [dbus.ObjectPath(path), [interface]])
        self.characteristics = {}

    def remove(self):
        """Removes the device, so that BlueZ does not know it until the next search."""
        say("removed")
        self.lose()
        self.facts.pop("first services", None)
        self.facts["known"] = False
        self.bed.root.RemoveObject(self.path)
        self.bed.root.EmitSignal(MANAGER, "InterfacesRemoved", "oas", [dbus.ObjectPath(self.path), [DEVICE]])

    def end_sockets(self):
        # Remove the watches before the sockets are closed, because other files may soon get the same descriptors.
        for watch in self.watches:
            GLib.source_remove(watch)
        for end in self.acquired + ([self.peer] if self.peer else []):
            end.close()
        self.watches, self.acquired, self.peer = [], [], None

    def need_key(self, what):
        """Raises the error that BlueZ reports if an adapter answers Insufficient Authentication."""
        if self.facts.get("wants key") in (True, what) and not self.object.props[DEVICE]["Paired"]:
            refuse("org.bluez.Error.NotPermitted: Not paired")

    def acquire(self, path, what):
        self.need_key(what)
        if self.facts["sockets"] == "taken":
            refuse(f"org.bluez.Error.NotPermitted: {what.capitalize()} acquired")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.acquired.append(ours)
        mtu = self.facts.get("mtu", 23)
        if what == "notify":
            self.notify_socket = ours
            self.greet()
        else:
            self.watches.append(GLib.io_add_watch(ours.fileno(), GLib.IO_IN | GLib.IO_HUP, self.heard_socket, ours))
        say(f"acquired {what}")
        passed = dbus.types.UnixFd(theirs.detach())
        return passed, dbus.UInt16(mtu)

    def start(self, path):
        self.need_key("notify")
        self.started.add(path)
        say("started")
        self.greet()

    def greet(self):
        if "greets" in self.facts:
            self.notify(self.facts["greets"].encode())

    def write(self, path, args):
        self.need_key("write")
        options = args[1]
        self.taken(bytes(args[0]), str(options.get("type", "none")))

    def heard_socket(self, _, __, ours):
        data = ours.recv(4096)
        if data:
            self.taken(data, "socket")
            return True
        # The program has closed its socket. As with BlueZ, the watch of the socket ends.
        self.watches = [watch for watch in self.watches if watch != GLib.main_current_source().get_id()]
        return False

    def taken(self, data, how):
        if not self.facts.get("quiet"):
            say(f"write {how} {data.hex()}")
        if self.peer:
            self.peer.sendall(data)
        if "reply" in self.facts:
            self.line += data
            while b"\r" in self.line:
                _, _, self.line = self.line.partition(b"\r")
                self.notify(self.facts["reply"].encode())

    def heard_peer(self, _, __, peer):
        try:
            data = peer.recv(4096)
        except OSError:
            data = b""
        if not data:
            # The simulated adapter has closed its connection, so end this one.
            GLib.idle_add(lambda: self.lose() or False)
            self.watches = [watch for watch in self.watches if watch != GLib.main_current_source().get_id()]
            return False
        self.notify(data)
        return True

    def notify(self, data):
        size = self.facts.get("piece") or max(1, self.facts.get("mtu", 23) - 3)
        for at in range(0, len(data), size):
            self.notify_once(data[at:at + size])

    def notify_once(self, data):
        if self.notify_socket:
            self.notify_socket.send(data)
        elif self.notify_path in self.started:
            self.changed(self.notify_path, {"Value": dbus.Array(data, signature="y", variant_level=1)})

    def changed(self, path, properties):
        self.characteristics[path].EmitSignal(
            dbus.PROPERTIES_IFACE, "PropertiesChanged", "sa{sv}as",
            [CHARACTERISTIC, dbus.Dictionary(properties, signature="sv"), dbus.Array([], signature="s")])

    # Pairing.

    def pair(self):
        say("pair")
        if "pairing" in self.facts:
            refuse(self.facts["pairing"])
        if self.object.props[DEVICE]["Paired"]:
            refuse("org.bluez.Error.AlreadyExists: Already Exists")
        accepted = True
        if "pins" in self.facts:
            accepted = self.ask("RequestPinCode") in self.facts["pins"]
        elif "passkey" in self.facts:
            accepted = self.ask("RequestPasskey") == self.facts["passkey"]
        elif self.facts.get("consents"):
            accepted = self.ask("RequestConfirmation", dbus.UInt32(123456)) is not None
        if not accepted:
            refuse("org.bluez.Error.AuthenticationFailed: Authentication Failed")
        if self.facts.get("pairing connects") and not self.is_connected:
            self.join()
        self.paired()

    def paired(self):
        self.tell({"Paired": variant(True)})
        say("paired")

    def ask(self, method, *more):
        """Asks the agent of the process that called Pair. Returns its answer; None if the agent refused."""
        answer = self.bed.ask_agent(self.bed.agent_of(self.bed.pairer), method, dbus.ObjectPath(self.path), *more)
        if method == "RequestPinCode" and answer is not None:
            say(f"pin {answer}")
            return str(answer)
        if method == "RequestPasskey" and answer is not None:
            say(f"passkey {answer}")
            return int(answer)
        return answer
