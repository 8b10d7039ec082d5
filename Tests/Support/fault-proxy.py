#!/usr/bin/python3
"""A TCP proxy that simulates faults of networks and servers for HTTP without TLS.

    fault-proxy.py LISTEN UPSTREAM FILE        ports of 127.0.0.1

FILE has the name of a fault; it is read at each SIGUSR1. The program prints `now FAULT` when it applies to new connections,
and `met FAULT` for each of them.

    pass        no fault
    refuse      rejects connections
    hole        accepts connections and sends nothing
    reset       passes the request, and resets the connection once the answer begins: stored, not acknowledged
    drip        1,000 bytes a second to each side
    error       answers 500 itself
    busy        answers 503 with Retry-After: 1 itself
    cut         passes the request and half of the answer's bytes, then ends
"""

import re
import socket
import struct

from switched_proxy import pass_on, run, say, upstream


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_message(connection, rest=b""):
    """Returns an HTTP message with a Content-Length, or the bytes before the end."""
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


def answer(connection, line, more=b""):
    read_message(connection)
    connection.sendall(b"HTTP/1.1 " + line + b"\r\nContent-Length: 0\r\n" + more + b"Connection: close\r\n\r\n")
    connection.close()


def serve(connection, now):
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
        pass_on(connection, 1000 if now == "drip" else None)
        say("met " + now)


run(serve, closed={"refuse"})
