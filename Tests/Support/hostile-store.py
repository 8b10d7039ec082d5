#!/usr/bin/python3
"""A hostile fleet store without TLS in front of a normal one.

    hostile-store.py LISTEN UPSTREAM FILE        ports of 127.0.0.1

FILE has the name of an attack; it is read at each SIGUSR1. The program prints `now ATTACK` when it applies to new
connections, and `met ATTACK` for each of them. `pass` relays to the normal store. All other attacks answer every request
themselves, and store nothing.
"""

import gzip
import re
import sys
import time

from switched_proxy import listen, pass_on, run, say

NOISE = bytes(range(256)) * 256
FENCE = b'{"type":"Feature","properties":{"id":"f%d","radius":50},"geometry":{"type":"Point","coordinates":[9.1,48.%d]}}'


def head(status=b"200 OK", *more):
    return b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\n" + b"".join(m + b"\r\n" for m in more) + b"\r\n"


def whole(body, status=b"200 OK", *more):
    return [head(status, b"Content-Length: %d" % len(body), *more), body]


def without_end(first, piece):
    """Sends bytes until the client reads no more."""
    yield first
    while True:
        yield piece


def dripping(first, piece, pause):
    yield first
    while True:
        time.sleep(pause)
        yield piece


def chunked(piece):
    return b"%x\r\n" % len(piece) + piece + b"\r\n"


def results(count, rows):
    return b'{"stored":0,"duplicates":0,"refused":%d,"results":[%s]}' % (count, b",".join(rows))


def fences(count, *more):
    body = b'{"type":"FeatureCollection","features":[' + b",".join(FENCE % (n, n % 90) for n in range(count)) + b"]}"
    return whole(body, b"200 OK", *more)


CHUNKED = head(b"200 OK", b"Transfer-Encoding: chunked")
# The answers to records, by attack. Each function yields the pieces of an answer, perhaps without end.
RECORDS = {
    "endless": lambda: without_end(CHUNKED, chunked(b" " * 65536)),
    "huge": lambda: without_end(head(b"200 OK", b"Content-Length: 107374182400"), b" " * 65536),
    "noise": lambda: without_end(NOISE, NOISE),
    "drip": lambda: dripping(CHUNKED, chunked(b" "), 0.2),
    "dripping-head": lambda: dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.2),
    "head-without-end": lambda: without_end(b"HTTP/1.1 200 OK\r\n", b"X-Header: " + b"y" * 1000 + b"\r\n"),
    "line-without-end": lambda: without_end(b"HTTP/1.1 200 OK\r\nX-Header: ", b"y" * 65536),
    "continue-without-end": lambda: without_end(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500),
    "deep": lambda: whole(b"[" * 900_000),
    "not-json": lambda: whole(b"<html>\x1b[2J\x07" + b"Welcome " * 1000),
    "bomb": lambda: whole(gzip.compress(b" " * (512 << 20), 9), b"200 OK", b"Content-Encoding: gzip"),
    "never-sent": lambda: whole(b'{"stored":1000000,"duplicates":0,"refused":0}'),
    "negative": lambda: whole(b'{"stored":-5,"duplicates":25,"refused":0}'),
    "refusals-of-nothing": lambda: whole(results(20, [b'{"index":%d,"outcome":"refused","reason":"no"}' % (7000 + n) for n in range(20)])),
    "refused-twice": lambda: whole(results(20, [b'{"index":0,"outcome":"refused","reason":"no"}'] * 20)),
    "unauthorized": lambda: whole(b"\x1b[31m" + b"no " * 300_000, b"401 Unauthorized"),
    "redirect": lambda: whole(b"", b"307 Temporary Redirect", b"Location: /api/telemetry"),
    "redirect-away": lambda: whole(b"", b"308 Permanent Redirect", b"Location: http://127.0.0.2:1/\x1b[2J" + b"x" * 400),
    "too-large": lambda: whole(b"", b"413 Content Too Large"),
    "unprocessable": lambda: whole(b'{"error":"no"}', b"422 Unprocessable Content"),
    "encoding": lambda: whole(b"", b"415 Unsupported Media Type"),
    "status": lambda: whole(b"", b"999 Whatever"),
    "upgrade": lambda: whole(b"", b"101 Switching Protocols", b"Upgrade: websocket", b"Connection: Upgrade"),
}
# The answers to a request for fences, by attack.
FENCES = {
    "fences-huge": lambda: fences(900_000),
    "fences-endless": lambda: without_end(CHUNKED, chunked(b'{"type":"FeatureCollection","features":[' + b" " * 60000)),
    "fences-noise": lambda: whole(NOISE * 8, b"200 OK", b'ETag: "1"'),
    "fences-deep": lambda: whole(b'{"type":"FeatureCollection","features":[' + b"[" * 1_000_000, b"200 OK", b'ETag: "2"'),
    "fences-impossible": lambda: whole(b'{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"x","radius":1e300},"geometry":{"type":"Point","coordinates":[9e99,48]}}]}'),
    "fences-unchanged": lambda: whole(b"", b"304 Not Modified"),
    "fences-other-etag": lambda: fences(3, b'ETag: "%d"' % time.monotonic_ns()),
    "fences-long-etag": lambda: fences(3, b'ETag: "' + b"x" * 60_000 + b'"'),
    "fences-many": lambda: fences(30_000, b'ETag: "many"'),
}


def read_request(connection):
    """The method and path of one request, which is read to its end; empty at the end of the connection."""
    rest = b""
    while b"\r\n\r\n" not in rest:
        more = connection.recv(65536)
        if not more:
            return b""
        rest += more
    head, _, body = rest.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)^content-length: *(\d+)", head, re.M)
    wanted = int(length[1]) if length else 0
    count = len(body)
    while count < wanted:
        more = connection.recv(65536)
        if not more:
            break
        count += len(more)
    return head.split(b"\r\n")[0]


def serve(connection, now):
    if now == "pass":
        return pass_on(connection)
    while True:
        line = read_request(connection)
        if not line:
            return
        isFences = b"/geofences" in line
        malice = (FENCES if isFences else RECORDS).get(now)
        if not malice:
            # This attack changes only the answers to the other kind of request.
            pieces = whole(b"", b"503 Service Unavailable", b"Retry-After: 0") if not isFences else whole(b"", b"404 Not Found")
            for piece in pieces:
                connection.sendall(piece)
            continue
        try:
            for piece in malice():
                connection.sendall(piece)
        finally:
            say("met " + now)


if listen == 0:
    # Print all names.
    print(" ".join(RECORDS))
    print(" ".join(FENCES))
    sys.exit(0)
run(serve)
