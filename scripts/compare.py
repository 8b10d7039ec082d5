"""Other decoders over the bytes that obdgate is measured with; one JSON line for each.

    compare.py adapter TRANSCRIPT      python-OBD, set to 11-bit CAN as for most of the replies
    compare.py nmea LOG                pynmea2

Reading the file and splitting it is not measured: only what the decoder itself does with one reply or sentence.
They get as much of it as they manage in a few seconds.
"""

import importlib.metadata
import json
import logging
import sys
import time

SECONDS = 5.0
# Decoders are timed over blocks, so that looking at the clock costs nothing.
BLOCK = 500


def measured(items, decode):
    """Decodes until the time is over: bytes, items and seconds."""
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
    """(bytes, (command, lines)) of each reply; with echo off the answer itself says what was asked."""
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
    """`7E8 04 41 0C …` answers 010C, `48 6B 10 41 0C …` too."""
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
            # Fields are converted on access; read the position, which every user needs.
            if isinstance(message, pynmea2.nmea_utils.LatLonFix):
                _ = (message.latitude, message.longitude)
        except (pynmea2.ParseError, ValueError):
            return

    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read(16_000_000).splitlines()
    report("pynmea2", [(len(line) + 2, line) for line in lines if line.startswith("$")], decode)


{"adapter": adapter, "nmea": nmea}[sys.argv[1]](sys.argv[2])
