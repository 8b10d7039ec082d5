"""Measures what the daemon costs in the machine: memory, wake-ups, bytes written to the disk."""

import json
import time

from drive import RADIO_VIN, VIN
from steps import UNIT, boot_again, costs, polled


def counters(drive):
    process = drive.machine.run(f"systemctl show --value -p MainPID {UNIT}")
    return dict(json.loads(drive.machine.python("counters.py", process)), disk=drive.machine.written())


def measured(drive, seconds):
    """Returns the resources that the daemon uses per second, measured for a number of seconds."""
    before = counters(drive)
    time.sleep(seconds)
    after = counters(drive)
    took = after["at"] - before["at"]
    return {name: (after[name] - before[name]) / took for name in ("sleeps", "written", "ticks", "disk")}


def said(rates):
    return (f"{rates['sleeps']:.1f} wake-ups/s, {rates['ticks']:.2f} % of a core, "
            f"{rates['written'] * 3600 / 1e6:.1f} MB/h written by the daemon, "
            f"{rates['disk'] * 3600 / 1e6:.1f} MB/h to the disk by all")


def run(drive, step, minutes):
    with step("nothing is plugged in") as note:
        drive.machine.run(f"systemctl stop adapter bluetooth; systemctl restart {UNIT}")
        time.sleep(10)
        note(said(measured(drive, 60 * min(minutes, 1))))
        note(costs(drive.machine))
    with step("an adapter on USB and a receiver, a record a second") as note:
        drive.plug_receiver()
        drive.plug_adapter()
        drive.await_rows("a position", lambda rows: [row for row in polled(rows, VIN) if "latitude" in row.record])
        time.sleep(20)
        note(said(measured(drive, 60 * minutes)))
        note(costs(drive.machine))
    with step("a Bluetooth adapter besides: two vehicles, two records a second") as note:
        drive.machine.run("systemctl start bluetooth adapter")
        drive.await_rows("telemetry over RFCOMM", lambda rows: polled(rows, RADIO_VIN))
        time.sleep(20)
        note(said(measured(drive, 60 * minutes)))
        note(costs(drive.machine))
    with step("with a file of records besides") as note:
        drive.machine.run("""python3 - <<'END'
import json, pathlib
path = pathlib.Path("/etc/obdgate/obdgated.json")
configuration = json.loads(path.read_text())
configuration["sinks"].append({"type": "file", "path": "/var/lib/obdgate/records.jsonl"})
path.write_text(json.dumps(configuration))
END
systemctl restart """ + UNIT)
        before = len(drive.rows())
        drive.await_rows("telemetry", lambda rows: polled(rows[before:], VIN))
        time.sleep(20)
        note(said(measured(drive, 60 * minutes)))
        note(costs(drive.machine))
    drive.machine.run("sync")
    drive.cut()
    for _ in range(3):
        boot_again(drive, step)
        drive.cut()
