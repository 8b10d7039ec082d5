"""An MQTT broker for tests with faults that real brokers do not have on demand.

broker.py [--refuse-5 | --hang-up-on-5] [--silent-after N] [--refuse-payload TEXT REASON]

--refuse-5: only MQTT 3.1.1; MQTT 5 is rejected as 3.1.1 requires (return code 1). --hang-up-on-5: the connection is closed
without an answer.
--silent-after N: no PUBACK after the Nth. --refuse-payload: with MQTT 5, a PUBACK with REASON if the
payload contains TEXT.

Standard output: "port N", then a line of JSON for each CONNECT and PUBLISH.
"""
import argparse
import json
import socket
import struct
import sys
import threading

parser = argparse.ArgumentParser()
parser.add_argument("--refuse-5", action="store_true")
parser.add_argument("--hang-up-on-5", action="store_true")
parser.add_argument("--silent-after", type=int, default=1 << 60)
parser.add_argument("--refuse-payload", nargs=2, default=None)
options = parser.parse_args()


def say(value):
    print(json.dumps(value), flush=True)


def exactly(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def packet(connection):
    kind = exactly(connection, 1)[0]
    length = shift = 0
    while True:
        byte = exactly(connection, 1)[0]
        length |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return kind, exactly(connection, length)


def serve(connection):
    level = 0
    while True:
        kind, body = packet(connection)
        if kind >> 4 == 1:
            level = body[6]
            say({"connect": level})
            if level == 5 and options.hang_up_on_5:
                return
            if level == 5 and options.refuse_5:
                connection.sendall(bytes([0x20, 2, 0, 1]))
                return
            connection.sendall(bytes([0x20, 2, 0, 0]) if level == 4 else bytes([0x20, 3, 0, 0, 0]))
        elif kind >> 4 == 3:
            size = struct.unpack(">H", body[:2])[0]
            topic = body[2:2 + size].decode()
            number = body[2 + size:4 + size]
            payload = body[4 + size + (1 if level == 5 else 0):].decode()
            say({"topic": topic, "retained": bool(kind & 1), "payload": payload})
            if kind >> 1 & 3 == 0:
                continue
            options.silent_after -= 1
            if options.silent_after < 0:
                continue
            if options.refuse_payload and options.refuse_payload[0] in payload:
                connection.sendall(bytes([0x40, 3]) + number + bytes([int(options.refuse_payload[1])]))
            else:
                connection.sendall(bytes([0x40, 2]) + number)
        elif kind >> 4 == 12:
            connection.sendall(bytes([0xD0, 0]))
        elif kind >> 4 == 14:
            say({"disconnect": True})
            return


def attempt(connection):
    try:
        serve(connection)
    except (EOFError, OSError):
        say({"lost": True})
    connection.close()


listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=attempt, args=(listener.accept()[0],), daemon=True).start()
