"""Runs ELM327-emulator (PyPI), an adapter with a car that is independent of this project, on a pty until SIGTERM.

    emulator.py SCENARIO      car

Prints one JSON object: the pty; for each key of records all values that can follow from the emulator's tables, by
formulas in this script; and all VINs. The emulator's package is installed and run, never copied (CC BY-NC-SA).
"""

import ctypes
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from elm.obd_message import ObdMessage

# For each key of records, the PID and the formula of SAE J1979-DA.
FORMULAS = {
    "coolantTemp": ("05", lambda d: d[0] - 40),
    "intakeAirTemp": ("0F", lambda d: d[0] - 40),
    "engineLoad": ("04", lambda d: d[0] * 100 / 255),
    "throttlePosition": ("11", lambda d: d[0] * 100 / 255),
    "rpm": ("0C", lambda d: (d[0] * 256 + d[1]) / 4),
    "speed": ("0D", lambda d: d[0]),
    "maf": ("10", lambda d: (d[0] * 256 + d[1]) / 100),
    "timingAdvance": ("0E", lambda d: d[0] / 2 - 64),
    "intakeManifoldAbsolutePressure": ("0B", lambda d: d[0]),
    "fuelLevel": ("2F", lambda d: d[0] * 100 / 255),
    "controlModuleVoltage": ("42", lambda d: (d[0] * 256 + d[1]) / 1000),
    "distanceMIL": ("21", lambda d: d[0] * 256 + d[1]),
}


def answers(message):
    """Returns the data bytes of each answer to a request, from all ECUs that a table names."""
    given = message["Response"]
    for text in [given] if isinstance(given, str) else given:
        for data in re.findall(r"<data>([0-9A-F ]+)</data>", text):
            yield bytes.fromhex(data)


def expected(scenario):
    """Returns, by the key of records, all values that the scenario's tables can give."""
    found = {}
    for message in ObdMessage[scenario].values():
        match = re.match(r"\^?01([0-9A-F]{2})", message.get("Request") or "")
        if not match or "Response" not in message:
            continue
        for key, (pid, formula) in FORMULAS.items():
            if pid == match[1]:
                values = {formula(data[2:]) for data in answers(message) if data[:2] == bytes.fromhex("41" + pid)}
                found.setdefault(key, set()).update(values)
    return {key: sorted(values) for key, values in found.items() if values}


def vins(scenario):
    """Returns all VINs that can come. The emulator may answer each request with another one."""
    given = ObdMessage[scenario]["VIN"]["Response"]
    found = set()
    for text in [given] if isinstance(given, str) else given:
        for data in re.findall(r"<pos_answer>01 ([0-9A-F ]+)</pos_answer>", text):
            found.add(bytes.fromhex(data).decode("ascii"))
    return sorted(found)


def die_with_parent():
    """Makes the emulator end together with this program, for whatever reason it ends (PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def main(scenario):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        program = pathlib.Path(sys.executable).with_name("elm")
        emulator = subprocess.Popen(
            [program, "-s", scenario, "-b", out], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=folder, preexec_fn=die_with_parent)
        try:
            deadline = time.monotonic() + 60
            port = None
            while port is None:
                if time.monotonic() > deadline or emulator.poll() is not None:
                    sys.exit("ELM327-emulator did not start")
                text = out.read_text() if out.exists() else ""
                port = (re.search(r"/dev/pts/\d+", text) or [None])[0]
                time.sleep(0.02)
            print(json.dumps({"port": port, "values": expected(scenario), "vins": vins(scenario)}), flush=True)
            emulator.wait()
        finally:
            emulator.terminate()
            emulator.wait()


main(sys.argv[1])
