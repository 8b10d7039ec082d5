#!/usr/bin/python3
"""Tests that the ledger finds each kind of fault and reports no false ones."""

import ctypes
import json
import pathlib
import sqlite3
import tempfile
import unittest

import ledger

EPOCH = "0190a5d0-0000-7000-8000-000000000001"


def row(number, kind="telemetry", **more):
    record = {"type": kind, "id": f"id-{number}", "epoch": EPOCH, "seq": number, **more}
    return ledger.Row(json.dumps(record, separators=(",", ":")).encode())


def gap(number, first, last, **more):
    return row(number, "gap", fromSeq=first, toSeq=last, **{"reason": "powerLoss", **more})


def packed(line, base):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
    zstd.ZSTD_compress_usingDict.restype = ctypes.c_size_t
    room, size = ctypes.create_string_buffer(1 << 14), ctypes.c_size_t
    context = ctypes.c_void_p(zstd.ZSTD_createCCtx())
    count = zstd.ZSTD_compress_usingDict(
        context, room, size(len(room)), line, size(len(line)), base, size(len(base)), 1)
    zstd.ZSTD_freeCCtx(context)
    return room.raw[:count]


class Faults(unittest.TestCase):
    def setUp(self):
        """Makes a ledger: records 1 to 4 are committed, of which 3 and 4 were in the spool, 4 compressed. The numbers 5
        to 8 were reserved when the power was cut."""
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        with sqlite3.connect(self.folder / "spool.db") as database:
            database.execute("CREATE TABLE state (epoch, last, reserved)")
            database.execute("INSERT INTO state VALUES (?, 4, 8)", (EPOCH,))
            for table in ("event", "telemetry"):
                database.execute(f"CREATE TABLE {table} (seq, line, base)")
            database.execute("CREATE TABLE base (number, line)")
            lines = {number: b'{"type":"telemetry","id":"id-%d",\x01,\x02\x03startTime:-4442\x03}' % number
                     for number in (3, 4)}
            database.execute("INSERT INTO base VALUES (7, ?)", (lines[3],))
            database.execute("INSERT INTO telemetry VALUES (3, ?, NULL)", (lines[3],))
            database.execute("INSERT INTO telemetry VALUES (4, ?, 7)", (packed(lines[4], lines[3]),))
        database.close()
        self.ledger = ledger.Ledger()
        self.ledger.note([row(1), row(2)])
        self.ledger.note_cut(ledger.Spool(self.folder))
        self.rows = [self.kept(number) for number in range(1, 5)] + [gap(9, 5, 8), row(10)]

    @staticmethod
    def kept(number, name="id"):
        return ledger.Row(b'{"type":"telemetry","%s":"id-%d","timestamp":"2026-11-22T00:00:00Z","timeQuality":"gps",'
                          b'"id":"id-%d","epoch":"%s","seq":%d}' % (name.encode(), number, number, EPOCH.encode(), number))

    def test_nothing_where_all_is_there(self):
        self.assertEqual(self.ledger.faults(self.rows), [])

    def test_a_committed_record_that_is_gone(self):
        for number in range(4):
            rows = self.rows[:number] + self.rows[number + 1:]
            self.assertIn("committed and gone", " ".join(self.ledger.faults(rows)))

    def test_a_record_that_is_there_twice(self):
        self.assertIn("2 times", " ".join(self.ledger.faults(self.rows + [row(10)])))

    def test_a_record_that_arrived_as_another(self):
        self.assertIn("was kept as", " ".join(self.ledger.faults(self.rows[:3] + [self.kept(4, "no")] + self.rows[4:])))

    def test_an_unreported_gap(self):
        self.assertIn("11 to 11", " ".join(self.ledger.faults(self.rows + [row(12)])))

    def test_an_unreported_power_cut(self):
        told = self.rows[:4] + [gap(9, 5, 8, reason="spoolFull"), row(10)]
        self.assertIn("where the power was cut", " ".join(self.ledger.faults(told)))

    def test_a_gap_over_a_record_that_is_there(self):
        self.assertIn("and there", " ".join(self.ledger.faults(self.rows[:4] + [gap(9, 4, 8), row(10)])))

    def test_a_gap_of_another_sink(self):
        self.assertNotEqual(self.ledger.faults(self.rows[:4] + [gap(9, 5, 8, sink="mqtt"), row(10)]), [])

    def test_a_line_that_the_cut_broke_is_no_record(self):
        path = self.folder / "witness"
        path.write_bytes(row(1).body + b"\nobdgated: said\n" + row(2).body[:-4])
        self.assertEqual([one.key for one in ledger.witnessed(path)], [(EPOCH, 1)])

    def test_a_store_that_was_never_opened_has_no_rows(self):
        self.assertEqual(ledger.stored(self.folder / "fleet.db"), [])


if __name__ == "__main__":
    unittest.main()
