"""An S3-compatible storage for tests (moto, PyPI) that checks signatures and can fail.

s3-peer.py PORT [--region REGION]

The bucket `files` exists. The keys are ACCESS and SECRET below. Signatures are checked with botocore, and bodies against
their announced SHA-256.

Standard input: lines of JSON. {"fault": NAME, "count": N, "method": "PUT", "match": "/uploads/"} lets the next N requests
with this method whose path and query contain this text fail; {"clear": true} ends all faults; {"requests": true} returns
how many requests came since the last question. Each line is answered by a line. The program ends with its standard input.
"""
import argparse
import hashlib
import io
import json
import os
import socket
import sys
import threading
import time

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import WSGIRequestHandler, make_server

ACCESS, SECRET = "testaccess", "testsecret"

parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("--region", default="us-east-1")
options = parser.parse_args()

moto = DomainDispatcherApplication(create_backend_app)
lock = threading.Lock()
faults = []
requests = 0


def error(status, code, message="told to"):
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
    return status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))], body


STATUSES = {
    "internal": ("500 Internal Server Error", "InternalError"),
    "slowDown": ("503 Slow Down", "SlowDown"),
    "skew": ("403 Forbidden", "RequestTimeTooSkewed"),
    "denied": ("403 Forbidden", "AccessDenied"),
    "noBucket": ("404 Not Found", "NoSuchBucket"),
    "region": ("400 Bad Request", "AuthorizationHeaderMalformed"),
    "badDigest": ("400 Bad Request", "XAmzContentSHA256Mismatch"),
}


def refusal(environ, target, body):
    """The error for a wrong signature or body; None if both are right."""
    fields = environ.get("HTTP_AUTHORIZATION", "").removeprefix("AWS4-HMAC-SHA256 ")
    parts = dict(part.split("=", 1) for part in fields.split(", ") if "=" in part)
    access, _, region, _, _ = parts.get("Credential", "////").split("/")
    if access != ACCESS:
        return error("403 Forbidden", "InvalidAccessKeyId")
    if region != options.region:
        return error("400 Bad Request", "AuthorizationHeaderMalformed", f"expecting '{options.region}'")
    names = parts.get("SignedHeaders", "").split(";")
    if "host" not in names or "x-amz-date" not in names or "x-amz-content-sha256" not in names:
        return error("403 Forbidden", "AccessDenied", "headers are not signed")
    headers = {name: environ.get("HTTP_" + name.upper().replace("-", "_"), "") for name in names}
    request = AWSRequest(environ["REQUEST_METHOD"], f"http://{headers['host']}{target}", headers)
    request.context["timestamp"] = headers["x-amz-date"]
    signer = S3SigV4Auth(Credentials(ACCESS, SECRET), "s3", options.region)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    if signer.signature(text, request) != parts.get("Signature"):
        return error("403 Forbidden", "SignatureDoesNotMatch")
    if hashlib.sha256(body).hexdigest() != headers["x-amz-content-sha256"]:
        return error("400 Bad Request", "XAmzContentSHA256Mismatch")
    return None


def next_fault(method, target):
    with lock:
        for fault in faults:
            if fault.get("method", method) == method and fault.get("match", "") in target:
                fault["count"] -= 1
                if fault["count"] <= 0:
                    faults.remove(fault)
                return fault["fault"]
    return None


def cut(environ):
    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    raise ConnectionResetError


def application(environ, start):
    global requests
    with lock:
        requests += 1
    target, method = environ["REQUEST_URI"], environ["REQUEST_METHOD"]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    fault = next_fault(method, target)
    if fault == "reset":
        cut(environ)
    if fault == "none":
        fault = None
    if fault == "hang":
        time.sleep(3_600)
    failed = error(*STATUSES[fault]) if fault in STATUSES else refusal(environ, target, body)
    if failed:
        start(failed[0], failed[1])
        return [failed[2]]
    if fault == "storeOther":
        body = bytes([body[0] ^ 1]) + body[1:]
    if fault == "storeLess":
        body = body[:-1]
    environ["wsgi.input"] = io.BytesIO(body)
    environ["CONTENT_LENGTH"] = str(len(body))
    found = {}

    def keep(status, headers, info=None):
        found["status"], found["headers"] = status, headers

    answer = b"".join(moto(environ, keep))
    if fault == "lostAnswer":
        cut(environ)
    headers = [(k, v) for k, v in found["headers"] if k.lower() not in ("content-length", "connection")]
    if fault == "sendOther":
        answer = answer[:-1] + bytes([answer[-1] ^ 1])
    if fault == "sendLess":
        answer = answer[:-1]
    if fault == "lateError":
        _, _, answer = error("", "InternalError")
    start(found["status"], headers + [("Content-Length", str(len(answer)))])
    if fault == "cutBody":
        return cut_body(environ, answer)
    return [answer]


def cut_body(environ, answer):
    yield answer[: len(answer) // 2]
    cut(environ)


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *arguments):
        pass

    def log(self, kind, message, *arguments):
        pass


server = make_server("127.0.0.1", options.port, application, threaded=True, request_handler=Handler)
s3_backends["123456789012"]["aws"].create_bucket("files", options.region)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    command = json.loads(line)
    answer = "ok"
    with lock:
        if "fault" in command:
            faults.append({"count": 1, **command})
        elif "clear" in command:
            faults.clear()
        elif "requests" in command:
            answer, requests = str(requests), 0
    print(answer, flush=True)
os._exit(0)
