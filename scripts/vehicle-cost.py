#!/usr/bin/python3
"""Measures what obdgated costs on this machine: wake-ups, processor time, memory, and bytes written to the disk. The daemon has
a simulated adapter with all signals, a GPS receiver and a fence, and makes a record each second. Several configurations are
measured one after the other.

    scripts/vehicle-cost.py [MINUTES=5]      prints a line for each configuration; needs the release build of all programs

The environment variable FOLDER names a folder on a disk for the files; on a tmpfs, no bytes would be counted. The daemon
connects to nothing outside this machine.
"""

import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tty

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / ".build/release"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/system-test"))
import peers  # noqa: E402

FENCE = {"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"id": "town", "radius": 500},
     "geometry": {"type": "Point", "coordinates": [peers.Receiver.PLACE[1], peers.Receiver.PLACE[0]]}}]}


class Line:
    """A GPS receiver on a pty that sends one epoch a second."""

    def __init__(self):
        self.master, slave = pty.openpty()
        tty.setraw(self.master)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(slave)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while not self.ended.wait(1 - time.time() % 1):
            try:
                os.write(self.master, peers.Receiver.epoch(time.time()).encode())
            except BlockingIOError:
                continue

    def stop(self):
        self.ended.set()
        self.thread.join()


def counters(process):
    inside = ROOT / "scripts/system-test/inside/counters.py"
    return json.loads(subprocess.run([sys.executable, inside, str(process)], stdout=subprocess.PIPE, check=True).stdout)


def memory(process):
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    found = dict(line.split(":", 1) for line in lines)
    return ", ".join(f"{int(found[name].split()[0]) / 1024:.1f}" for name in ("Rss", "Pss"))


def measure(name, configuration, folder, minutes):
    path = folder / "gateway.json"
    path.write_text(json.dumps(configuration))
    with open(folder / "log", "wb") as log:
        daemon = subprocess.Popen([PROGRAMS / "obdgated", "--config", path], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        # Wait until data that are requested only once were read, and for the first records, which differ from the
        # others.
        time.sleep(40)
        before = counters(daemon.pid)
        time.sleep(60 * minutes)
        after = counters(daemon.pid)
        took = after["at"] - before["at"]
        rate = {key: (after[key] - before[key]) / took for key in ("sleeps", "ticks", "written")}
        print(f"{name}: {rate['sleeps']:.1f} wake-ups/s, {rate['ticks']:.2f} % of a core, {memory(daemon.pid)} MiB resident, "
              f"its share, {rate['written'] * 3600 / 1e6:.1f} MB/h written", flush=True)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(30)


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vehicle-cost-", dir=os.environ.get("FOLDER", "/var/tmp")))
    store = peers.Store(PROGRAMS / "fleetstore", folder)
    store.start()
    car, line = peers.Car(PROGRAMS / "obdgate", folder / "car"), Line()
    try:
        (folder / "token").touch(mode=0o600)
        (folder / "token").write_text(store.token("gw-1"))
        (folder / "fences.geojson").write_text(json.dumps(FENCE))
        here = {"gatewayId": "gw-1", "discovery": {"serial": False, "bluetooth": False}, "status": {"socket": str(folder / "s")}}
        driving = {"adapters": [{"tcp": f"127.0.0.1:{car.port}"}], "gps": [{"device": line.path}],
                   "geofences": str(folder / "fences.geojson")}
        file = {"type": "file", "path": str(folder / "records.jsonl")}
        server = {"type": "fleetStore", "url": f"http://127.0.0.1:{store.port}/api", "tokenFile": str(folder / "token")}
        kinds = [
            ("nothing is named", {}, [file]),
            ("a file, a batch each 30 s", driving, [dict(file, batch={"seconds": 30})]),
            ("a fleet store, a batch each second", driving, [dict(server, batch={"seconds": 1})]),
            ("a fleet store, a batch each 300 s", driving, [dict(server, batch={"seconds": 300})]),
            ("the same, and a file with each commit", driving, [dict(server, batch={"seconds": 300}), file])]
        for number, (name, more, sinks) in enumerate(kinds):
            state = folder / f"state-{number}"
            state.mkdir()
            measure(name, {**here, **more, "stateDirectory": str(state), "sinks": sinks}, folder, minutes)
    finally:
        line.stop()
        car.stop()
        store.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
