#!/usr/bin/python3
"""Prints the records of a spool, without using code of the project: `epoch seq type`, one line for each record.

    spool-records.py FOLDER [live]

`live` means that a process has the spool open. Otherwise a copy is read, so that the spool does not change.
"""

import pathlib
import shutil
import sqlite3
import sys
import tempfile

TYPES = ("telemetry", "vehicle", "dtc", "monitors", "geofence", "trip", "driving", "adapter", "gap")

folder = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as scratch:
    if sys.argv[2:] != ["live"]:
        # Even reading a WAL database changes its files.
        for file in folder.glob("spool.db*"):
            shutil.copy(file, scratch)
        folder = pathlib.Path(scratch)
    if not (folder / "spool.db").exists():
        sys.exit()
    database = sqlite3.connect(folder / "spool.db", timeout=30)
    if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        sys.exit()
    (epoch,) = database.execute("SELECT epoch FROM state").fetchone()
    for table in ("event", "telemetry"):
        for seq, kind in database.execute(f"SELECT seq, type FROM {table}"):
            print(epoch, seq, TYPES[kind])
