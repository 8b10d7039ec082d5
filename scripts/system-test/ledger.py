"""Compares the records that must exist with those that the fleet store has.

A power cut may lose telemetry that was not committed yet, and nothing else. The committed records are read from three
places: the store's rows; the records that the daemon had written to stdout, which are all committed; and the spool's tables
on the disk after the cut. This code is independent of the daemon's.
"""

import collections
import ctypes
import datetime
import json
import re
import sqlite3


# The name of the fleet store's sink in the spool.
STORE = "fleetStore"


class Row:
    """A record in the store."""

    def __init__(self, body):
        self.body = body
        self.record = json.loads(body)
        self.key = self.record["epoch"], self.record["seq"]
        self.type = self.record["type"]


def stored(path):
    """Returns all rows of the store, in the order of the gateway's sequence numbers."""
    if not path.exists():
        return []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as database:
        try:
            bodies = [bytes(body) for body, in database.execute("SELECT body FROM record")]
            for entries, frame in database.execute("SELECT entries, bodies FROM telemetry_run"):
                bodies += in_run(bytes(entries), bytes(frame))
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise
    database.close()
    return sorted((Row(body) for body in bodies), key=lambda row: row.key)


def in_run(entries, frame):
    """Yields the bodies of a run of telemetry, whose places its entries contain."""
    text = unpacked(frame, b"", 1 << 18)
    place, end, bodies = 1, 0, []

    def number():
        nonlocal place
        value = shift = 0
        while True:
            byte = entries[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(entries):
        number()          # the first half of the id
        place += 8        # the second half of the id
        number()          # time
        number()          # seq
        number()          # the time of reception
        place += 1        # the quality of the time, and whether there is a position
        start = end + number()
        end = start + number()
        bodies.append(text[start:end])
    return bodies


def witnessed(path):
    """Returns the records that the daemon has written to stdout. The last line may be incomplete."""
    lines = path.read_bytes().split(b"\n")[:-1]
    return [Row(line) for line in lines if line.startswith(b"{") and line.endswith(b"}")]


def unpacked(frame, base, most=1 << 14):
    """Decompresses a zstd frame, which was compressed against another line, to at most this number of bytes."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
    zstd.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    context = ctypes.c_void_p(zstd.ZSTD_createDCtx())
    room = ctypes.create_string_buffer(most)
    size = ctypes.c_size_t
    count = zstd.ZSTD_decompress_usingDict(
        context, room, size(len(room)), frame, size(len(frame)), base, size(len(base)))
    zstd.ZSTD_freeDCtx(context)
    if zstd.ZSTD_isError(size(count)):
        raise ValueError("a line that cannot be decompressed")
    return room.raw[:count]


class Spool:
    """The spool as a cut left it on the disk."""

    # In a stored line, these bytes stand for the record's time, for its epoch and number, and for times that are stored
    # as differences from the record's time.
    HOLES = re.compile(b"\x03[^\x03]*\x03|[\x01\x02]")

    def __init__(self, folder):
        self.lines = {}
        self.epoch, self.last, self.reserved = None, 0, 0
        files = list(folder.rglob("spool.db"))
        if not files:
            return
        database = sqlite3.connect(files[0])
        damage = database.execute("PRAGMA integrity_check").fetchone()[0]
        if damage != "ok":
            raise ValueError(f"{files[0]}: {damage}")
        state = database.execute("SELECT epoch, last, reserved FROM state").fetchone()
        if state:
            self.epoch, self.last, self.reserved = state
        bases = dict(database.execute("SELECT number, line FROM base"))
        for table in ("event", "telemetry"):
            for number, line, base in database.execute(f"SELECT seq, line, base FROM {table}"):
                line = line if base is None else unpacked(line, bases[base])
                self.lines[self.epoch, number] = self.HOLES.split(line)
        database.close()


class Ledger:
    def __init__(self):
        # The texts of committed records by epoch and number. If some parts of a text are unknown, the pieces between
        # them; None if the text is unknown.
        self.committed = {}
        # For each epoch, the numbers of the records that were the last ones committed before a cut.
        self.cuts = collections.defaultdict(set)

    def note(self, rows):
        for row in rows:
            self.committed.setdefault(row.key, None)

    def note_cut(self, spool):
        """Notes the records that were on the disk when the power was cut."""
        self.committed.update(spool.lines)
        if spool.epoch and spool.reserved > spool.last:
            self.cuts[spool.epoch].add(spool.last)

    def missing(self, rows):
        present = {row.key for row in rows}
        return [key for key in self.committed if key not in present]

    def faults(self, rows):
        """Describes the faults of the store's rows. There are none if every committed record is stored once and unchanged,
        and every gap in the numbers is reported, those of power cuts by a `gap` record with `powerLoss`."""
        found = [f"{epoch} {number}: committed and gone" for epoch, number in sorted(self.missing(rows))]
        counts = collections.Counter(row.key for row in rows)
        counts.update(collections.Counter(row.record["id"] for row in rows))
        found += [f"{key}: {count} times" for key, count in counts.items() if count > 1]
        by_key = {row.key: row for row in rows}
        for key, pieces in self.committed.items():
            row = by_key.get(key)
            if pieces and row and not all(piece in row.body for piece in pieces):
                found.append(f"{key}: arrived as {row.body.decode()}, was kept as {pieces}")
        for epoch in sorted({row.key[0] for row in rows}):
            found += self._holes(epoch, rows)
        return found

    def _holes(self, epoch, rows):
        there = {number for one, number in (row.key for row in rows) if one == epoch}
        told, by_power = set(), set()
        for row in rows:
            gap = row.record
            if row.type != "gap" or gap.get("lostEpoch", gap["epoch"]) != epoch or gap.get("sink", STORE) != STORE:
                continue
            numbers = range(gap["fromSeq"], gap["toSeq"] + 1)
            told.update(numbers)
            if gap["reason"] == "powerLoss":
                by_power.update(numbers)
                if there.intersection(numbers):
                    yield f"{epoch} {gap['fromSeq']} to {gap['toSeq']}: said to be lost, and there"
        holes = sorted(set(range(1, max(there) + 1)) - there - told)
        if holes:
            yield f"{epoch}: {len(holes)} numbers from {holes[0]} to {holes[-1]} are missing, and no gap record reports them"
        for last in sorted(self.cuts[epoch]):
            if last + 1 not in by_power:
                yield f"{epoch}: no gap of powerLoss behind {last}, where the power was cut"


def seconds(timestamp):
    """Returns a record's time in seconds since 1970."""
    return datetime.datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()
