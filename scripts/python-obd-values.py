"""Lets python-OBD decode answers to service 01 with random data; prints the values as JSON lines.

    python-obd-values.py SEED ANSWERS      ANSWERS: the number of answers for each PID

Each line: {"reply": "7E8 04 41 0C 1A F8", "pid": "0C", "value": 1726.0 | true | "text" | [values] | null};
null where it decodes nothing. The answers
go through python-OBD's own framing and reassembly, with the protocol classes that it uses behind an adapter. The same
seed gives the same lines.
"""

import json
import random
import sys

import obd
from obd.codes import AIR_STATUS, FUEL_STATUS, FUEL_TYPES, OBD_COMPLIANCE
from obd.protocols import ISO_15765_4_11bit_500k
from obd.utils import BitArray


def frames(payload):
    """Returns the frames of an ISO-TP message from ECU 7E8, padded with AA."""
    if len(payload) <= 7:
        chunks = [[len(payload)] + payload]
    else:
        chunks = [[0x10, len(payload)] + payload[:6]]
        rest = payload[6:]
        while rest:
            chunks.append([0x20 | len(chunks) & 0x0F] + rest[:7])
            rest = rest[7:]
    return [" ".join(["7E8"] + [f"{byte:02X}" for byte in chunk + [0xAA] * (8 - len(chunk))]) for chunk in chunks]


def code(text):
    """Returns the code of one of python-OBD's texts: its index in a list of texts, or the bit with that index."""
    for texts in (FUEL_TYPES, OBD_COMPLIANCE):
        if texts.count(text) == 1:
            return float(texts.index(text))
    for texts in (AIR_STATUS, FUEL_STATUS):
        if text in texts:
            return float(1 << texts.index(text))
    # Several codes have this text (they are reserved), so the code is unknown.
    return None


def plain(value):
    """Returns a value of python-OBD in a type that JSON has."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if hasattr(value, "magnitude"):
        return float(value.magnitude)
    if hasattr(value, "MIL"):
        return [bool(value.MIL), int(value.DTC_count)]
    if isinstance(value, BitArray):
        return [bool(bit) for bit in value]
    if isinstance(value, str):
        return code(value)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return None


def main(seed, answers):
    generator = random.Random(seed)
    protocol = ISO_15765_4_11bit_500k(["7E8 06 41 00 FF FF FF FF"])
    for command in obd.commands[1]:
        pid = command.pid
        if pid % 0x20 == 0:
            continue
        for _ in range(answers):
            data = [generator.randrange(256) for _ in range(command.bytes - 2)]
            lines = frames([0x41, pid] + data)
            try:
                messages = [m for m in protocol(lines) if m.data]
                response = command(messages)
                value = plain(response.value)
            except (IndexError, ValueError, TypeError, AttributeError):
                # python-OBD raises an error for a code that it does not know, so there is no value.
                value = None
            print(json.dumps({"reply": "\r".join(lines), "pid": f"{pid:02X}", "value": value}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
