#!/usr/bin/python3
"""A hostile MQTT broker in front of a normal one.

    hostile-broker.py LISTEN UPSTREAM FILE        ports of 127.0.0.1

FILE has the name of an attack; it is read at each SIGUSR1. The program prints `now ATTACK` when it applies to new
connections, and `met ATTACK` for each of them. `pass` relays to the normal broker. With port 0 it prints the names.
"""

import struct
import sys
import threading
import time

from switched_proxy import listen, pass_on, run, say

LONGEST = b"\xff\xff\xff\x7f"
NOISE = bytes(range(255, -1, -1)) * 256


def length(count):
    out = b""
    while True:
        count, digit = divmod(count, 128)
        out += bytes([digit | (0x80 if count else 0)])
        if not count:
            return out


def packet(kind, body):
    return bytes([kind]) + length(len(body)) + body


def connack(level, properties=b"", reason=0):
    return packet(0x20, bytes([0, reason]) + (length(len(properties)) + properties if level == 5 else b""))


def publish(level, qos, number, payload):
    head = struct.pack(">H", 1) + b"t" + (struct.pack(">H", number) if qos else b"") + (b"\0" if level == 5 else b"")
    return packet(0x30 | qos << 1, head + payload)


def without_end(first, piece):
    yield first
    while True:
        yield piece


def numbered(first, make):
    yield first
    while True:
        for number in range(1, 65536):
            yield make(number)


def then_silence(*pieces):
    yield from pieces
    time.sleep(3600)


def dripping(text, pause):
    for byte in text:
        yield bytes([byte])
        time.sleep(pause)


MALICES = {
    "closes": lambda level: iter(()),
    "noise": lambda level: without_end(NOISE, NOISE),
    "length-without-end": lambda level: without_end(b"\x20", b"\xff" * 65536),
    "giant-connack": lambda level: without_end(b"\x20" + LONGEST, b"\0" * 65536),
    "giant-publish": lambda level: without_end(connack(level) + b"\x30" + LONGEST, b"\0" * 65536),
    "giant-puback": lambda level: without_end(connack(level) + b"\x40" + LONGEST, b"\0" * 65536),
    "publishes": lambda level: without_end(connack(level), publish(level, 0, 0, b"x" * 60_000)),
    "publishes-to-keep": lambda level: numbered(connack(level), lambda number: publish(level, 2, number, b"x" * 60_000)),
    "connacks": lambda level: without_end(connack(level), connack(level) * 1000),
    "pubacks-of-nothing": lambda level: numbered(connack(level), lambda number: packet(0x40, struct.pack(">H", number)) * 200),
    "pings": lambda level: without_end(connack(level), b"\xd0\0" * 10_000),
    "receives-nothing": lambda level: then_silence(connack(level, b"\x21\0\0")),
    "packets-of-one-byte": lambda level: then_silence(connack(level, b"\x27\0\0\0\1")),
    "absurd-properties": lambda level: then_silence(connack(level, b"\x26" + b"\0\1\x1b\0\1\x07" * 2000)),
    "properties-cut": lambda level: then_silence(b"\x20\x05\0\0\x7f\x11\xff"),
    "silent": lambda level: then_silence(),
    "acknowledges-nothing": lambda level: then_silence(connack(level)),
    "refuses": lambda level: iter([connack(level, b"\x1f" + struct.pack(">H", 60_000) + b"\x1b[2J" * 15_000, 0x87 if level == 5 else 5)]),
    "drips": lambda level: dripping(connack(level) * 100, 0.3),
}


def drain(connection):
    try:
        while connection.recv(65536):
            pass
    except OSError:
        pass


def serve(connection, now):
    if now == "pass":
        return pass_on(connection)
    first = connection.recv(65536)
    # CONNECT: its type and length, "MQTT" with its own length, the protocol's level.
    place = first.find(b"MQTT")
    level = first[place + 4] if place >= 0 and len(first) > place + 4 else 4
    threading.Thread(target=drain, args=(connection,), daemon=True).start()
    try:
        for piece in MALICES[now](level):
            connection.sendall(piece)
    finally:
        say("met " + now)


if listen == 0:
    print(" ".join(MALICES))
    sys.exit(0)
run(serve)
