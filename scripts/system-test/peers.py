"""The programs outside the machine with which it communicates: a fleet store, a car behind a serial line, a GPS
receiver."""

import datetime
import functools
import http.server
import json
import math
import re
import select
import signal
import socket
import subprocess
import threading
import time

from machine import Failed


class Program:
    """A running program, whose first lines on stderr are read."""

    def __init__(self, command, says, log, limit=120):
        with open(log, "wb") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        deadline = time.monotonic() + limit
        while not (found := re.search(says, self._said(log))):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{command[0]}: {self._said(log)}")
            time.sleep(0.02)
        self.found = found

    @staticmethod
    def _said(log):
        with open(log, encoding="utf8", errors="replace") as file:
            return file.read()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()


class Car:
    """`obdgate simulate` on a port of this host."""

    def __init__(self, obdgate, folder, vin=None):
        folder.mkdir()
        scenario = folder / "scenario.json"
        scenario.write_text(json.dumps({"cars": [{"vin": vin} if vin else {}]}))
        self.program = Program([obdgate, "simulate", "--tcp", "0", "--baud", "115200", "--scenario", scenario],
                               r"127\.0\.0\.1:(\d+)", folder / "log")
        self.port = int(self.program.found[1])

    def stop(self):
        self.program.stop()


class Store:
    """`fleetstore` with SQLite, on the same port each time it runs."""

    def __init__(self, fleetstore, folder):
        self.fleetstore, self.folder, self.program = fleetstore, folder, None
        self.path = folder / "fleet.db"
        self.runs = 0
        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))
            self.port = reserved.getsockname()[1]

    def start(self):
        self.runs += 1
        self.program = Program(
            [self.fleetstore, "serve", "--listen", f"127.0.0.1:{self.port}", "--database", f"sqlite:{self.path}"],
            "listening on http://", self.folder / f"store-{self.runs}.log")

    def stop(self):
        if self.program:
            self.program.stop()
            self.program = None

    def token(self, gateway):
        return subprocess.run([self.fleetstore, "gateway", "add", gateway, "--database", f"sqlite:{self.path}"],
                              stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


class Packages:
    """Serves the packages in a folder over HTTP, on a port of this host."""

    def __init__(self, folder):
        self.name = next(folder.glob("obdgate_*.deb")).name
        handler = functools.partial(Quiet, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Logs nothing."""


class Receiver:
    """A GPS receiver on a port of this host. Once a second it sends the position of a car that drives on a circle of 1
    km."""

    PLACE = (47.6596, 9.1794)

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def stop(self):
        self.ended.set()
        self.thread.join()
        self.listener.close()

    def _serve(self):
        clients = []
        while not self.ended.is_set():
            ready, _, _ = select.select([self.listener], [], [], 1 - time.time() % 1)
            if ready:
                clients.append(self.listener.accept()[0])
                clients[-1].setblocking(False)
                continue
            for client in list(clients):
                try:
                    client.send(self.epoch(time.time()).encode())
                except BlockingIOError:
                    # The port is not open, so the sentences are lost, as those of a real receiver would be.
                    continue
                except OSError:
                    clients.remove(client)
                    client.close()
        for client in clients:
            client.close()

    @classmethod
    def epoch(cls, now):
        """Returns the sentences of one second. The car drives at 20 m/s on the circle."""
        angle = (now * 20 / 1000) % (2 * math.pi)
        latitude = cls.PLACE[0] + math.sin(angle) / 111.2
        longitude = cls.PLACE[1] + math.cos(angle) / 111.2 / math.cos(math.radians(cls.PLACE[0]))
        course = (360 - math.degrees(angle)) % 360
        date = datetime.datetime.fromtimestamp(round(now), datetime.timezone.utc)
        place = f"{cls._degrees(latitude, 2)},N,{cls._degrees(longitude, 3)},E"
        lines = (f"GPRMC,{date:%H%M%S}.00,A,{place},{20 / 0.514444:.1f},{course:.1f},{date:%d%m%y},,,A",
                 f"GPGGA,{date:%H%M%S}.00,{place},1,09,0.9,405.0,M,47.0,M,,",
                 "GPGSA,A,3,02,05,07,13,15,21,24,29,30,,,,1.7,0.9,1.4")
        return "".join(f"${line}*{cls._sum(line):02X}\r\n" for line in lines)

    @staticmethod
    def _degrees(value, digits):
        whole = int(value)
        return f"{whole:0{digits}d}{(value - whole) * 60:08.5f}"

    @staticmethod
    def _sum(text):
        total = 0
        for character in text.encode():
            total ^= character
        return total
