"""The common part of the test proxies: they listen, relay connections, and change their behaviour at each SIGUSR1.

    SCRIPT LISTEN UPSTREAM FILE        ports of 127.0.0.1

FILE has the name of the behaviour; it is read at each SIGUSR1. The proxy prints `now NAME` when it applies to new
connections, and the handler prints `met NAME` for each of them. Import it before threads start, so that none is interrupted.
"""

import signal
import socket
import sys
import threading
import time

listen, upstream, script = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
_lock = threading.Lock()
_open = set()


def say(text):
    with _lock:
        print(text, flush=True)


def carry(source, target, rate=None):
    """Relays bytes until one side ends, at `rate` bytes a second."""
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
        _end(side)


def pass_on(connection, rate=None):
    """Connects to the normal peer, and relays bytes between it and a connection until one of them ends."""
    server = socket.create_connection(("127.0.0.1", upstream))
    threading.Thread(target=carry, args=(server, connection, rate), daemon=True).start()
    carry(connection, server, rate)


def run(serve, closed=()):
    """Serves each connection by `serve(connection, name)` in a separate thread. For names in `closed`, it does not listen."""
    server = _begin(serve, "pass")
    say("now pass")
    while signal.sigwait({signal.SIGUSR1}):
        with open(script) as file:
            name = file.read().strip()
        if server:
            # A blocked accept() keeps the socket open: end it first.
            _end(server)
            server.close()
        with _lock:
            connections = list(_open)
        # Connections that stay open would otherwise not have the new behaviour.
        for connection in connections:
            _end(connection)
        server = None if name in closed else _begin(serve, name)
        say("now " + name)


def _end(side):
    try:
        side.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _begin(serve, name):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", listen))
    server.listen(64)
    threading.Thread(target=_accept, args=(server, serve, name), daemon=True).start()
    return server


def _accept(server, serve, name):
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with _lock:
            _open.add(connection)
        threading.Thread(target=_meet, args=(connection, serve, name), daemon=True).start()


def _meet(connection, serve, name):
    try:
        serve(connection, name)
    except OSError as problem:
        print(problem, file=sys.stderr, flush=True)
    finally:
        with _lock:
            _open.discard(connection)
        _end(connection)
        connection.close()
