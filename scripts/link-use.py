#!/usr/bin/python3
"""Measures the share of the link's capacity that a host uses, from the byte log of `obdgate simulate --log`.

    link-use.py LOG --bus can|kwp --baud N --latency MS [--pids 0C0D0405110F] [--from S] [--to S]

Values are counted in the log: every PID of service 01 in a reply, once for each ECU; the lengths of PIDs are listed in this
script. The capacity is the number of values per second of the best plan that the standards allow for the same PIDs. It is
calculated from the timing of the link:

    can   one request for up to six PIDs followed by the number of frames: its bytes at the baud rate, the adapter's
          processing, the frame on the bus, the ECU's latency, its frames 1 ms apart, each printed at the baud rate,
          the prompt, and the delay of the USB bridge before it delivers the last piece
    kwp   one request a PID, no count (ISO 14230-2 has no numbers to count by): the same, with the K-line's 10,400 baud,
          P4 = 5 ms between the tester's bytes, P2 = the latency, and P3 = 55 ms of silence before the next request

The script shares no code with obdgate, so that an error in obdgate changes only one of the two numbers.
"""

import argparse
import re

# Number of data bytes of each PID that is counted (SAE J1979-DA).
LENGTHS = {0x04: 1, 0x05: 1, 0x0B: 1, 0x0C: 2, 0x0D: 1, 0x0E: 1, 0x0F: 1, 0x10: 2, 0x11: 1, 0x2F: 1}
PROCESSING, CHUNK, GAP = 0.5e-3, 1e-3, 1e-3
EVENT = re.compile(r"^(\d+\.\d+) ([<>]) (.*)$")


def events(path):
    """Yields (time, direction, bytes) for each line of a capture."""
    with open(path, encoding="ascii") as file:
        for line in file:
            if match := EVENT.match(line.rstrip("\n")):
                yield float(match[1]), match[2], match[3].encode().decode("unicode_escape").encode("latin-1")


def exchanges(path):
    """Yields (time of the command's first byte, command, time of the prompt, reply) for each exchange."""
    command, began, reply = b"", None, b""
    sent = None
    for time, direction, data in events(path):
        if direction == ">":
            if began is None:
                began = time
            command += data
            if command.endswith(b"\r"):
                sent, command = (began, command[:-1]), b""
                began, reply = None, b""
        else:
            reply += data
            if b">" in reply and sent:
                yield sent[0], sent[1].decode("latin-1"), time, reply.decode("latin-1")
                sent, reply = None, b""


def values(command, reply):
    """Returns the number of values in a reply to service 01. The frames of each ECU are joined and divided into PIDs by
    their lengths."""
    if not re.fullmatch(r"01([0-9A-F]{2})+[0-9A-F]?", command):
        return 0
    frames = {}
    for line in re.split(r"[\r>]+", reply):
        line = line.replace(" ", "")
        if re.fullmatch(r"7E[89A-F][0-9A-F]+", line):
            data = bytes.fromhex(line[3:] if len(line) % 2 else line[3:] + "0")
            kind = data[0] >> 4
            if kind == 0:
                frames[line[:3]] = data[1 : 1 + data[0]]
            elif kind == 1:
                frames[line[:3]] = (data[0] << 8 & 0xF00 | data[1], data[2:])
            elif kind == 2 and line[:3] in frames:
                length, joined = frames[line[:3]]
                frames[line[:3]] = (length, joined + data[1:])
        elif re.fullmatch(r"8[0-9A-F]{7,}", line):
            data = bytes.fromhex(line)
            frames[line[4:6]] = data[3 : 3 + (data[0] & 0x3F)]
    count = 0
    for payload in frames.values():
        if isinstance(payload, tuple):
            length, joined = payload
            if len(joined) < length:
                continue
            payload = joined[:length]
        if not payload or payload[0] != 0x41:
            continue
        at = 1
        while at < len(payload) and payload[at] in LENGTHS:
            at += 1 + LENGTHS[payload[at]]
            count += at <= len(payload)
    return count


def limit(bus, baud, latency, pids):
    """Returns the number of values a second of the best plan that the standards allow."""
    byte = 10 / baud
    if bus == "kwp":
        total = 0
        for pid in pids:
            answer = 3 + 2 + LENGTHS[pid] + 1
            request = 5 * byte + PROCESSING + 6 * 0.962e-3 + 5 * 5e-3
            bus_end = request + max(latency, 25e-3) + answer * 0.962e-3
            # The text line is printed while P3 passes; then the prompt follows.
            total += max(bus_end + (2 * answer + 1) * byte, bus_end + 55e-3) + 2 * byte + CHUNK
        return len(pids) / total
    total = 0
    for first in range(0, len(pids), 6):
        group = pids[first : first + 6]
        payload = 1 + sum(1 + LENGTHS[pid] for pid in group)
        frames = 1 if payload <= 7 else 1 + -(-(payload - 6) // 7)
        printed = (2 + 2 * len(group) + 1 + 1) * byte + PROCESSING + 0.24e-3 + latency
        start = printed
        for number in range(frames):
            printed = max(printed, start + number * GAP) + (3 + 16 + 1) * byte
        total += printed + 2 * byte + CHUNK
    return len(pids) / total


def measure(path, bus, baud, latency, pids, begin=0.0, end=float("inf")):
    """Returns values/s, their maximum, and the ratio of both, for the exchanges in a period of time."""
    counted, first, last = 0, None, None
    for start, command, prompt, reply in exchanges(path):
        if begin <= start and prompt <= end:
            first = start if first is None else first
            last = prompt
            counted += values(command, reply)
    if last is None or last <= first:
        raise SystemExit(f"{path}: no exchange in the window")
    rate = counted / (last - first)
    best = limit(bus, baud, latency, pids)
    return rate, best, rate / best


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("log")
    arguments.add_argument("--bus", choices=("can", "kwp"), default="can")
    arguments.add_argument("--baud", type=int, required=True)
    arguments.add_argument("--latency", type=float, required=True, help="ms")
    arguments.add_argument("--pids", default="0C0D04051110")
    arguments.add_argument("--from", dest="begin", type=float, default=0.0)
    arguments.add_argument("--to", dest="end", type=float, default=float("inf"))
    given = arguments.parse_args()
    found = measure(
        given.log, given.bus, given.baud, given.latency / 1e3, list(bytes.fromhex(given.pids)), given.begin, given.end
    )
    print("%.1f values/s of %.1f: %.3f" % found)
