#!/usr/bin/python3
"""Measures the live figures of docs/Performance.md: obdgated and python-OBD with the same simulated adapters, in one run.

    live.py [link] [rate] [kwp] [cost] [fences] [start] [--seconds N]      without names: all

    link    values/s and link use by scripts/link-use.py, CAN at three rates and three latencies
    rate    values/s of six signals, compared with python-OBD's fastest mode, 115200 baud, three latencies
    kwp     link use and rate on KWP at 38400 baud, and the rate at 115200 baud
    cost    processor time and memory of obdgated that polls as fast as possible, 500000 baud, 10 ms
    fences  the same with and without a GPS receiver at 5 Hz that moves through 1,000 fences
    start   time to the program's first record, to the first reading, and to the return after an unplug

Needs `make release` and .tools/venv.
"""

import argparse
import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import tty

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("OBDGATE_BUILD", ROOT / ".build/release"))
PYTHON = os.environ.get("OBDGATE_PYTHON", ROOT / ".tools/venv/bin/python3")
SIGNALS = ("rpm", "speed", "engineLoad", "coolantTemp", "throttlePosition", "maf")
PIDS = list(bytes.fromhex("0C0D04051110"))
spec = importlib.util.spec_from_file_location("link_use", ROOT / "scripts/link-use.py")
link_use = importlib.util.module_from_spec(spec)
spec.loader.exec_module(link_use)

CLIENT = """
import obd, sys, time
obd.logger.removeHandler(obd.console_handler)
port, seconds = sys.argv[1], float(sys.argv[2])
link = obd.Async(port, baudrate=int(sys.argv[3]), fast=True, timeout=2, delay_cmds=0)
count = [0]
def came(answer):
    if not answer.is_null():
        count[0] += 1
for name in ("RPM", "SPEED", "ENGINE_LOAD", "COOLANT_TEMP", "THROTTLE_POS", "MAF"):
    link.watch(getattr(obd.commands, name), callback=came)
link.start()
began = time.monotonic()
time.sleep(seconds)
print(count[0] / (time.monotonic() - began))
link.stop()
link.close()
"""


class Car:
    """A simulated adapter with one engine ECU that drives steadily, on a pty."""

    def __init__(self, folder, name, baud, latency, bus="can11/500", kind="elm327"):
        self.link, self.log = folder / f"{name}.tty", folder / f"{name}.capture"
        ecu = {"address": "7E8" if bus.startswith("can") else "10", "latency": latency}
        scenario = {
            "adapter": {"kind": kind, "baud": baud},
            "cars": [{"bus": bus, "latency": latency, "ecus": [ecu],
                      "drive": {"phases": [
                          {"phase": "accelerate", "seconds": 4, "speed": 72}, {"phase": "cruise", "seconds": 900}]}}],
        }
        file = folder / f"{name}.json"
        file.write_text(json.dumps(scenario))
        self.process = subprocess.Popen(
            [BUILD / "obdgate", "simulate", "--link", self.link, "--scenario", file, "--log", self.log],
            stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        if self.process.poll() is not None:
            sys.exit(said)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Daemon:
    """obdgated with one device. It polls six signals as fast as the link allows and, after its start, requests nothing
    else."""

    def __init__(self, folder, name, device, baud, **more):
        self.out = folder / f"{name}.jsonl"
        config = folder / f"{name}.config"
        config.write_text(json.dumps({
            "gatewayId": "bench", "adapters": [{"device": str(device), "baud": baud}],
            "discovery": {"serial": False, "bluetooth": False},
            "poll": {"defaultPeriod": 86400, "dtcPeriod": 86400, "signals": {s: 0 for s in SIGNALS} | {"batteryVoltage": 86400}}} | more))
        self.began = time.monotonic()
        self.process = subprocess.Popen([BUILD / "obdgated", "--config", config], stdout=open(self.out, "w"))

    def wait(self, what, limit=60):
        """Waits for a record that contains a text, and returns the line."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            for line in self.out.read_text().splitlines():
                if what in line:
                    return line
            time.sleep(0.02)
        sys.exit(f"obdgated said no {what} within {limit} s")

    def cpu(self):
        """Returns the processor time that the daemon has used so far, in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Returns the resident memory in KiB: the present value and the maximum."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return tuple(int(re.search(rf"{key}:\s+(\d+)", status)[1]) for key in ("VmRSS", "VmHWM"))

    def stop(self):
        self.process.terminate()
        self.process.wait()


def flat_out(folder, name, baud, latency, seconds, bus="can11/500"):
    """Returns values/s of obdgated, the maximum of the link, and the ratio of both, from the adapter's log."""
    car = Car(folder, name, baud, latency, bus)
    daemon = Daemon(folder, name, car.link, baud)
    # Wait for the end of the start: data that are requested only once are still requested in the first second of
    # telemetry.
    daemon.wait('"type":"telemetry"')
    time.sleep(6 if bus.startswith("can") else 12)
    begin = last_time(car.log)
    time.sleep(seconds)
    daemon.stop()
    car.stop()
    kind = "can" if bus.startswith("can") else "kwp"
    return link_use.measure(car.log, kind, baud, latency / 1e3, PIDS, begin, begin + seconds)


def last_time(log):
    """Returns the time of the log's newest line, on the simulator's own clock."""
    with open(log, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 4096))
        return float(re.findall(rb"^(\d+\.\d+) ", file.read(), re.M)[-1])


def client(folder, name, baud, latency, seconds, bus="can11/500"):
    """Returns values/s of python-OBD's asynchronous mode."""
    car = Car(folder, name, baud, latency, bus)
    done = subprocess.run(
        [PYTHON, "-c", CLIENT, car.link.resolve(), str(seconds), str(baud)], capture_output=True, text=True)
    car.stop()
    if done.returncode != 0 or not done.stdout.strip():
        sys.exit(f"python-OBD: {done.stderr}")
    return float(done.stdout.split()[-1])


def link(folder, seconds):
    print("\n| link | latency | values/s | the link allows | use |\n|---|---|---|---|---|")
    for baud in (38400, 115200, 500000):
        for latency in (2, 10, 25):
            rate, best, use = flat_out(folder, f"link{baud}-{latency}", baud, latency, seconds)
            print(f"| CAN, {baud} baud | {latency} ms | {rate:.0f} | {best:.0f} | {use:.3f} |", flush=True)


def rate(folder, seconds):
    print("\n| six signals, 115200 baud | obdgated | python-OBD | ratio |\n|---|---|---|---|")
    for latency in (2, 10, 25):
        ours = flat_out(folder, f"rate{latency}", 115200, latency, seconds)[0]
        theirs = client(folder, f"theirs{latency}", 115200, latency, seconds)
        print(f"| CAN, {latency} ms | {ours:.1f}/s | {theirs:.1f}/s | {ours / theirs:.2f} |", flush=True)


def kwp(folder, seconds):
    # At eight values a second, a longer measurement is needed, so that one value more or less does not matter.
    seconds = max(seconds, 30)
    print("\n| KWP, 25 ms | the link allows | use | obdgated | python-OBD | ratio |\n|---|---|---|---|---|---|")
    for baud in (38400, 115200):
        ours, best, use = flat_out(folder, f"kwp{baud}", baud, 25, seconds, "kwpFast")
        theirs = client(folder, f"theirskwp{baud}", baud, 25, seconds, "kwpFast")
        print(f"| {baud} baud | {best:.2f}/s | {use:.3f} | {ours:.2f}/s | {theirs:.2f}/s | {ours / theirs:.3f} |", flush=True)


def cost(folder, seconds):
    car = Car(folder, "cost", 500000, 10)
    daemon = Daemon(folder, "cost", car.link, 500000)
    daemon.wait('"type":"telemetry"')
    time.sleep(5)
    before, began = daemon.cpu(), time.monotonic()
    time.sleep(max(seconds, 20))
    share = (daemon.cpu() - before) / (time.monotonic() - began)
    resident, peak = daemon.memory()
    daemon.stop()
    car.stop()
    print(f"\n- flat out at 500000 baud, 10 ms: {share:.2%} of one core, {resident / 1024:.1f} MiB resident, {peak / 1024:.1f} MiB at most")


class Receiver:
    """A receiver on a pty. It sends five epochs a second and moves at 20 m/s to the east along 48° N."""

    def __init__(self):
        self.master, other = os.openpty()
        tty.setraw(other)
        os.set_blocking(self.master, False)
        self.name, self.other, self.ended = os.ttyname(other), other, threading.Event()
        self.thread = threading.Thread(target=self.drive)
        self.thread.start()

    def drive(self):
        began, step = time.monotonic(), 0
        while not self.ended.wait(max(0, began + step * 0.2 - time.monotonic())):
            moment = f"12{step // 300 % 60:02}{step * 0.2 % 60:05.2f}"
            degrees = 11 + step * 4 / 74_600
            place = f"4800.00000,N,{int(degrees):03}{degrees % 1 * 60:08.5f},E"
            text = "".join(sentence(body) for body in (
                f"GPRMC,{moment},A,{place},38.88,90.0,050327,,,A",
                f"GPGGA,{moment},{place},1,09,0.9,520.0,M,47.0,M,,",
                "GPGSA,A,3,02,05,07,09,13,16,20,26,,,,,1.87,0.9,1.58"))
            try:
                os.write(self.master, text.encode())
            except BlockingIOError:
                pass
            step += 1

    def stop(self):
        self.ended.set()
        self.thread.join()
        os.close(self.master)
        os.close(self.other)


def sentence(body):
    checksum = 0
    for character in body:
        checksum ^= ord(character)
    return f"${body}*{checksum:02X}\r\n"


def thousand_fences(file):
    """Writes 1,000 fences: octagons of 40 m, one every 130 m along the way of the receiver."""
    features = []
    for number in range(1_000):
        ring = [[11 + (number * 130 + 40 * math.cos(corner * math.pi / 4)) / 74_600,
                 48 + 40 * math.sin(corner * math.pi / 4) / 111_200] for corner in range(8)]
        features.append({"type": "Feature", "properties": {"id": f"f{number}"},
                         "geometry": {"type": "Polygon", "coordinates": [ring + ring[:1]]}})
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return str(file)


def fences(folder, seconds):
    print()
    for name in ("without", "with"):
        car = Car(folder, name, 500000, 10)
        receiver = Receiver() if name == "with" else None
        more = {}
        if receiver:
            more = {"gps": [{"device": receiver.name}], "geofences": thousand_fences(folder / "fences.geojson")}
        daemon = Daemon(folder, name, car.link, 500000, **more)
        daemon.wait('"latitude"' if receiver else '"type":"telemetry"')
        time.sleep(5)
        before, began = daemon.cpu(), time.monotonic()
        time.sleep(max(seconds, 20))
        share = (daemon.cpu() - before) / (time.monotonic() - began)
        resident, peak = daemon.memory()
        events = daemon.out.read_text().count('"type":"geofence"')
        daemon.stop()
        car.stop()
        if receiver:
            receiver.stop()
        print(f"- {name} receiver and 1,000 fences: {share:.2%} of one core, {resident / 1024:.1f} MiB resident, {peak / 1024:.1f} at most, {events} events")


def start(folder, seconds):
    best = min(timed([BUILD / "obdgated", "--version"]) for _ in range(20))
    print(f"\n- `obdgated --version`: {best * 1e3:.1f} ms")
    best = min(timed([BUILD / "obdgated", "--check"]) for _ in range(20))
    print(f"- `obdgated --check`: {best * 1e3:.1f} ms")
    car = Car(folder, "start", 38400, 10)
    began = time.time()
    daemon = Daemon(folder, "start", car.link, 38400)
    daemon.wait('"type":"telemetry"')
    daemon.stop()
    car.stop()
    own = 0.0
    first = None
    for begun, command, prompt, reply in link_use.exchanges(car.log):
        if command == "ATZ" or command == "0100":
            own += prompt - begun
        if first is None and link_use.values(command, reply):
            first = prompt
            break
    opened = next(link_use.events(car.log))[0]
    print(f"- 38400 baud: first reading {first - opened:.3f} s after the first byte; ATZ and the search took {own:.3f} s of it, all else {(first - opened - own) * 1e3:.0f} ms")


def timed(command):
    began = time.perf_counter()
    subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    parts = {"link": link, "rate": rate, "kwp": kwp, "cost": cost, "fences": fences, "start": start}
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("parts", nargs="*", choices=[[], *parts], default=[])
    arguments.add_argument("--seconds", type=float, default=10)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name, part in parts.items():
            if not given.parts or name in given.parts:
                part(pathlib.Path(scratch), given.seconds)
