#!/usr/bin/env python3
"""Measures how strangers who send many requests at once burden a fleet store, for docs/Performance.md.

scripts/strangers.py FLEETSTORE     FLEETSTORE: the release build of the server

1. 200 connections send 100 requests each without a key, and read nothing. Printed: the server's resident memory.
2. 40 connections send requests without a key without end, and read the answers. Meanwhile a gateway with a key, at
   another address, sends one record after another. Printed: the latencies of the gateway before and during that.
3. An operator puts long geofences again and again, with the same gateway beside.
"""
import gzip
import http.client
import json
import math
import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

SERVER = os.path.abspath(sys.argv[1])
HOST = "127.0.0.1"


def request(path):
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def resident(process):
    """The resident memory in MB."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))


def start(folder):
    """Starts a server; returns it, its port, a gateway's key and an operator's token."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    database = ["--database", "sqlite:fleet.db"]

    def command(*words):
        return subprocess.run([SERVER, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    token = command("token", "add", "--role", "admin", *database, "--create").split()[-1]
    key = command("gateway", "add", "gw-1", *database).split()[-1]
    server = subprocess.Popen(
        [SERVER, "serve", *database, "--listen", f"{HOST}:{port}"], cwd=folder, stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection((HOST, port)).close()
            return server, port, key, token
        except ConnectionRefusedError:
            time.sleep(0.05)


def line(number):
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"
    identifier = int(now * 1000).to_bytes(6, "big") + b"\x70" + os.urandom(1) + b"\x80" + os.urandom(7)
    return json.dumps({
        "type": "telemetry", "id": str(uuid.UUID(bytes=identifier)), "timestamp": stamp, "timeQuality": "gps",
        "gatewayId": "gw-1", "vehicleId": "VAN-1", "epoch": "019df1ae-d0b8-77f9-984c-48485e5379a9", "seq": number,
        "speed": 50}) + "\n"


def gateway(port, key, seconds, results):
    """Sends one record after another; the latencies in ms."""
    connection = http.client.HTTPConnection(HOST, port, source_address=("127.0.0.2", 0))
    latencies, number, end = [], int(time.time() * 1000), time.time() + seconds
    while time.time() < end:
        number += 1
        begin = time.perf_counter()
        connection.request(
            "POST", "/api/telemetry", line(number),
            {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        latencies.append((time.perf_counter() - begin) * 1000)
        time.sleep(0.02)
    results.put(latencies)


def measured(port, key, seconds, title):
    results = multiprocessing.Queue()
    probe = multiprocessing.Process(target=gateway, args=(port, key, seconds, results))
    probe.start()
    latencies = sorted(results.get())
    probe.join()
    share = lambda part: latencies[min(int(len(latencies) * part), len(latencies) - 1)]
    print(f"{title}: {len(latencies)} requests, p50 {share(.5):.1f} ms, p95 {share(.95):.1f} ms, max {latencies[-1]:.1f} ms")


def unread(server, port):
    print(f"memory: {resident(server)} MB", end="", flush=True)
    sockets = []
    for _ in range(200):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect((HOST, port))
        one.setblocking(False)
        try:
            one.send(request("/api/openapi.json") * 100)
        except BlockingIOError:
            pass
        sockets.append(one)
    for _ in range(5):
        time.sleep(2)
        print(f", {resident(server)} MB", end="", flush=True)
    print(" with 200 connections that read nothing")
    for one in sockets:
        one.close()


def flood(port, seconds, count):
    """Sends requests without a key on 40 connections, and reads the answers."""
    answers, end = 0, time.time() + seconds
    block = request("/api/health") * 100
    open_ones = {}
    while time.time() < end:
        while len(open_ones) < 40:
            one = socket.create_connection((HOST, port))
            one.setblocking(False)
            open_ones[one] = 0
        readable, writable, _ = select.select(list(open_ones), list(open_ones), [], 1)
        for one in readable:
            try:
                data = one.recv(1 << 18)
            except OSError:
                data = b""
            answers += data.count(b"HTTP/1.1 ")
            if not data:
                del open_ones[one]
        for one in writable:
            if one not in open_ones:
                continue
            try:
                sent = one.send(block[open_ones[one]:])
                open_ones[one] = (open_ones[one] + sent) % len(block)
            except BlockingIOError:
                pass
            except OSError:
                del open_ones[one]
    count.value = answers


def fences(port, token, seconds):
    corners = [[round(14 + 0.01 * math.cos(step * math.tau / 200), 6), round(48 + 0.01 * math.sin(step * math.tau / 200), 6)]
               for step in range(200)]
    polygon = json.dumps({"type": "Polygon", "coordinates": [corners + corners[:1]]})
    features, size = [], 0
    while size < 20 << 20:
        features.append(f'{{"type":"Feature","id":"{len(features)}","properties":{{}},"geometry":{polygon}}}')
        size += len(features[-1]) + 1
    plain = ('{"type":"FeatureCollection","features":[' + ",".join(features) + "]}").encode()
    body, end = gzip.compress(plain, 1), time.time() + seconds
    while time.time() < end:
        connection = http.client.HTTPConnection(HOST, port)
        begin = time.perf_counter()
        connection.request(
            "PUT", "/api/geofences", body,
            {"Authorization": f"Bearer {token}", "Content-Type": "application/geo+json", "Content-Encoding": "gzip"})
        answer = connection.getresponse()
        text = answer.read()
        print(f"geofences of {len(plain)} bytes: {answer.status} after {time.perf_counter() - begin:.2f} s {text[:200]}")
        if answer.status != 204:
            return
        connection.close()


def beside(function, *arguments):
    process = multiprocessing.Process(target=function, args=arguments)
    process.start()
    return process


def main():
    with tempfile.TemporaryDirectory() as folder:
        server, port, key, token = start(folder)
        try:
            unread(server, port)
            measured(port, key, 8, "a gateway alone")
            count = multiprocessing.Value("q", 0)
            attack = beside(flood, port, 10, count)
            time.sleep(1)
            measured(port, key, 8, "a gateway beside 40 connections of a stranger")
            attack.join()
            print(f"answers to the stranger: {count.value / 10:.0f} a second")
            attack = beside(fences, port, token, 8)
            time.sleep(2)
            measured(port, key, 6, "a gateway beside long geofences")
            attack.join()
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


main()
