"""A relay to a server for tests that stops in the middle.

relay.py PORT BYTES

Each connection is relayed to 127.0.0.1:PORT. When the first client has sent BYTES, nothing passes any more in either
direction, and both ends stay open until a line arrives on standard input. The client receives only what the server has
answered before. Later connections are relayed to their end.

Standard output: "port N", then "held".
"""
import select
import socket
import sys
import threading


def carry(client, limit):
    """Relays bytes in both directions until one end closes or the limit is reached."""
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
        # If one end has closed, or the server cannot be reached, close the other end as well.
        client.close()


listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1], flush=True)
limits = [int(sys.argv[2])]
while True:
    newcomer = listener.accept()[0]
    threading.Thread(target=serve, args=(newcomer, limits.pop() if limits else None), daemon=True).start()
