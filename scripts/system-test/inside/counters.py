"""Prints as JSON what a process has cost so far: how often its threads went to sleep (and later woke up), the bytes that it
wrote to disks, its processor time in ticks, and the seconds since the boot.

usage: counters.py PID
"""

import json
import pathlib
import sys

process = pathlib.Path("/proc") / sys.argv[1]


def number(path, key):
    return int(next(line.split()[1] for line in path.read_text().splitlines() if line.startswith(key)))


times = (process / "stat").read_text().rsplit(")", 1)[1].split()
print(json.dumps({
    "at": float(pathlib.Path("/proc/uptime").read_text().split()[0]),
    "sleeps": sum(number(status, "voluntary_ctxt_switches") for status in process.glob("task/*/status")),
    "written": number(process / "io", "write_bytes"),
    "ticks": int(times[11]) + int(times[12])}))
