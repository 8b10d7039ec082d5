"""A fleet store for tests. A JSON file determines its reaction to each request, and it prints each request.

store.py RULES FOLDER [CERTIFICATE KEY [CLIENT_AUTHORITIES]]

RULES: {"steps": [STEP…], "token": PATH, "largest": N, "encodings": ["gzip"], "poison": TEXT, "refuse": TEXT,
        "gateway": ID, "vehicle": ID, "fences": {"etag": "…", "body": "…"}}
STEP, for one request of records each: "store", "truncate" (stored, half an answer), "reset" (stored, connection reset in
the middle of the answer), "hang" (no answer), "slow" (stored, the answer at about 1 kB/s), "garbage", "huge",
{"status": N, "headers": {…}, "body": "…"}; after the last: "store".

Standard output: "port N", then a line of JSON for each request; a mark for each SIGUSR1.
"""
import gzip
import http.server
import json
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

rules = json.load(open(sys.argv[1]))
steps = list(rules.get("steps", []))
stored = {}
lock = threading.Lock()


def say(value):
    with lock:
        print(json.dumps(value), flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", headers=None):
        self.send_response(status)
        if "gateway" in rules:
            self.send_header("Obdgate-Gateway", rules["gateway"])
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def seen(self, **more):
        say({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}, **more})

    def refuses_token(self):
        path = rules.get("token")
        if path and self.headers.get("Authorization") != "Bearer " + open(path).read().strip():
            self.answer(401, b"unknown token")
            return True
        return False

    def do_GET(self):
        self.seen(method="GET")
        fences = rules.get("fences")
        if self.refuses_token():
            return
        if not fences:
            self.answer(404)
        elif self.headers.get("If-None-Match") == fences["etag"]:
            self.answer(304, headers={"ETag": fences["etag"]})
        else:
            self.answer(200, fences["body"].encode(), {"ETag": fences["etag"]})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        encoding = self.headers.get("Content-Encoding", "identity")
        if encoding == "zstd":
            text = subprocess.run(["zstd", "-dc"], input=raw, capture_output=True, check=True).stdout
        elif encoding == "gzip":
            text = subprocess.run(["gzip", "-dc"], input=raw, capture_output=True, check=True).stdout
        else:
            text = raw
        records = [json.loads(line) for line in text.decode().splitlines() if line]
        self.seen(method="POST", count=len(records), encoding=encoding, compressed=len(raw), plain=len(text))
        if self.refuses_token():
            return
        if not records:
            return self.answer(400, b'{"error":{"code":"badRequest","message":"the body has no records"}}')
        with lock:
            step = steps.pop(0) if steps else "store"
        if isinstance(step, dict):
            return self.answer(step["status"], step.get("body", "").encode(), step.get("headers"))
        if step == "hang":
            return threading.Event().wait(600)
        if step == "garbage":
            return self.answer(200, b"<html>Welcome to the hotel's network</html>")
        if step == "huge":
            return self.answer(200, b" " * (3 << 20))
        if encoding not in rules.get("encodings", ["zstd", "gzip", "identity"]):
            return self.answer(415)
        if len(records) > rules.get("largest", 1 << 30):
            return self.answer(413)
        if "poison" in rules and any(rules["poison"] in json.dumps(record) for record in records):
            return self.answer(400, b"a record is malformed")
        self.finish_storing(step, records)

    def finish_storing(self, step, records):
        counts = {"stored": 0, "duplicates": 0, "refused": 0, "results": []}
        for index, record in enumerate(records):
            if "refuse" in rules and rules["refuse"] in json.dumps(record):
                counts["refused"] += 1
                counts["results"].append({"index": index, "outcome": "refused", "reason": "rpm: not today"})
                continue
            foreign = next((key for key in ("gateway", "vehicle") if rules.get(key, record[key + "Id"]) != record[key + "Id"]), None)
            if foreign:
                counts["refused"] += 1
                kind = "foreign" + foreign.title()
                counts["results"].append({"index": index, "outcome": "refused", "kind": kind, "reason": foreign + "Id: not yours"})
                continue
            with lock:
                key = "duplicates" if record["id"] in stored else "stored"
                stored[record["id"]] = record
            counts[key] += 1
        lost = {result["index"] for result in counts["results"] if "kind" in result}
        say({"stored": [record["seq"] for index, record in enumerate(records) if index not in lost], "outcome": {k: counts[k] for k in list(counts)[:3]}})
        body = json.dumps(counts).encode()
        if step == "store":
            return self.answer(200, body)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if step == "slow":
            for place in range(0, len(body), 16):
                self.wfile.write(body[place:place + 16])
                time.sleep(0.016)
            return
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        if step == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        say({"error": str(sys.exc_info()[1])})


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    if len(sys.argv) > 5:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(sys.argv[5])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)


def mark():
    """Prints a mark on request; all earlier output precedes it. A signal handler could wait for a lock of the interrupted code."""
    while True:
        signal.sigwait({signal.SIGUSR1})
        say({"mark": True})


signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
threading.Thread(target=mark, daemon=True).start()
print("port", server.server_address[1], flush=True)
server.serve_forever()
