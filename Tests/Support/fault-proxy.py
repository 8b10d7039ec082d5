#!/usr/bin/python3
"""A TCP proxy that does to HTTP what networks and servers do to it. It reads no TLS.

    fault-proxy.py LISTEN UPSTREAM FILE        ports of 127.0.0.1

FILE has the name of a fault; it is read at each SIGUSR1. `now FAULT` is said once new connections meet it, and `met FAULT` each
time one did.

    pass        nothing
    refuse      nobody listens
    hole        takes the connection and says nothing
    reset       passes the request, and resets the connection once the answer begins: stored, not acknowledged
    drip        1,000 bytes a second to each side
    error       answers 500 itself
    busy        answers 503 with Retry-After: 1 itself
    cut         passes the request and half of the answer's bytes, then ends
"""

import re
import signal
import socket
import struct
import sys
import threading
import time

listen, upstream, script = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
# Before there are threads, so that none of them is interrupted.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
lock = threading.Lock()
open_sockets = set()


def say(text):
    with lock:
        print(text, flush=True)


def listener():
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", listen))
    server.listen(64)
    return server


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_message(connection, rest=b""):
    """One HTTP message with a Content-Length, or what came before the end."""
    while b"\r\n\r\n" not in rest:
        more = connection.recv(65536)
        if not more:
            return rest
        rest += more
    head, _, body = rest.partition(b"\r\n\r\n")
    if b"100-continue" in head.lower():
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    length = re.search(rb"(?i)^content-length: *(\d+)", head, re.M)
    wanted = int(length[1]) if length else 0
    while len(body) < wanted:
        more = connection.recv(65536)
        if not more:
            break
        body += more
    return head + b"\r\n\r\n" + body


def carry(source, target, rate):
    try:
        while True:
            data = source.recv(100 if rate else 65536)
            if not data:
                break
            target.sendall(data)
            if rate:
                time.sleep(len(data) / rate)
    except OSError:
        pass
    for side in (source, target):
        try:
            side.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def answer(connection, line, more=b""):
    read_message(connection)
    connection.sendall(b"HTTP/1.1 " + line + b"\r\nContent-Length: 0\r\n" + more + b"Connection: close\r\n\r\n")
    connection.close()


def serve(connection, now):
    try:
        if now == "hole":
            say("met hole")
            while connection.recv(65536):
                pass
        elif now == "error":
            answer(connection, b"500 Internal Server Error")
            say("met error")
        elif now == "busy":
            answer(connection, b"503 Service Unavailable", b"Retry-After: 1\r\n")
            say("met busy")
        elif now in ("reset", "cut"):
            request = read_message(connection)
            server = socket.create_connection(("127.0.0.1", upstream))
            server.sendall(request)
            reply = read_message(server)
            if now == "reset":
                connection.sendall(reply[:20])
                reset(connection)
            else:
                connection.sendall(reply[:len(reply) // 2])
                connection.close()
            server.close()
            if request.startswith(b"POST "):
                say("met " + now)
        else:
            server = socket.create_connection(("127.0.0.1", upstream))
            rate = 1000 if now == "drip" else None
            threading.Thread(target=carry, args=(server, connection, rate), daemon=True).start()
            carry(connection, server, rate)
            say("met " + now)
    except OSError as problem:
        print(problem, file=sys.stderr, flush=True)
    finally:
        with lock:
            open_sockets.discard(connection)
        connection.close()


def accept(server, now):
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with lock:
            open_sockets.add(connection)
        threading.Thread(target=serve, args=(connection, now), daemon=True).start()


def begin(now):
    server = listener()
    threading.Thread(target=accept, args=(server, now), daemon=True).start()
    return server


server = begin("pass")
say("now pass")
while signal.sigwait({signal.SIGUSR1}):
    with open(script) as file:
        fault = file.read().strip()
    if server:
        # A blocked accept() keeps the socket listening: it is told first.
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    server = None
    with lock:
        connections = list(open_sockets)
    # Connections that are kept alive would never meet the fault.
    for connection in connections:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
    if fault != "refuse":
        server = begin(fault)
    say("now " + fault)
