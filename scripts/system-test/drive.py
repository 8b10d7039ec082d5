"""A virtual machine with the installed package, plugged-in adapters and a GPS receiver, and a fleet store outside."""

import json
import os
import pathlib
import subprocess
import time

import ledger
from asleep import Asleep
from machine import Failed, Machine, accelerator
from peers import Car, Packages, Receiver, Store

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GATEWAY = "gw-vm"
# The Bluetooth addresses of the adapter's controller and of the daemon's.
RADIO, OWN_RADIO = "00:AA:01:01:00:01", "00:AA:01:00:00:00"
# The serial number of the USB adapter, by which an administrator's udev rule identifies it.
SERIAL, RECEIVER = "OBD00017", "NMEA0003"
# The VINs of the two cars. That of the car on USB is the default of obdgate simulate.
VIN, RADIO_VIN = "1D4GP00RX5B123456", "1M8GDM9AXKP042788"
STATE = "/var/lib/private/obdgate"
LIMIT = 180

FENCES = {"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"id": "town", "name": "Town", "radius": 5000},
     "geometry": {"type": "Point", "coordinates": [Receiver.PLACE[1], Receiver.PLACE[0]]}}]}


def program(name):
    """Returns the path of a built program: the variable `NAME_PROGRAM`, otherwise the release build."""
    path = pathlib.Path(os.environ.get(f"{name.upper()}_PROGRAM", ROOT / ".build/release" / name))
    if not os.access(path, os.X_OK):
        raise Failed(f"no program {path}: build it first (make system-test does)")
    return path


class Drive:
    def __init__(self, folder):
        self.folder = folder
        self.image = pathlib.Path(os.environ.get("VM_IMAGE", ROOT / ".build/vm"))
        if not (self.image / "disk").exists():
            raise Failed(f"no image in {self.image}: scripts/system-test/image.sh makes one")
        self.ledger = ledger.Ledger()
        self.machine = self.car = self.radio_car = self.receiver = self.packages = None
        self.store = Store(program("fleetstore"), folder)

    def start(self):
        """Starts all programs that run outside the machine."""
        self.car = Car(program("obdgate"), self.folder / "car")
        self.radio_car = Car(program("obdgate"), self.folder / "radio-car", RADIO_VIN)
        self.receiver = Receiver()
        self.store.start()

    def wake(self, note):
        """Resumes the suspended machine that has already booted. If there is none, boots one and suspends it."""
        asleep = Asleep(self.image, accelerator(self.image))
        note("KVM" if asleep.kind == "kvm" else "no KVM: TCG")
        if not asleep.there:
            note(f"it has booted first: {asleep.make(self.image / 'booting')}")
        self.machine = Machine(self.image, self.folder, asleep.kind, asleep)
        self.machine.wake()

    def end(self):
        for one in (self.machine and self.machine.cut, self.store.stop, self.car and self.car.stop,
                    self.radio_car and self.radio_car.stop, self.receiver and self.receiver.stop,
                    self.packages and self.packages.stop):
            if one:
                one()

    def pack(self):
        """Builds the package from this source tree, with fast compression."""
        folder = self.folder / "packages"
        environment = dict(os.environ, PACKED="-Znone", PROGRAMS=str(program("obdgated").parent))
        self._make([ROOT / "packaging/deb.sh", folder, "obdgate"], environment)
        self.packages = Packages(folder)

    def install(self):
        """Installs the package as an administrator would. The service stays enabled but is not started at boot;
        plugging in an adapter starts it."""
        self.machine.run(f"""set -e
            busybox wget -q -O /run/obdgate.deb http://10.0.2.2:{self.packages.port}/{self.packages.name}
            DEBIAN_FRONTEND=noninteractive dpkg --install /run/obdgate.deb
            rm /run/obdgate.deb""", limit=180)

    @staticmethod
    def _make(command, environment):
        made = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        if made.returncode:
            raise Failed(f"{command[0]}: {made.stdout}{made.stderr}")
        return made.stdout

    def configure(self, kind="rfcomm", unit="adapter"):
        """Installs the configuration, the token as a credential, and a udev rule for the USB adapter. `kind` is the
        type of the Bluetooth adapter, and `unit` the service that plays it."""
        configuration = {
            "gatewayId": GATEWAY, "stateDirectory": "/var/lib/obdgate", "adapters": [{kind: RADIO}],
            "geofences": "fences.geojson",
            "sinks": [{"type": "stdout"},
                      {"type": "fleetStore", "url": f"http://10.0.2.2:{self.store.port}/api", "batch": {"seconds": 1},
                       # Plain HTTP is safe here: this is qemu's own network, which nobody else uses.
                       "insecure": True, "tokenFile": "/run/credentials/obdgated.service/obdgate.token"}]}
        rule = f'SUBSYSTEM=="tty", ATTRS{{serial}}=="{SERIAL}", ENV{{OBDGATE}}="adapter"'
        self.machine.run(f"""set -e
            install -d -m 700 /etc/credstore
            echo {self.store.token(GATEWAY)} | install -m 600 /dev/stdin /etc/credstore/obdgate.token
            echo '{json.dumps(configuration)}' > /etc/obdgate/obdgated.json
            echo '{json.dumps(FENCES)}' > /etc/obdgate/fences.geojson
            echo '{rule}' > /etc/udev/rules.d/60-adapter.rules
            echo CAR=10.0.2.2:{self.radio_car.port} > /etc/testbed
            udevadm control --reload
            systemctl --no-block restart {unit}
            obdgated --check --config /etc/obdgate/obdgated.json
            # The installed files are on the disk, so a power cut does not remove them.
            sync""")

    def plug_adapter(self):
        self.machine.plug("adapter", self.car.port, SERIAL)

    def plug_receiver(self):
        self.machine.plug("receiver", self.receiver.port, RECEIVER)

    def rows(self):
        return ledger.stored(self.store.path)

    def fresh(self, rows):
        """Returns the rows that were not known to be committed at the last cut."""
        return [row for row in rows if row.key not in self.ledger.committed]

    def await_rows(self, what, condition, limit=LIMIT):
        """Waits until `condition`, called with the store's rows, finds what it searches, and returns what it found."""
        deadline = time.monotonic() + limit
        while True:
            rows = self.rows()
            if found := condition(rows):
                return found
            if time.monotonic() > deadline:
                last = "\n".join(row.body.decode()[:200] for row in rows[-8:])
                raise Failed(f"{what}: not in {limit} s; the store's last records are\n{last}")
            self._alive()
            time.sleep(0.2)

    def await_witness(self, what, condition, limit=LIMIT):
        """As `await_rows`, with the records that the daemon has written to stdout in this boot."""
        deadline = time.monotonic() + limit
        while not (found := condition(ledger.witnessed(self.machine.witness))):
            if time.monotonic() > deadline:
                raise Failed(f"{what}: not in {limit} s")
            self._alive()
            time.sleep(0.05)
        return found

    def _alive(self):
        if self.machine.process and self.machine.process.poll() is not None:
            raise Failed(f"qemu has ended with {self.machine.process.returncode}")

    def cut(self):
        """Cuts the machine's power, and notes all records that must not be lost. Returns the spool as it is on the
        disk."""
        self.machine.cut()
        self.ledger.note(ledger.witnessed(self.machine.witness))
        self.ledger.note(self.rows())
        state = self.folder / "state"
        self.machine.read(STATE, state)
        spool = ledger.Spool(state)
        self.ledger.note_cut(spool)
        return spool

    def await_all(self, limit=LIMIT):
        """Waits until every committed record is in the store once, and every gap in the numbers is reported."""
        deadline = time.monotonic() + limit
        while faults := self.ledger.faults(rows := self.rows()):
            if time.monotonic() > deadline:
                raise Failed("after the cut:\n" + "\n".join(faults[:20]))
            self._alive()
            time.sleep(0.3)
        return rows


def of(rows, kind, **values):
    """Returns the rows of a type that have these values."""
    return [row for row in rows if row.type == kind and values.items() <= row.record.items()]
