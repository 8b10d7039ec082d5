"""A mail server for tests (aiosmtpd, PyPI).

mail-peer.py PORT [--host ADDRESS] [--tls CERTIFICATE KEY] [--starttls CERTIFICATE KEY] [--login USER PASSWORD]
             [--refuse-recipient CODE] [--silent]

--tls: TLS from the beginning. --starttls: TLS is offered, and nothing is accepted before it. --login: nothing is accepted
before a login. --refuse-recipient: the answer to every RCPT. --silent: accepts connections and answers nothing.

Standard output: "ready", then a line of JSON for each event: {"event":"mail", from, to, tls, login, headers, plain, html,
raw}, {"event":"login", accepted}. Headers and bodies are decoded by Python's email package.
"""
import argparse
import email
import email.policy
import json
import socket
import ssl
import sys
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--tls", nargs=2)
parser.add_argument("--starttls", nargs=2)
parser.add_argument("--login", nargs=2)
parser.add_argument("--refuse-recipient")
parser.add_argument("--silent", action="store_true")
options = parser.parse_args()


def say(value):
    print(json.dumps(value), flush=True)


def context(files):
    if not files:
        return None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(*files)
    return made


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if options.refuse_recipient:
            return f"{options.refuse_recipient} no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        plain, html = (message.get_body(preferencelist=(kind,)) for kind in ("plain", "html"))
        say({
            "event": "mail", "from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None,
            "login": bool(session.authenticated), "headers": [[name, str(value)] for name, value in message.items()],
            "defects": [str(one) for part in message.walk() for one in part.defects],
            "plain": plain.get_content() if plain else None, "html": html.get_content() if html else None,
            "raw": envelope.content.decode("latin-1"),
        })
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    accepted = [data.login.decode(), data.password.decode()] == options.login
    say({"event": "login", "accepted": accepted})
    return AuthResult(success=accepted, handled=True) if accepted else AuthResult(success=False, handled=False)


if options.silent:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((options.host, options.port))
    listener.listen()
    print("ready", flush=True)
    held = []
    while True:
        held.append(listener.accept())
controller = Controller(
    Handler(), hostname=options.host, port=options.port, ssl_context=context(options.tls),
    tls_context=context(options.starttls), require_starttls=bool(options.starttls),
    auth_required=bool(options.login), auth_require_tls=bool(options.starttls),
    authenticator=authenticate if options.login else None, enable_SMTPUTF8=True)
controller.start()
print("ready", flush=True)
threading.Event().wait()
