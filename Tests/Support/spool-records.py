#!/usr/bin/python3
"""Prints the records of a spool without code of the project: `epoch seq type`, one line for each.

    spool-records.py FOLDER [live]

If no process has the spool open, a copy is read, so that nothing is written; `live`: a process has it open.
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
        # Even a reader of a WAL database leaves its marks.
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
