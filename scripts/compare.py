"""Measures other decoders with the bytes with which obdgate is measured; prints one JSON line for each decoder.

    compare.py adapter TRANSCRIPT      python-OBD, set to 11-bit CAN, which most of the replies are
    compare.py nmea LOG                pynmea2

Only the decoding of replies or sentences is measured, not reading the file and splitting it. A decoder processes as much
of the file as it can in a few seconds.
"""

import importlib.metadata
import json
import logging
import sys
import time

SECONDS = 5.0
# The time is read only once for each block of items, so that reading it costs nothing.
BLOCK = 500


def measured(items, decode):
    """Decodes items until the time is over. Returns the number of bytes, of items, and of seconds."""
    done = size = 0
    start = time.perf_counter()
    while done < len(items) and time.perf_counter() - start < SECONDS:
        for item in items[done : done + BLOCK]:
            decode(item[1])
            size += item[0]
        done = min(done + BLOCK, len(items))
    return size, done, time.perf_counter() - start


def report(package, items, decode):
    size, count, seconds = measured(items, decode)
    tool = f"{package} {importlib.metadata.version(package)}"
    print(json.dumps({"tool": tool, "bytes": size, "count": count, "seconds": seconds}))


def exchanges(text):
    """Yields (bytes, (command, lines)) for each reply. Without an echo, the command is deduced from the answer
    itself."""
    for reply in text.split(">"):
        lines = [line.strip() for line in reply.replace("\n", "\r").split("\r")]
        lines = [line for line in lines if line]
        if not lines:
            continue
        first = lines[0].replace(" ", "").upper()
        if " " not in lines[0] and 2 <= len(first) <= 6:
            yield len(reply) + 1, (first, lines[1:])
        else:
            yield len(reply) + 1, (asked(lines[0].split()), lines)


def asked(words):
    """Returns the command that a text line answers: 010C for `7E8 04 41 0C …` and for `48 6B 10 41 0C …`."""
    for at in range(2, min(5, len(words) - 1)):
        if words[at] in ("41", "43", "49"):
            return f"0{words[at][1]}{words[at + 1] if words[at] != '43' else ''}"
    return ""


def adapter(path):
    import obd
    from obd.protocols import ISO_15765_4_11bit_500k

    logging.getLogger("obd").setLevel(logging.CRITICAL)
    protocol = ISO_15765_4_11bit_500k(["7E8 06 41 00 BE 3F A8 13"])
    commands = {command.command.decode(): command for mode in obd.commands.modes for command in mode if command}

    def decode(exchange):
        command, lines = exchange
        messages = protocol(lines)
        known = commands.get(command)
        if known and messages:
            known(messages)

    with open(path, encoding="ascii", errors="replace") as file:
        text = file.read(16_000_000)
    report("obd", list(exchanges(text)), decode)


def nmea(path):
    import pynmea2

    def decode(sentence):
        try:
            message = pynmea2.parse(sentence)
            # pynmea2 converts fields only on access, so read the position, which every user needs.
            if isinstance(message, pynmea2.nmea_utils.LatLonFix):
                _ = (message.latitude, message.longitude)
        except (pynmea2.ParseError, ValueError):
            return

    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read(16_000_000).splitlines()
    report("pynmea2", [(len(line) + 2, line) for line in lines if line.startswith("$")], decode)


{"adapter": adapter, "nmea": nmea}[sys.argv[1]](sys.argv[2])
