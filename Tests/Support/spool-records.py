#!/usr/bin/python3
"""What a spool holds, read by nobody of the project: `epoch seq type` of each record, a line each. Nothing is written.

    spool-records.py FOLDER
"""

import pathlib
import shutil
import sqlite3
import sys
import tempfile

TYPES = ("telemetry", "vehicle", "dtc", "monitors", "geofence", "trip", "driving", "adapter", "gap")

with tempfile.TemporaryDirectory() as scratch:
    # A copy: even a reader of a WAL database leaves its marks.
    for file in pathlib.Path(sys.argv[1]).glob("spool.db*"):
        shutil.copy(file, scratch)
    copy = pathlib.Path(scratch) / "spool.db"
    if not copy.exists():
        sys.exit()
    database = sqlite3.connect(copy)
    if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        sys.exit()
    (epoch,) = database.execute("SELECT epoch FROM state").fetchone()
    for table in ("event", "telemetry"):
        for seq, kind in database.execute(f"SELECT seq, type FROM {table}"):
            print(epoch, seq, TYPES[kind])
