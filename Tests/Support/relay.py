"""A way to a server for tests, which is cut in the middle.

relay.py PORT BYTES

Whoever connects is connected to 127.0.0.1:PORT. Once the first has sent BYTES, wherever that is, nothing passes any more
in either direction, and both ends stay open until a line comes on standard input: what the server has answered so far
is all that its client ever hears of it. Whoever comes later is served to the end.

Standard output: "port N", then "held".
"""
import select
import socket
import sys
import threading


def carry(client, limit):
    """Bytes both ways, until either end closes or the limit is reached."""
    left = limit
    with client, socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
        others = {client: server, server: client}
        while left != 0:
            for end in select.select(list(others), [], [])[0]:
                data = end.recv(65_536)
                if not data:
                    return
                if left is not None and end is client:
                    data = data[:left]
                    left -= len(data)
                others[end].sendall(data)
                if left == 0:
                    break
        print("held", flush=True)
        sys.stdin.readline()


def serve(client, limit):
    try:
        carry(client, limit)
    except OSError:
        # One end is gone, or the server is not there: so is the other.
        client.close()


listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1], flush=True)
limits = [int(sys.argv[2])]
while True:
    newcomer = listener.accept()[0]
    threading.Thread(target=serve, args=(newcomer, limits.pop() if limits else None), daemon=True).start()
